import { type ProblemCode, TwoFactorError } from '../errors.js'
import type { OperationName } from './operations.js'

/**
 * What is known about the request behind a failure.
 * - `not-sent`: provably no byte of it left; repeating it is safe.
 * - `unknown`: it may have arrived and been acted on; the answer is lost.
 * - `answered`: a whole answer came, and it is no success.
 */
export type Delivery = 'not-sent' | 'unknown' | 'answered'

export interface ProviderFailure {
  readonly operation: OperationName
  readonly delivery: Delivery
  /** What happened, in words without values: it becomes part of the message. */
  readonly reason: string
  readonly httpStatus?: number | undefined
  /** The provider's `error`, already masked. */
  readonly providerError?: string | undefined
  readonly providerMessage?: string | undefined
  readonly raw?: unknown
}

/**
 * A request to the provider that did not succeed. `message` and every enumerable property are free of
 * the key, codes, full numbers and URLs; what the provider said word for word is in `providerMessage`
 * and `raw`, which are not enumerable and so stay out of logs unless somebody asks for them.
 *
 * @example
 * try {
 *   await client.sendSms({ phone: '+573001234567', sms: 'Your parcel is here' })
 * } catch (error) {
 *   if (error instanceof ProviderError && error.delivery === 'not-sent') queue.retry(job)
 *   else throw error
 * }
 */
export class ProviderError extends TwoFactorError {
  readonly operation: OperationName
  readonly delivery: Delivery
  /** HTTP status of the answer, as far as one came. */
  declare readonly httpStatus?: number
  /** The provider's own `error` as text, with anything secret masked. */
  declare readonly providerError?: string
  /** The provider's own `msg`, word for word. Not enumerable: it may quote a number or a code. */
  declare readonly providerMessage?: string
  /** The answer as it came: the parsed JSON, or the text when it is none. Not enumerable. */
  declare readonly raw?: unknown

  constructor(failure: ProviderFailure) {
    super(problemCodeOf(failure), { message: messageOf(failure) })
    this.operation = failure.operation
    this.delivery = failure.delivery
    if (failure.httpStatus !== undefined) this.httpStatus = failure.httpStatus
    if (failure.providerError !== undefined) this.providerError = failure.providerError
    Object.defineProperty(this, 'providerMessage', { value: failure.providerMessage })
    Object.defineProperty(this, 'raw', { value: failure.raw })
  }
}

function problemCodeOf({ operation, delivery }: ProviderFailure): ProblemCode {
  if (delivery === 'not-sent') return 'provider_unavailable'
  if (operation === 'verifyCode') return 'verification_unavailable'
  return delivery === 'answered' && operation.startsWith('send') ? 'delivery_failed' : 'provider_unavailable'
}

function messageOf(failure: ProviderFailure): string {
  const status = failure.httpStatus === undefined ? '' : `, HTTP ${failure.httpStatus}`
  const error = failure.providerError === undefined ? '' : `, error ${failure.providerError}`
  return `${failure.operation}: ${failure.reason}${status}${error}. ${adviceOn(failure)}`
}

function adviceOn({ operation, delivery, httpStatus = 0, providerError }: ProviderFailure): string {
  if (delivery === 'not-sent') return 'Nothing was sent: check baseUrl and the network, then repeat it.'
  if (delivery === 'unknown') return 'It may have been acted on: a repeated send may arrive twice.'
  // The balance takes nothing but the account, so whatever is refused there is the account.
  const accountAlone = operation === 'balance' && providerError !== undefined
  if (httpStatus === 401 || httpStatus === 403 || providerError === '1003' || accountAlone) {
    return "Check client, key and this server's address on the account's allow-list."
  }
  // Followed, a redirect would carry the key to wherever it points.
  if (httpStatus >= 300 && httpStatus < 400) return 'Redirects are not followed: correct baseUrl or paths.'
  return 'Check the parameters; providerMessage and raw hold what the provider said.'
}
