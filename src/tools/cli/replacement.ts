import { minuteMs, secondMs } from '../../lib/time.js'
import { judge, type VerdictRules, type VerifyAnswer } from '../../provider/index.js'

/** The first code, checked after a second one was sent to the same number. */
export interface FirstCode {
  /** Absent if the second message contained the same code. */
  readonly answer?: VerifyAnswer | undefined
  /** Age of the code at its check, in milliseconds. */
  readonly ageMs: number
  /** Lifetime of the code in milliseconds, if the answer to its send states one. */
  readonly lifetimeMs?: number | undefined
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
 * answer to the first code does not show it.
 */
export function replacementOf(first: FirstCode, rules: VerdictRules): boolean | undefined {
  if (first.answer === undefined) return false
  const verdict = judge(first.answer, rules)
  if (verdict === 'approved') return false
  return verdict === 'rejected' && !mayHaveExpired(first) ? true : undefined
}

/** Returns the note on whether a new code ends the earlier ones, with the answer from which this follows. */
export function noteOnReplacement({ first, wrong }: Compared, replacesCodes: boolean | undefined): string {
  if (first === undefined) return notes.notAsked
  if (replacesCodes === false) return notes.kept
  const seen = `the first code was checked ${Math.round(first.ageMs / secondMs)} s after its message`
  if (replacesCodes === undefined) {
    return `replacesCodes is not determined: ${seen}, and ${mayHaveExpired(first) ? notes.late : notes.unclear}`
  }
  const { httpStatus, status, error } = first.answer ?? wrong
  const isAlike = httpStatus === wrong.httpStatus && status === wrong.status && error === wrong.error
  return `${notes.replaced}: ${seen}, and got ${isAlike ? notes.asWrong : notes.ownAnswer}`
}

const notes = {
  replaced: 'A new code ends the earlier ones of the same number and app-name',
  asWrong: 'the answer of a wrong code. The second code was approved.',
  ownAnswer: `an answer of its own, neither that of a wrong code nor an
approval. The second code was approved. Ask the provider whether this answer means that a newer code was sent. If it
does not, set replacesCodes to false.`,
  kept: `A new code does not end the earlier ones of the same number and app-name. A purpose whose guards bind fields
needs an appName of its own.`,
  late: `may have expired by then.
Run calibrate with --replaces again, and type both codes as soon as they arrive.`,
  unclear: `its answer is
neither an approval nor a rejection. Run calibrate with --replaces again.`,
  notAsked: `Whether a new code ends the earlier ones (replacesCodes) is not determined: calibrate --replaces finds it out
with one more message.`,
} as const

/** Note for a second code that was not approved. */
export const secondNotApproved = `replacesCodes is not determined either, because the second code was not approved. Run calibrate without
--replaces first. Then run it with --replaces, and type both codes as they arrived.`
