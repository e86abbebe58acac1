import { phoneCountries } from '../lib/countries.js'
import { type Checks, durationMs, integer, list, object, oneOf, that, timeoutMs } from '../lib/options.js'
import type { WatchOptions } from '../options.js'
import type { BalanceOptions, DeliveryWatchOptions, SignupGuardOptions } from './operator-options.js'

export const countries = list(
  that(
    "must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    (code) => typeof code === 'string' && phoneCountries.has(code),
  ),
  "must list at least one country, in an array such as ['CO']",
  1,
)

const signupGuardChecks: Checks<SignupGuardOptions> = {
  mode: oneOf('observe', 'enforce'),
  unprovenPerHour: integer(1),
  unprovenPerDay: integer(1),
  ratio: that('must be a number above 0', (value) => Number.isFinite(value) && Number(value) > 0),
  countries,
}

const balanceChecks: Checks<BalanceOptions> = {
  everyMs: timeoutMs,
  low: integer(0),
  warnBeforeMs: durationMs,
}

const deliveryWatchChecks: Checks<DeliveryWatchOptions> = { afterMs: timeoutMs }

export const watch: Checks<WatchOptions> = {
  signups: object(signupGuardChecks),
  balance: object(balanceChecks),
  delivery: object(deliveryWatchChecks),
}
