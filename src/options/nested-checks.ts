import { isRegExp } from 'node:util/types'
import type { SignupGuardOptions } from '../challenge/rate-limits/signup-guard.js'
import type { RecoveryCodeStore } from '../challenge/recovery.js'
import type { AuthenticatorOptions } from '../express/host/requester.js'
import {
  type BrandOptions,
  dark,
  isReadable,
  light,
  nearestReadable,
  parseColour,
  type Surroundings,
} from '../express/pages/brand.js'
import { isLink, linkNames } from '../express/pages/links.js'
import type { PagesOptions } from '../express/pages/pages.js'
import type { CodeOptions } from '../express/settings.js'
import {
  boolean,
  type Check,
  type Checks,
  func,
  integer,
  list,
  nonEmptyString,
  object,
  oneOf,
  optionError,
  record,
  that,
  withDefault,
} from '../lib/options.js'
import { phoneCountries } from '../phone-number.js'

// Checks of options that are objects or lists.

const linkCheck = that(
  "must be a path such as '/help', an https URL, a mailto: or tel: link, or a function (req) => string",
  (value) => typeof value === 'function' || isLink(value),
)

const colour = that(
  "must be a color such as '#0b6e4f'",
  (value) => typeof value === 'string' && parseColour(value) !== undefined,
)
/** Accepts a colour in which text, and buttons with text, can be read. */
const readableColour =
  (on: Surroundings): Check =>
  (value, name) => {
    const accent = String(colour(value, name))
    if (isReadable(accent, on)) return accent
    throw optionError(
      `${name} has too little contrast on the page (below 4.5:1); the nearest readable color is '${nearestReadable(accent, on)}'`,
    )
  }
const sources = list(
  that(
    'must be a source such as https://cdn.example.com',
    // A semicolon or a space would start another directive or source.
    (value) => typeof value === 'string' && /^[^\s;,]+$/.test(value),
  ),
  'must be an array of sources',
)
const cspChecks: Checks<NonNullable<BrandOptions['csp']>> = {
  imgSrc: sources,
  fontSrc: sources,
  styleSrc: sources,
}
const brandChecks: Checks<BrandOptions> = {
  name: nonEmptyString(),
  logoUrl: that(
    'must be a non-empty string: a path of this site or an https URL',
    // `mailto:` has no origin and would appear as `null` in the policy.
    (value) => isLink(value, ['https:']),
  ),
  accent: readableColour(light),
  accentDark: readableColour(dark),
  font: that(
    'must be a CSS font-family list',
    // No character that ends the declaration, because the rest of the value would then be CSS of its own.
    (value) => typeof value === 'string' && /^[\w\s,'"-]+$/.test(value),
  ),
  radius: integer(0, 64, ' (pixels)'),
  css: that('must be a string of CSS', (value) => typeof value === 'string'),
  csp: object(cspChecks),
}

export const pages: Checks<PagesOptions> = {
  locale: that(
    'must be a locale or a function (req) => locale',
    (value) => typeof value === 'string' || typeof value === 'function',
  ),
  messages: withDefault(
    {},
    record(
      record(
        that('must be a string', (value) => value === undefined || typeof value === 'string'),
        'must be an object of strings',
      ),
      'must be an object of strings per locale',
    ),
  ),
  brand: object(brandChecks, ['name']),
  links: withDefault({}, object(Object.fromEntries(linkNames.map((name) => [name, linkCheck])))),
  render: func('(view, { req, res, locale, texts, html }) => html'),
  formFields: func('(req) => ({ name: value })'),
}

export const countries = list(
  that(
    "must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    (code) => typeof code === 'string' && phoneCountries.has(code),
  ),
  "must list at least one country, in an array such as ['CO']",
  1,
)

export const signupGuard: Checks<SignupGuardOptions> = {
  mode: withDefault('observe', oneOf('observe', 'enforce')),
  unprovenPerHour: withDefault(30, integer(1)),
  unprovenPerDay: withDefault(100, integer(1)),
  ratio: withDefault(
    2,
    that('must be a number above 0', (value) => Number.isFinite(value) && Number(value) > 0),
  ),
  countries,
}

const recoveryCodeChecks: Checks<RecoveryCodeStore> = {
  consume: func('(subject, hash) => boolean'),
  remaining: func('(subject) => number'),
}
export const recoveryCodes = object(recoveryCodeChecks, ['consume'])

export const authenticator: Checks<AuthenticatorOptions> = {
  secretOf: func('(req, subject) => secret in base32'),
  // An authenticator app reads the text before a colon as the issuer.
  issuer: that(
    'must be a non-empty string without a colon: the name of your app',
    (value) => typeof value === 'string' && /^[^:]+$/.test(value),
  ),
  label: func('(req, subject) => name of the account'),
}

const pattern: Check = (value, name) => {
  if (!isRegExp(value)) throw optionError(`${name} must be a regular expression`)
  // With `g` or `y` the pattern would remember its last position and refuse every other code.
  return new RegExp(value, value.flags.replaceAll(/[gy]/g, ''))
}
export const code: Checks<CodeOptions> = {
  pattern: withDefault(/^[0-9A-Za-z]{4,10}$/, pattern),
  letters: withDefault(false, boolean),
}
