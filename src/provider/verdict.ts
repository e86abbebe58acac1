import type { Verdict } from '../challenge/code-service.js'
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

/** Members that some services answer besides the status. False in one of them outweighs any status. */
const denials = ['verified', 'valid', 'approved', 'success'] as const

/** HTTP statuses under which an `error` is an answer about the code, not about the service. */
const errorStatuses: readonly number[] = [200, 400, 520]

/**
 * Judges a complete answer, failing closed: only a listed status in a clean answer is an approval.
 *
 * @example
 * const answer = await client.verifyCode({ phone, appName: 'Acme', code })
 * if (judge(answer, { approvedStatuses: ['verified'] }) === 'approved') welcome()
 */
export function judge(answer: VerifyAnswer, rules: VerdictRules): Exclude<Verdict, 'not-sent'> {
  if (!isJsonObject(answer)) return 'unavailable'
  const httpStatus = memberOf(answer, 'httpStatus')
  const error = effectiveError(answer)
  if (httpStatus === 401 || httpStatus === 403) return 'misconfigured'

  const errorText = scalarText(error)
  if (errorText !== undefined) {
    if ((rules.accountErrorCodes ?? ['1003']).includes(errorText)) return 'misconfigured'
    const rejectedCodes = rules.rejectedCodes ?? []
    const aboutTheCode = errorStatuses.includes(httpStatus as number)
    if (aboutTheCode && (rejectedCodes.length === 0 || rejectedCodes.includes(errorText))) return 'rejected'
  }
  // "No error" is never enough: null, {}, [] and {"status": 0} have let people in elsewhere.
  if (httpStatus !== 200 || error !== undefined) return 'unavailable'

  const status = statusText(answer)
  if (status === undefined) return 'unavailable'
  if (!rules.approvedStatuses.includes(status)) return 'rejected'
  return denials.some((name) => memberOf(answer, name) === false) ? 'unavailable' : 'approved'
}

/** True is no status: only what a list of words can hold. */
function statusText(answer: JsonObject): string | undefined {
  const status = memberOf(answer, 'status')
  return typeof status === 'string' || typeof status === 'number' ? String(status) : undefined
}
