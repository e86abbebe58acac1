import type { Channel, CodeProvider } from './challenge/exchange/code-provider.js'
import type { LimitsOption } from './challenge/limits.js'
import type { SignupGuardOptions } from './challenge/rate-limits/signup-guard.js'
import type { OnEvent } from './events.js'
import type { HttpOptions } from './express/settings.js'
import type { Store } from './store/store.js'

/** What a purpose may say about itself. */
export interface PurposeOptions {
  /** Maximum age of a grant, in milliseconds. Default: 12 hours for `login`, 5 minutes for every other purpose. */
  readonly maxAgeMs?: number
  /** Whether a grant admits a single request. Default false. */
  readonly once?: boolean
  /** The channels that its codes may take. Default: those of the option `channels`. */
  readonly channels?: readonly Channel[]
  /** Whether a trusted device may stand in for the code. Default: for `login` only. */
  readonly trustedDevice?: boolean
  /** Whether a recovery code may. Default: for `login` only, where a guard asks for no more than a sign-in. */
  readonly recoveryCode?: boolean
}

/** Options of `twoFactor`. Durations are milliseconds. */
export interface TwoFactorOptions extends HttpOptions {
  /** Sends and checks codes: `providerCodes(…)`, `ownCodes(…)`, `failover([…])` or an adapter of yours. */
  readonly provider: CodeProvider
  /**
   * The provider's `app-name`, one for all purposes or one each. A purpose that is missing uses that
   * of `login`; a phone verification needs one of its own.
   */
  readonly appName: string | Readonly<Record<string, string>>
  /** 32 bytes or more, or a list to rotate it: the first signs, all verify. Unset is refused at start-up. */
  readonly secret: string | readonly string[] | undefined
  /**
   * Countries to which codes may be sent, as ISO 3166-1 alpha-2 codes, or `'dangerously-any'` for every country.
   *
   * A number of any other country gets 403 `destination_not_allowed`. With `'dangerously-any'` an attacker can make you
   * pay for texts to the most expensive countries (SMS pumping).
   */
  readonly countries: readonly string[] | 'dangerously-any'
  /**
   * What a browser may ask to prove. Default: `login` and the purposes of your guards.
   *
   * Once it names others than `login`, it names all: a guard for another one is refused when it is made.
   */
  readonly purposes?: Readonly<Record<string, PurposeOptions>>
  /** Methods of the provider, the preferred one first. Default: `sms` and `call` as far as it has them, else all. */
  readonly channels?: readonly Channel[]
  /** Where everything is counted and kept: `redisStore(…)` or one of yours. Default `memoryStore()`, for a single process. */
  readonly store?: Store
  /** Part of every key, for several apps or tenants on one store. */
  readonly namespace?: string
  /** Single limits, or the stricter set `{ profile: 'psd2' }`. */
  readonly limits?: LimitsOption
  /** How sign-ups are watched for SMS pumping. By default it only observes. */
  readonly signupGuard?: SignupGuardOptions
  /** Receives every event. So does the diagnostics channel `express-two-factor:event`. */
  readonly onEvent?: OnEvent
  /** The clock, in milliseconds since 1970, for tests. Default `Date.now`. */
  readonly now?: () => number
}
