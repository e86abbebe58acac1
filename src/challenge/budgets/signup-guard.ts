import { type Refusal, refused } from '../commands.js'
import type { Basis } from '../keys.js'
import {
  type CountryWindow,
  createCountryFigures,
  createSpendAlarms,
  everywhere,
  type Figures,
  isTooMany,
  type Suspicion,
  windowAt,
} from './suspicion.js'

/**
 * How sign-ups are watched for SMS pumping: a country in which codes are sent and not entered is suspected.
 * Durations are milliseconds.
 */
export interface SignupGuardOptions {
  /**
   * What happens while a country is suspected, where there is no `beforeSend` to ask for a captcha: `enforce`
   * refuses its sign-ups (503 `sending_paused`), `observe`, the default, sends. Both emit the same events.
   */
  readonly mode?: 'observe' | 'enforce'
  /** Unproven sends per country and UTC hour up to which nothing is suspected. Default 30. */
  readonly unprovenPerHour?: number
  /** The same per UTC day. Default 100. */
  readonly unprovenPerDay?: number
  /**
   * Up to how many times what usually stays unproven in the country may do so, for each number that is proven; where
   * nothing is known yet, as if half were proven. Default 2.
   */
  readonly ratio?: number
  /** The countries that are watched, ISO 3166 codes. Default: all. */
  readonly countries?: readonly string[]
}

/** The same, settled. */
export type SignupGuardRules = SignupGuardOptions & Required<Omit<SignupGuardOptions, 'countries'>>

export interface Suspected {
  readonly suspicion: Suspicion
  /** How a start is refused where nobody else decides. Absent where the guard only observes. */
  readonly refusal?: Refusal
}

export type SignupGuard = ReturnType<typeof createSignupGuard>

/** What one country and all of them have had, in the hour and the day that run. */
type CountryFigures = Readonly<Record<'hour' | 'day' | 'hourEverywhere', Figures>>

const none: Figures = { sent: 0, approved: 0 }

interface Suspect {
  readonly window: CountryWindow
  readonly figures: Figures
}

/**
 * Watches how many sign-ups of a country are completed. Whoever is paid for the messages (SMS pumping, toll
 * fraud) has no use for the codes, from however many addresses and numbers the requests come.
 *
 * A country that shows what is usual there is judged by the hour that runs, so that its people get in again when a pump
 * ends; its day only tells. Any other is judged by its day, too, and while the sum over all countries is suspect by
 * its day without a floor: a pump that is spread keeps below the floor in each.
 */
export function createSignupGuard(parts: Basis, rules: SignupGuardRules) {
  const { background, now } = parts
  const floors = { hour: rules.unprovenPerHour, day: rules.unprovenPerDay }
  const figures = createCountryFigures(parts, { floor: floors.day, ratio: rules.ratio })
  const alarms = createSpendAlarms(parts)
  const isWatched = (country: string) => rules.countries?.includes(country) ?? true
  /** By country, which bounds them: what this process saw last. */
  const suspects = new Map<string, Suspect>()

  function windowsOf(country: string) {
    const at = now()
    return {
      hour: windowAt('hour', country, at),
      day: windowAt('day', country, at),
      hourEverywhere: windowAt('hour', everywhere, at),
      dayEverywhere: windowAt('day', everywhere, at),
    }
  }
  type Windows = ReturnType<typeof windowsOf>

  async function readAll({ hour, day, hourEverywhere }: Windows): Promise<CountryFigures> {
    const { read } = figures
    const [inHour, inDay, everywhereInHour] = await Promise.all([read(hour), read(day), read(hourEverywhere)])
    return { hour: inHour, day: inDay, hourEverywhere: everywhereInHour }
  }

  const isSuspect = (counts: Figures, floor: number, country: string) =>
    isTooMany(counts, { floor, ratio: rules.ratio }, figures.usual(country))

  const live = () => [...suspects.values()].filter(({ window }) => now() < window.endsAt)

  /** Without the countries that are suspect by themselves, and say nothing about the others. */
  function isSpread({ hourEverywhere: { sent, approved } }: CountryFigures): boolean {
    const alone = live().filter(({ window }) => window.span === 'hour')
    const without = (what: keyof Figures) => alone.reduce((sum, { figures: own }) => sum + own[what], 0)
    const others = { sent: sent - without('sent'), approved: approved - without('approved') }
    return isSuspect(others, floors.hour, everywhere)
  }

  /** Which of its windows makes the country suspect, if one does. Remembered for `suspected`. */
  function judge(windows: Windows, counted: CountryFigures): Suspect | undefined {
    const { hour, day } = windows
    const verdict = suspectIn(windows, counted)
    if (verdict === undefined) suspects.delete(hour.country)
    else suspects.set(day.country, verdict)
    return verdict
  }

  function suspectIn({ hour, day }: Windows, counted: CountryFigures): Suspect | undefined {
    const { country } = hour
    if (isSuspect(counted.hour, floors.hour, country)) return { window: hour, figures: counted.hour }
    if (figures.usual(country) !== undefined) return undefined
    const isOfDay = isSpread(counted)
      ? isSuspect(counted.day, 1, everywhere)
      : isSuspect(counted.day, floors.day, country)
    return isOfDay ? { window: day, figures: counted.day } : undefined
  }

  /** Nobody waits for it, and an event that is lost keeps nobody from a code. */
  function tell(windows: Windows, counted: CountryFigures): void {
    const { day, hourEverywhere } = windows
    const verdict = judge(windows, counted)
    background.run(async () => {
      const isOfDay = isSuspect(counted.day, floors.day, day.country)
      // A country that is suspect with all others is told, and cleared, as their sum.
      const isOwn = verdict?.window.span === 'hour' || isOfDay
      if (verdict !== undefined && isOwn) await alarms.raise(verdict.window, verdict.figures)
      if (isOfDay) await alarms.tellDay(day, counted.day)
      if (isSpread(counted)) await alarms.raise(hourEverywhere, counted.hourEverywhere)
      await alarms.clear((country) => figures.read(windowAt('hour', country, now())))
    })
  }

  const refusalIn = ({ endsAt }: CountryWindow): Refusal => ({
    ...refused('sending_paused', Math.max(1, endsAt - now())),
    limit: 'country',
  })

  const countIn = (what: keyof Figures, windows: readonly CountryWindow[], by: number) =>
    Promise.all(windows.map((window) => figures.count(what, window, by)))

  /**
   * Those for which an address with so many unproven sends no longer counts. Else a single one could close a country:
   * whoever is refused cannot prove a number, so that the country would stay suspected (denial of service).
   */
  const beyondShare = (windows: Windows, unproven = 0) =>
    Object.values(windows).filter(({ span }) => unproven > Math.max(1, Math.floor(floors[span] / 10)))

  return {
    /** What one sign-up counts against its country; undefined for one that is not watched. */
    forSend(country: string) {
      if (!isWatched(country)) return undefined
      const windows = windowsOf(country)
      let counted: CountryFigures = { hour: none, day: none, hourEverywhere: none }
      /** The host has decided, knowing of it. */
      let isDecided = false
      /** Its address has wasted nothing, so whoever pumps the country does it from elsewhere. */
      let isClean = false
      let surplus: Refusal | undefined
      let held: readonly CountryWindow[] = Object.values(windows)
      const withSent = ([hour = 0, day = 0, hourEverywhere = 0]: readonly number[]): CountryFigures => ({
        hour: { ...counted.hour, sent: hour },
        day: { ...counted.day, sent: day },
        hourEverywhere: { ...counted.hourEverywhere, sent: hourEverywhere },
      })
      return {
        allowance: {
          async take() {
            const sent = await countIn('sent', held, 1)
            // Of parallel sign-ups, all of which were still unsuspected when they asked, the surplus is refused.
            const others = withSent(sent.map((count) => count - 1))
            const verdict = isDecided ? undefined : suspectIn(windows, others)
            counted = withSent(sent)
            surplus = verdict && rules.mode === 'enforce' ? refusalIn(verdict.window) : undefined
            return isClean ? undefined : surplus
          },
          refund: () => countIn('sent', held, -1),
        },
        /** Reads what the country has had. Counts nothing. */
        async read() {
          counted = await readAll(windows)
        },
        /**
         * Whether that is suspect, to an address with so many unproven sends; undefined where no address is known.
         * `isHeard`: the host hears of it, and decides by itself.
         */
        suspected(unproven: number | undefined, isHeard: boolean): Suspected | undefined {
          isClean = unproven === 0
          const verdict = judge(windows, counted)
          if (verdict === undefined) return undefined
          isDecided = isHeard
          const suspicion = { country, ...verdict.figures }
          const isOpen = isClean || rules.mode === 'observe'
          return isOpen ? { suspicion } : { suspicion, refusal: refusalIn(verdict.window) }
        },
        /**
         * Called once every limit has agreed, since the surplus of a burst stands in the counters for a moment: what one
         * address adds beyond its tenth counts no longer. Refuses, and is to be refunded, what passed because its address
         * had wasted nothing, where that is no longer so.
         */
        async settle(unproven = 0): Promise<Refusal | undefined> {
          // Of parallel sign-ups of one address, all of which had wasted nothing when they asked, one passes.
          if (unproven > 1 && surplus !== undefined) return surplus
          const beyond = beyondShare(windows, unproven)
          held = held.filter((window) => !beyond.includes(window))
          await countIn('sent', beyond, -1)
          if (held.length > 0) tell(windows, counted)
          return undefined
        },
      }
    },

    /** A number of this country was proven, by an address with so many unproven sends. */
    async approved(country: string, unproven?: number): Promise<void> {
      if (!isWatched(country)) return
      const windows = windowsOf(country)
      await Promise.all([
        countIn('approved', Object.values(windows), 1),
        // One beyond the share of its address did not count when it was sent.
        countIn('sent', beyondShare(windows, unproven), 1),
      ])
      background.run(async () => tell(windows, await readAll(windows)))
    },

    /** What this process knows to be suspected now. From memory. */
    suspected: (): readonly Suspicion[] =>
      live().map(({ window, figures: own }) => ({ country: window.country, ...own })),
  }
}
