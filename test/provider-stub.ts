import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the stub answers one request. */
export type StubAnswer =
  | { readonly status?: number; readonly json: unknown }
  | { readonly status?: number; readonly text: string; readonly type?: string; readonly coding?: string }
  /** The connection is cut without an answer. */
  | 'reset'
  /** No answer ever. */
  | 'hang'

export interface StubRequest {
  readonly path: string
  /** The form as it came, without the account. */
  readonly form: Readonly<Record<string, string>>
}

/** A provider over real HTTP that counts what it is asked. */
export interface ProviderStub {
  readonly baseUrl: string
  /** The code that `answerCheck` takes by default. The first send gives 482913, the second 482914. */
  rightCode: string
  readonly sends: StubRequest[]
  readonly checks: StubRequest[]
  answerSend: (request: StubRequest) => StubAnswer | Promise<StubAnswer>
  answerCheck: (request: StubRequest) => StubAnswer | Promise<StubAnswer>
  close(): Promise<void>
}

const sendPaths = ['/v1/2fa/send-sms', '/v1/call/2fa/send-call', '/v1/send-sms', '/v1/call/send']

export async function startProviderStub(): Promise<ProviderStub> {
  const sends: StubRequest[] = []
  const checks: StubRequest[] = []

  async function answerTo(req: IncomingMessage): Promise<StubAnswer> {
    const path = req.url ?? ''
    if (path.startsWith('/v1/balance')) return { json: { status: 100 } }
    let body = ''
    for await (const chunk of req) body += chunk
    const { client: _client, key: _key, ...form } = Object.fromEntries(new URLSearchParams(body))
    const request = { path, form }
    if (sendPaths.includes(path)) {
      sends.push(request)
      return stub.answerSend(request)
    }
    checks.push(request)
    return stub.answerCheck(request)
  }

  // On a busy machine a connection can look idle to the server while a request is on its way to it.
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    void answerTo(req).then((answer) => reply(res, answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const stub: ProviderStub = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    rightCode: '482913',
    sends,
    checks,
    answerSend: ({ form }) => {
      // A host that makes its own codes writes them into the message.
      stub.rightCode = codeIn(form.sms) ?? codeIn(form.message) ?? String(482_912 + sends.length)
      return { json: { id: 'a1', status: 'queued', minutes_to_expire: 5 } }
    },
    answerCheck: ({ form }) => ({ json: { status: form.code === stub.rightCode ? 'verified' : 'wrong' } }),
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return stub
}

function reply(res: ServerResponse, answer: StubAnswer): void {
  if (answer === 'hang') return
  if (answer === 'reset') {
    res.destroy()
    return
  }
  const [type, text] =
    'json' in answer
      ? ['application/json', JSON.stringify(answer.json)]
      : [answer.type ?? 'text/html', answer.text]
  const coding = 'coding' in answer ? { 'content-encoding': answer.coding } : {}
  res.writeHead(answer.status ?? 200, { 'content-type': type, ...coding }).end(text)
}

function codeIn(message: string | undefined): string | undefined {
  return /\d(?:(?:, )?\d){5}/.exec(message ?? '')?.[0].replaceAll(/\D/g, '')
}
