import { countryCodes, phoneCountries } from '../lib/countries.js'
import { type Check, oneOf, that, withMethods } from '../lib/options.js'
import type { ProviderClient } from './client.js'
import { anyVoice } from './parameter-schemas.js'

/** A voice of either call operation: the documentation spells one of them in two ways. */
export const voice = oneOf(...anyVoice)

/** The provider rejects the codes of numbering plans that ISO 3166-1 does not assign. */
export const countryCode = that(
  "must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
  (code) => typeof code === 'string' && phoneCountries.has(code) && countryCodes.has(code),
)

const codeMethods: readonly (keyof ProviderClient)[] = [
  'sendSmsCode',
  'sendCallCode',
  'verifyCode',
  'balance',
  'close',
]

/** A client whose provider makes the codes and judges them. */
export const codeClient = (fix = 'must be a client from createClient()'): Check =>
  withMethods(codeMethods, fix)

/** A name stands in front of handles, which are kept with every challenge. */
export const providerName = that(
  'must be a string of 1 to 40 letters, digits, dots, hyphens or underscores',
  (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
)
