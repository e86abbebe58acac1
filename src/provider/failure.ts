import type { OperationName } from './operations.js'
import { type AnswerHeaders, needsNode } from './send.js'
import { isFromService } from './service-status.js'

/**
 * State of the request behind a failure.
 * - `not-sent`: provably no byte was sent; repeating it is safe.
 * - `unknown`: the request may have arrived and taken effect; the response is lost.
 * - `answered`: a complete response arrived, and it is not a success.
 */
export type Delivery = 'not-sent' | 'unknown' | 'answered'

export interface ProviderFailure {
  readonly operation: OperationName
  readonly delivery: Delivery
  readonly reason: FailureReason
  /** Description of the failure in words without values, for the message. */
  readonly description: string
  readonly httpStatus?: number | undefined
  readonly headers?: AnswerHeaders | undefined
  /** The provider's `error`, already masked. */
  readonly providerError?: string | undefined
  readonly providerMessage?: string | undefined
  readonly raw?: unknown
  /** If true, the option `dispatcher` was to send the request. */
  readonly viaGiven?: boolean | undefined
}

/** Codes of Node, OpenSSL and undici, and the causes of our transport. */
const patterns = [
  ['timeout', /^deadline$|TIMEOUT$|^ETIMEDOUT$/],
  ['aborted', /^aborted$|^UND_ERR_ABORT/],
  ['oversize', /^oversize$|OVERFLOW$|EXCEEDED/],
  ['closed', /^closed$|^UND_ERR_(CLOSED|DESTROYED)$/],
  ['dispatcher', /^broken$|^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)$/],
  ['dns', /^ENOTFOUND$|^EAI_|^ENODATA$/],
  ['refused', /^ECONNREFUSED$/],
  ['unreachable', /^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$/],
  ['tls', /CERT|^ERR_(TLS|SSL)_|^EPROTO$|^(SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/],
  ['reset', /^ECONNRESET$|^ECONNABORTED$|^EPIPE$|^UND_ERR_SOCKET$/],
  ['protocol', /^HPE_|MISMATCH$|^UND_ERR_(RESPONSE|INFO)/],
] as const

/**
 * Reason why a request to the provider failed.
 * - `answer`: a complete response that is not a success
 * - `oversize`: a response above 64 KiB
 * - `protocol`: a response that is not valid HTTP
 * - `timeout`: the deadline passed, in any phase
 * - `aborted`: the caller's signal fired
 * - `closed`: the client or its dispatcher was closed before
 * - `dns`: the host name has no address
 * - `refused`: nothing listens at the address
 * - `unreachable`: no route to the address
 * - `tls`: the handshake failed, or the certificate is not trusted
 * - `reset`: the other side closed the connection
 * - `dispatcher`: the request could not be sent: the given dispatcher is not from undici 7, or the runtime has no
 *   undici
 * - `connection`: any other failure of the connection
 */
export type FailureReason = 'answer' | 'connection' | (typeof patterns)[number][0]

/** Returns the reason for the code of a socket, DNS, TLS or HTTP error. */
export function reasonOf(code: string): FailureReason {
  return patterns.find(([, pattern]) => pattern.test(code))?.[0] ?? 'connection'
}

type Failed = Omit<ProviderFailure, 'description'>

/** Returns the advice on a failure, in one or two sentences without values. */
export function adviceOn(failure: Failed): string {
  if (failure.delivery === 'not-sent') {
    return `Nothing was sent. ${(failure.viaGiven ? ofGiven : ofOwn)[failure.reason] ?? 'Check baseUrl and the network, then repeat it.'}`
  }
  if (failure.delivery === 'unknown') {
    return `The provider may have acted on the request${ofSend(failure, ': a repeated send may arrive twice')}.`
  }
  return answerAdvice(failure)
}

const ofSend = ({ operation }: Failed, words: string) => (operation.startsWith('send') ? words : '')

const stopped = 'Check baseUrl, the firewall and the proxy settings of this server.'
type Advice = Readonly<Partial<Record<FailureReason, string>>>

const ofOwn: Advice = {
  dns: 'Check the host name in baseUrl, and the DNS of this server.',
  refused: 'Nothing listens at that address: check host and port in baseUrl.',
  tls: 'Check host and port in baseUrl (the sandbox uses http) and the certificate; a proxy with a certificate of its own needs NODE_EXTRA_CA_CERTS.',
  timeout: stopped,
  unreachable: stopped,
  dispatcher: `The HTTP client undici cannot send in this runtime: ${needsNode}.`,
  closed: 'The client was already closed: create another client.',
  aborted: 'The signal of the request was already aborted.',
}

const ofGiven: Advice = {
  ...ofOwn,
  timeout:
    'The option dispatcher never started the request: check its proxy, or the interceptors of its mock.',
  dispatcher:
    'The option dispatcher cannot send the request: pass a dispatcher of undici 7, not of another major version.',
}

/** Last sentence of the advice on a response. */
export const askProvider = 'providerMessage and raw contain the response.'

function answerAdvice(failure: Failed): string {
  const { operation, httpStatus = 0, providerError } = failure
  // `balance` has only the account as parameters, so a refusal concerns the account.
  const accountOnly = operation === 'balance' && providerError !== undefined
  const isAccountError = providerError === '1003' && isFromService(httpStatus)
  if (httpStatus === 401 || httpStatus === 403 || isAccountError || accountOnly) {
    return "Check client, key and this server's address on the account's allow-list."
  }
  // A followed redirect would send the key to its target.
  if (httpStatus >= 300 && httpStatus < 400) return 'Redirects are not followed: correct baseUrl or paths.'
  if (httpStatus === 402) return `Check the credits of the account; ${askProvider}`
  if (httpStatus === 404 || httpStatus === 405) {
    return 'No such operation at that address: check baseUrl, which ends in the version segment (/v1), and paths.'
  }
  if (httpStatus === 429)
    return 'Too many requests: wait for retryAfterMs, if present, before the next request.'
  if (httpStatus >= 500 && (providerError === undefined || !isFromService(httpStatus))) {
    const mayBeOut = ofSend(failure, ': a message may have been sent nevertheless')
    return `The provider or a gateway in front of it is failing${mayBeOut}.`
  }
  if (isHtml(failure.raw))
    return 'The response is a web page: check baseUrl, which ends in the version segment (/v1).'
  return `Check the parameters; ${askProvider}`
}

/** Returns whether a response is a web page and not from the provider's interface. */
function isHtml(raw: unknown): boolean {
  return typeof raw === 'string' && raw.trimStart().startsWith('<')
}
