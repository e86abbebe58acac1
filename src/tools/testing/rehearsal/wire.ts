import { request as ask, type IncomingHttpHeaders, Agent as Sockets } from 'node:http'
import type { LookupFunction } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { parseJson } from '../../../lib/json.js'

/** One request of a rehearsal. */
export interface RehearsalRequest {
  /** HTTP method. */
  readonly method: string
  /** Path with its query, sent unchanged. */
  readonly path: string
  /** An object is sent as JSON, `URLSearchParams` as a form, a string unchanged. */
  readonly body?: unknown
  /** Headers in addition to those of every browser. */
  readonly headers?: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: the app's own bodies, whose members a plan names
type Json = any

/** A response with its body. */
export interface RehearsalResponse {
  /** The request, with all sent headers. */
  readonly request: RehearsalRequest
  /** HTTP status. */
  readonly status: number
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** The body. */
  readonly text: string
  /** The parsed body; undefined if it is not JSON. */
  readonly json: Json
}

/** The requests or the time of a rehearsal are used up. */
export class BudgetError extends Error {}

/** Sends requests within limits, and only to this machine. */
export type Wire = ReturnType<typeof createWire>

/** Limit for one response: longer than any deadline of the package. */
const responseTimeoutMs = 20_000

/**
 * During a burst, an app may accept a connection later than the quarter of a second after which Node tries the next
 * address.
 */
const connectTimeoutMs = 5_000

/** No DNS: each name resolves to this machine, regardless of a hosts file. */
const lookup: LookupFunction = (_name, _options, done) =>
  done(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])

/** Returns whether an option is an address of this machine in every network. */
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
        // Node puts each address into an inner error, and none into the outer error.
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
      // Also ends a response that never ends: the end of the rehearsal is reported immediately.
      const end = Number.isFinite(leftMs) ? setTimeout(() => call.destroy(isOver()), leftMs) : undefined
      call.once('close', () => clearTimeout(end))
      call.setTimeout(responseTimeoutMs, () => call.destroy(new Error('no response')))
      call.on('error', (error) => {
        // The server closed a kept connection at that moment, without a response.
        if (call.reusedSocket && !retried) exchange(request, true).then(resolve, reject)
        else failed(error)
      })
      call.end(encoded(request.body).text)
    })
  }

  return {
    origin,
    /** Returns the number of sent requests. */
    requests: () => sent,
    send: (request: RehearsalRequest) => exchange(request),
    /** Ends every connection. */
    close: () => agent.destroy(),
  }
}

/** Encodes a body, and returns its default content type. */
export function encoded(body: unknown): { readonly text?: string; readonly type?: string } {
  if (body === undefined) return {}
  if (typeof body === 'string') return { text: body }
  if (body instanceof URLSearchParams) {
    return { text: String(body), type: 'application/x-www-form-urlencoded' }
  }
  return { text: JSON.stringify(body), type: 'application/json' }
}
