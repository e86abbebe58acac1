import type { Verdict } from '../challenge/exchange/code-provider.js'
import { isJsonObject, type JsonObject, memberOf, scalarString } from '../lib/json.js'
import { isFromService } from './service-status.js'

/** The complete response to a code, with its HTTP status. It is not a verdict. */
export interface VerifyAnswer {
  /** HTTP status of the response. */
  readonly httpStatus: number
  /** The unchanged `status`. Absent if the response has none or repeats a member. */
  readonly status?: unknown
  /** The unchanged `error`. Absent if the response has none. */
  readonly error?: unknown
  readonly [member: string]: unknown
}

/** Rules for reading the responses of your account. */
export interface VerdictRules {
  /**
   * Values of `status` that your provider account returns for a correct code, compared exactly. No default: run
   * `calibrate`.
   */
  readonly approvedStatuses: readonly string[]
  /** Values of `error` that mean a wrong code. Default: `[]`, which means every value. */
  readonly rejectedCodes?: readonly string[]
  /** Values of `error` with which the provider refuses your credentials or account. Default: `['1003']`. */
  readonly accountErrorCodes?: readonly string[]
}

/** Members that some services return besides the status. A "no" in one member outweighs any status. */
const denials = ['verified', 'valid', 'approved', 'success'] as const
const falseWords: readonly string[] = ['false', 'f', 'no', 'n', 'off', 'null', 'none']

/** HTTP statuses with which an `error` concerns the code, not the service. */
const errorStatuses: readonly number[] = [200, 400, 520]

/**
 * Checks a complete response and fails closed. Only a listed status in a response without an error is an approval. 408,
 * 429 and any 5xx other than 520 give no verdict. Throws a TypeError if a rule is not a list of strings.
 *
 * @example
 * const answer = await client.verifyCode({ phone, appName: 'Acme', code })
 * if (judge(answer, { approvedStatuses: ['verified'] }) === 'approved') welcome()
 */
export function judge(answer: VerifyAnswer, rules: VerdictRules): Exclude<Verdict, 'not-sent'> {
  const approvedStatuses = stringsOf('approvedStatuses', rules?.approvedStatuses)
  const rejectedCodes = stringsOf('rejectedCodes', rules.rejectedCodes ?? [])
  const accountErrorCodes = stringsOf('accountErrorCodes', rules.accountErrorCodes ?? ['1003'])
  if (!isJsonObject(answer)) return 'unavailable'
  const httpStatus = Number(memberOf(answer, 'httpStatus'))
  // A gateway's error proves nothing about the code or the account.
  if (!isFromService(httpStatus)) return 'unavailable'
  const error = effectiveError(answer)
  if (httpStatus === 401 || httpStatus === 403) return 'misconfigured'

  const errorCode = scalarString(error)
  if (errorCode !== undefined) {
    if (accountErrorCodes.includes(errorCode)) return 'misconfigured'
    const aboutTheCode = errorStatuses.includes(httpStatus)
    if (aboutTheCode && (rejectedCodes.length === 0 || rejectedCodes.includes(errorCode))) return 'rejected'
  }
  // "No error" is never enough: null, {}, [] and {"status": 0} have let people in elsewhere.
  if (httpStatus !== 200 || error !== undefined) return 'unavailable'

  const status = statusString(answer)
  if (status === undefined) return 'unavailable'
  if (!approvedStatuses.includes(status)) return 'rejected'
  return denials.some((name) => isFalse(memberOf(answer, name))) ? 'unavailable' : 'approved'
}

/** Returns the list. A string in its place would match its own parts: 'verified'.includes('') is true. */
function stringsOf(name: keyof VerdictRules, list: readonly string[]): readonly string[] {
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return list
  throw new TypeError(`judge: ${name} must be a list of strings`)
}

/** Returns whether a value is false in any spelling: services write flags as booleans, numbers and words. */
function isFalse(value: unknown): boolean {
  const word = value === null ? 'null' : scalarString(value)?.trim().toLowerCase()
  return word !== undefined && (Number(word) === 0 || falseWords.includes(word))
}

/** Returns the `error` of a response, unless it is a spelling of "none". */
export function effectiveError(answer: JsonObject): unknown {
  const error = memberOf(answer, 'error')
  const none = error === null || error === 0 || error === '0' || error === '' || error === false
  return none ? undefined : error
}

/** Returns the status if a list of words can contain it: `true` is not a status. */
function statusString(answer: JsonObject): string | undefined {
  const status = memberOf(answer, 'status')
  return typeof status === 'string' || typeof status === 'number' ? String(status) : undefined
}
