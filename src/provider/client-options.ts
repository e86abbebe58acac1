import { defaultMaxExchanges } from '../challenge/exchange/code-provider.js'
import {
  type Checks,
  checkOptions,
  isLoopback,
  nonEmptyString,
  object,
  oneOf,
  optionError,
  that,
  timeoutMs,
  withDefault,
  withMethods,
} from '../lib/options.js'
import { type OperationName, operations } from './operations.js'
import { mostExchanges } from './option-checks.js'
import type { Dispatcher } from './send.js'
import { defaultTimeoutMs } from './timeouts.js'
import type { NumberFormat } from './wire.js'

/** Options of `createClient`. */
export interface ClientOptions {
  /** Address of the service with its version segment, such as `https://api.example.com/v1`. */
  readonly baseUrl: string
  /** Account client identifier, an int64: beyond 2^53 as a bigint or as digits. */
  readonly client: number | bigint | string
  /** Account key. */
  readonly key: string
  /** One deadline over connect, headers and body of each exchange, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** How many exchanges may be under way at once, over as many connections. Default 64. */
  readonly maxExchanges?: number | undefined
  /** Paths that differ from the documented ones, by operation, below `baseUrl`. */
  readonly paths?: Partial<Readonly<Record<OperationName, string>>> | undefined
  /** How numbers are written on the wire. Default `'digits'`. */
  readonly numberFormat?: NumberFormat | undefined
  /** An undici dispatcher for a proxy, client certificates or tests. The client does not close it. */
  readonly dispatcher?: Dispatcher | undefined
}

const wirePath = that(
  'must be a path that begins with / and has no query',
  (value) => typeof value === 'string' && /^(\/[\w\-.~%]+)+$/.test(value),
)

const checks = {
  baseUrl: checkBaseUrl,
  client: that(
    'must be the account client identifier: a safe integer, a bigint or a string of digits',
    (value) =>
      (typeof value === 'bigint' || typeof value === 'string' || Number.isSafeInteger(value)) &&
      /^\d{1,19}$/.test(String(value)),
  ),
  key: checkKey,
  timeoutMs: withDefault(defaultTimeoutMs, timeoutMs),
  maxExchanges: withDefault(defaultMaxExchanges, mostExchanges),
  paths: withDefault(
    {},
    object(Object.fromEntries(Object.keys(operations).map((operation) => [operation, wirePath]))),
  ),
  numberFormat: withDefault('digits', oneOf('digits', 'plus')),
  dispatcher: withMethods(['dispatch'], 'must be an undici Dispatcher'),
} as const satisfies Checks<ClientOptions>

const required = {
  baseUrl: "'https://api.example.com/v1', // with the version segment",
  client: 'process.env.TWO_FACTOR_CLIENT, // the account client identifier',
  key: 'process.env.TWO_FACTOR_KEY, // the account key',
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {TypeError} naming the option and the fix, never a value: any of them may hold a secret
 */
export function resolveClientOptions(options: ClientOptions) {
  const settled = checkOptions('createClient', options, checks, required)
  const { baseUrl, client, key, timeoutMs, maxExchanges, paths, numberFormat, dispatcher } = settled
  const { origin, pathname } = new URL(baseUrl)
  if (pathname === '/' && Object.keys(paths).length === 0) warnWithoutVersion(origin)
  return {
    origin,
    /** What every request begins with. */
    account: `client=${client}&key=${encodeURIComponent(key)}`,
    timeoutMs,
    maxExchanges,
    numberFormat,
    pathOf: pathsBelow(pathname.replace(/\/+$/, ''), paths),
    dispatcher,
  }
}

const warnedFor = new Set<string>()

/** Warns once per origin. Every request would be a 404, which looks like a provider that is down. */
function warnWithoutVersion(origin: string): void {
  if (warnedFor.has(origin)) return
  warnedFor.add(origin)
  process.emitWarning(
    'baseUrl has no version segment: every request may be a 404. Add it, as in https://api.example.com/v1',
    {
      type: 'TwoFactorWarning',
      code: 'TWO_FACTOR_BASE_URL',
    },
  )
}

/** Checks the deadline of one call. Throws a TypeError that begins with `where`. */
export function checkTimeout(where: string, value: number): number {
  return checkOptions(where, { timeoutMs: value }, { timeoutMs }).timeoutMs
}

function checkBaseUrl(value: unknown, name: string): string {
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw optionError(`${name} must be an absolute URL, such as https://api.example.com/v1`)
  }
  const url = new URL(value)
  // Every request carries the account key: over plain HTTP it can be intercepted in transit.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw optionError(`${name} must use https (http is allowed for loopback hosts only)`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw optionError(`${name} must not have a user name, password, query or fragment`)
  }
  return value
}

function checkKey(value: unknown, name: string): string {
  const key = String(nonEmptyString('the account key')(value, name))
  if (key !== key.trim()) {
    throw optionError(`${name} must not begin or end with white space: was it read with its line end?`)
  }
  return key
}

/** Paths from the root of the origin, by operation. */
function pathsBelow(
  basePath: string,
  paths: NonNullable<ClientOptions['paths']>,
): Readonly<Record<OperationName, string>> {
  // Joined as strings: resolved as a URL, a path from the root would drop the version segment.
  const all = Object.entries(operations).map(([name, { path }]) => [
    name,
    basePath + (paths[name as OperationName] ?? path),
  ])
  return Object.fromEntries(all)
}
