import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What travelled, word for word. */
interface Recorded {
  readonly line: string
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

export interface Recorder {
  readonly baseUrl: string
  readonly requests: Recorded[]
  /** The next answer; the one given last is repeated. */
  answer(body: string, httpStatus?: number, headers?: Record<string, string>): void
  close(): Promise<void>
}

/** An HTTP server on loopback that writes down what it is asked and answers what it is told. */
export async function startRecorder(): Promise<Recorder> {
  const requests: Recorded[] = []
  let next = { body: '{}', httpStatus: 200, headers: {} }
  // On a busy machine a connection can look idle to the server while a request is on its way to it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      requests.push({ line: `${request.method} ${request.url}`, body, headers: request.headers })
      response.writeHead(next.httpStatus, { 'content-type': 'application/json', ...next.headers })
      response.end(next.body)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    answer(body, httpStatus = 200, headers = {}) {
      next = { body, httpStatus, headers }
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
