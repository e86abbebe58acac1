import { createRecent } from './recent.js'
import { digitsOf } from './wire-phone.js'

/** What a number is blocked for, as the wire says it. The specification knows texts only. */
export type BlockedChannel = 'SMS' | 'CALL' | 'WA' | 'ALL'

export interface BlockedPhone {
  readonly id: string
  /** The number's digits. */
  readonly phone: string
  readonly name: string
  readonly channel: BlockedChannel
}

/** The account as a test may arrange it. */
export interface AccountControl {
  /** Credits left, with those of rejected messages back. */
  credits(): number
  /** Sets the credits: for the low and the empty account. */
  setCredits(credits: number): void
  blocked(): readonly BlockedPhone[]
  /** Lifts a block. Answers whether there was one. */
  unblock(phone: string): boolean
}

export interface Account extends AccountControl {
  knows(client: string | null, key: string | null): boolean
  allows(address: string): boolean
  /** Takes credits, or answers false and takes none. */
  charge(credits: number): boolean
  /** Credits that come back at a moment of sandbox time. */
  refund(credits: number, at: number): void
  block(entry: BlockedPhone): void
  isBlocked(phone: string, channel: 'sms' | 'call'): boolean
  reset(): void
}

export interface AccountRules {
  readonly credentials: { readonly client: number; readonly key: string }
  readonly allowedAddresses: readonly string[]
  readonly credits: number
}

const mostBlocked = 1_000
const mostRefunds = 1_000

export function createAccount(rules: AccountRules, now: () => number): Account {
  let credits = rules.credits
  let refunds: { readonly credits: number; readonly at: number }[] = []
  const blocked = createRecent<BlockedPhone>(mostBlocked)

  function creditsNow(): number {
    const due = refunds.filter(({ at }) => at <= now())
    refunds = refunds.filter(({ at }) => at > now())
    for (const refund of due) credits += refund.credits
    return credits
  }

  return {
    credits: creditsNow,
    setCredits(amount) {
      if (!Number.isSafeInteger(amount) || amount < 0) {
        throw new TypeError('account.setCredits: give a whole number, 0 or more')
      }
      credits = amount
      refunds = []
    },
    knows: (client, key) => client === String(rules.credentials.client) && key === rules.credentials.key,
    allows: (address) => rules.allowedAddresses.includes(address.replace(/^::ffff:/, '')),
    charge(amount) {
      if (creditsNow() < amount) return false
      credits -= amount
      return true
    },
    refund(amount, at) {
      refunds.push({ credits: amount, at })
      // A clock that stands still must not make this list grow.
      if (refunds.length > mostRefunds) credits += refunds.shift()?.credits ?? 0
    },
    block: (entry) => blocked.set(entry.phone, entry),
    blocked: () => blocked.values(),
    isBlocked(phone, channel) {
      const entry = blocked.get(digitsOf(phone))
      return entry !== undefined && ['ALL', channel.toUpperCase()].includes(entry.channel)
    },
    unblock: (phone) => blocked.delete(digitsOf(phone)),
    reset() {
      credits = rules.credits
      refunds = []
      blocked.clear()
    },
  }
}
