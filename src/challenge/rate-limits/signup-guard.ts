import { allEnded } from '../../lib/promises.js'
import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused, type Suspicion } from '../commands.js'
import type { DomainServices } from '../keys.js'

/**
 * How sign-ups are watched for SMS pumping: a country in which codes are sent and not entered is suspected.
 * Durations are milliseconds.
 */
export interface SignupGuardOptions {
  /**
   * `enforce` refuses sign-ups of a suspected country from addresses with a code of that day that was not entered. The
   * default `observe` only reports.
   *
   * A refusal is 503 `sending_paused`. Where there is a `beforeSend`, it decides in both modes. Both emit the same events.
   */
  readonly mode?: 'observe' | 'enforce'
  /** Unproven sends per country and UTC hour below which nothing is suspected. Default 30. */
  readonly unprovenPerHour?: number
  /** The same per UTC day. Default 100. */
  readonly unprovenPerDay?: number
  /**
   * How many sends may stay unproven for each number that is proven. Default 2.
   *
   * Honest people are not suspected for being many.
   */
  readonly ratio?: number
  /** The countries that are watched, ISO 3166 codes. Default: all. */
  readonly countries?: readonly string[]
}

/** The same, settled. */
export type SignupGuardRules = SignupGuardOptions & Required<Omit<SignupGuardOptions, 'countries'>>

/** What a suspicion means for one start. */
export interface Suspected {
  readonly suspicion: Suspicion
  /** How the start is refused where the host is not asked; absent where it is not refused. */
  readonly refusal: Refusal | undefined
}

export type SignupGuard = ReturnType<typeof createSignupGuard>

type Span = 'hour' | 'day'

/** What one country, or all of them, have come to in one UTC hour or day. */
interface CountryRow extends Suspicion {
  readonly span: Span
  /** Such as `CO.2026-03-01T12` or `CO.2026-03-01`. */
  readonly tag: string
  /** In milliseconds since 1970. */
  readonly endsAt: number
}

/** The sum over all countries, counted as one of them is. */
const everywhere = 'all'
/** How many times the floors hold for the sum. */
const timesEverywhere = 5

const lengths = { hour: hourMs, day: dayMs } as const

/** The window of this length that holds a moment, before anything was read. */
function rowAt(span: Span, country: string, at: number): CountryRow {
  const moment = new Date(at).toISOString().slice(0, span === 'hour' ? 13 : 10)
  const endsAt = (Math.floor(at / lengths[span]) + 1) * lengths[span]
  return { span, country, tag: `${country}.${moment}`, endsAt, sent: 0, approved: 0 }
}

const rowsAt = (country: string, at: number): readonly CountryRow[] => [
  rowAt('hour', country, at),
  rowAt('day', country, at),
]

/**
 * Watches how many sign-ups of a country are completed. Whoever is paid for the messages (SMS pumping, toll
 * fraud) has no use for the codes, from however many addresses and numbers the requests come.
 *
 * One rule for each hour and day: suspect when `sent - approved >= max(floor, ratio x approved)`. The sum over all
 * countries is one more row, for a pump that keeps below the floor in each; it is told, and refuses nobody.
 */
export function createSignupGuard(
  { store, keys, background, now, emit }: DomainServices,
  rules: SignupGuardRules,
) {
  const floors = { hour: rules.unprovenPerHour, day: rules.unprovenPerDay }
  const isWatched = (country: string) => rules.countries?.includes(country) ?? true
  /** By country, which bounds them: what this process saw last. */
  const suspects = new Map<string, CountryRow>()
  /** By country and span, which bound them: what was told last. */
  const told = new Map<string, CountryRow>()

  /** Counts so many in it; 0 reads. Resolves with the row as it is now. */
  async function add(row: CountryRow, what: 'sent' | 'approved', by: number): Promise<CountryRow> {
    const key = keys.counter(`count-country-${what}`, row.tag)
    // Twice its length: what was counted at its end may be refunded after it.
    const { count } = await store.increment(key, 2 * lengths[row.span], by)
    return { ...row, [what]: count }
  }
  const addAll = (rows: readonly CountryRow[], what: 'sent' | 'approved', by: number) =>
    Promise.all(rows.map((row) => add(row, what, by)))

  async function read(row: CountryRow): Promise<CountryRow> {
    const [{ sent }, { approved }] = await Promise.all([add(row, 'sent', 0), add(row, 'approved', 0)])
    return { ...row, sent, approved }
  }

  function isSuspect({ span, country, sent, approved }: CountryRow): boolean {
    const floor = floors[span] * (country === everywhere ? timesEverywhere : 1)
    return sent - approved >= Math.max(floor, rules.ratio * approved)
  }

  /** Which row of a country makes it suspect, if one does. Tells it, and remembers it for `suspected`. */
  function judge(rows: readonly CountryRow[]): CountryRow | undefined {
    const found = rows.filter(isSuspect)
    const [first] = found
    for (const { country } of rows) suspects.delete(country)
    if (first !== undefined) suspects.set(first.country, first)
    for (const row of found) {
      const { span, country, sent, approved } = row
      const name = `${country} ${span}`
      if (told.get(name)?.tag === row.tag) continue
      told.set(name, row)
      emit({ type: 'spend.suspected', country, window: span, sent, approved })
    }
    return first
  }

  /** It is over when the window after it has passed without a suspicion: a pump that goes on has not ended. */
  async function clear(): Promise<void> {
    for (const [name, row] of told) {
      const { span, country, endsAt } = row
      if (now() < endsAt + lengths[span]) continue
      const { sent, approved } = await read(rowAt(span, country, now()))
      // Told by another sign-up, or suspected anew, while it was read.
      if (told.get(name) !== row) continue
      told.delete(name)
      emit({ type: 'spend.cleared', country, window: span, sent, approved })
    }
  }

  /** `others`: unproven sends of the network that asks; undefined where it is not known, and may be anybody's. */
  function refusalOfSuspect({ endsAt }: CountryRow, others: number | undefined): Refusal | undefined {
    // Denial of service: else a single address could close a country to people who have nothing to do with it.
    if (rules.mode === 'observe' || others === 0) return undefined
    return { ...refused('sending_paused', Math.max(1, endsAt - now())), limit: 'country' }
  }

  return {
    /** What one sign-up counts against its country; undefined for one that is not watched. */
    forSend(country: string) {
      if (!isWatched(country)) return undefined
      let rows = rowsAt(country, now())
      let sums = rowsAt(everywhere, now())
      /** The host has decided, knowing of the suspicion. */
      let isDecided = false
      /** By their tags. */
      const counted = new Map<string, CountryRow>()
      const count = async (row: CountryRow): Promise<CountryRow> => {
        const now = counted.get(row.tag) ?? (await add(row, 'sent', 1))
        counted.set(row.tag, now)
        return now
      }
      return {
        /** Reads what the country has had, and what all have proven. Counts nothing. */
        async read(): Promise<void> {
          const [own, all] = await Promise.all([Promise.all(rows.map(read)), addAll(sums, 'approved', 0)])
          rows = own
          sums = all
        },
        /**
         * Whether that is suspect, to a network with so many unproven sends. `isHeard`: the host hears of it, and
         * decides by itself.
         */
        suspected(unproven: number | undefined, isHeard: boolean): Suspected | undefined {
          const row = judge(rows)
          if (row === undefined) return undefined
          isDecided = isHeard
          const { sent, approved } = row
          return { suspicion: { country, sent, approved }, refusal: refusalOfSuspect(row, unproven) }
        },
        /** Counts what leaves the machine, and nothing else, and is not counted yet: what does not is refunded. */
        async take(): Promise<void> {
          const now = await allEnded([...rows, ...sums].map(count))
          sums = now.slice(rows.length)
          rows = now.slice(0, rows.length)
        },
        /** Reads what `take` counts. */
        async look(): Promise<void> {
          await addAll([...rows, ...sums], 'sent', 0)
        },
        /** Takes back what was counted. */
        async refund(): Promise<void> {
          const back = [...counted.values()]
          counted.clear()
          await addAll(back, 'sent', -1)
        },
        /**
         * Called once every limit has agreed, with the unproven sends of its network. Of parallel sign-ups, all of which
         * were unsuspected when they asked, it refuses the surplus, which is to be refunded.
         */
        settle(unproven: number | undefined): Refusal | undefined {
          const others = rows.map((row) => ({ ...row, sent: row.sent - 1 }))
          const surplus = isDecided ? undefined : others.find(isSuspect)
          const refusal = surplus && refusalOfSuspect(surplus, unproven && unproven - 1)
          if (refusal !== undefined) return refusal
          judge(rows)
          judge(sums)
          // Nobody waits for it, and an event that is lost keeps nobody from a code.
          background.run(clear)
          return undefined
        },
      }
    },

    /** A number of this country was proven. */
    async approved(country: string): Promise<void> {
      if (!isWatched(country)) return
      await addAll([...rowsAt(country, now()), ...rowsAt(everywhere, now())], 'approved', 1)
    },

    /** What all countries that are watched have come to in the hour and the day that run. */
    async sums(): Promise<readonly (Omit<Suspicion, 'country'> & { readonly window: Span })[]> {
      const rows = await Promise.all(rowsAt(everywhere, now()).map(read))
      return rows.map(({ span, sent, approved }) => ({ window: span, sent, approved }))
    },

    /** What this process saw to be suspected at the last sign-ups, in windows that run. From memory. */
    suspected: (): readonly Suspicion[] =>
      [...suspects.values()]
        .filter(({ endsAt }) => now() < endsAt)
        .map(({ country, sent, approved }) => ({ country, sent, approved })),
  }
}
