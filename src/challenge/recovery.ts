import type { Emit } from '../events.js'
import type { Awaitable } from '../lib/awaitable.js'
import { withinDeadline } from '../lib/deadline.js'
import { type Refusal, refused } from './commands.js'
import type { OpenSubject } from './proofs/grants.js'
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
  /** Counts the try. */
  readonly record: Pick<OpenSubject, 'countRecoveryTry'>
  /** From `readRecoveryCode`. */
  readonly code: string
}

export type RecoveryOutcome =
  /** The code is used up, whatever becomes of the success. */
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'rejected'
      readonly attemptsRemaining: number
      readonly retryAfterMs?: number
    }
  | Refusal

/** Judges one recovery code. */
export type Recover = (command: RecoveryCommand) => Promise<RecoveryOutcome>

const remainingTimeoutMs = 5_000

export function createRecover(parts: { readonly codes: RecoveryCodeStore; readonly emit: Emit }): Recover {
  const { codes, emit } = parts

  /** Not awaited: how many are left changes nothing about who is let in. */
  async function reportUse(subject: string): Promise<void> {
    const count = async () => codes.remaining?.(subject)
    const remaining = await withinDeadline(remainingTimeoutMs, count).catch(() => undefined)
    emit({ type: 'recovery.used', subject, ...(typeof remaining === 'number' && { remaining }) })
  }

  return async function recover({ subject, record, code }) {
    // Counted before the host is asked, so that parallel guesses cannot share a try (ASVS 5.0, 15.4.2).
    const { isRefused, remaining, resetInMs } = await record.countRecoveryTry()
    if (isRefused) {
      const refusal = { ...refused('attempts_exhausted', resetInMs), limit: 'subject' } as const
      const { code: problem, limit } = refusal
      emit({ type: 'request.refused', command: 'verify', code: problem, lane: 'auth', subject, limit })
      return refusal
    }
    // Fail closed (ASVS 5.0, 16.5.3): a count of rows, or a string, is no yes.
    const consumed: unknown = await codes.consume(subject, hashRecoveryCode(subject, code))
    if (consumed === true) {
      void reportUse(subject)
      return { outcome: 'accepted' }
    }
    emit({ type: 'recovery.failed', subject })
    const wait = remaining === 0 ? { retryAfterMs: resetInMs } : {}
    return { outcome: 'rejected', attemptsRemaining: remaining, ...wait }
  }
}
