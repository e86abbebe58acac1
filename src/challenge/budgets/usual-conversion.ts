import type { Background } from '../../lib/background.js'
import { hourMs } from '../../lib/time.js'
import { type CountryFigures, daysBefore, type Figures } from './country-figures.js'

/**
 * Whether too many codes stay unproven: by `floor` more than `ratio` times as many as is usual for what is proven,
 * because chance does much to few. Where nothing is usual yet, the greater of `floor` and of `ratio` for each.
 */
export function isTooMany(
  { sent, approved }: Figures,
  { floor, ratio }: { readonly floor: number; readonly ratio: number },
  usual: number | undefined,
): boolean {
  const most = usual === undefined ? Math.max(floor, ratio * approved) : floor + ratio * usual * approved
  return sent - approved >= most
}

/** So many proven numbers say what is usual: fewer may be one person's own, who pumps the country next. */
const enough = 50
/** A country of which less is proven would have room for a pump. */
const lowest = 0.3
/** With more, an honest drop, such as from 90 to 80 %, would double what stays unproven. */
const highest = 2 / 3

/** How many codes stay unproven for each that is proven, where this share of them usually is. */
function unprovenPer(share: number): number {
  const taken = Math.min(highest, Math.max(lowest, share))
  return (1 - taken) / taken
}

/**
 * How many codes usually stay unproven for each that is proven; undefined without enough of a history. A day that was
 * suspect by the days before it is left out: a pump must not become what is usual.
 */
export function usualOf(
  days: readonly Figures[],
  rules: { readonly floor: number; readonly ratio: number },
): number | undefined {
  let [sent, approved] = [0, 0]
  for (const day of days) {
    const usual = unprovenPer(approved < enough ? lowest : approved / sent)
    if (isTooMany(day, rules, usual)) continue
    sent += day.sent
    approved += day.approved
  }
  return approved < enough ? undefined : unprovenPer(approved / sent)
}

/** What is usual in each country, from memory. */
export function createUsualConversion(parts: {
  readonly figures: Pick<CountryFigures, 'read'>
  readonly background: Pick<Background, 'run'>
  readonly now: () => number
  readonly rules: { readonly floor: number; readonly ratio: number }
}) {
  const { figures, background, now, rules } = parts
  /** By country, which bounds them. Read once an hour, so that a read that failed is made up for. */
  const known = new Map<string, { readonly hour: number; readonly usual: number | undefined }>()

  return {
    /** By `usualOf`. Undefined, too, until it was read, which no request waits for. */
    of(country: string): number | undefined {
      const hour = Math.floor(now() / hourMs)
      const last = known.get(country)
      if (last?.hour !== hour) {
        known.set(country, { hour, usual: last?.usual })
        background.run(async () => {
          const days = await Promise.all(daysBefore(country, now()).map(figures.read))
          known.set(country, { hour, usual: usualOf(days, rules) })
        })
      }
      return last?.usual
    },
  }
}
