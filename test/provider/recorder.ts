import { text } from 'node:stream/consumers'
import { listening } from '../listening.js'

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
  const { origin, close } = await listening(async (request, response) => {
    const body = await text(request)
    requests.push({ line: `${request.method} ${request.url}`, body, headers: request.headers })
    response.writeHead(next.httpStatus, { 'content-type': 'application/json', ...next.headers })
    response.end(next.body)
  })
  return {
    baseUrl: `${origin}/v1`,
    requests,
    answer(body, httpStatus = 200, headers = {}) {
      next = { body, httpStatus, headers }
    },
    close,
  }
}
