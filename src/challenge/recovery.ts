import type { Emit } from '../events.js'
import { withinDeadline } from '../lib/deadline.js'
import type { Awaitable, Store } from '../store/store.js'
import { subjectTally } from './budgets/counters.js'
import type { Refusal } from './commands.js'
import type { Keys } from './keys.js'
import { hashRecoveryCode } from './proofs/recovery-codes.js'

/** Where the host keeps the hashes of its subjects' recovery codes. */
export interface RecoveryCodeStore {
  /**
   * Removes the hash and tells whether it was there: one atomic step, so that of parallel uses one succeeds.
   * Anything but `true` refuses. When it rejects, it must have removed nothing.
   *
   * @example
   * consume: async (subject, hash) =>
   *   (await db.query('DELETE FROM recovery_codes WHERE subject = $1 AND hash = $2', [subject, hash])).rowCount === 1
   */
  consume(subject: string, hash: string): Awaitable<boolean>
  /** How many codes the subject has left, for the event `recovery.used`. */
  remaining?(subject: string): Awaitable<number>
}

/** One recovery code as it was typed, by whom. */
export interface RecoveryCommand {
  readonly subject: string
  /** From `readRecoveryCode`. */
  readonly code: string
}

export type RecoveryOutcome =
  /** The code is used up, whatever becomes of the success. */
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'rejected'
      readonly attemptsRemaining: number
      readonly retryAfterMs?: number | undefined
    }
  | Refusal

/** Judges one recovery code. */
export type Recover = (command: RecoveryCommand) => Promise<RecoveryOutcome>

/** A budget of its own: wrong codes by phone use up none of it, nor the other way round (lockout). */
const limits = { failuresPerSubjectPerDay: 10 }
const remainingTimeoutMs = 5_000

export function createRecover(parts: {
  readonly codes: RecoveryCodeStore
  readonly store: Store
  readonly keys: Keys
  readonly emit: Emit
}): Recover {
  const { codes, store, keys, emit } = parts

  /** Not awaited: how many are left changes nothing about who is let in. */
  async function reportUse(subject: string): Promise<void> {
    const count = async () => codes.remaining?.(subject)
    const remaining = await withinDeadline(remainingTimeoutMs, count).catch(() => undefined)
    emit({ type: 'recovery.used', subject, ...(typeof remaining === 'number' && { remaining }) })
  }

  return async function recover({ subject, code }) {
    const tries = subjectTally({ store, keys, limits }, 'recovery', subject)
    // Counted before the host is asked, so that parallel guesses cannot share a try (ASVS 5.0, 15.4.2).
    const tooMany = await tries.take()
    if (tooMany !== undefined) {
      const about = { code: tooMany.code, lane: 'auth', subject, limit: 'subject' } as const
      emit({ type: 'request.refused', command: 'verify', ...about })
      return tooMany
    }
    // Fail closed (ASVS 5.0, 16.5.3): a count of rows, or a string, is no yes.
    const consumed: unknown = await codes.consume(subject, hashRecoveryCode(subject, code))
    if (consumed === true) {
      void reportUse(subject)
      return { outcome: 'accepted' }
    }
    emit({ type: 'recovery.failed', subject })
    const { count, refusal } = await tries.check()
    const attemptsRemaining = Math.max(0, limits.failuresPerSubjectPerDay - count)
    return { outcome: 'rejected', attemptsRemaining, retryAfterMs: refusal?.retryAfterMs }
  }
}
