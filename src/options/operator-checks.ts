import { phoneCountries } from '../lib/countries.js'
import { durationMs, integer, list, object, oneOf, that, timeoutMs } from '../lib/options.js'

export const countries = list(
  that(
    "must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    (code) => typeof code === 'string' && phoneCountries.has(code),
  ),
  'must list at least one country',
  1,
)

export const signupGuard = object({
  mode: oneOf('observe', 'enforce'),
  unprovenPerHour: integer(1),
  unprovenPerDay: integer(1),
  ratio: that('must be a number above 0', (value) => Number.isFinite(value) && Number(value) > 0),
  countries,
})

export const balance = object({ everyMs: timeoutMs, low: integer(0), warnBeforeMs: durationMs })

export const deliveryWatch = object({ afterMs: timeoutMs })
