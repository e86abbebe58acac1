import {
  appMethod,
  type Channel,
  interfaceMethods,
  isMethodName,
  passkeyMethod,
} from '../challenge/exchange/code-provider.js'
import { limitsOption } from '../challenge/limits.js'
import type { SignupGuardRules } from '../challenge/rate-limits/signup-guard.js'
import type { HttpSettings } from '../express/settings.js'
import {
  boolean,
  type Check,
  type Checks,
  checkOptions,
  didYouMean,
  durationMs,
  func,
  integer,
  list,
  mountPath,
  nonEmptyString,
  object,
  optionError,
  record,
  type Settled,
  secret,
  that,
  timeoutMs,
  withDefault,
  withMethods,
} from '../lib/options.js'
import { originOf } from '../lib/origin.js'
import { dayMs } from '../lib/time.js'
import type { PurposeOptions, TwoFactorOptions } from '../options.js'
import { codeProvider } from '../provider/option-checks.js'
import { authenticator, code, countries, pages, recoveryCodes, signupGuard } from './nested-checks.js'

const provider = codeProvider(
  'must be a CodeProvider, such as providerCodes({ client: createClient({ … }), approvedStatuses: [ … ] })',
)

const channels = that(
  "must list methods of the provider, such as 'sms' and 'call', each once and in order of preference",
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every(isMethodName),
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
  if (typeof value === 'string' && value !== '') return { login: value }
  const names = appNames(value, name)
  if (!Object.hasOwn(Object(names), 'login')) throw optionError(`${name} ${appNameFix}`)
  return names
}

const origins = list(
  that(
    'must be an origin without a path, such as https://app.example.com or capacitor://localhost',
    (origin) => typeof origin === 'string' && originOf(origin) !== undefined,
  ),
  'must be an array of origins',
)

const storeMethods = withMethods(
  ['read', 'swap', 'increment'],
  'must be a store: memoryStore(), redisStore() or your own',
)

// A browser removes dot segments, so such a prefix would never match.
const prefixPath = that(
  "must be the part that a proxy removes, such as '/shop', without a trailing slash",
  (value) => typeof value === 'string' && /^(\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(value),
)

const knownBrowsers = object({ maxAgeMs: durationMs }, ['maxAgeMs'])

/** The check and the default of each option of `twoFactor`. */
export const optionChecks = {
  provider,
  appName,
  subject: func('(req) => subject'),
  phone: func('(req, subject) => phone number'),
  secret,
  countries: (value: unknown, name: string) => {
    if (value === 'dangerously-any') return value
    if (Array.isArray(value)) return countries(value, name)
    throw optionError(
      `${name} must list at least one country, in an array such as ['CO'], or be 'dangerously-any'`,
    )
  },
  purposes: withDefault({ login: {} }, record(object(purpose), 'must be an object of purposes by name')),
  channels,
  code: withDefault({}, object(code)),
  path: withDefault('/two-factor', mountPath),
  prefix: withDefault('', prefixPath),
  store: (value: unknown, name: string) => {
    const { timeoutMs: own } = Object(storeMethods(value, name))
    // A store with a deadline of its own is not given a second one, so a wrong value would wait forever.
    if (own !== undefined) timeoutMs(own, `${name}.timeoutMs`)
    return value
  },
  // A colon would end a part of a key, and braces would choose the slot of a Redis cluster.
  namespace: withDefault(
    '',
    that(
      'must be a string of up to 64 letters, digits, dots, hyphens or underscores',
      (value) => typeof value === 'string' && /^[\w.-]{0,64}$/.test(value),
    ),
  ),
  session: withMethods(
    ['id', 'regenerate'],
    'must be expressSession(), tokenSession() or { id, regenerate }',
  ),
  limits: withDefault({}, limitsOption),
  // NIST SP 800-63B-4, 5.1: at most thirty days.
  trustedDevices: object(
    { maxAgeMs: integer(1, 30 * dayMs, ' (milliseconds)'), label: func('(req) => string') },
    ['maxAgeMs'],
  ),
  knownBrowsers: withDefault({ maxAgeMs: 90 * dayMs }, (value, name) =>
    value === false ? false : knownBrowsers(value, name),
  ),
  // Returned as it is: it may be a class instance, and its methods need `this`.
  recoveryCodes: (value: unknown, name: string) => {
    recoveryCodes(value, name)
    return value
  },
  authenticator: object(authenticator, ['secretOf', 'issuer']),
  passkeys: withMethods(['signerOf'], "must be passkeys({ … }) of 'express-two-factor/passkeys'"),
  signupGuard: withDefault({}, object(signupGuard)),
  allowedOrigins: withDefault([], origins),
  pages: withDefault({}, object(pages)),
  onVerified: func('(req, res, grant)'),
  onCancelled: func('(req, res)'),
  beforeSend: func('(req, send) => boolean or { allow, reason?, method? }'),
  onEvent: func('(event)'),
  now: func('() => milliseconds'),
} satisfies Checks<TwoFactorOptions>

const toPaste = {
  provider: 'providerCodes({ client: createClient({ baseUrl, client, key }), approvedStatuses }),',
  appName: "'Acme', // the app-name at the provider",
  secret: 'process.env.TWO_FACTOR_SECRET, // 32 bytes or more: openssl rand -base64 48',
  subject: '(req) => req.session.pendingUserId ?? req.session.userId,',
  phone: '(req, subject) => users.phoneOf(subject), // the number on file',
  countries: "['CO', 'MX'], // countries to which codes may be sent",
}

/** Options whose type changes during the check. */
interface Read extends Pick<HttpSettings, 'appName' | 'code' | 'pages'> {
  /** The first secret signs, all verify. */
  readonly secret: readonly [string, ...string[]]
  readonly signupGuard: SignupGuardRules
}

/** The checked options, with every default that does not depend on another option. */
export type CheckedOptions = Settled<Omit<TwoFactorOptions, keyof Read>, typeof optionChecks> & Read

/**
 * Checks the options of `twoFactor`. Throws a TypeError that names the problem and the fix. The message quotes no
 * value, because some values are secrets.
 */
export function checkTwoFactorOptions(options: TwoFactorOptions): CheckedOptions {
  const where = { name: 'twoFactor', page: 'docs/reference.md#options' }
  const given = checkOptions(where, options, optionChecks, toPaste) as CheckedOptions
  refuseUndeclaredChannels(given)
  if (given.session?.bearer && given.trustedDevices !== undefined) {
    // Trusted devices would be off without a word. `knownBrowsers` is off as well, but by default.
    throw optionError(
      'twoFactor: remove trustedDevices: with bearer tokens, no cookie identifies the browser',
    )
  }
  return given
}

/** Refuses a channel that the provider does not have. A misspelt channel would never be offered. */
function refuseUndeclaredChannels(given: CheckedOptions): void {
  const { provider, channels = [], purposes } = given
  const unsent = unsentMethods(given)
  const declared = [...(provider.methods ?? interfaceMethods).map((method) => method.name), ...unsent]
  const lists: readonly (readonly [option: string, names: readonly string[]])[] = [
    ['channels', channels],
    ...Object.entries(purposes).map(
      ([name, own]) => [`purposes.${name}.channels`, own.channels ?? []] as const,
    ),
  ]
  for (const [option, names] of lists) {
    const unknown = names.find((name) => !declared.includes(name))
    if (unknown === undefined) continue
    const hint = didYouMean(unknown, declared, `it has: ${declared.join(', ')}`)
    throw optionError(`twoFactor: ${option}: the provider declares no method "${unknown}"; ${hint}`)
  }
  for (const method of unsent) {
    if (channels.length === 0 || lists.some(([, names]) => names.includes(method))) continue
    const option = method === appMethod ? 'authenticator' : 'passkeys'
    throw optionError(`twoFactor: ${option}: add '${method}' to channels, or to the channels of a purpose`)
  }
}

/** Returns the methods for which nothing is sent, in the order of preference: the safest one first. */
export function unsentMethods({
  passkeys,
  authenticator,
}: Pick<TwoFactorOptions, 'passkeys' | 'authenticator'>): readonly Channel[] {
  return [
    ...(passkeys === undefined ? [] : [passkeyMethod]),
    ...(authenticator === undefined ? [] : [appMethod]),
  ]
}
