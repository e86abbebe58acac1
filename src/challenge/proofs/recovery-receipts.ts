import { minuteMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Keys } from '../keys.js'
import { createUpdater, type Update, unchanged, update } from '../updater.js'

/** One recovery code in the hands of one session. */
export interface RecoveryUse {
  readonly subject: string
  readonly session: string
  /** Of the code. */
  readonly hash: string
}

/**
 * `new`: the host is to be asked. `used`: this session used the code up and did not get in. `busy`: another
 * request of this session is at it.
 */
export type ReceiptState = 'new' | 'used' | 'busy'

/** What is remembered of one use, so that a fault after the host has removed the code does not lose it. */
export interface Receipt {
  /** Writes nothing. */
  find(epoch: string | undefined): Promise<ReceiptState>
  /** Whether it is still as it was found: then it is this request's, until it ends or its lease does. */
  begin(found: ReceiptState, epoch: string | undefined): Promise<boolean>
  /** The host has removed the code. Never rejects: where the store fails, this process remembers it. */
  markUsed(): Promise<void>
  /** Lets this session finish, under the id that it has now. Never rejects. */
  reopen(session: string): Promise<void>
  /** Forgets it: the code was wrong, or the session is in. Never rejects. */
  end(): Promise<void>
}

type Stored = {
  readonly isUsed: boolean
  /** The last revocation when it began: one that came later ends it. */
  readonly epoch?: string | undefined
  readonly leaseExpiresAt: number
  readonly expiresAt: number
}

const lifetimeMs = 10 * minuteMs
/** Longer than a sign-in takes; a process that died leaves the code to the next request after it. */
export const receiptLeaseMs = 10_000
const maxUnwritten = 1_000

/** Opens the receipt of one use. Keyed by the session: whoever has seen the code can finish nothing with it. */
export function createReceipts(parts: {
  readonly store: Pick<Store, 'read' | 'swap'>
  readonly keys: Keys
  readonly now: () => number
}): (use: RecoveryUse) => Receipt {
  const { store, keys, now } = parts
  /** Receipts that the store did not take, by their key. */
  const unwritten = new Map<string, Stored>()

  function remember(key: string, receipt: Stored): void {
    unwritten.set(key, receipt)
    const [oldest = key] = unwritten.keys()
    if (unwritten.size > maxUnwritten) unwritten.delete(oldest)
  }

  async function put(key: string, receipt: Stored): Promise<void> {
    const ttlMs = Math.max(1, receipt.expiresAt - now())
    try {
      await update(store, key, () => ({ outcome: undefined, put: { value: receipt, ttlMs } }))
      unwritten.delete(key)
    } catch {
      remember(key, receipt)
    }
  }

  async function remove(key: string): Promise<void> {
    unwritten.delete(key)
    await update(store, key, (stored: Stored | undefined): Update<Stored, void> => {
      if (stored === undefined) return unchanged
      return { outcome: undefined, put: { value: undefined, ttlMs: 1 } }
    }).catch(() => undefined)
  }

  return (use) => {
    const key = keys.recovery(use)
    const updater = createUpdater<Stored>(store, key)
    let current: Stored = { isUsed: false, leaseExpiresAt: 0, expiresAt: 0 }

    const standing = (stored: Stored | undefined): Stored | undefined => {
      const receipt = unwritten.get(key) ?? stored
      return receipt !== undefined && now() < receipt.expiresAt ? receipt : undefined
    }
    const stateOf = (receipt: Stored | undefined, epoch: string | undefined): ReceiptState => {
      if (receipt === undefined) return 'new'
      if (now() < receipt.leaseExpiresAt) return 'busy'
      const isRevoked = epoch !== undefined && epoch !== receipt.epoch
      return receipt.isUsed && !isRevoked ? 'used' : 'new'
    }

    return {
      find: async (epoch) => stateOf(standing(await updater.prefetch()), epoch),

      async begin(found, epoch) {
        const isOurs = await updater.update((stored): Update<Stored, boolean> => {
          const receipt = standing(stored)
          if (stateOf(receipt, epoch) !== found) return { outcome: false }
          const isUsed = found === 'used'
          const expiresAt = isUsed && receipt !== undefined ? receipt.expiresAt : now() + lifetimeMs
          current = { isUsed, epoch, leaseExpiresAt: now() + receiptLeaseMs, expiresAt }
          return { outcome: true, put: { value: current, ttlMs: Math.max(1, expiresAt - now()) } }
        })
        if (isOurs) unwritten.delete(key)
        return isOurs
      },

      markUsed() {
        current = { ...current, isUsed: true }
        return put(key, current)
      },

      async reopen(session) {
        const renewed = keys.recovery({ ...use, session })
        await put(renewed, { ...current, leaseExpiresAt: 0 })
        // The old id may live on where sessions are kept in cookies: one of the two finishes.
        if (renewed !== key) await remove(key)
      },

      end: () => remove(key),
    }
  }
}
