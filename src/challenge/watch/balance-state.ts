import type { EventBody } from '../../events.js'
import { present } from '../../lib/present.js'
import { hourMs } from '../../lib/time.js'
import type { Change } from './shared-record.js'

/** When an account counts as low. */
export interface BalanceRules {
  /** How often the account is asked. */
  readonly everyMs: number
  /** Credits from which on downward it is low. */
  readonly low?: number | undefined
  /** It is low as well when, at the rate of our own sends, it is empty after less than this. */
  readonly warnBeforeMs: number
}

/** SMS pumping: the visitor of a signup form picks the number, so that a refused one says nothing about sign-ins. */
export type Pause = 'all' | 'sign-ups'

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
export const askingMs = 10_000

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
    const { alarm } = before ?? {}
    return { record: { condition: 'unknown', ...measured, ...present({ alarm }) }, events: [] }
  }
  const isRead = typeof reading === 'number'
  const credits = isRead ? reading : before?.credits
  const lastsMs = (Number(credits) / (measured.sendsPerHour * measured.creditsPerSend)) * hourMs
  const condition = isRead ? conditionOf(before, reading, lastsMs, rules) : 'unknown'
  const alarm = condition === 'ok' ? undefined : condition
  const paused = condition === 'empty' ? before?.paused : undefined
  const record: BalanceRecord = { condition, ...measured, ...present({ credits, alarm, paused }) }
  if (alarm === before?.alarm) return { record, events: [] }
  const known = present({ credits })
  if (!isRead) return { record, events: [{ type: 'balance.unknown', ...known }] }
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
