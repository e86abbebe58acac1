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
