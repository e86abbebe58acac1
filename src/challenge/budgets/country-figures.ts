import { dayMs, hourMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Keys } from '../keys.js'

/** The sum over all countries, counted as one of them is. */
export const everywhere = 'all'

/** How many days before this one show what is usual. */
export const usualDays = 14

/** One UTC hour or day of one country, or of all. */
export interface CountryWindow {
  readonly span: 'hour' | 'day'
  /** ISO 3166 code, or `all`. */
  readonly country: string
  /** Such as `CO.2026-03-01T12` or `CO.2026-03-01`. */
  readonly tag: string
  /** In milliseconds since 1970. */
  readonly endsAt: number
}

export interface Figures {
  /** Codes sent to numbers that were not yet proven. */
  readonly sent: number
  /** Numbers that were proven. */
  readonly approved: number
}

const lengths = { hour: hourMs, day: dayMs } as const
/** As long as each is read. */
const keptMs = { hour: 2 * hourMs, day: (usualDays + 1) * dayMs } as const

/** The window of this length that holds a moment. */
export function windowAt(span: CountryWindow['span'], country: string, at: number): CountryWindow {
  const moment = new Date(at).toISOString().slice(0, span === 'hour' ? 13 : 10)
  const endsAt = (Math.floor(at / lengths[span]) + 1) * lengths[span]
  return { span, country, tag: `${country}.${moment}`, endsAt }
}

/** The days before this one that show what is usual, the oldest first. */
export const daysBefore = (country: string, at: number): readonly CountryWindow[] =>
  Array.from({ length: usualDays }, (_, index) => windowAt('day', country, at - (usualDays - index) * dayMs))

export type CountryFigures = ReturnType<typeof createCountryFigures>

/**
 * What a country has had. Counted by increments alone: one entry that all sign-ups of a country had to swap would
 * refuse honest people at every rush.
 */
export function createCountryFigures({
  store,
  keys,
}: {
  readonly store: Pick<Store, 'increment'>
  readonly keys: Keys
}) {
  /** Returns what is counted now. 0 reads. */
  async function count(what: keyof Figures, { span, tag }: CountryWindow, by: number): Promise<number> {
    return (await store.increment(keys.counter(`count-country-${what}`, tag), keptMs[span], by)).count
  }
  return {
    count,
    async read(window: CountryWindow): Promise<Figures> {
      const [sent, approved] = await Promise.all([count('sent', window, 0), count('approved', window, 0)])
      return { sent, approved }
    },
  }
}
