import type { AboutChallenge, AboutProvider, DeliveryCounts, EventBody } from '../../events.js'
import { minuteMs, weekMs } from '../../lib/time.js'
import type { MessageState, SendResult } from '../code-provider.js'
import type { Basis } from '../keys.js'
import { within } from '../provider-answer.js'
import { type Change, createSharedRecord } from '../updater.js'

/** Whose codes: those to one country by one method. */
type DeliveryPlace = {
  /** ISO 3166 code. */
  readonly country: string
  /** How they travelled: the name of a provider's method. */
  readonly channel: string
}

/** What became of the codes of the last hour. */
export type DeliveryShare = DeliveryPlace & DeliveryCounts

/** What all processes know of one country and method. */
type Row = DeliveryPlace & {
  /** The last hour, in slices of ten minutes. */
  readonly slices: readonly (DeliveryCounts & { readonly slice: number })[]
  /** Of the time before: delivered, and looked at. */
  readonly usual: readonly [delivered: number, seen: number]
  readonly isLow: boolean
}

/** One row for each country and method, which bounds them. */
export type DeliveryRecord = { readonly rows: readonly Row[] }

const sliceMs = 10 * minuteMs
const slicesPerHour = 6
/** What is usual fades within a thousand slices: about a week. */
const kept = 0.999
/** Fewer delivered codes do not show what is usual. */
const enough = 50
/** Where fewer are to be expected in the hour, chance does much. */
const fewest = 20

const seenIn = ({ delivered, rejected, unknown }: DeliveryCounts) => delivered + rejected + unknown

const noCodes: DeliveryCounts = { sent: 0, delivered: 0, rejected: 0, unknown: 0 }

const added = (one: DeliveryCounts, other: DeliveryCounts): DeliveryCounts => ({
  sent: one.sent + other.sent,
  delivered: one.delivered + other.delivered,
  rejected: one.rejected + other.rejected,
  unknown: one.unknown + other.unknown,
})

const shareOf = ({ country, channel, slices }: Row): DeliveryShare => ({
  country,
  channel,
  ...slices.reduce<DeliveryCounts>(added, noCodes),
})

/** Without the slices that are over: they show what is usual. */
function aged(row: Row, at: number): Row {
  const isRunning = ({ slice }: Row['slices'][number]) => slice > Math.floor(at / sliceMs) - slicesPerHour
  const past = row.slices.filter((slice) => !isRunning(slice))
  const usual = past.reduce<Row['usual']>(
    ([delivered, seen], slice) => [delivered * kept + slice.delivered, seen * kept + seenIn(slice)],
    row.usual,
  )
  return { ...row, usual, slices: row.slices.filter(isRunning) }
}

/** Whether less than half of what is usual arrives; once it was so, until three quarters do. */
function isLow(row: Row): boolean {
  const [delivered, seen] = row.usual
  const share = shareOf(row)
  const expected = (delivered / seen) * seenIn(share)
  if (delivered < enough || expected < fewest) return row.isLow
  return share.delivered < expected * (row.isLow ? 0.75 : 0.5)
}

/** What follows once a process has counted these. */
export function nextDelivery(
  before: DeliveryRecord | undefined,
  counted: readonly DeliveryShare[],
  at: number,
): Change<DeliveryRecord> {
  const slice = Math.floor(at / sliceMs)
  const events: EventBody[] = []
  const rows = new Map((before?.rows ?? []).map((row) => [`${row.country} ${row.channel}`, aged(row, at)]))
  for (const { country, channel, ...counts } of counted) {
    const name = `${country} ${channel}`
    const old = rows.get(name) ?? { country, channel, slices: [], usual: [0, 0], isLow: false }
    const running = old.slices.find((one) => one.slice === slice)
    const others = old.slices.filter((one) => one !== running)
    const row: Row = { ...old, slices: [...others, { slice, ...added(running ?? noCodes, counts) }] }
    const low = isLow(row)
    if (low !== row.isLow) events.push({ type: low ? 'delivery.low' : 'delivery.recovered', ...shareOf(row) })
    rows.set(name, { ...row, isLow: low })
  }
  return { record: { rows: [...rows.values()] }, events }
}

/** The last hour of every country and method that had a code in it. */
export function sharesAt(record: DeliveryRecord | undefined, at: number): readonly DeliveryShare[] {
  return (record?.rows ?? []).map((row) => shareOf(aged(row, at))).filter(({ sent }) => sent > 0)
}

/** When to look at what became of a code that was sent. Durations are milliseconds. */
export interface DeliveryWatchOptions {
  /** How long after the send. Default 15 seconds. */
  readonly afterMs?: number
}

/** Asks for the state of one message at the provider that sent it. */
export type AskState = (signal: AbortSignal) => Promise<MessageState>

export type DeliveryWatch = ReturnType<typeof createDeliveryWatch>

/** Bounds memory and requests where codes are sent faster than their states are answered. */
const maxWaiting = 1_000
const askingMs = 10_000
/** How long a process keeps what it counted to itself. */
const everyMs = minuteMs

const types = {
  delivered: 'message.delivered',
  rejected: 'message.rejected',
  pending: 'message.unknown',
} as const satisfies Record<MessageState, string>

function stateOf(ask: AskState): Promise<MessageState | undefined> {
  return within(askingMs, ask)
    .then((state) => (Object.hasOwn(types, state) ? state : undefined))
    .catch(() => undefined)
}

/**
 * Looks at each code that was sent, once, beside the requests. What it finds is told and changes nothing: a
 * number that receives no messages must not get more of them (SMS pumping).
 */
export function createDeliveryWatch(parts: Basis, { afterMs }: Required<DeliveryWatchOptions>) {
  const { keys, background, now, emit } = parts
  const hour = createSharedRecord<DeliveryRecord>(parts, keys.counter('count-delivery', 'hour'), weekMs)
  /** Not in the record yet, by country and method, which bounds them. */
  let counted = new Map<string, DeliveryShare>()
  let waiting = 0

  /** Adds to what all processes know: each alone would see too little of a country. */
  async function hand(): Promise<void> {
    const mine = [...counted.values()]
    counted = new Map()
    const at = now()
    await hour.change((before) => nextDelivery(before, mine, at))
  }

  function count({ country, channel }: DeliveryPlace, what: keyof DeliveryCounts): void {
    if (counted.size === 0) background.after(everyMs, hand)
    const name = `${country} ${channel}`
    const share = counted.get(name) ?? { country, channel, ...noCodes }
    counted.set(name, { ...share, [what]: share[what] + 1 })
  }

  return {
    /** What became of one send. `ask` is absent when the provider named no message. */
    noteSend(about: AboutChallenge & AboutProvider, result: SendResult['result'], ask: AskState | undefined) {
      if (result !== 'sent' && result !== 'failed') return
      const sentAt = now()
      count(about, 'sent')
      if (result === 'failed') return count(about, 'rejected')
      if (ask === undefined || waiting >= maxWaiting)
        return emit({ type: 'message.unknown', ageMs: 0, ...about })
      waiting += 1
      background.after(afterMs, async () => {
        const state = await stateOf(ask)
        waiting -= 1
        emit({ type: types[state ?? 'pending'], ageMs: Math.max(0, now() - sentAt), ...about })
        // An account that cannot be asked says nothing about what arrives.
        if (state !== undefined) count(about, state === 'pending' ? 'unknown' : state)
      })
    },
    /** The last hour of all processes, as this one knew it when it last had something to add. From memory. */
    shares: (): readonly DeliveryShare[] => sharesAt(hour.seen(), now()),
  }
}
