import type { NumberFormat } from './formats.js'
import { type OperationName, operations } from './operations.js'
import { encode } from './parameters.js'
import type { Dispatcher } from './send.js'

export interface ClientOptions {
  /** Address of the service with its version segment, such as `https://api.example.com/v1`. */
  readonly baseUrl: string
  /** Account client identifier, an int64: beyond 2^53 as a bigint or as digits. */
  readonly client: number | bigint | string
  /** Account key. */
  readonly key: string
  /** One deadline over connect, headers and body of each exchange, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** Paths that differ from the documented ones, by operation, below `baseUrl`. */
  readonly paths?: Partial<Readonly<Record<OperationName, string>>> | undefined
  /** How numbers are written on the wire. Default `'digits'`. */
  readonly numberFormat?: NumberFormat | undefined
  /** An undici dispatcher for a proxy, client certificates or tests. The client does not close it. */
  readonly dispatcher?: Dispatcher | undefined
}

/** The options, checked once. */
export interface ClientSettings {
  readonly origin: string
  /** `client=…&key=…`, which every request begins with. */
  readonly account: string
  readonly timeoutMs: number
  readonly numberFormat: NumberFormat
  /** Path from the root of the origin, per operation. */
  readonly pathOf: Readonly<Record<OperationName, string>>
  readonly dispatcher: Dispatcher | undefined
}

const names = ['baseUrl', 'client', 'key', 'timeoutMs', 'paths', 'numberFormat', 'dispatcher']

/** Throws a TypeError that names the option and the fix, never its value: any of them may hold a secret. */
export function settleClientOptions(options: ClientOptions): ClientSettings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('createClient: its options must be an object such as { baseUrl, client, key }')
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw new TypeError(`createClient: unknown option ${name}; it takes ${names.join(', ')}`)
    }
  }
  const { timeoutMs = 10_000, paths = {}, numberFormat = 'digits' } = options
  const { origin, basePath } = settleBaseUrl(options.baseUrl)
  if (numberFormat !== 'digits' && numberFormat !== 'plus') {
    throw new TypeError("createClient: numberFormat must be 'digits' or 'plus'")
  }
  if (typeof options.key !== 'string' || options.key === '') {
    throw new TypeError('createClient: key must be a text that is not empty, the key of the account')
  }
  if (options.dispatcher !== undefined && typeof options.dispatcher?.dispatch !== 'function') {
    throw new TypeError('createClient: dispatcher must be an undici Dispatcher')
  }
  return {
    origin,
    account: `client=${settleClient(options.client)}&key=${encode('createClient', 'key', options.key)}`,
    timeoutMs: settleTimeout('createClient', timeoutMs),
    numberFormat,
    pathOf: settlePaths(basePath, paths),
    dispatcher: options.dispatcher,
  }
}

/** Node's timers hold 31 bits and fire at once beyond them. */
const longestTimeoutMs = 2 ** 31 - 1

export function settleTimeout(where: string, timeoutMs: number): number {
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestTimeoutMs) {
    throw new TypeError(`${where}: timeoutMs must be a whole number of milliseconds, at least 1`)
  }
  return timeoutMs
}

function settleClient(client: number | bigint | string): string {
  const whole = typeof client === 'bigint' || Number.isSafeInteger(client) || typeof client === 'string'
  if (!whole || !/^\d{1,19}$/.test(String(client))) {
    throw new TypeError(
      'createClient: client must be the account client identifier as a safe integer, a bigint or digits',
    )
  }
  return String(client)
}

function settleBaseUrl(baseUrl: string): { origin: string; basePath: string } {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) {
    throw new TypeError('createClient: baseUrl must be an absolute URL, such as https://api.example.com/v1')
  }
  const url = new URL(baseUrl)
  // The key travels in every request, over plain HTTP for anybody on the way to read.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new TypeError('createClient: baseUrl must be https, http is taken for a loopback host only')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('createClient: baseUrl must have no user, password, query or fragment')
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') }
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

function settlePaths(
  basePath: string,
  paths: Partial<Readonly<Record<string, string>>>,
): ClientSettings['pathOf'] {
  if (typeof paths !== 'object' || paths === null) {
    throw new TypeError(
      "createClient: paths must be an object of paths by operation, such as { sendSms: '/sms/send' }",
    )
  }
  for (const [operation, path] of Object.entries(paths)) {
    if (!Object.hasOwn(operations, operation)) {
      throw new TypeError(`createClient: paths.${operation} is no operation`)
    }
    if (path !== undefined && !/^(\/[\w\-.~%]+)+$/.test(path)) {
      throw new TypeError(`createClient: paths.${operation} must begin with / and have no query`)
    }
  }
  const all = Object.entries(operations).map(([operation, { path }]) => {
    // Joined as text: resolved as a URL, a path from the root would drop the version segment.
    return [operation, basePath + (paths[operation] ?? path)]
  })
  return Object.fromEntries(all)
}
