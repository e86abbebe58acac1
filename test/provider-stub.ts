import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from './listening.js'

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
    const { client: _client, key: _key, ...form } = Object.fromEntries(new URLSearchParams(await text(req)))
    const request = { path, form }
    if (sendPaths.includes(path)) {
      sends.push(request)
      return stub.answerSend(request)
    }
    checks.push(request)
    return stub.answerCheck(request)
  }

  const { origin, close } = await listening((req, res) => {
    void answerTo(req).then((answer) => reply(res, answer))
  })
  const stub: ProviderStub = {
    baseUrl: `${origin}/v1`,
    rightCode: '482913',
    sends,
    checks,
    answerSend: ({ form }) => {
      // A host that makes its own codes writes them into the message.
      stub.rightCode = codeIn(form.sms) ?? codeIn(form.message) ?? String(482_912 + sends.length)
      return { json: { id: 'a1', status: 'queued', minutes_to_expire: 5 } }
    },
    answerCheck: ({ form }) => ({ json: { status: form.code === stub.rightCode ? 'verified' : 'wrong' } }),
    close,
  }
  return stub
}

function reply(res: ServerResponse, answer: StubAnswer): void {
  if (answer === 'hang') return
  if (answer === 'reset') {
    res.destroy()
    return
  }
  const [type, body] =
    'json' in answer
      ? ['application/json', JSON.stringify(answer.json)]
      : [answer.type ?? 'text/html', answer.text]
  const coding = 'coding' in answer ? { 'content-encoding': answer.coding } : {}
  res.writeHead(answer.status ?? 200, { 'content-type': type, ...coding }).end(body)
}

function codeIn(message: string | undefined): string | undefined {
  return /\d(?:(?:, )?\d){5}/.exec(message ?? '')?.[0].replaceAll(/\D/g, '')
}
