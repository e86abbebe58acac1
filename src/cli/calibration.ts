import { effectiveError, scalarString } from '../provider/answers.js'
import { judge, type VerifyAnswer } from '../provider/index.js'
import { mask } from '../provider/masking.js'

/** What the account answered to a wrong code, to the right one, and to the right one once more. */
export interface Observed {
  readonly wrong: VerifyAnswer
  readonly right: VerifyAnswer
  readonly again?: VerifyAnswer | undefined
}

/** What the answers of an account mean for the options of `twoFactor`. */
export type Calibration =
  | {
      readonly outcome: 'told-apart'
      readonly approvedStatuses: readonly [string]
      readonly rejectedCodes: readonly string[]
      /** Unknown unless the right code was checked again. */
      readonly usedOnce?: boolean
    }
  /** Nothing in the answers says which code was right: no list of statuses would be safe. */
  | { readonly outcome: 'alike' }
  /** No list could approve the answer to the right code. */
  | { readonly outcome: 'not-approved' }
  /** The answer to the wrong code is no verdict on it. */
  | { readonly outcome: 'not-rejected' }
  /** Not the code was refused, but the account. */
  | { readonly outcome: 'account-refused' }
  /** The provider was out of order or too busy while it was asked: nothing follows. */
  | { readonly outcome: 'outage' }

/** Reads the rules off the answers, and asks the judge whether they tell these very answers apart. */
export function calibrationOf({ wrong, right, again }: Observed): Calibration {
  const status = scalarString(right.status)
  // Asked before the judge: it looks at more than the status today, but the status is all that gets listed.
  const alike = isClean(wrong) && isClean(right) && scalarString(wrong.status) === status
  if (alike) return { outcome: 'alike' }

  const first = [wrong, right]
  if (first.some((answer) => judge(answer, { approvedStatuses: [] }) === 'misconfigured')) {
    return { outcome: 'account-refused' }
  }
  if (first.some(({ httpStatus }) => isOutage(httpStatus))) return { outcome: 'outage' }

  // What quotes the code or a long number will be another text next time.
  if (status === undefined || status.includes(mask)) return { outcome: 'not-approved' }
  const rules = { approvedStatuses: [status] } as const
  if (judge(right, rules) !== 'approved') return { outcome: 'not-approved' }
  if (judge(wrong, rules) !== 'rejected') return { outcome: 'not-rejected' }

  const verdict = again && judge(again, rules)
  const errors = [wrong, verdict === 'rejected' ? again : undefined].map(
    (answer) => answer && errorOf(answer),
  )
  return {
    outcome: 'told-apart',
    ...rules,
    rejectedCodes: [...new Set(errors.filter((error) => error !== undefined))],
    ...((verdict === 'approved' || verdict === 'rejected') && { usedOnce: verdict === 'rejected' }),
  }
}

/** Whether a service responds so that is out of order; 520 is how this provider refuses a code. */
export function isOutage(httpStatus: number): boolean {
  return httpStatus === 429 || (httpStatus >= 500 && httpStatus !== 520)
}

function isClean(answer: VerifyAnswer): boolean {
  return answer.httpStatus === 200 && effectiveError(answer) === undefined
}

/** The `error` to list, unless it quotes what was sent and so never comes a second time. */
function errorOf(answer: VerifyAnswer): string | undefined {
  const error = scalarString(effectiveError(answer))
  return error?.includes(mask) ? undefined : error
}
