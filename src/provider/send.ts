import type { Dispatcher } from 'undici'
import { isError } from '../lib/realms.js'

export type { Dispatcher }

/** One request, ready for the wire. */
interface Exchange {
  readonly method: 'GET' | 'POST'
  /** Path from the root of the origin, without a query. */
  readonly path: string
  /** Form-encoded parameters: the query of a GET, the body of a POST. */
  readonly form: string
  /** One deadline over connect, headers and body. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** No complete response arrived. */
export interface Lost {
  /** `not-sent`: certainly no byte of the request was sent. `unknown`: it may have arrived and had an effect. */
  readonly delivery: 'not-sent' | 'unknown'
  /**
   * `deadline`, `aborted`, `oversize`, `closed`, `broken` (the dispatcher threw, or cannot send), or the code of a
   * socket, DNS, TLS or HTTP error.
   */
  readonly cause: string
  /** Present if the status line arrived before the response was lost. */
  readonly httpStatus?: number
}

/** Header lines of a response by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A complete response of any status. `text` is absent if it has a content coding that was not requested. */
export interface AnsweredExchange {
  readonly delivery: 'answered'
  readonly httpStatus: number
  readonly headers: AnswerHeaders
  readonly text?: string
}

type Outcome = AnsweredExchange | Lost

export interface Transport {
  /** Performs one exchange. Never rejects because of the network: a failure is an outcome. */
  send(exchange: Exchange): Promise<Outcome>
  /**
   * Waits for running exchanges, each of which has its deadline, and closes the pool. A given dispatcher stays open.
   */
  close(): Promise<void>
}

/** Responses of the provider have some hundred bytes. A larger response is no response of the provider. */
const answerCapBytes = 64 * 1024

const getHeaders = [
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
  'user-agent',
  'express-two-factor',
]
const postHeaders = [...getHeaders, 'content-type', 'application/x-www-form-urlencoded']

/** Advice for systems without undici. */
export const needsNode = 'use Node.js or Deno, or a CodeProvider with a client of its own'

let undici: Promise<typeof import('undici')> | undefined

/** Loads undici after the first import, because loading it takes longer than all the rest of this package. */
function loadUndici(): Promise<typeof import('undici')> {
  undici ??= import('undici')
  return undici
}

/** Resolves when the module that clients load in the background is loaded and able to send. */
export async function transportLoaded(): Promise<void> {
  const loaded = await undici
  // Bun replaces undici with its own module, whose pools send nothing.
  if (loaded === undefined || typeof loaded.Pool.prototype.dispatch === 'function') return
  throw new TypeError(`undici cannot send in this runtime: ${needsNode}`)
}

/** Opens one pool for one origin and starts to load its module, so that the first request need not wait for it. */
export function openTransport(
  origin: string,
  { connections, connectTimeoutMs }: { readonly connections: number; readonly connectTimeoutMs: number },
  given?: Dispatcher,
): Transport {
  let dispatcher = given
  const opening = (async () => {
    if (given !== undefined) return given
    const { Pool } = await loadUndici()
    dispatcher = new Pool(origin, { connections, connect: { timeout: connectTimeoutMs } })
    return dispatcher
  })()
  // A package that cannot be loaded is reported by the first request, not as an unhandled rejection.
  opening.catch(() => {})

  let closing: Promise<void> | undefined

  return {
    async send(exchange) {
      if (closing !== undefined) return { delivery: 'not-sent', cause: 'closed' }
      const via = dispatcher ?? (await opening)
      const startedAt = performance.now()
      const outcome = await dispatchOnce(via, origin, exchange, exchange.timeoutMs)
      if (!repeatable(exchange, outcome)) return outcome
      const leftMs = exchange.timeoutMs - (performance.now() - startedAt)
      const second = leftMs < 1 ? outcome : await dispatchOnce(via, origin, exchange, leftMs)
      // If both are lost, the first one is reported, because it may have arrived.
      return second.delivery === 'answered' ? second : outcome
    },
    close() {
      closing ??= given === undefined ? opening.then((pool) => pool.close()) : Promise.resolve()
      return closing
    },
  }
}

/**
 * Returns whether a request can be repeated. A POST never is, because a send costs money and a check costs an attempt.
 */
function repeatable({ method }: Exchange, outcome: Outcome): boolean {
  return method === 'GET' && outcome.delivery === 'unknown' && outcome.httpStatus === undefined
}

function dispatchOnce(
  via: Dispatcher,
  origin: string,
  exchange: Exchange,
  timeoutMs: number,
): Promise<Outcome> {
  const { method, path, form, signal } = exchange
  const get = method === 'GET'
  if (signal?.aborted) return Promise.resolve({ delivery: 'not-sent', cause: 'aborted' })

  return new Promise((resolve) => {
    let started: Dispatcher.DispatchController | undefined
    let settled = false
    let httpStatus = 0
    let headers: AnswerHeaders = {}
    let size = 0
    const chunks: Buffer[] = []

    const settle = (outcome: Outcome) => {
      settled = true
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
      resolve(outcome)
    }
    const lose = (cause: string) => {
      const delivery = started === undefined ? 'not-sent' : 'unknown'
      settle(httpStatus === 0 ? { delivery, cause } : { delivery, cause, httpStatus })
    }
    const giveUp = (cause: string) => {
      lose(cause)
      // Closes the connection, so that a late response is never read as the next one.
      started?.abort(new Error(cause))
    }
    const onAbort = () => giveUp('aborted')
    const deadline = setTimeout(giveUp, timeoutMs, 'deadline')
    signal?.addEventListener('abort', onAbort)

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        // Called right before the first byte is written. A request that was cancelled while it waited for a connection
        // must never be sent later. The error drops the request here and keeps the connection for the next one.
        if (settled) throw new Error('given up before it started')
        started = controller
      },
      onResponseStart(controller, statusCode, responseHeaders) {
        // Another kind of dispatcher may not report the start. A response proves that the request started.
        started ??= controller
        if (statusCode < 200) return
        httpStatus = statusCode
        headers = responseHeaders
      },
      onResponseData(_controller, chunk) {
        size += chunk.length
        if (size > answerCapBytes) giveUp('oversize')
        else chunks.push(chunk)
      },
      onResponseEnd() {
        // Never decoded, because a small encoded response can unfold to gigabytes.
        const text = isEncoded(headers) ? {} : { text: Buffer.concat(chunks).toString() }
        settle({ delivery: 'answered', httpStatus, headers, ...text })
      },
      onResponseError(_controller, error) {
        lose(errorCodeOf(error))
      },
    }
    try {
      via.dispatch(
        {
          origin,
          path: get ? `${path}?${form}` : path,
          method,
          headers: get ? getHeaders : postHeaders,
          body: get ? null : form,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      )
    } catch (error) {
      lose(errorCodeOf(error))
    }
  })
}

/**
 * Returns whether a response has a content coding. Names of codings are compared without case (RFC 9110, section
 * 8.4.1).
 */
function isEncoded(headers: AnswerHeaders): boolean {
  const codings = [headers['content-encoding'] ?? 'identity'].flat().join().split(',')
  return codings.some((coding) => coding.trim().toLowerCase() !== 'identity')
}

/**
 * Returns only the code of an error. Its message and members contain addresses, responses and, from mocks, the query.
 */
function errorCodeOf(error: unknown): string {
  // A mistake in a program, which no change of the network fixes.
  if (isError(error) && /^(?:Type|Reference|Range)Error$/.test(error.name)) {
    if (!('code' in error)) return 'broken'
  }
  const code = isError(error) && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : 'connection failed'
}
