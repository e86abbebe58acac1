import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { Channel, SendResult } from '../exchange/code-provider.js'
import type { BrowserKind } from '../ledger/ledger.js'
import { weightOf } from '../ledger/pacing.js'
import { isUndelivered } from '../ledger/sends.js'
import { type Update, unchanged } from '../updater.js'

// The sends to one number over all accounts: how many there were, and whose code is the last one. Pure.

/** The sends of one hour or day. The window starts with its first send. */
type SendWindow = {
  readonly endsAt: number
  /** A call counts as two. */
  readonly all: number
  /** Sends to unknown browsers among them. */
  readonly unknown: number
}

/** A send whose code may be valid. */
type NumberSend = {
  readonly id: string
  /** Hash of the account. */
  readonly account: string
  readonly at: number
  readonly browserKind: BrowserKind
  readonly channel: Channel
  /** Time until which the provider may still receive it. 0 after its response. */
  readonly underWayUntil: number
  /** True if its outcome is recorded. */
  readonly isSettled?: true | undefined
  /** Sends of other accounts that were under way with it. The provider may have received them in any order. */
  readonly overlaps: readonly string[]
}

/** Everything that is stored about the sends to one number. It outlives every code. */
export type NumberRecord = {
  readonly hour: SendWindow
  readonly day: SendWindow
  /** In the order of their bookings. A send that delivered nothing is removed. */
  readonly sends: readonly NumberSend[]
}

export type SendKind = Pick<NumberSend, 'browserKind' | 'channel'>

/** A send before it is booked. */
export type SendToNumber = SendKind & Pick<NumberSend, 'id' | 'account'>

type RecordUpdate<Outcome> = Update<NumberRecord, Outcome>

/** Limits of one number. */
export interface NumberLimits {
  readonly hour: number
  readonly day: number
  /** Returns the share of unknown browsers. It is the whole limit if browsers are not tracked. */
  unknownShareOf(max: number): number
  /** How long a send may be under way, in milliseconds. */
  readonly sendMs: number
  /** How long a code may be valid after its send, in milliseconds. */
  readonly codeMs: number
}

const spans = { hour: hourMs, day: dayMs } as const
type WindowName = keyof typeof spans
const eachSpan: readonly WindowName[] = ['hour', 'day']
const unused: SendWindow = { endsAt: 0, all: 0, unknown: 0 }
export const emptyRecord: NumberRecord = { hour: unused, day: unused, sends: [] }

const windowAt = (record: NumberRecord, span: WindowName, now: number): SendWindow =>
  now < record[span].endsAt ? record[span] : { ...unused, endsAt: now + spans[span] }

/** Returns the amount that a send counts. A limit of 1 admits one call. */
const amountOf = (max: number, channel: Channel): number => Math.max(1, Math.min(weightOf(channel), max))

/** Returns the amounts that a send counts in one window. */
const amountsIn = (max: number, { browserKind, channel }: SendKind, limits: NumberLimits) => ({
  all: amountOf(max, channel),
  unknown: browserKind === 'unknown' ? amountOf(limits.unknownShareOf(max), channel) : 0,
})
type Amounts = ReturnType<typeof amountsIn>

const addTo = ({ endsAt, all, unknown }: SendWindow, amounts: Amounts): SendWindow => ({
  endsAt,
  all: all + amounts.all,
  unknown: unknown + amounts.unknown,
})

const removeFrom = ({ endsAt, all, unknown }: SendWindow, amounts: Amounts): SendWindow => ({
  endsAt,
  all: Math.max(0, all - amounts.all),
  unknown: Math.max(0, unknown - amounts.unknown),
})

/** Returns how long this browser kind waits until the number can be sent a code. 0 if it can now. */
export function waitForSend(record: NumberRecord, send: SendKind, limits: NumberLimits, now: number): number {
  const waits = eachSpan.map((span) => {
    const max = limits[span]
    const window = windowAt(record, span, now)
    const { all, unknown } = addTo(window, amountsIn(max, send, limits))
    // Without a share, accounts of an attacker would use up the owner's part (denial of service).
    const isFull = all > max || (send.browserKind === 'unknown' && unknown > limits.unknownShareOf(max))
    return isFull ? window.endsAt - now : 0
  })
  return Math.max(...waits)
}

/** Books a send, or refuses it and changes nothing. Otherwise a refused request would end the code of another account. */
export function bookSend(
  record: NumberRecord,
  order: SendToNumber,
  limits: NumberLimits,
  now: number,
): RecordUpdate<Refusal | undefined> {
  // A retry finds its own booking.
  if (record.sends.some(({ id }) => id === order.id)) return unchanged
  const waitMs = waitForSend(record, order, limits, now)
  if (waitMs > 0) return { outcome: refused('send_limit', waitMs) }
  const sends = record.sends.filter(({ at }) => now < at + limits.codeMs)
  const underWay = sends.filter((one) => one.account !== order.account && now < one.underWayUntil)
  const booked: NumberSend = {
    id: order.id,
    account: order.account,
    at: now,
    browserKind: order.browserKind,
    channel: order.channel,
    underWayUntil: now + limits.sendMs,
    overlaps: underWay.map(({ id }) => id),
  }
  const windows = eachSpan.map((span) => [
    span,
    addTo(windowAt(record, span, now), amountsIn(limits[span], order, limits)),
  ])
  return put({ ...record, ...Object.fromEntries(windows), sends: [...sends, booked] }, undefined, limits, now)
}

/** Records the outcome of a send. Repeating it changes nothing. */
export function settleNumberSend(
  record: NumberRecord,
  { id, sent }: { readonly id: string; readonly sent: SendResult },
  limits: NumberLimits,
  now: number,
): RecordUpdate<undefined> {
  const send = record.sends.find((one) => one.id === id)
  if (send === undefined || send.isSettled) return unchanged
  // Nothing was delivered: the code before is the last one again, and the limits are refunded. A postponed send stays
  // counted: otherwise requests to the provider would be free (denial of service).
  if (isUndelivered(sent)) {
    const windows = sent.result === 'later' ? record : withoutSend(record, send, limits, eachSpan)
    const sends = record.sends
      .filter((one) => one !== send)
      .map((one) => ({ ...one, overlaps: one.overlaps.filter((other) => other !== id) }))
    return put({ ...windows, sends }, undefined, limits, now)
  }
  // An outage must have no effect on the next day. Without a response, the provider may still receive it.
  if (sent.result === 'unconfirmed') {
    const sends = record.sends.map((one) => (one === send ? { ...one, isSettled: true as const } : one))
    return put({ ...withoutSend(record, send, limits, ['day']), sends }, undefined, limits, now)
  }
  const { channel = send.channel } = 'channel' in sent ? sent : send
  const isLate = now >= send.underWayUntil
  const after = record.sends.indexOf(send) + 1
  const sends = record.sends.map((one, index) => {
    if (one === send) return { ...one, channel, underWayUntil: 0, isSettled: true as const }
    // Sends that were booked after its deadline did not see it.
    const isOverlapped = isLate && index >= after && one.account !== send.account
    return isOverlapped ? { ...one, overlaps: [...one.overlaps, id] } : one
  })
  return put({ ...recounted(record, send, channel, limits), sends }, undefined, limits, now)
}

/** Returns the record after a send used another channel than booked. A call counts as two, and refuses nothing. */
function recounted(record: NumberRecord, send: NumberSend, channel: Channel, limits: NumberLimits) {
  if (weightOf(channel) <= weightOf(send.channel)) return record
  const { hour, day } = withoutSend(record, send, limits, eachSpan)
  const again = (span: WindowName, window: SendWindow) =>
    isIn(record[span], span, send)
      ? addTo(window, amountsIn(limits[span], { ...send, channel }, limits))
      : window
  return { ...record, hour: again('hour', hour), day: again('day', day) }
}

const isIn = ({ endsAt }: SendWindow, span: WindowName, { at }: NumberSend): boolean =>
  at >= endsAt - spans[span] && at < endsAt

/** Returns the record without the amounts of a send, in the windows that contain it. */
function withoutSend(
  record: NumberRecord,
  send: NumberSend,
  limits: NumberLimits,
  of: readonly WindowName[],
) {
  const windows = of
    .filter((span) => isIn(record[span], span, send))
    .map((span) => [span, removeFrom(record[span], amountsIn(limits[span], send, limits))])
  return { ...record, ...Object.fromEntries(windows) }
}

/** A counter of a number over all accounts. */
export interface NumberCount {
  readonly count: number
  /** Those of unknown browsers among them. */
  readonly unknown: number
  /** Limit of all browsers. */
  readonly max: number
  /** Limit of unknown browsers. Equal to `max` if browsers are not tracked. */
  readonly unknownMax: number
  /** Milliseconds until the count is reset. 0 if there is none. */
  readonly endsInMs: number
}

/** Returns the sends of the current hour or day. A call counts as two. */
export function countSends(
  record: NumberRecord,
  span: WindowName,
  limits: NumberLimits,
  now: number,
): NumberCount {
  const { all: count, unknown, endsAt } = windowAt(record, span, now)
  const max = limits[span]
  const unknownMax = limits.unknownShareOf(max)
  return { count, unknown, max, unknownMax, endsInMs: count === 0 ? 0 : endsAt - now }
}

/** Resets the limits. The sends stay, because their codes may be valid. */
export function clearRecord(
  record: NumberRecord,
  limits: NumberLimits,
  now: number,
): RecordUpdate<undefined> {
  return record.day.all + record.hour.all === 0
    ? unchanged
    : put({ ...record, hour: unused, day: unused }, undefined, limits, now)
}

/**
 * Returns the sends of an account whose codes are the last ones of the number. After a send to another account, or with
 * one under way, the provider may accept the code of that account. So it may if the send after it got no response.
 * The last code stays valid although an earlier code of another account may be accepted in its place. Otherwise an
 * attacker with the same number could keep requesting codes and lock the owner out (denial of service).
 */
export function lastSendsOf({ sends }: NumberRecord, account: string): readonly string[] {
  const lastOfOthers = sends.findLastIndex((one) => one.account !== account)
  const isAlone = lastOfOthers === -1
  return sends
    .slice(lastOfOthers + 1)
    .filter(({ overlaps, underWayUntil }) => overlaps.length === 0 && (isAlone || underWayUntil === 0))
    .map(({ id }) => id)
}

function put<Outcome>(
  value: NumberRecord,
  outcome: Outcome,
  limits: NumberLimits,
  now: number,
): RecordUpdate<Outcome> {
  // Refused starts must not fill the store.
  const isEmpty = value.sends.length === 0 && value.hour.all + value.day.all === 0
  if (isEmpty) return { outcome, put: { value: undefined, ttlMs: 1 } }
  const lastAt = value.sends.at(-1)?.at ?? 0
  const endsAt = Math.max(value.hour.endsAt, value.day.endsAt, lastAt + limits.codeMs)
  return { outcome, put: { value, ttlMs: Math.max(1, endsAt - now) } }
}
