import type { EventBody } from '../../events.js'
import { dayMs, hourMs, minuteMs, weekMs } from '../../lib/time.js'
import type { Basis } from '../keys.js'
import { createSharedRecord } from '../updater.js'

// Whether the sign-ups of a country look like SMS pumping: by its figures, and how that is told.

/** The sum over all countries, counted as one of them is. */
export const everywhere = 'all'

/** How many days before this one show what is usual. */
const usualDays = 14

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

/** What the sign-ups of one country have come to in one window. */
export interface Figures {
  /** Codes sent to numbers that were not yet proven. */
  readonly sent: number
  /** Numbers that were proven. */
  readonly approved: number
}

/** A country in which too few sign-ups are completed, in the UTC hour or day that runs. */
export interface Suspicion extends Figures {
  /** ISO 3166 code. */
  readonly country: string
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

/**
 * What a country has had. Counted by increments alone: one entry that all sign-ups of a country had to swap would
 * refuse honest people at every rush.
 */
export function createCountryFigures(
  { store, keys, background, now }: Basis,
  rules: { readonly floor: number; readonly ratio: number },
) {
  /** By country, which bounds them. Read once an hour, so that a read that failed is made up for. */
  const known = new Map<string, { readonly hour: number; readonly usual: number | undefined }>()

  /** Returns what is counted now. 0 reads. */
  async function count(what: keyof Figures, { span, tag }: CountryWindow, by: number): Promise<number> {
    return (await store.increment(keys.counter(`count-country-${what}`, tag), keptMs[span], by)).count
  }

  async function read(window: CountryWindow): Promise<Figures> {
    const [sent, approved] = await Promise.all([count('sent', window, 0), count('approved', window, 0)])
    return { sent, approved }
  }

  return {
    count,
    read,
    /** By `usualOf`, from memory. Undefined, too, until it was read, which no request waits for. */
    usual(country: string): number | undefined {
      const hour = Math.floor(now() / hourMs)
      const last = known.get(country)
      if (last?.hour !== hour) {
        known.set(country, { hour, usual: last?.usual })
        background.run(async () => {
          const days = await Promise.all(daysBefore(country, now()).map(read))
          known.set(country, { hour, usual: usualOf(days, rules) })
        })
      }
      return last?.usual
    },
  }
}

type Told = {
  /** Until when each country is suspected, and each day that was told, by its tag. */
  readonly standing: Readonly<Record<string, number>>
}

/**
 * Tells when a country is suspected and when that is over. A suspicion is over when an hour has passed after its
 * window, so that a pump that goes on is told once, and nobody reads that it ended while sign-ups are refused.
 */
export function createSpendAlarms(parts: Basis) {
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
