import type { Emit, EventBody } from '../../events.js'
import { hourMs, minuteMs, weekMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Keys } from '../keys.js'
import { createSharedRecord } from '../updater.js'
import type { CountryWindow, Figures } from './country-figures.js'

type Told = {
  /** Until when each country is suspected, and each day that was told, by its tag. */
  readonly standing: Readonly<Record<string, number>>
}

/**
 * Tells when a country is suspected and when that is over. A suspicion is over when an hour has passed after its
 * window, so that a pump that goes on is told once, and nobody reads that it ended while sign-ups are refused.
 */
export function createSpendAlarms(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly now: () => number
  readonly emit: Emit
}) {
  const { keys, now } = parts
  const told = createSharedRecord<Told>(parts, keys.counter('count-country-told', 'standing'), weekMs)
  let lookedAt = Number.NEGATIVE_INFINITY

  /** Lets it stand until an hour after the window, and tells it if it is new. */
  async function stand(name: string, { endsAt }: CountryWindow, event: EventBody | undefined) {
    const until = endsAt + hourMs
    const isKnown = (record: Told | undefined) => until <= (record?.standing[name] ?? 0)
    if (isKnown(told.seen())) return
    await told.change((before) => {
      if (isKnown(before)) return undefined
      const isNew = before?.standing[name] === undefined
      const record = { standing: { ...before?.standing, [name]: until } }
      return { record, events: isNew && event ? [event] : [] }
    })
  }

  const suspected = ({ country, span }: CountryWindow, figures: Figures): EventBody => ({
    type: 'spend.suspected',
    country,
    window: span,
    ...figures,
  })

  return {
    /** Sign-ups are suspected until the window ends. A day is told by `tellDay`. */
    raise: (window: CountryWindow, figures: Figures) =>
      stand(window.country, window, window.span === 'hour' ? suspected(window, figures) : undefined),
    /** The day is suspect: told once, whether or not anybody is refused. */
    tellDay: (window: CountryWindow, figures: Figures) =>
      stand(window.tag, window, suspected(window, figures)),

    /** Ends what is over, whichever process has raised it. Looks once a minute. */
    async clear(read: (country: string) => Promise<Figures>): Promise<void> {
      const at = now()
      // By its distance: a clock that was set back must not silence it.
      if (Math.abs(at - lookedAt) < minuteMs) return
      lookedAt = at
      await told.read()
      for (const [name, until] of Object.entries(told.seen()?.standing ?? {})) {
        if (until > at) continue
        // That a day is over is no news.
        const isDay = name.includes('.')
        const cleared = { type: 'spend.cleared', country: name, window: 'hour' } as const
        const events = isDay ? [] : [{ ...cleared, ...(await read(name)) }]
        await told.change((before) => {
          if (before?.standing[name] !== until) return undefined
          const { [name]: _over, ...others } = before.standing
          return { record: { standing: others }, events }
        })
      }
    },
  }
}
