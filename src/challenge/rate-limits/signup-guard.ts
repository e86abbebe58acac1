import { allEnded } from '../../lib/promises.js'
import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused, type Suspicion } from '../commands.js'
import type { DomainServices } from '../keys.js'

/**
 * Configures how sign-ups are watched for SMS pumping. A country is suspected if codes are sent to it and not entered.
 * Durations are milliseconds.
 */
export interface SignupGuardOptions {
  /**
   * `enforce` refuses sign-ups of a suspected country from IP addresses with a code of that day that was not entered.
   * `observe` only reports. Default: `observe`.
   *
   * A refusal is 503 `sending_paused`. If there is a `beforeSend`, it decides in both modes. Both modes emit the same
   * events.
   */
  readonly mode?: 'observe' | 'enforce'
  /**
   * Unverified sends per country and UTC hour below which no country is suspected. Default: 30.
   *
   * All watched countries together are reported from five times this number on, and never refused for it.
   */
  readonly unprovenPerHour?: number
  /** Like `unprovenPerHour`, for a UTC day. Default: 100. */
  readonly unprovenPerDay?: number
  /**
   * Maximum of unverified sends per verified number. Default: 2.
   *
   * A high number of honest sign-ups is therefore not suspicious.
   */
  readonly ratio?: number
  /** ISO 3166 codes of the watched countries. Default: all. */
  readonly countries?: readonly string[]
}

/** The options with their defaults. */
export type SignupGuardRules = SignupGuardOptions & Required<Omit<SignupGuardOptions, 'countries'>>

/** Effect of a suspicion on one start. */
export interface Suspected {
  readonly suspicion: Suspicion
  /** Refusal of the start if there is no `beforeSend`. Absent if it is not refused. */
  readonly refusal: Refusal | undefined
}

export type SignupGuard = ReturnType<typeof createSignupGuard>

type Span = 'hour' | 'day'

/** Counts of one country, or of all countries, in one UTC hour or day. */
interface CountryRow extends Suspicion {
  readonly span: Span
  /** For example `CO.2026-03-01T12` or `CO.2026-03-01`. */
  readonly tag: string
  /** Milliseconds since 1970. */
  readonly endsAt: number
}

/** Name of the sum over all countries, which is counted like a country. */
const everywhere = 'all'
/** Factor by which the floors are higher for the sum. */
const timesEverywhere = 5

const spanMs = { hour: hourMs, day: dayMs } as const

/** Returns the window of this length at a moment, before its counts are read. */
function rowAt(span: Span, country: string, at: number): CountryRow {
  const moment = new Date(at).toISOString().slice(0, span === 'hour' ? 13 : 10)
  const endsAt = (Math.floor(at / spanMs[span]) + 1) * spanMs[span]
  return { span, country, tag: `${country}.${moment}`, endsAt, sent: 0, approved: 0 }
}

const rowsAt = (country: string, at: number): readonly CountryRow[] => [
  rowAt('hour', country, at),
  rowAt('day', country, at),
]

/**
 * Creates the watch on how many sign-ups of a country are completed. An attacker who is paid for the messages (SMS
 * pumping, toll fraud) has no use for the codes, from however many addresses and numbers the requests come.
 *
 * One rule applies to each hour and day: suspect when `sent - approved >= max(floor, ratio x approved)`. The sum over
 * all countries is one more row, for an attack that stays below the floor in each country. It emits an event and
 * refuses nothing.
 */
export function createSignupGuard(
  { store, keys, background, now, emit }: DomainServices,
  rules: SignupGuardRules,
) {
  const floors = { hour: rules.unprovenPerHour, day: rules.unprovenPerDay }
  const isWatched = (country: string) => rules.countries?.includes(country) ?? true
  /** Last observation of this process per country, which bounds the size. */
  const suspects = new Map<string, CountryRow>()
  /** Last emitted row per country and span, which bounds the size. */
  const reportedRows = new Map<string, CountryRow>()

  /** Adds to the count of a row; 0 reads it. Resolves with the current row. */
  async function add(row: CountryRow, what: 'sent' | 'approved', by: number): Promise<CountryRow> {
    const key = keys.counter(`count-country-${what}`, row.tag)
    // Twice the length, because a hit at the end of the window may be refunded after it.
    const { count } = await store.increment(key, 2 * spanMs[row.span], by)
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

  /** Returns the row that makes a country suspect. Emits it and remembers it for `suspected`. */
  function judge(rows: readonly CountryRow[]): CountryRow | undefined {
    const found = rows.filter(isSuspect)
    const [first] = found
    for (const { country } of rows) suspects.delete(country)
    if (first !== undefined) suspects.set(first.country, first)
    for (const row of found) {
      const { span, country, sent, approved } = row
      const name = `${country} ${span}`
      if (reportedRows.get(name)?.tag === row.tag) continue
      reportedRows.set(name, row)
      emit({ type: 'spend.suspected', country, window: span, sent, approved })
    }
    return first
  }

  /**
   * Ends a suspicion when the window after it has passed without one, because an attack that continues has not ended.
   */
  async function clear(): Promise<void> {
    for (const [name, row] of reportedRows) {
      const { span, country, endsAt } = row
      if (now() < endsAt + spanMs[span]) continue
      const { sent, approved } = await read(rowAt(span, country, now()))
      // Another sign-up emitted it, or suspected it again, during the read.
      if (reportedRows.get(name) !== row) continue
      reportedRows.delete(name)
      emit({ type: 'spend.cleared', country, window: span, sent, approved })
    }
  }

  /**
   * Returns the refusal of a suspected country. `others`: unverified sends of the client's network. Undefined if the
   * network is unknown and may be shared.
   */
  function refusalOfSuspect({ endsAt }: CountryRow, others: number | undefined): Refusal | undefined {
    // Otherwise a single address could close a country to unrelated users (denial of service).
    if (rules.mode === 'observe' || others === 0) return undefined
    return { ...refused('sending_paused', Math.max(1, endsAt - now())), limit: 'country' }
  }

  return {
    /** Returns the counters of one sign-up for its country. Undefined for a country that is not watched. */
    forSend(country: string) {
      if (!isWatched(country)) return undefined
      let rows = rowsAt(country, now())
      let sums = rowsAt(everywhere, now())
      /** `beforeSend` has decided with knowledge of the suspicion. */
      let isDecided = false
      /** By their tags. */
      const counted = new Map<string, CountryRow>()
      const count = async (row: CountryRow): Promise<CountryRow> => {
        const now = counted.get(row.tag) ?? (await add(row, 'sent', 1))
        counted.set(row.tag, now)
        return now
      }
      return {
        /** Reads the sends and verified numbers of the country. Counts nothing. */
        async read(): Promise<void> {
          const [own, all] = await Promise.all([Promise.all(rows.map(read)), addAll(sums, 'approved', 0)])
          rows = own
          sums = all
        },
        /**
         * Returns the suspicion for a network with this many unverified sends. `isHeard`: `beforeSend` is informed and
         * decides.
         */
        suspected(unproven: number | undefined, isHeard: boolean): Suspected | undefined {
          const row = judge(rows)
          if (row === undefined) return undefined
          isDecided = isHeard
          const { sent, approved } = row
          return { suspicion: { country, sent, approved }, refusal: refusalOfSuspect(row, unproven) }
        },
        /** Counts a send that leaves this machine, once. Any other is refunded. */
        async consume(): Promise<void> {
          const now = await allEnded([...rows, ...sums].map(count))
          sums = now.slice(rows.length)
          rows = now.slice(0, rows.length)
        },
        /** Reads what `consume` counts. */
        async readSends(): Promise<void> {
          await addAll([...rows, ...sums], 'sent', 0)
        },
        /** Refunds what was counted. */
        async refund(): Promise<void> {
          const back = [...counted.values()]
          counted.clear()
          await addAll(back, 'sent', -1)
        },
        /**
         * Called after every limit has accepted, with the unverified sends of the network. Of parallel sign-ups that
         * were not suspected at their start, it refuses the surplus, which must be refunded.
         */
        settle(unproven: number | undefined): Refusal | undefined {
          const others = rows.map((row) => ({ ...row, sent: row.sent - 1 }))
          const surplus = isDecided ? undefined : others.find(isSuspect)
          const refusal = surplus && refusalOfSuspect(surplus, unproven && unproven - 1)
          if (refusal !== undefined) return refusal
          judge(rows)
          judge(sums)
          // Not awaited: a lost event must not prevent a code.
          background.run(clear)
          return undefined
        },
      }
    },

    /** Counts a verified number of this country. */
    async approved(country: string): Promise<void> {
      if (!isWatched(country)) return
      await addAll([...rowsAt(country, now()), ...rowsAt(everywhere, now())], 'approved', 1)
    },

    /** Returns the sums over all watched countries in the current hour and day. */
    async sums(): Promise<readonly (Omit<Suspicion, 'country'> & { readonly window: Span })[]> {
      const rows = await Promise.all(rowsAt(everywhere, now()).map(read))
      return rows.map(({ span, sent, approved }) => ({ window: span, sent, approved }))
    },

    /** Returns the current suspicions of this process, from memory. */
    suspected: (): readonly Suspicion[] =>
      [...suspects.values()]
        .filter(({ endsAt }) => now() < endsAt)
        .map(({ country, sent, approved }) => ({ country, sent, approved })),
  }
}
