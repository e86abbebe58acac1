import type { EventBody } from '../../events.js'
import { present } from '../../lib/json.js'
import { withinDeadline } from '../../lib/promises.js'
import { hourMs, weekMs } from '../../lib/time.js'
import type { CodeProvider, SendResult } from '../code-provider.js'
import type { Codes } from '../codes.js'
import { type Refusal, refused } from '../commands.js'
import type { Basis } from '../keys.js'
import type { Lane } from '../limits.js'
import { type Change, createSharedRecord } from '../updater.js'

/** When to tell that the account runs dry. Durations are milliseconds. */
export interface BalanceOptions {
  /** How often the account is asked, by one process of all that share the store. Default 5 minutes. */
  readonly everyMs?: number
  /** Credits from which on downward it counts as low. Default: only by `warnBeforeMs`. */
  readonly low?: number
  /** It counts as low when, at the rate of our own sends, it is empty after less than this. Default a day. */
  readonly warnBeforeMs?: number
}

/** The same, settled. */
export type BalanceRules = BalanceOptions & Required<Omit<BalanceOptions, 'low'>>

/** SMS pumping: the visitor of a signup form picks the number, so that a refused one says nothing about sign-ins. */
type Pause = 'all' | 'sign-ups'

/** What the service knows about its account, shared by all processes. */
export type BalanceRecord = {
  readonly condition: 'ok' | 'low' | 'empty' | 'unknown'
  /** The last figure. Absent while only a flag was seen. */
  readonly credits?: number
  /** When it was asked last. */
  readonly askedAt: number
  /** Codes sent per hour, smoothed over about an hour. */
  readonly sendsPerHour: number
  readonly creditsPerSend: number
  /** The alarm that stands: events come on its edges only. */
  readonly alarm?: 'low' | 'empty' | 'unknown'
  /** Empty, and a send has failed: starts are refused, all or those of sign-ups. */
  readonly paused?: Pause
}

/** The credits; `undefined` when the account gave no figure, `'failed'` when it could not be asked. */
export type Reading = number | undefined | 'failed'

/** How long an answer of the account is waited for. */
const askingMs = 10_000

/**
 * Whether another look was asked for later and has been answered earlier. A clock that was set back is further
 * behind than two looks under way can be.
 */
export function isOvertaken(before: BalanceRecord | undefined, at: number): boolean {
  return before !== undefined && at < before.askedAt && before.askedAt - at < 2 * askingMs
}

/** What follows from one reading, asked for at `at`, and the codes sent since the one before. */
export function nextBalance(
  before: BalanceRecord | undefined,
  reading: Reading,
  { sends, at }: { readonly sends: number; readonly at: number },
  rules: BalanceRules,
): Change<BalanceRecord> {
  const measured = { askedAt: at, ...rateOf(before, reading, sends, at) }
  // `{ "status": 1 }` is how some accounts say "all is well": a figure only once there was another one.
  if (before?.credits === undefined && (reading === undefined || reading === 1)) {
    return { record: { condition: 'unknown', ...measured, ...present({ alarm: before?.alarm }) }, events: [] }
  }
  const isRead = typeof reading === 'number'
  const credits = isRead ? reading : before?.credits
  const lastsMs = (Number(credits) / (measured.sendsPerHour * measured.creditsPerSend)) * hourMs
  const condition = isRead ? conditionOf(before, reading, lastsMs, rules) : 'unknown'
  const alarm = condition === 'ok' ? undefined : condition
  const paused = condition === 'empty' ? before?.paused : undefined
  const record: BalanceRecord = { condition, ...measured, ...present({ credits, alarm, paused }) }
  if (alarm === before?.alarm) return { record, events: [] }
  if (!isRead) return { record, events: [{ type: 'balance.unknown', ...present({ credits }) }] }
  const told = { credits: reading, ...(Number.isFinite(lastsMs) && { lastsMs: Math.round(lastsMs) }) }
  const isOver = condition === 'ok' || before?.alarm === 'empty'
  const events: EventBody[] = isOver ? [{ type: 'balance.recovered', credits: reading }] : []
  if (condition === 'low') events.push({ type: 'balance.low', ...told })
  if (condition === 'empty') events.push({ type: 'balance.empty', credits: reading })
  return { record, events }
}

function conditionOf(
  before: BalanceRecord | undefined,
  credits: number,
  lastsMs: number,
  { low = 0, warnBeforeMs }: BalanceRules,
): 'ok' | 'low' | 'empty' {
  if (credits <= 0) return 'empty'
  // A quiet night must not end the alarm of the day: only a recharge does.
  const stays = before?.alarm === 'low' && credits <= Number(before.credits)
  return stays || credits <= low || lastsMs < warnBeforeMs ? 'low' : 'ok'
}

function rateOf(
  before: BalanceRecord | undefined,
  reading: Reading,
  sends: number,
  at: number,
): Pick<BalanceRecord, 'sendsPerHour' | 'creditsPerSend'> {
  if (before === undefined) return { sendsPerHour: 0, creditsPerSend: 1 }
  const elapsedMs = Math.max(at - before.askedAt, 1)
  const weight = Math.exp(-elapsedMs / hourMs)
  const sendsPerHour = before.sendsPerHour * weight + ((sends * hourMs) / elapsedMs) * (1 - weight)
  const used = typeof reading === 'number' && before.credits !== undefined ? before.credits - reading : 0
  // After a recharge the difference says nothing about the price.
  const creditsPerSend = sends > 0 && used > 0 ? used / sends : before.creditsPerSend
  return { sendsPerHour, creditsPerSend }
}

export type BalanceWatch = ReturnType<typeof createBalanceWatch>

interface Parts extends Basis {
  readonly provider: Pick<CodeProvider, 'balance'>
  readonly codes: Pick<Codes, 'pausedForMs'>
}

/** How often an account that is empty or has refused a send is looked at again. */
const againMs = 30_000

/** What the account has left: told before it is empty, and never asked for while somebody waits. */
export function createBalanceWatch(parts: Parts, rules: BalanceRules) {
  const { store, keys, provider, codes, background, now } = parts
  const sendsKey = keys.counter('count-balance-sends', 'account')
  const account = createSharedRecord<BalanceRecord>(parts, keys.balance, weekMs + rules.everyMs)
  let failed: { readonly at: number; readonly pause: Pause } | undefined
  let isLookDue = false
  let notBefore = 0
  const isEmpty = () => account.seen()?.condition === 'empty'

  /**
   * The refusal while the account is empty and refuses sends, but for a probe. One for each lane: visitors of a signup
   * form must not take the probe of sign-ins (denial of service). 0 counts none.
   */
  async function probe(lane: Lane, by: 0 | 1): Promise<Refusal | undefined> {
    const paused = account.seen()?.paused
    const isPaused = paused === 'all' || (paused === 'sign-ups' && lane === 'enrol')
    if (!isPaused) return undefined
    const key = keys.counter('count-balance-probes', lane)
    const { count, resetInMs } = await store.increment(key, againMs, by)
    if (count <= by) return undefined
    return { ...refused('sending_paused', Math.max(1, Math.ceil(resetInMs))), limit: 'balance' }
  }

  async function measure(): Promise<void> {
    const at = now()
    const asked = withinDeadline(askingMs, async () => provider.balance?.())
    const reading: Reading = await asked.then((found) => found?.credits).catch(() => 'failed')
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

  return {
    /** By what all processes know. Counts nothing. */
    async check(lane: Lane): Promise<Refusal | undefined> {
      await account.read()
      return probe(lane, 0)
    },
    /** Called last before a send is booked: one in 30 seconds and lane goes through, to see whether it is over. */
    take: (lane: Lane) => probe(lane, 1),
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
