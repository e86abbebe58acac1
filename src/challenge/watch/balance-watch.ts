import type { Emit } from '../../events.js'
import type { Background } from '../../lib/background.js'
import { withinDeadline } from '../../lib/deadline.js'
import { dayMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { CodeProvider, SendResult } from '../code-provider.js'
import type { Codes } from '../codes.js'
import { type Refusal, refused } from '../commands.js'
import type { Keys } from '../keys.js'
import type { Lane } from '../limits.js'
import {
  askingMs,
  type BalanceRecord,
  type BalanceRules,
  isOvertaken,
  nextBalance,
  type Pause,
  type Reading,
} from './balance-state.js'
import { createSharedRecord } from './shared-record.js'

export type BalanceWatch = ReturnType<typeof createBalanceWatch>

interface Parts {
  readonly store: Store
  readonly keys: Keys
  readonly provider: Pick<CodeProvider, 'balance'>
  readonly codes: Pick<Codes, 'pausedForMs'>
  readonly background: Background
  readonly now: () => number
  readonly emit: Emit
}

/** How often an account that is empty or has refused a send is looked at again. */
const againMs = 30_000
const weekMs = 7 * dayMs

/** What the account has left: told before it is empty, and never asked for while somebody waits. */
export function createBalanceWatch(parts: Parts, rules: BalanceRules) {
  const { store, keys, provider, codes, background, now } = parts
  const sendsKey = keys.counter('count-balance-sends', 'account')
  const account = createSharedRecord<BalanceRecord>(parts, keys.balance, weekMs + rules.everyMs)
  let failed: { readonly at: number; readonly pause: Pause } | undefined
  let isLookDue = false
  let notBefore = 0
  const isEmpty = () => account.seen()?.condition === 'empty'

  /** One for each lane: visitors of a signup form must not take the probe of sign-ins (denial of service). 0 counts none. */
  async function probe(lane: Lane, by: 0 | 1): Promise<Refusal | undefined> {
    const key = keys.counter('count-balance-probes', lane)
    const { count, resetInMs } = await store.increment(key, againMs, by)
    if (count <= by) return undefined
    return { ...refused('sending_paused', Math.max(1, Math.ceil(resetInMs))), limit: 'balance' }
  }

  async function ask(): Promise<Reading> {
    try {
      return (await withinDeadline(askingMs, async () => provider.balance?.()))?.credits
    } catch {
      return 'failed'
    }
  }

  async function measure(): Promise<void> {
    const at = now()
    const reading = await ask()
    const { count: sends } = await store.increment(sendsKey, weekMs, 0)
    await store.increment(sendsKey, weekMs, -sends)
    const taken = await account.change((before) =>
      isOvertaken(before, at) ? undefined : nextBalance(before, reading, { sends, at }, rules),
    )
    // They belong to the look after this one.
    if (taken === undefined) await store.increment(sendsKey, weekMs, sends)
  }

  /** Of all processes the one that opens the window asks; the others read what was found. Returns how long it lasts. */
  async function look(window: 'regular' | 'again', windowMs: number): Promise<number> {
    const lease = keys.counter('count-balance-leases', window)
    const { count, resetInMs } = await store.increment(lease, windowMs)
    // A provider that is down is told as such, and cannot be asked.
    await (count === 1 && codes.pausedForMs() === undefined ? measure() : account.read())
    // Whoever was refused a send before this was asked knows now whether the account is why. An empty one is why,
    // even of a send that failed while it was being asked.
    const { askedAt = Number.NEGATIVE_INFINITY } = account.seen() ?? {}
    if (failed !== undefined && (isEmpty() || askedAt >= failed.at)) await pause(failed.pause)
    if (isEmpty()) notBefore = Math.max(notBefore, now() + againMs)
    if (isEmpty() || failed !== undefined) lookAgain()
    return resetInMs
  }

  async function pause(paused: Pause): Promise<void> {
    failed = undefined
    await account.change((before) =>
      before?.condition === 'empty' && before.paused !== 'all'
        ? { record: { ...before, paused }, events: [] }
        : undefined,
    )
  }

  async function resume(): Promise<void> {
    await account.change((before) => {
      if (before?.paused === undefined) return undefined
      const { paused: _, ...rest } = before
      // The alarm stands until the account itself says so.
      return { record: { ...rest, condition: 'unknown' }, events: [] }
    })
    lookAgain()
  }

  async function lookRegularly(): Promise<void> {
    const waitMs = await look('regular', rules.everyMs).catch(() => rules.everyMs)
    background.after(waitMs, lookRegularly)
  }

  /** Soon, but not more often than every 30 seconds. */
  function lookAgain(): void {
    if (isLookDue) return
    isLookDue = true
    background.after(notBefore - now(), async () => {
      isLookDue = false
      notBefore = now() + againMs
      await look('again', againMs)
    })
  }

  background.after(0, lookRegularly)

  function isPaused(lane: Lane): boolean {
    const paused = account.seen()?.paused
    return paused === 'all' || (paused === 'sign-ups' && lane === 'enrol')
  }

  return {
    /** The refusal while the account is empty and refuses sends. Counts nothing. */
    async check(lane: Lane): Promise<Refusal | undefined> {
      await account.read()
      return isPaused(lane) ? probe(lane, 0) : undefined
    },
    /** Called last before a send is booked: one in 30 seconds and lane goes through, to see whether it is over. */
    take: async (lane: Lane) => (isPaused(lane) ? probe(lane, 1) : undefined),
    noteSend(lane: Lane, result: SendResult['result']): void {
      if (result === 'sent' || result === 'unconfirmed') {
        background.run(async () => void (await store.increment(sendsKey, weekMs)))
      }
      if (result === 'sent' && account.seen()?.paused !== undefined) background.run(resume)
      if (result === 'failed' || result === 'misconfigured') {
        const isPicked = lane === 'enrol' && result === 'failed'
        const reach = isPicked && failed?.pause !== 'all' ? 'sign-ups' : 'all'
        failed = { at: now(), pause: reach }
        if (isEmpty()) background.run(() => pause(reach))
        else lookAgain()
      }
    },
    /** What this process read last. From memory. */
    state: account.seen,
  }
}
