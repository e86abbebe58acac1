import { request as ask, type IncomingHttpHeaders, Agent as Sockets } from 'node:http'
import type { LookupFunction } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { parseJson } from '../../../lib/json.js'

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

// biome-ignore lint/suspicious/noExplicitAny: the app's own bodies, whose members a plan names
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

/** A way to this machine and nowhere else, within bounds. */
export type Wire = ReturnType<typeof createWire>

/** How long one response may take: longer than any deadline of the package. */
const responseTimeoutMs = 20_000

/** A burst keeps an app from taking connections for longer than the quarter of a second after which the next address is tried. */
const connectTimeoutMs = 5_000

/** No DNS: whatever a hosts file says, a name is this machine. */
const lookup: LookupFunction = (_name, _options, done) =>
  done(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])

/** Whether an option is an address that leads to this machine whatever the network looks like. */
export function isOwnAddress(value: unknown): boolean {
  if (!(typeof value === 'string' || value instanceof URL) || !URL.canParse(String(value))) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

export function createWire(
  origin: string,
  { maxRequests = Number.POSITIVE_INFINITY, timeoutMs = Number.POSITIVE_INFINITY } = {},
) {
  const agent = new Sockets({
    keepAlive: true,
    maxSockets: 64,
    autoSelectFamilyAttemptTimeout: connectTimeoutMs,
  })
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const endsAt = performance.now() + timeoutMs
  let sent = 0

  async function exchange(request: RehearsalRequest, retried = false): Promise<RehearsalResponse> {
    if (sent >= maxRequests) throw new BudgetError(`the ${maxRequests} requests were used up`)
    const leftMs = endsAt - performance.now()
    const isOver = () =>
      new BudgetError(`the ${timeoutMs / 1_000} seconds were over: run some of the rows with \`only\``)
    if (leftMs <= 0) throw isOver()
    sent += 1
    const { method, path, headers = {} } = request
    return new Promise((resolve, reject) => {
      const failed = (error: Error) => {
        // Node names each address in an error of its own, and nothing in the one around them.
        if (error instanceof BudgetError || performance.now() >= endsAt - 5) return reject(isOver())
        const isDown = Reflect.get(error, 'code') === 'ECONNREFUSED'
        const why = isDown ? `nothing listens at ${origin}` : error.message
        reject(new Error(`${method} ${path}: ${why}`, { cause: error }))
      }
      const call = ask({ agent, host, port, method, path, lookup, headers }, (response) => {
        readText(response).then((text) => {
          resolve({
            request,
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: parseJson(text),
          })
        }, failed)
      })
      // Also for a response that never ends: the end of the rehearsal is reported at once.
      const end = Number.isFinite(leftMs) ? setTimeout(() => call.destroy(isOver()), leftMs) : undefined
      call.once('close', () => clearTimeout(end))
      call.setTimeout(responseTimeoutMs, () => call.destroy(new Error('no response')))
      call.on('error', (error) => {
        // A kept connection that the server closed at that moment: nothing was answered on it.
        if (call.reusedSocket && !retried) exchange(request, true).then(resolve, reject)
        else failed(error)
      })
      call.end(encoded(request.body).text)
    })
  }

  return {
    origin,
    /** How many requests went out. */
    requests: () => sent,
    send: (request: RehearsalRequest) => exchange(request),
    /** Ends every connection. */
    close: () => agent.destroy(),
  }
}

/** A body as it goes out, and the content type that it has by itself. */
export function encoded(body: unknown): { readonly text?: string; readonly type?: string } {
  if (body === undefined) return {}
  if (typeof body === 'string') return { text: body }
  if (body instanceof URLSearchParams) {
    return { text: String(body), type: 'application/x-www-form-urlencoded' }
  }
  return { text: JSON.stringify(body), type: 'application/json' }
}
