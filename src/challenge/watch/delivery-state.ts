import type { DeliveryCounts, EventBody } from '../../events.js'
import { minuteMs } from '../../lib/time.js'
import type { Change } from './shared-record.js'

/** Whose codes: those to one country by one method. */
export type DeliveryPlace = {
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

export const noCodes: DeliveryCounts = { sent: 0, delivered: 0, rejected: 0, unknown: 0 }

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
