import { type IncomingHttpHeaders, type RequestOptions, request, Agent as Sockets } from 'node:http'
import type { LookupFunction } from 'node:net'

/** One request of a rehearsal. */
export interface RehearsalRequest {
  /** HTTP method. */
  readonly method: string
  /** Path with its query, sent as it stands. */
  readonly path: string
  /** An object goes out as JSON, `URLSearchParams` as a form, a string as it is. */
  readonly body?: unknown
  /** Besides those that every browser sends. */
  readonly headers?: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: bodies have every shape
type Json = any

/** What came back, with the body read. */
export interface RehearsalResponse {
  /** What was sent, with the headers that went out. */
  readonly request: RehearsalRequest
  /** HTTP status. */
  readonly status: number
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** The body. */
  readonly text: string
  /** The parsed body; undefined when it is not JSON. */
  readonly json: Json
}

/** The requests or the time of a rehearsal are used up. */
export class BudgetError extends Error {}

/** The way to the app: bounded, to this machine and nowhere else. */
export interface Wire {
  readonly origin: string
  /** How many requests went out. */
  requests(): number
  send(request: RehearsalRequest): Promise<RehearsalResponse>
  /** Ends every connection. */
  close(): void
}

/** How long one response may take: longer than any deadline of the package. */
const responseTimeoutMs = 20_000

/** No DNS: whatever a hosts file says, a name is this machine. */
const lookup: LookupFunction = (_name, { all }, done) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  if (all) done(null, addresses)
  else done(null, '127.0.0.1', 4)
}

/** Whether an address leads to this machine whatever the network looks like. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

export function createWire(
  origin: string,
  { maxRequests, timeoutMs }: { readonly maxRequests: number; readonly timeoutMs: number },
): Wire {
  const sockets = new Sockets({ keepAlive: true, maxSockets: 64 })
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const endsAt = performance.now() + timeoutMs
  let sent = 0

  async function exchange(request: RehearsalRequest, retried = false): Promise<RehearsalResponse> {
    if (sent >= maxRequests) throw new BudgetError(`the ${maxRequests} requests were used up`)
    if (performance.now() >= endsAt) throw new BudgetError(`the ${timeoutMs / 1_000} seconds were over`)
    sent += 1
    const { method, path, headers } = request
    const payload = payloadOf(request)
    const options: RequestOptions = {
      agent: sockets,
      host,
      port,
      method,
      path,
      lookup,
      headers: { ...headers },
    }
    return new Promise((resolve, reject) => {
      const call = ask(options, payload, (status, answered, text) =>
        resolve({ request, status, headers: answered, text, json: parsed(text) }),
      )
      call.once('error', (error) => {
        // A kept connection that the server closed at that moment: nothing was answered on it.
        if (call.reusedSocket && !retried) exchange(request, true).then(resolve, reject)
        else reject(new Error(`${method} ${path}: ${error.message}`, { cause: error }))
      })
    })
  }

  return {
    origin,
    requests: () => sent,
    send: (request) => exchange(request),
    close: () => sockets.destroy(),
  }
}

function ask(
  options: RequestOptions,
  payload: string | undefined,
  answered: (status: number, headers: IncomingHttpHeaders, text: string) => void,
) {
  const call = request(options, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk) => {
      text += chunk
    })
    response.once('error', (error) => call.emit('error', error))
    response.once('end', () => answered(response.statusCode ?? 0, response.headers, text))
  })
  call.setTimeout(responseTimeoutMs, () => call.destroy(new Error('no response')))
  return call.end(payload)
}

/** The body as it goes out. */
export function payloadOf({ body }: RehearsalRequest): string | undefined {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof URLSearchParams ? String(body) : JSON.stringify(body)
}

function parsed(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
