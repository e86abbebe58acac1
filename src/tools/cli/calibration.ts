import { scalarString } from '../../lib/json.js'
import { judge, type VerifyAnswer } from '../../provider/index.js'
import type { NumberEcho } from '../../provider/number-echo.js'
import { mask } from '../../provider/provider-error.js'
import { type FirstCode, replacementOf } from './replacement.js'

/** Responses of the account to the send, a wrong code, the correct code, and the correct code again. */
export interface Observed {
  readonly echo: NumberEcho
  /** The code before the correct one. Absent if only one was sent. */
  readonly first?: FirstCode | undefined
  readonly wrong: VerifyAnswer
  readonly right: VerifyAnswer
  readonly again?: VerifyAnswer | undefined
}

/** The options of `twoFactor` that follow from the responses of an account, with a stable code for programs. */
export type Calibration =
  | {
      readonly outcome: 'told_apart'
      readonly echo: Exclude<NumberEcho, 'others'>
      readonly approvedStatuses: readonly [string]
      readonly rejectedCodes: readonly string[]
      /** Unknown unless the correct code was checked again. */
      readonly usedOnce?: boolean
      /** Unknown unless a second code was sent and showed it. */
      readonly replacesCodes?: boolean
    }
  | { readonly outcome: keyof typeof noCalibration }

/** Reasons why no options may be pasted. */
export const noCalibration = {
  foreign_number: `THE ANSWER TO THE SEND NAMES ANOTHER NUMBER than the one it was sent to, or more than one. The code may have
gone to another phone, so twoFactor() accepts no code after such an answer. Ask the provider which number it names.`,
  alike: `A RIGHT AND A WRONG CODE CANNOT BE TOLD APART: this account returns the same answer for both. Any list of
approved statuses would accept every code. Do not go live with it. If you typed the code as it arrived,
ask the provider for its answer to a wrong code with this app-name.`,
  first_differs: `THE FIRST CODE GOT A STATUS OF ITS OWN, and the second code another answer. Either may be the approval, so
no options follow. Run calibrate without --replaces. If a right code then gets the status of this first code,
a new code does not end the earlier ones: leave replacesCodes at false.`,
  not_approved: `The answer to the right code is no approval: an approval has HTTP 200, a status that is a word or a
number, and no error. Was the code mistyped, or too old, or sent for another app-name? Then run this again.`,
  not_rejected: `The answer to the wrong code is no rejection: a rejection has HTTP 200 with a status, or an error
under HTTP 400 or 520. With this account, people who mistype their code will read that the service is
unavailable (503). Ask the provider for its answer to a wrong code.`,
  account_refused: `The provider rejected your account, not the code: check client, key and the address of this machine on the allow-list of
the account, then run this again.`,
  outage: `The provider was unavailable or too busy, so its answer shows nothing about the codes. Run this again in
some minutes. If only wrong codes keep getting this answer, it is the account's answer to wrong codes, and
people who mistype their code will read that the service is unavailable (503).`,
} as const

/** Derives the rules from the responses, and checks that the verdict distinguishes these responses by them. */
export function calibrationOf({ echo, first, wrong, right, again }: Observed): Calibration {
  if (echo === 'others') return { outcome: 'foreign_number' }
  const status = scalarString(right.status)
  if (first?.answer !== undefined && hasOwnStatus(first.answer, [wrong, right]))
    return { outcome: 'first_differs' }
  // Before the verdict: the verdict reads more than the status, but the options list only the status.
  if (isClean(wrong) && isClean(right) && scalarString(wrong.status) === status) return { outcome: 'alike' }

  const both = [wrong, right]
  if (both.some((answer) => judge(answer, { approvedStatuses: [] }) === 'misconfigured')) {
    return { outcome: 'account_refused' }
  }
  if (both.some(({ httpStatus }) => isOutage(httpStatus))) return { outcome: 'outage' }

  // A status that quotes the code or a long number differs next time.
  if (status === undefined || status.includes(mask)) return { outcome: 'not_approved' }
  const rules = { approvedStatuses: [status] } as const
  if (judge(right, rules) !== 'approved') return { outcome: 'not_approved' }
  if (judge(wrong, rules) !== 'rejected') return { outcome: 'not_rejected' }

  const verdict = again && judge(again, rules)
  const more = [again, first?.answer].filter((answer) => answer !== undefined)
  const refused = [wrong, ...more].filter((answer) => judge(answer, rules) === 'rejected')
  const replacesCodes = first && replacementOf(first, wrong, rules)
  return {
    outcome: 'told_apart',
    echo,
    ...rules,
    rejectedCodes: rejectedCodesOf(refused),
    ...((verdict === 'approved' || verdict === 'rejected') && { usedOnce: verdict === 'rejected' }),
    ...(replacesCodes !== undefined && { replacesCodes }),
  }
}

/** Returns whether a status means an outage; 520 does not, because this provider refuses codes with it. */
export function isOutage(httpStatus: number): boolean {
  return httpStatus === 429 || (httpStatus >= 500 && httpStatus !== 520)
}

/**
 * Returns whether an answer has a status that none of the others has. It may be an approval, or the status of a code
 * that was replaced.
 */
function hasOwnStatus(answer: VerifyAnswer, others: readonly VerifyAnswer[]): boolean {
  const status = scalarString(answer.status)
  return (
    isClean(answer) &&
    status !== undefined &&
    others.every((other) => !isClean(other) || scalarString(other.status) !== status)
  )
}

function isClean(answer: VerifyAnswer): boolean {
  return answer.httpStatus === 200 && !hasError(answer)
}

/** The verdict knows every notation for "no error". */
function hasError({ error }: VerifyAnswer): boolean {
  const rules = { approvedStatuses: ['ok'], accountErrorCodes: [] }
  return judge({ httpStatus: 200, status: 'ok', error }, rules) !== 'approved'
}

/**
 * Returns the errors to list. Returns none if one of them quotes the request: such an error never recurs, and with a
 * list that lacks it, its refusals would count as an outage.
 */
function rejectedCodesOf(refused: readonly VerifyAnswer[]): readonly string[] {
  const errors = refused.filter(hasError).map(({ error }) => String(error))
  return errors.some((error) => error.includes(mask)) ? [] : [...new Set(errors)]
}

/**
 * Returns a wrong code of the same shape: the code's own characters, moved by one. Other characters may be outside the
 * alphabet of the account, which might refuse the code only for its form.
 */
export function wrongCodeLike(code: string): string {
  const moved = code.slice(1) + code.slice(0, 1)
  return moved === code ? code.slice(1) + neighbourOf(code.slice(0, 1)) : moved
}

/** Returns another character, for a code of one repeated character, which moving does not change. */
function neighbourOf(character: string): string {
  if (character === '9') return '8'
  if (character === 'z' || character === 'Z') return String.fromCharCode(character.charCodeAt(0) - 1)
  return String.fromCharCode(character.charCodeAt(0) + 1)
}

/**
 * Returns the source of a `code.pattern` for such codes. Letters imply digits: after one code of four letters, the next
 * code may contain a digit.
 */
export function codePatternOf(code: string): string {
  if (/^\d+$/.test(code)) return `^\\d{${code.length}}$`
  const letters = code === code.toUpperCase() ? 'A-Z' : code === code.toLowerCase() ? 'a-z' : 'A-Za-z'
  return `^[0-9${letters}]{${code.length}}$`
}
