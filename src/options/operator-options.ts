import {
  type Checks,
  durationMs,
  integer,
  list,
  object,
  oneOf,
  that,
  timeoutMs,
  withDefault,
} from '../lib/options.js'
import { dayMs, minuteMs } from '../lib/time.js'
import { phoneCountries } from '../phone-number.js'

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

/** When to tell that the account runs dry. Durations are milliseconds. */
export interface BalanceOptions {
  /** How often the account is asked, by one process of all that share the store. Default 5 minutes. */
  readonly everyMs?: number
  /** Credits from which on downward it counts as low. Default: only by `warnBeforeMs`. */
  readonly low?: number
  /** It counts as low when, at the rate of our own sends, it is empty after less than this. Default a day. */
  readonly warnBeforeMs?: number
}

/** When to look at what became of a code that was sent. Durations are milliseconds. */
export interface DeliveryWatchOptions {
  /** How long after the send. Default 15 seconds. */
  readonly afterMs?: number
}

/** What is looked at besides requests. */
export interface WatchOptions {
  /** What sign-ups cost. On by default, and then it only observes. */
  readonly signups?: SignupGuardOptions
  /** The credits of the account, where the provider has a `balance()`. Off by default. */
  readonly balance?: BalanceOptions
  /** What became of each code, where the provider has a `messageState()`. Off by default. */
  readonly delivery?: DeliveryWatchOptions
}

export const countries = list(
  that(
    "must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    (code) => typeof code === 'string' && phoneCountries.has(code),
  ),
  "must list at least one country, in an array such as ['CO']",
  1,
)

const signups: Checks<SignupGuardOptions> = {
  mode: withDefault('observe', oneOf('observe', 'enforce')),
  unprovenPerHour: withDefault(30, integer(1)),
  unprovenPerDay: withDefault(100, integer(1)),
  ratio: withDefault(
    2,
    that('must be a number above 0', (value) => Number.isFinite(value) && Number(value) > 0),
  ),
  countries,
}

const balance: Checks<BalanceOptions> = {
  everyMs: withDefault(5 * minuteMs, timeoutMs),
  low: integer(0),
  warnBeforeMs: withDefault(dayMs, durationMs),
}

const delivery: Checks<DeliveryWatchOptions> = { afterMs: withDefault(15_000, timeoutMs) }

export const watch: Checks<WatchOptions> = {
  signups: withDefault({}, object(signups)),
  balance: object(balance),
  delivery: object(delivery),
}
