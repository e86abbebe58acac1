import type { RecoveryCodeStore } from '../challenge/recovery.js'
import {
  boolean,
  type Check,
  type Checks,
  checkOptions,
  durationMs,
  func,
  integer,
  list,
  nonEmptyString,
  object,
  oneOf,
  optionError,
  record,
  secret,
  that,
  withMethods,
} from '../lib/options.js'
import { dayMs } from '../lib/time.js'
import type { PurposeOptions, TwoFactorOptions } from '../options.js'
import { countryCode, voice } from '../provider/option-checks.js'
import { limitsOption } from './limits.js'
import { balance, countries, deliveryWatch, signupGuard } from './operator-checks.js'
import { brand, links } from './page-checks.js'
import {
  isClient,
  isCodeProvider,
  providerOption,
  refuseBlindOptions,
  refuseClientOptions,
} from './provider-option.js'

const channels = that(
  "must list 'sms', 'call' or both, the preferred one first",
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((channel) => channel === 'sms' || channel === 'call'),
)

const purpose: Checks<PurposeOptions> = {
  maxAgeMs: durationMs,
  once: boolean,
  channels,
  trustedDevice: boolean,
  recoveryCode: boolean,
}

const appNameFix = 'must be a non-empty string, or one per purpose with at least "login"'
const appNames = record(nonEmptyString('the app-name at the provider'), appNameFix)
const appName: Check = (value, name) => {
  if (typeof value === 'string' && value !== '') return
  appNames(value, name)
  if (!Object.hasOwn(Object(value), 'login')) throw optionError(`${name} ${appNameFix}`)
}

const statuses =
  'must list what your account returns for a right code; find out with: npx express-two-factor calibrate'
const errorValues = list(nonEmptyString('a value of `error`'), 'must be an array of strings')

const origins = list(
  that(
    'must be an origin without a path, such as https://app.example.com',
    (origin) => typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin,
  ),
  'must be an array of origins',
)

const recoveryCodes: Checks<RecoveryCodeStore> = {
  consume: func('(subject, hash) => boolean'),
  remaining: func('(subject) => number'),
}

const knownBrowsers = object({ maxAgeMs: durationMs }, ['maxAgeMs'])
/** One check per option of `twoFactor`. */
export const optionChecks: Checks<TwoFactorOptions> = {
  provider: providerOption,
  appName,
  approvedStatuses: list(
    that(statuses, (value) => typeof value === 'string' && value !== ''),
    statuses,
    1,
  ),
  calibratedAt: that(
    "must be a date such as '2026-03-01', as npx express-two-factor calibrate prints it",
    (value) =>
      typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value)),
  ),
  rejectedCodes: errorValues,
  accountErrorCodes: errorValues,
  subject: func('(req) => subject'),
  phone: func('(req, subject) => phone number'),
  secret,
  countries,
  dangerouslyAnyCountry: oneOf(true),
  purposes: record(object(purpose), 'must be an object of purposes by name'),
  channels,
  voice,
  callRetries: integer(1, 3),
  countryCode,
  codePattern: that('must be a regular expression', (value) => value instanceof RegExp),
  codeLetters: boolean,
  path: that(
    "must be a path such as '/two-factor' or '/app/:tenant/two-factor', without a trailing slash",
    (value) => typeof value === 'string' && /^(\/([\w.~%-]+|:[A-Za-z_]\w*))+$/.test(value),
  ),
  store: withMethods(
    ['read', 'swap', 'increment'],
    'must be a store: memoryStore(), redisStore() or your own',
  ),
  // A colon would end a part of a key, braces would choose the slot of a Redis cluster.
  namespace: that(
    'must be a string of up to 64 letters, digits, dots, hyphens or underscores',
    (value) => typeof value === 'string' && /^[\w.-]{0,64}$/.test(value),
  ),
  session: withMethods(['id', 'rotate'], 'must be expressSession(), tokenSession() or { id, rotate }'),
  limits: limitsOption,
  // NIST SP 800-63B-4, 5.1: thirty days at most.
  trustedDevices: object({ maxAgeMs: integer(1, 30 * dayMs, ' (milliseconds)') }, ['maxAgeMs']),
  knownBrowsers: (value, name) => (value === false ? undefined : knownBrowsers(value, name)),
  signupGuard,
  balance,
  recoveryCodes: object(recoveryCodes, ['consume']),
  deliveryWatch,
  allowedOrigins: origins,
  links,
  brand,
  formFields: func('(req) => ({ name: value })'),
  locale: that(
    'must be a locale or a function (req) => locale',
    (value) => typeof value === 'string' || typeof value === 'function',
  ),
  messages: record(
    record(
      that('must be a string', (value) => value === undefined || typeof value === 'string'),
      'must be an object of strings',
    ),
    'must be an object of strings per locale',
  ),
  render: func('(view, { req, res, locale, texts, html }) => html'),
  onVerified: func('(req, res, grant)'),
  beforeSend: func('(req, send) => boolean'),
  onEvent: func('(event)'),
  now: func('() => milliseconds'),
}

const toPaste = {
  provider: 'createClient({ baseUrl, client, key }),',
  appName: "'Acme', // the app-name at the provider",
  approvedStatuses: '[], // what your account returns for a right code: npx express-two-factor calibrate',
  secret: 'process.env.TWO_FACTOR_SECRET, // 32 bytes or more: openssl rand -base64 48',
  subject: '(req) => req.session.pendingUserId ?? req.session.userId,',
  phone: '(req, subject) => users.phoneOf(subject), // the number on file',
  countries: "['CO', 'MX'], // the only countries that codes may go to",
}

/** Throws a TypeError that names what is missing or wrong, and the fix, never a value: some are secrets. */
export function checkTwoFactorOptions(options: unknown): void {
  const anyCountry = Object(options).dangerouslyAnyCountry !== undefined
  const { provider } = Object(options)
  const required = Object.entries(toPaste).filter(([name]) => {
    if (name === 'countries') return !anyCountry
    return name !== 'approvedStatuses' || provider === undefined || isClient(provider)
  })
  if (isCodeProvider(provider)) refuseClientOptions(Object(options))
  checkOptions('twoFactor', options, optionChecks, Object.fromEntries(required))
  refuseBlindOptions(Object(options))
  if (anyCountry && Object(options).countries !== undefined) {
    // SMS pumping: a forgotten dangerouslyAnyCountry must not lift the list in silence.
    throw optionError('twoFactor: countries and dangerouslyAnyCountry exclude each other; pass one of them')
  }
}
