import { type ProblemCode, TwoFactorError } from '../errors.js'
import { between, endOfNumber, maskEchoes, repeatsOneOf } from '../lib/echoes.js'
import { isJsonObject, type JsonObject, memberOf, scalarString } from '../lib/json.js'
import { plainCharacters } from '../lib/typed.js'
import { adviceOn, type Delivery, type FailureReason, type ProviderFailure, reasonOf } from './failure.js'
import type { OperationName } from './operations.js'
import type { AnsweredExchange, AnswerHeaders, Lost } from './send.js'
import { effectiveError, type VerifyAnswer } from './verdict.js'

/**
 * A failed request to the provider. `message` and all enumerable properties contain no key, code, full number or URL.
 * `providerMessage`, `raw` and `answerHeaders` contain the provider's own words. They are not enumerable, so logs do
 * not contain them.
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
  /** Operation of the request. */
  readonly operation: OperationName
  /** State of the request, as far as known: not sent, unknown or answered. */
  readonly delivery: Delivery
  /** Reason of the failure, in one word. */
  readonly reason: FailureReason
  /** HTTP status of the response, if a response arrived. */
  declare readonly httpStatus?: number
  /** Wait that the provider requests (`Retry-After`), in milliseconds. */
  declare readonly retryAfterMs?: number
  /** The provider's `error` as a string, with secrets masked. */
  declare readonly providerError?: string
  /** The provider's `msg`, unchanged. Not enumerable: it may quote a number or a code. */
  declare readonly providerMessage?: string
  /** The response: parsed JSON, or the body as a string if it is not JSON. Not enumerable. */
  declare readonly raw?: unknown
  /** Response headers by lower-case name, if a response arrived. Not enumerable: they may quote the request. */
  declare readonly answerHeaders?: AnswerHeaders
  /** Advice in one or two sentences, which also end the message. Not enumerable. */
  declare readonly advice: string

  constructor(failure: ProviderFailure) {
    const advice = adviceOn(failure)
    super(problemCodeOf(failure), { message: `${saidOf(failure)}. ${advice}` })
    this.name = 'ProviderError'
    this.operation = failure.operation
    this.delivery = failure.delivery
    this.reason = failure.reason
    if (failure.httpStatus !== undefined) this.httpStatus = failure.httpStatus
    const retryAfterMs = readRetryAfter(failure.headers?.['retry-after'])
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
    if (failure.providerError !== undefined) this.providerError = failure.providerError
    Object.defineProperty(this, 'advice', { value: advice })
    Object.defineProperty(this, 'providerMessage', { value: failure.providerMessage })
    Object.defineProperty(this, 'raw', { value: failure.raw })
    Object.defineProperty(this, 'answerHeaders', { value: failure.headers })
  }
}

function problemCodeOf({ operation, delivery }: ProviderFailure): ProblemCode {
  if (delivery === 'not-sent') return 'provider_unavailable'
  if (operation === 'verifyCode') return 'verification_unavailable'
  return delivery === 'answered' && operation.startsWith('send') ? 'delivery_failed' : 'provider_unavailable'
}

function saidOf(failure: ProviderFailure): string {
  const status = failure.httpStatus === undefined ? '' : `, HTTP ${failure.httpStatus}`
  const error = failure.providerError === undefined ? '' : `, error ${failure.providerError}`
  return `${failure.operation}: ${failure.description}${status}${error}`
}

/**
 * Returns the wait of a `Retry-After` header in whole milliseconds. The header contains seconds or a date (RFC 9110,
 * section 10.2.3).
 */
function readRetryAfter(header: string | readonly string[] | undefined): number | undefined {
  const value = [header].flat()[0]?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  // Date.parse accepts nearly anything that starts with a digit. An HTTP date ends in GMT.
  const at = value.endsWith('GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** Creates the error of a response that is no success. */
export function refusedError(
  operation: OperationName,
  { httpStatus, headers, text }: AnsweredExchange,
  answer: unknown,
  form: string,
): ProviderError {
  const object = isJsonObject(answer) ? answer : {}
  const error = scalarString(effectiveError(object))
  return new ProviderError({
    operation,
    delivery: 'answered',
    reason: 'answer',
    description: describeRefused(text, answer),
    httpStatus,
    headers,
    providerError: error === undefined ? undefined : masked(error, form),
    providerMessage: scalarString(memberOf(object, 'msg')),
    raw: answer ?? text,
  })
}

function describeRefused(text: string | undefined, answer: unknown): string {
  if (text === undefined) return 'the response has a content coding that was not requested'
  return isJsonObject(answer) ? 'the provider refused' : 'the response is not a JSON object'
}

/** Creates the error of an exchange without a complete response. `viaGiven`: a `dispatcher` of the app sent it. */
export function lostError(
  operation: OperationName,
  { delivery, cause, httpStatus }: Lost,
  viaGiven = false,
): ProviderError {
  const reason = reasonOf(cause)
  const unsent = reason === 'dispatcher' ? 'not sent' : 'no connection'
  const before = delivery === 'not-sent' ? unsent : 'the response was lost'
  return new ProviderError({
    operation,
    delivery,
    reason,
    description: `${before} (${cause})`,
    httpStatus,
    // A slow connection has its own code, so the dispatcher works as it should.
    viaGiven: viaGiven && (cause === 'deadline' || reason === 'dispatcher'),
  })
}

/**
 * Member with which a response to a code quotes itself for events. Only a closure contains the request with the account
 * key, so printing or copying the response does not reveal it.
 */
const quote = Symbol('quote')

interface Quoted {
  readonly status?: string | undefined
  readonly error?: string | undefined
  readonly messageId?: string | undefined
}

/** Lets a response quote itself. */
export function quotable<Answer extends JsonObject>(answer: Answer, form: string): Answer {
  return Object.defineProperty(answer, quote, {
    value: (): Quoted => ({
      status: readableValue(memberOf(answer, 'status'), form),
      error: readableValue(effectiveError(answer), form),
      messageId: messageIdOf(memberOf(answer, 'id'), form),
    }),
  })
}

/** Returns `status` and `error` of a response to a code, masked for an event. */
export function spokenIn(answer: VerifyAnswer & { readonly [quote]?: () => Quoted }): Quoted {
  // Undefined for a response of another client, whose secrets are not known.
  return answer[quote]?.() ?? {}
}

/** Returns the id of a sent message, masked for an event. Any object may replace our client. */
export function messageIdIn(answer: unknown): string | undefined {
  const { [quote]: quoted, id }: { [quote]?: () => Quoted; id?: unknown } = Object(answer)
  return quoted === undefined ? scalarString(id) : quoted().messageId
}

/** A service may use what it was sent as the id of a message. */
function messageIdOf(value: unknown, form: string): string | undefined {
  const id = scalarString(value)
  if (id === undefined) return undefined
  const sent = [...spelledIn(form), ...sentNumbersIn(form).map(endOfNumber)]
  return repeatsOneOf(id, sent) ? undefined : id
}

const spelledDigits = new RegExp(`\\d(?:${between}\\d){3,}`, 'gu')

function readableValue(value: unknown, form: string): string | undefined {
  const text = scalarString(value)
  if (text === undefined) return undefined
  const safe = masked(text, form)
  // An error number is a word of up to five digits. Digits within other words may be the correct code.
  return /^\d{1,5}$/.test(safe) ? safe : safe.replaceAll(spelledDigits, mask)
}

export const mask = '•••'
// A quoted form names the key, in any encoding.
const namedKey = /\bkey["']?\s*[=:]\s*["']?[^\s&"',;]+/gi
// The length of the scheme is bounded. Otherwise every position of a long response would start a scan.
const urlPattern = /[a-z\d+.-]{0,32}:\/\/\S+/gi
// Seven or more digits with any spacing, because E.164 numbers have at least seven.
const longNumber = new RegExp(`\\+?\\d(?:${between}\\d){6,}`, 'gu')

/**
 * Masks text of the provider for logs. Services quote their requests, which contain the key, a number and sometimes a
 * text with a code. `form` is the request.
 */
export function masked(text: string, form: string): string {
  const plain = plainCharacters(text)
  const sent = sentIn(form)
  const secrets = sent.flatMap((value) => [value, encodeURIComponent(value)])
  const unquoted = longestFirst(secrets).reduce((safe, secret) => safe.replaceAll(secret, mask), plain)
  const safe = maskEchoes(unquoted, [...spelledIn(form), ...sent.flatMap(wordsIn)], mask)
  return safe.replace(urlPattern, mask).replace(namedKey, mask).replace(longNumber, mask).slice(0, 200)
}

/** Returns the words of a text that may be a code. */
const wordsIn = (text: string): string[] => text.split(/\s+/).filter((word) => /\d/.test(word))

/** Returns each value that was sent. A short account id is no secret, and a long one is a long number. */
function sentIn(form: string): string[] {
  const sent = new URLSearchParams(form)
  sent.delete('client')
  return [...sent.values()]
}

const longestFirst = (values: readonly string[]): string[] =>
  values.filter(({ length }) => length >= 4).sort((one, other) => other.length - one.length)

/** Returns the values that a service may repeat in another spelling: key, code, numbers, and codes in a text. */
function spelledIn(form: string): string[] {
  const sent = new URLSearchParams(form)
  const texts = [...sent.getAll('sms'), ...sent.getAll('message')].flatMap(wordsIn)
  return [...sent.getAll('key'), ...sent.getAll('code'), ...sentNumbersIn(form), ...texts]
}

function sentNumbersIn(form: string): string[] {
  const given = new URLSearchParams(form).getAll('phone')
  return given.flatMap((phones) => phones.split(','))
}
