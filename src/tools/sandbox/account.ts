import { createBoundedMap } from './bounded-memory.js'
import { digitsOf } from './numbers.js'
import type { SandboxSettings } from './options.js'

export const blockedChannels = ['SMS', 'CALL', 'WA', 'ALL'] as const

/** The blocked channel, in the provider's words. The specification has only SMS. */
export type BlockedChannel = (typeof blockedChannels)[number]

/** A number that receives nothing. */
export interface BlockedPhone {
  /** The provider's id of the block. */
  readonly id: string
  /** The number's digits. */
  readonly phone: string
  /** Name of the contact; empty without one. */
  readonly name: string
  /** The blocked channel. */
  readonly channel: BlockedChannel
}

/** Controls of the account, for tests. */
export interface AccountControl {
  /** Returns the remaining credits. Rejected messages are refunded. */
  credits(): number
  /** Sets the credits, to simulate a low or empty account. */
  setCredits(credits: number): void
  /** Returns the numbers that `blockPhone` has blocked. */
  blocked(): readonly BlockedPhone[]
  /** Lifts a block. Returns whether there was one. */
  unblock(phone: string): boolean
}

/** A refund of credits at a moment of the number's time. */
export interface Refund {
  readonly credits: number
  readonly at: number
  readonly phone: string
}

export type Account = ReturnType<typeof createAccount>

const maxBlocked = 1_000

export function createAccount(
  settings: SandboxSettings,
  now: (phone: string) => number,
  changed: () => void,
) {
  let credits = settings.credits
  let refunds: readonly Refund[] = []
  const blocked = createBoundedMap<BlockedPhone>(maxBlocked)

  function creditsNow(): number {
    const due = refunds.filter(({ at, phone }) => at <= now(phone))
    refunds = refunds.filter((refund) => !due.includes(refund))
    for (const refund of due) credits += refund.credits
    return credits
  }

  return {
    credits: creditsNow,
    setCredits(amount: number): void {
      if (!Number.isSafeInteger(amount) || amount < 0) {
        throw new TypeError('account.setCredits: credits must be a non-negative integer')
      }
      credits = amount
      refunds = []
      changed()
    },
    knows: (client: string | null, key: string | null) =>
      client === String(settings.credentials.client) && key === settings.credentials.key,
    allows: (address: string) => settings.allowedAddresses?.includes(address.replace(/^::ffff:/, '')) ?? true,
    /** Deducts credits. Returns false, without a deduction, if there are too few. */
    charge(amount: number): boolean {
      if (creditsNow() < amount) return false
      credits -= amount
      return true
    },
    refund(refund: Refund): void {
      refunds = [...refunds, refund]
    },
    block: (entry: BlockedPhone) => blocked.set(entry.phone, entry),
    blocked: () => blocked.oldestFirst(),
    isBlocked(phone: string, channel: 'sms' | 'call'): boolean {
      const entry = blocked.get(digitsOf(phone))
      return entry !== undefined && ['ALL', channel.toUpperCase()].includes(entry.channel)
    },
    unblock(phone: string): boolean {
      const wasBlocked = blocked.delete(digitsOf(phone))
      if (wasBlocked) changed()
      return wasBlocked
    },
    reset(): void {
      credits = settings.credits
      refunds = []
      blocked.clear()
    },
  }
}
