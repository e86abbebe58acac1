import type { Emit } from '../../events.js'
import { dayMs, hourMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Keys } from '../keys.js'
import { update } from '../updater.js'
import type { CountryWindow, Figures } from './country-figures.js'

/**
 * Tells when a country is suspected and when that is over. A suspicion is over when an hour has passed after its
 * window, so that a pump that goes on is told once, and nobody reads that it ended while sign-ups are refused.
 */
export interface SpendAlarms {
  /** Sign-ups are suspected until the window ends. */
  raise(window: CountryWindow, figures: Figures): Promise<void>
  /** The day is suspect: told once, whether or not anybody is refused. */
  tellDay(window: CountryWindow, figures: Figures): Promise<void>
  /** Ends what is over, of this country and of all that this process has seen suspected. */
  clear(country: string, read: (country: string) => Promise<Figures>): Promise<void>
}

/** A suspicion, as all processes share it: of those that begin or end it, one succeeds, and tells. */
type Standing = { readonly until: number }

const weekMs = 7 * dayMs

export function createSpendAlarms(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly now: () => number
  readonly emit: Emit
}): SpendAlarms {
  const { store, keys, now, emit } = parts
  /** By country, which bounds them: until when it is suspected, as far as this process knows; `false` when it is not. */
  const standing = new Map<string, number | false>()
  const toldDays = new Map<string, string>()
  const keyOf = (holder: string) => keys.counter('count-country-told', holder)

  async function end(country: string, read: (country: string) => Promise<Figures>): Promise<void> {
    const until = await update<Standing, number | undefined>(store, keyOf(country), (before) => {
      const isOver = before !== undefined && before.until <= now()
      return { outcome: before?.until, ...(isOver && { put: { value: undefined, ttlMs: weekMs } }) }
    })
    const isOver = until !== undefined && until <= now()
    standing.set(country, isOver ? false : (until ?? false))
    if (isOver) emit({ type: 'spend.cleared', country, window: 'hour', ...(await read(country)) })
  }

  return {
    async raise({ country, span, endsAt }, figures) {
      const until = endsAt + hourMs
      if (until <= Number(standing.get(country) ?? 0)) return
      standing.set(country, until)
      const isNew = await update<Standing, boolean>(store, keyOf(country), (before) => {
        const isKnown = before !== undefined && until <= before.until
        if (isKnown) return { outcome: false }
        return { outcome: before === undefined, put: { value: { until }, ttlMs: weekMs } }
      })
      // A day is told by `tellDay`.
      if (isNew && span === 'hour') emit({ type: 'spend.suspected', country, window: span, ...figures })
    },

    async tellDay({ country, tag }, figures) {
      if (toldDays.get(country) === tag) return
      toldDays.set(country, tag)
      const { count } = await store.increment(keyOf(tag), 2 * dayMs)
      if (count === 1) emit({ type: 'spend.suspected', country, window: 'day', ...figures })
    },

    async clear(country, read) {
      // Another process, or this one before it was started anew, may have raised it.
      const isUnknown = !standing.has(country)
      const over = [...standing].filter(([, until]) => until !== false && until <= now())
      const countries = [...over.map(([one]) => one), ...(isUnknown ? [country] : [])]
      await Promise.all(countries.map((one) => end(one, read)))
    },
  }
}
