import { isDeepStrictEqual } from 'node:util'
import type { Emit } from '../../events.js'
import { dayMs, hourMs, minuteMs } from '../../lib/time.js'
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
  /** Ends what is over, whichever process has raised it. Looks once a minute. */
  clear(read: (country: string) => Promise<Figures>): Promise<void>
}

/** Until when each country is suspected. */
type Standing = Readonly<Record<string, number>>

const weekMs = 7 * dayMs

export function createSpendAlarms(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly now: () => number
  readonly emit: Emit
}): SpendAlarms {
  const { store, keys, now, emit } = parts
  /** As this process saw it last. */
  let standing: Standing = {}
  let lookedAt = Number.NEGATIVE_INFINITY
  const toldDays = new Map<string, string>()
  const keyOf = (what: string) => keys.counter('count-country-told', what)

  /** Changes what all processes share: of those that begin or end the same, one does. Resolves with what it was before. */
  const change = (next: (before: Standing) => Standing): Promise<Standing> =>
    update<{ readonly standing: Standing }, Standing>(store, keyOf('standing'), (entry) => {
      const before = entry?.standing ?? {}
      standing = next(before)
      if (isDeepStrictEqual(standing, before)) return { outcome: before }
      return { outcome: before, put: { value: { standing }, ttlMs: weekMs } }
    })

  return {
    async raise({ country, span, endsAt }, figures) {
      const until = endsAt + hourMs
      if (until <= (standing[country] ?? 0)) return
      const before = await change((all) => ({ ...all, [country]: Math.max(until, all[country] ?? 0) }))
      // A day is told by `tellDay`.
      const isNew = before[country] === undefined && span === 'hour'
      if (isNew) emit({ type: 'spend.suspected', country, window: span, ...figures })
    },

    async tellDay({ country, tag }, figures) {
      if (toldDays.get(country) === tag) return
      toldDays.set(country, tag)
      const { count } = await store.increment(keyOf(tag), 2 * dayMs)
      if (count === 1) emit({ type: 'spend.suspected', country, window: 'day', ...figures })
    },

    async clear(read) {
      const at = now()
      // By its distance: a clock that was set back must not silence it.
      if (Math.abs(at - lookedAt) < minuteMs) return
      lookedAt = at
      const isOver = ([, until]: readonly [string, number]) => until <= at
      const before = await change((all) =>
        Object.fromEntries(Object.entries(all).filter((one) => !isOver(one))),
      )
      for (const [country] of Object.entries(before).filter(isOver)) {
        emit({ type: 'spend.cleared', country, window: 'hour', ...(await read(country)) })
      }
    },
  }
}
