import type { Verdict } from '../challenge/code-provider.js'
import { effectiveError, isJsonObject, type JsonObject, memberOf, scalarText } from './answers.js'

/** A complete answer to a code, with the HTTP status that it came under. It is no verdict. */
export interface VerifyAnswer {
  readonly httpStatus: number
  /** As it came. Absent when the answer has none, or names a member twice. */
  readonly status?: unknown
  readonly error?: unknown
  readonly [member: string]: unknown
}

export interface VerdictRules {
  /** What this account answers to a right code, compared exactly. There is no default: see `calibrate`. */
  readonly approvedStatuses: readonly string[]
  /** Which `error` values mean a wrong code. Empty, the default: any. */
  readonly rejectedCodes?: readonly string[]
  /** Which `error` values mean that our account is refused. Default: `1003`. */
  readonly accountErrorCodes?: readonly string[]
}

/** Members that some services return besides the status. A "no" in one of them outweighs any status. */
const denials = ['verified', 'valid', 'approved', 'success'] as const
const falseWords: readonly string[] = ['false', 'f', 'no', 'n', 'off', 'null', 'none']

/** HTTP statuses under which an `error` is an answer about the code, not about the service. */
const errorStatuses: readonly number[] = [200, 400, 520]

/**
 * Judges a complete answer, failing closed: only a listed status in a clean answer is an approval.
 * Throws a TypeError when a rule is not a list of texts.
 *
 * @example
 * const answer = await client.verifyCode({ phone, appName: 'Acme', code })
 * if (judge(answer, { approvedStatuses: ['verified'] }) === 'approved') welcome()
 */
export function judge(answer: VerifyAnswer, rules: VerdictRules): Exclude<Verdict, 'not-sent'> {
  const approvedStatuses = textsOf('approvedStatuses', rules.approvedStatuses)
  const rejectedCodes = textsOf('rejectedCodes', rules.rejectedCodes ?? [])
  const accountErrorCodes = textsOf('accountErrorCodes', rules.accountErrorCodes ?? ['1003'])
  if (!isJsonObject(answer)) return 'unavailable'
  const httpStatus = memberOf(answer, 'httpStatus')
  const error = effectiveError(answer)
  if (httpStatus === 401 || httpStatus === 403) return 'misconfigured'

  const errorText = scalarText(error)
  if (errorText !== undefined) {
    if (accountErrorCodes.includes(errorText)) return 'misconfigured'
    const aboutTheCode = errorStatuses.includes(httpStatus as number)
    if (aboutTheCode && (rejectedCodes.length === 0 || rejectedCodes.includes(errorText))) return 'rejected'
  }
  // "No error" is never enough: null, {}, [] and {"status": 0} have let people in elsewhere.
  if (httpStatus !== 200 || error !== undefined) return 'unavailable'

  const status = statusText(answer)
  if (status === undefined) return 'unavailable'
  if (!approvedStatuses.includes(status)) return 'rejected'
  return denials.some((name) => isFalse(memberOf(answer, name))) ? 'unavailable' : 'approved'
}

/** A text in place of a list would find parts of itself: 'verified' includes ''. */
function textsOf(name: keyof VerdictRules, list: readonly string[]): readonly string[] {
  if (Array.isArray(list) && list.every((text) => typeof text === 'string')) return list
  throw new TypeError(`judge: ${name} must be a list of texts`)
}

/** False in any spelling: services write flags as booleans, numbers and words. */
function isFalse(value: unknown): boolean {
  const word = value === null ? 'null' : scalarText(value)?.trim().toLowerCase()
  return word !== undefined && (Number(word) === 0 || falseWords.includes(word))
}

/** True is no status: only what a list of words can hold. */
function statusText(answer: JsonObject): string | undefined {
  const status = memberOf(answer, 'status')
  return typeof status === 'string' || typeof status === 'number' ? String(status) : undefined
}
