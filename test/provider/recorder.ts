import { text } from 'node:stream/consumers'
import { afterAll, beforeEach } from 'vitest'
import type { CodeCheck, CodeSend } from '../../src/challenge/exchange/code-provider.js'
import { type ClientOptions, createClient } from '../../src/provider/index.js'
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

/** A recorder and a client of it, for the tests of a file; each of them begins with no request. */
export async function recorded(options: Partial<ClientOptions> = {}) {
  const provider = await startRecorder()
  const client = createClient({ baseUrl: provider.baseUrl, client: 1, key: 'k', ...options })
  beforeEach(() => void provider.requests.splice(0))
  afterAll(async () => {
    await client.close()
    await provider.close()
  })
  return { provider, client }
}

/** Of a code that is sent to Ana. */
export const order = {
  destination: '+573001234567',
  channel: 'sms',
  appName: 'Acme',
  purpose: 'login',
  locale: 'en',
  expiresInMs: 600_000,
  signal: new AbortController().signal,
} satisfies CodeSend

/** The code that she types. */
export const submitted = {
  destination: order.destination,
  appName: 'Acme',
  code: '482913',
  signal: order.signal,
} satisfies CodeCheck
