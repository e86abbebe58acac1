import type { Channel, CodeProvider } from './challenge/exchange/code-provider.js'
import type { LimitsOption } from './challenge/limits.js'
import type { SignupGuardOptions } from './challenge/rate-limits/signup-guard.js'
import type { OnEvent } from './events.js'
import type { HttpOptions } from './express/settings.js'
import type { Store } from './store/store.js'

/** Policy of one purpose. */
export interface PurposeOptions {
  /** Maximum age of a grant, in milliseconds. Default: 12 hours for `login`, otherwise 5 minutes. */
  readonly maxAgeMs?: number
  /** If true, each grant admits one request. Default: false. */
  readonly once?: boolean
  /** Channels for codes with this purpose. Default: the option `channels`. */
  readonly channels?: readonly Channel[]
  /** If true, a trusted browser replaces the code. Default: true for `login`, otherwise false. */
  readonly trustedDevice?: boolean
  /** If true, a recovery code replaces the code. Default: true for `login` (except at a step-up), otherwise false. */
  readonly recoveryCode?: boolean
}

/** Options of `twoFactor`. Durations are milliseconds. */
export interface TwoFactorOptions extends HttpOptions {
  /** Sends and checks codes: `providerCodes(…)`, `ownCodes(…)`, `failover([…])` or your own adapter. */
  readonly provider: CodeProvider
  /**
   * Your app's name at the provider (`app-name`): a string, or a name for each purpose. A purpose without a name uses
   * that of `login`. A phone verification needs its own.
   */
  readonly appName: string | Readonly<Record<string, string>>
  /**
   * Signs and encrypts: at least 32 bytes, or a list during a rotation. The first secret of a list signs, all of them
   * verify. If it is unset, start-up fails.
   */
  readonly secret: string | readonly string[] | undefined
  /**
   * Countries to which codes may be sent, as ISO 3166 codes, or `'dangerously-any'`.
   *
   * The codes have two letters (alpha-2). A number of any other country gets 403 `destination_not_allowed`. With
   * `'dangerously-any'` an attacker can make you pay for texts to the most expensive countries (SMS pumping).
   */
  readonly countries: readonly string[] | 'dangerously-any'
  /**
   * Purposes for which a browser may request a code. Default: `login` and the purposes of your guards; if you set it,
   * list those of all guards.
   *
   * The option replaces the default. If it names any purpose besides `login`, a guard for a missing purpose throws a
   * TypeError. Only `login` may be missing, because its guard adds it. Without such a guard, list `login` as well.
   */
  readonly purposes?: Readonly<Record<string, PurposeOptions>>
  /**
   * Channels for codes, in order of preference. Default: `sms` and `call` if the provider has them, or else all its
   * channels.
   */
  readonly channels?: readonly Channel[]
  /**
   * Stores counters, challenges and grants: `redisStore(…)` or your own store. Default: `memoryStore()`, for a single
   * process.
   */
  readonly store?: Store
  /** Part of every key in the store, so that several apps or tenants can share it. Default: empty. */
  readonly namespace?: string
  /** Changes individual limits, or selects the stricter set with `{ profile: 'psd2' }`. */
  readonly limits?: LimitsOption
  /** Watches sign-ups for SMS pumping. Default: it reports a suspicion, and refuses no sign-up. */
  readonly signupGuard?: SignupGuardOptions
  /** Receives every event, like the diagnostics channel `express-two-factor:event`. */
  readonly onEvent?: OnEvent
  /** Returns the current time in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly now?: () => number
}
