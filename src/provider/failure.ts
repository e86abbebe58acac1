import type { OperationName } from './operations.js'
import type { AnswerHeaders } from './send.js'

/**
 * What is known about the request behind a failure.
 * - `not-sent`: provably no byte of it left; repeating it is safe.
 * - `unknown`: it may have arrived and been acted on; the answer is lost.
 * - `answered`: a complete answer came, and it is no success.
 */
export type Delivery = 'not-sent' | 'unknown' | 'answered'

export interface ProviderFailure {
  readonly operation: OperationName
  readonly delivery: Delivery
  readonly reason: FailureReason
  /** What happened, in words without values: it becomes part of the message. */
  readonly description: string
  readonly httpStatus?: number | undefined
  readonly headers?: AnswerHeaders | undefined
  /** The provider's `error`, already masked. */
  readonly providerError?: string | undefined
  readonly providerMessage?: string | undefined
  readonly raw?: unknown
}

/**
 * Why a request to the provider did not succeed, in one word to branch on.
 * - `answer`: a complete answer that is no success
 * - `oversize`: an answer above 64 KiB
 * - `protocol`: an answer that is no valid HTTP
 * - `timeout`: the deadline passed, in whichever phase
 * - `aborted`: the caller's signal fired
 * - `closed`: the client or its dispatcher was closed before
 * - `dns`: the host name has no address
 * - `refused`: nothing listens at the address
 * - `unreachable`: no route to the address
 * - `tls`: the handshake failed, or the certificate is not trusted
 * - `reset`: the other side closed the connection
 * - `dispatcher`: the given dispatcher is not one of undici 7
 * - `connection`: any other failure of the connection
 */
export type FailureReason =
  | 'answer'
  | 'oversize'
  | 'protocol'
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'tls'
  | 'reset'
  | 'dispatcher'
  | 'connection'

/** Codes of Node, OpenSSL and undici, and the words of our own transport. */
const patterns: readonly (readonly [FailureReason, RegExp])[] = [
  ['timeout', /^deadline$|TIMEOUT$|^ETIMEDOUT$/],
  ['aborted', /^aborted$|^UND_ERR_ABORT/],
  ['oversize', /^oversize$|OVERFLOW$|EXCEEDED/],
  ['closed', /^closed$|^UND_ERR_(CLOSED|DESTROYED)$/],
  ['dispatcher', /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)$/],
  ['dns', /^ENOTFOUND$|^EAI_|^ENODATA$/],
  ['refused', /^ECONNREFUSED$/],
  ['unreachable', /^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$/],
  ['tls', /CERT|^ERR_(TLS|SSL)_|^EPROTO$|^(SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/],
  ['reset', /^ECONNRESET$|^ECONNABORTED$|^EPIPE$|^UND_ERR_SOCKET$/],
  ['protocol', /^HPE_|MISMATCH$|^UND_ERR_(RESPONSE|INFO)/],
]

/** The reason behind the code of a socket, DNS, TLS or HTTP error. */
export function reasonOf(code: string): FailureReason {
  return patterns.find(([, pattern]) => pattern.test(code))?.[0] ?? 'connection'
}
