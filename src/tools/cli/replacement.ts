import { minuteMs } from '../../lib/time.js'
import { judge, type VerdictRules, type VerifyAnswer } from '../../provider/index.js'

/** The first code, checked after a second one was sent to the same number. */
export interface FirstCode {
  /** Absent if the second message contained the same code. */
  readonly answer?: VerifyAnswer | undefined
  /** Age of the code at its check, in milliseconds. */
  readonly ageMs: number
}

/** An older code may be refused because it has expired: codes of this provider live five minutes. */
const maxAgeMs = 4 * minuteMs

/**
 * Returns whether a new code ends the earlier ones, if the second code was approved by these rules. Undefined if the
 * answer to the first code does not show it.
 */
export function replacementOf({ answer, ageMs }: FirstCode, rules: VerdictRules): boolean | undefined {
  if (answer === undefined) return false
  const verdict = judge(answer, rules)
  if (verdict === 'approved') return false
  return verdict === 'rejected' && ageMs < maxAgeMs ? true : undefined
}

/** Returns the note on whether a new code ends the earlier ones. */
export function noteOnReplacement(first: FirstCode | undefined, replacesCodes: boolean | undefined): string {
  if (first === undefined) return notes.notAsked
  return replacesCodes === undefined ? notes.unclear : replacesCodes ? notes.replaced : notes.kept
}

const notes = {
  replaced: 'A new code ends the earlier ones of the same number and app-name.',
  kept: `A new code does not end the earlier ones of the same number and app-name. A purpose whose guards bind fields
needs an appName of its own.`,
  unclear: `replacesCodes is not determined: the answer to the first code shows no rejection, or came four minutes after its
message or later. Run calibrate with --replaces again, and type both codes as soon as they arrive.`,
  notAsked: `Whether a new code ends the earlier ones (replacesCodes) is not determined: calibrate --replaces finds it out
with one more message.`,
} as const

/** Note for a second code that was not approved. */
export const secondNotApproved = `replacesCodes is not determined either, because the second code was not approved. Run calibrate without
--replaces first. Then run it with --replaces, and type both codes as they arrived.`
