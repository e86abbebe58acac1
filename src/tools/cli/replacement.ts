import { minuteMs, secondMs } from '../../lib/time.js'
import { judge, type VerdictRules, type VerifyAnswer } from '../../provider/index.js'
import { describeAnswer } from './quote.js'

/** The first code, checked after a second one was sent to the same number. */
export interface FirstCode {
  /** Absent if the second message contained the same code. */
  readonly answer?: VerifyAnswer | undefined
  /** Age of the code at its check, in milliseconds. */
  readonly ageMs: number
  /** Lifetime of the code in milliseconds, if the answer to its send states one. */
  readonly lifetimeMs?: number | undefined
  /** True if the user typed it twice alike. */
  readonly isTypedTwice?: boolean | undefined
}

/** The answers to the first code and to a code that is certainly wrong. */
interface Compared {
  readonly first?: FirstCode | undefined
  readonly wrong: VerifyAnswer
}

/** Codes of this provider live five minutes. */
const usualLifetimeMs = 5 * minuteMs

/** Returns whether an older code may be refused because it has expired. A fifth of its life passes on its way. */
const mayHaveExpired = ({ ageMs, lifetimeMs = usualLifetimeMs }: FirstCode): boolean =>
  ageMs >= (Math.min(lifetimeMs, usualLifetimeMs) * 4) / 5

/**
 * Returns whether a new code ends the earlier ones, if the second code was approved by these rules. Undefined if the
 * answer to the first code does not show it: an answer of its own may have another reason, and a wrong `true` lets a code
 * confirm another payment.
 */
export function replacementOf(
  first: FirstCode,
  wrong: VerifyAnswer,
  rules: VerdictRules,
): boolean | undefined {
  const { answer } = first
  if (answer === undefined || judge(answer, rules) === 'approved') return false
  return areAlike(answer, wrong) && !mayHaveExpired(first) ? true : undefined
}

function areAlike(one: VerifyAnswer, other: VerifyAnswer): boolean {
  return one.httpStatus === other.httpStatus && one.status === other.status && one.error === other.error
}

/** Returns the note on whether a new code ends the earlier ones, with the answer from which this follows. */
export function noteOnReplacement({ first, wrong }: Compared, replacesCodes: boolean | undefined): string {
  if (first === undefined) return notes.notAsked
  if (replacesCodes === false) return notes.kept
  const seen = `the first code was checked ${Math.round(first.ageMs / secondMs)} s after its message`
  const { answer, isTypedTwice } = first
  if (replacesCodes)
    return `${notes.replaced}: ${seen}, and got ${notes.asWrong}${isTypedTwice ? '' : notes.typedOnce}`
  const undetermined = `replacesCodes is not determined: ${seen}, and`
  if (mayHaveExpired(first) || answer === undefined) return `${undetermined} ${notes.late}`
  const answers = [describeAnswer('first code', answer), describeAnswer('wrong code', wrong)]
  return `${undetermined} ${notes.ownAnswer}\n${answers.join('\n')}`
}

const notes = {
  replaced: 'A new code ends the earlier ones of the same number and app-name',
  asWrong: 'the answer of a wrong code. The second code was approved.',
  typedOnce: `
The first code was not typed twice. If it was not the code of the first message, this shows nothing: leave
replacesCodes at false.`,
  ownAnswer: `got an
answer that is neither an approval nor that of a wrong code. In an outage, run calibrate with --replaces again.
Otherwise ask the provider whether this answer means that a newer code was sent. Only then set replacesCodes to true.`,
  kept: `A new code does not end the earlier ones of the same number and app-name. A purpose whose guards bind fields
needs an appName of its own.`,
  late: `may have expired by then.
Run calibrate with --replaces again, and type both codes as soon as they arrive.`,
  notAsked: `Whether a new code ends the earlier ones (replacesCodes) is not determined: calibrate --replaces finds it out
with one more message.`,
} as const

/** Note for a second code that was not approved. */
export const secondNotApproved = `replacesCodes is not determined either, because the second code was not approved. Run calibrate without
--replaces first. Then run it with --replaces, and type both codes as they arrived.`
