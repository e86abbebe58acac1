import type { Emit } from '../events.js'
import type { Store } from '../store/store.js'
import { subjectTally } from './budgets/tally.js'
import type { Keys } from './keys.js'
import type { Limits } from './limits.js'

/** What an operator may ask about a subject: the wrong codes of a day, over all its numbers. */
export interface SubjectState {
  /** Rejected codes at sign-in and step-up in the day that runs. */
  readonly failures: number
  /** Whether `failuresPerSubjectPerDay` has been reached: every further code is refused. */
  readonly locked: boolean
  /** Milliseconds until the day ends; 0 when not locked. */
  readonly lockedForMs: number
}

/** The operator's side of a subject. */
export interface Subjects {
  state(subject: string): Promise<SubjectState>
  /** Forgets the wrong codes of the day, in both lanes. */
  enable(subject: string): Promise<void>
}

export function createSubjects(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly limits: Limits
  readonly emit: Emit
}): Subjects {
  return {
    async state(subject) {
      const { count, refusal } = await subjectTally(parts, 'auth', subject).check()
      return { failures: count, locked: refusal !== undefined, lockedForMs: refusal?.retryAfterMs ?? 0 }
    },
    async enable(subject) {
      await Promise.all([
        subjectTally(parts, 'auth', subject).clear(),
        subjectTally(parts, 'enrol', subject).clear(),
      ])
      parts.emit({ type: 'subject.enabled', subject })
    },
  }
}
