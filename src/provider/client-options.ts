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
  /**
   * Address of the service with its version segment, such as `https://api.example.com/v1`. Requires https, except for
   * loopback hosts.
   */
  readonly baseUrl: string
  /** Client identifier of your account, an int64. Pass numbers beyond 2^53 as a bigint or as digits. */
  readonly client: number | bigint | string
  /** Key of your account, without white space around it. */
  readonly key: string
  /**
   * Deadline of each request, from connect to the end of the body. Milliseconds. Default: 10,000. Raise it for a slow
   * service.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum of concurrent requests and of connections, 3 to 10,000. Default: 64. Lower it if your account allows fewer.
   */
  readonly maxExchanges?: number | undefined
  /** Paths below `baseUrl` by operation. Default: the documented paths. Set only the paths that differ. */
  readonly paths?: Partial<Readonly<Record<OperationName, string>>> | undefined
  /** Spelling of phone numbers in requests: `digits` or `plus`. Default: `digits`. */
  readonly numberFormat?: NumberFormat | undefined
  /**
   * An undici dispatcher for a proxy, client certificates or tests. The client does not close it. Default: a pool of
   * its own.
   */
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
    /** First parameters of every request. */
    account: `client=${client}&key=${encodeURIComponent(key)}`,
    timeoutMs,
    maxExchanges,
    numberFormat,
    pathOf: pathsBelow(pathname.replace(/\/+$/, ''), paths),
    dispatcher,
  }
}

const warnedFor = new Set<string>()

/** Warns once per origin. Every request would return 404, as if the provider were down. */
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

/** Checks the deadline of one request. Throws a TypeError that begins with `where`. */
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

/** Returns the path of each operation from the root of the origin. */
function pathsBelow(
  basePath: string,
  paths: NonNullable<ClientOptions['paths']>,
): Readonly<Record<OperationName, string>> {
  // Joins strings: a URL that resolves a path from the root would drop the version segment.
  const all = Object.entries(operations).map(([name, { path }]) => [
    name,
    basePath + (paths[name as OperationName] ?? path),
  ])
  return Object.fromEntries(all)
}
