import type { Emit } from '../events.js'
import { withinDeadline } from '../lib/deadline.js'
import type { Awaitable, Store } from '../store/store.js'
import { subjectTally } from './budgets/counters.js'
import { type Refusal, refused } from './commands.js'
import type { Keys } from './keys.js'
import { hashRecoveryCode } from './proofs/recovery-codes.js'
import { createReceipts, type Receipt, receiptLeaseMs } from './proofs/recovery-receipts.js'

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
  readonly session: string
  /** From `readRecoveryCode`. */
  readonly code: string
  /** The last revocation of this subject in this session, from the grants. */
  readonly epoch: string | undefined
}

export type RecoveryOutcome =
  /** The code is used up. `receipt` ends with the success, or is reopened when it cannot be completed. */
  | { readonly outcome: 'accepted'; readonly receipt: Pick<Receipt, 'end' | 'reopen'> }
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
  readonly now: () => number
  readonly emit: Emit
}): Recover {
  const { codes, store, keys, emit } = parts
  const receiptOf = createReceipts(parts)

  /** Not awaited: how many are left changes nothing about who is let in. */
  async function reportUse(subject: string): Promise<void> {
    const count = async () => codes.remaining?.(subject)
    const remaining = await withinDeadline(remainingTimeoutMs, count).catch(() => undefined)
    emit({ type: 'recovery.used', subject, ...(typeof remaining === 'number' && { remaining }) })
  }

  async function consume(subject: string, hash: string, receipt: Receipt): Promise<boolean> {
    let consumed: unknown
    try {
      consumed = await codes.consume(subject, hash)
    } catch (error) {
      await receipt.end()
      throw error
    }
    // Fail closed (ASVS 5.0, 16.5.3): a count of rows, or a string, is no yes.
    if (consumed === true) await receipt.markUsed()
    else await receipt.end()
    return consumed === true
  }

  return async function recover({ subject, session, code, epoch }) {
    const hash = hashRecoveryCode(subject, code)
    const receipt = receiptOf({ subject, session, hash })
    const found = await receipt.find(epoch)
    if (found === 'busy') return refused('verification_in_progress', receiptLeaseMs)
    const tries = subjectTally({ store, keys, limits }, 'recovery', subject)
    // Counted before the host is asked, so that parallel guesses cannot share a try (ASVS 5.0, 15.4.2). To finish costs none.
    const tooMany = found === 'new' ? await tries.take() : undefined
    if (tooMany !== undefined) {
      const about = { code: tooMany.code, lane: 'auth', subject, limit: 'subject' } as const
      emit({ type: 'request.refused', command: 'verify', ...about })
      return tooMany
    }
    if (!(await receipt.begin(found, epoch))) return refused('verification_in_progress', receiptLeaseMs)
    if (found === 'used') return { outcome: 'accepted', receipt }
    if (await consume(subject, hash, receipt)) {
      void reportUse(subject)
      return { outcome: 'accepted', receipt }
    }
    emit({ type: 'recovery.failed', subject })
    const { count, refusal } = await tries.check()
    const attemptsRemaining = Math.max(0, limits.failuresPerSubjectPerDay - count)
    return { outcome: 'rejected', attemptsRemaining, retryAfterMs: refusal?.retryAfterMs }
  }
}
