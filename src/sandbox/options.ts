import type { ResendRule } from './codes.js'
import type { InboxMessage } from './inbox.js'
import { defaultHost } from './listen.js'
import { isLoopback } from './reach.js'
import type { Dialect } from './service/dialect.js'

/** How a sandbox behaves. Everything has a default. */
export interface SandboxOptions {
  /** TCP port; 0, the default, takes a free one. */
  readonly port?: number
  /**
   * IP address or name to listen on; both loopback addresses by default. Whoever reaches it can read every
   * code: `0.0.0.0` is for containers and networks of your own.
   */
  readonly host?: string
  /**
   * Host headers to accept besides the loopback names: `sandbox`, `sandbox:4010`. Without a port, any port.
   * Other names are refused, because a foreign page could be rebound to this machine (DNS rebinding).
   */
  readonly allowedHosts?: readonly string[]
  /** Scheme, host and port under which others reach the sandbox: `baseUrl`, `inboxUrl` and short URLs use it. */
  readonly publicUrl?: string
  /** Path of the operations; `/v1` by default. */
  readonly basePath?: string
  readonly credentials?: { readonly client: number; readonly key: string }
  /** Caller IP addresses that the account allows; the loopback addresses by default, any with another `host`. */
  readonly allowedAddresses?: readonly string[]
  /** Initial credits; 1,000 by default. */
  readonly credits?: number
  /** Responds in the shapes of the specification (`spec`, default) or as seen in the field (`observed`). */
  readonly dialect?: Dialect
  /** HTTP status for a wrong, used or expired code: the specification leaves it open; 520 by default. */
  readonly wrongCode?: 200 | 400 | 520
  /** `status` in the response to a right code; `verified` by default. */
  readonly approvedStatus?: string | number
  /** What a second send does to a live code; `replace` by default. */
  readonly resend?: ResendRule
  /** Length of a code, 4 to 10; 6 by default. */
  readonly codeLength?: number
  /** Characters that codes consist of; the ten digits by default. */
  readonly codeAlphabet?: string
  /** How long a code is valid, in ms, at least a minute; 5 minutes by default. */
  readonly codeLifetimeMs?: number
  /** App names registered in the account; any is accepted by default. */
  readonly appNames?: readonly string[]
  /** Called with every message as it arrives. */
  readonly onMessage?: (message: InboxMessage) => void
  /** Real time in ms, for tests; `Date.now` by default. */
  readonly now?: () => number
}

type Unset = 'publicUrl' | 'onMessage'
type Any = 'appNames' | 'allowedAddresses'

/** The options with their defaults. */
export type SandboxSettings = {
  readonly [Key in Exclude<keyof SandboxOptions, Unset | Any>]-?: Required<SandboxOptions>[Key]
} & { readonly [Key in Unset]: SandboxOptions[Key] | undefined } & {
  readonly [Key in Any]: readonly string[] | 'any'
}

const defaults = {
  port: 0,
  host: defaultHost,
  allowedHosts: [],
  publicUrl: undefined,
  basePath: '/v1',
  credentials: { client: 100200, key: 'sandbox-key' },
  allowedAddresses: ['127.0.0.1', '::1'],
  credits: 1_000,
  dialect: 'spec',
  wrongCode: 520,
  approvedStatus: 'verified',
  resend: 'replace',
  codeLength: 6,
  codeAlphabet: '0123456789',
  codeLifetimeMs: 300_000,
  appNames: 'any',
  onMessage: undefined,
  now: Date.now,
} as const satisfies SandboxSettings

type Rule = { readonly holds: (value: never) => boolean; readonly fix: string }

const isString = (value: unknown) => typeof value === 'string' && value !== ''
const isStrings = (value: unknown) => Array.isArray(value) && value.every(isString)
const integer = (min: number, max: number): Rule => ({
  holds: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  fix: `an integer from ${min} to ${max}`,
})
const isFunction = (value: unknown) => typeof value === 'function'
const isHost = (value: unknown) => typeof value === 'string' && /^[^\s/@?#]+$/.test(value)
const oneOf = (...allowed: readonly unknown[]): Rule => ({
  holds: (value: unknown) => allowed.includes(value),
  fix: `one of ${allowed.join(', ')}`,
})

const rules: { readonly [Key in keyof SandboxSettings]: Rule } = {
  port: integer(0, 65_535),
  host: { holds: isString, fix: 'an IP address or a host name' },
  allowedHosts: {
    holds: (value: unknown) => Array.isArray(value) && value.every(isHost),
    fix: "an array of host names, each with or without a port, such as 'sandbox' or 'sandbox:4010'",
  },
  publicUrl: { holds: isOrigin, fix: "an http or https URL without a path, such as 'http://sandbox:4010'" },
  basePath: {
    holds: (value: unknown) => typeof value === 'string' && /^(?!\/(s|_sandbox)(\/|$))(\/[\w.~-]+)+$/.test(value),
    fix: "a path such as '/api/v1', without a slash at its end, and not below /s or /_sandbox",
  },
  credentials: {
    holds: (value: { client?: unknown; key?: unknown } | null) =>
      Number.isSafeInteger(value?.client) && Number(value?.client) > 0 && isString(value?.key),
    fix: 'an object with client, a positive integer, and key, a non-empty string',
  },
  allowedAddresses: { holds: isStrings, fix: 'an array of IP addresses' },
  credits: integer(0, Number.MAX_SAFE_INTEGER),
  dialect: oneOf('spec', 'observed'),
  wrongCode: oneOf(200, 400, 520),
  approvedStatus: {
    holds: (value: unknown) => isString(value) || Number.isSafeInteger(value),
    fix: 'a non-empty string or an integer',
  },
  resend: oneOf('repeat', 'replace', 'both'),
  codeLength: integer(4, 10),
  codeAlphabet: {
    holds: (value: unknown) => typeof value === 'string' && /^[0-9A-Za-z]{2,62}$/.test(value),
    fix: 'at least two ASCII letters or digits',
  },
  codeLifetimeMs: integer(60_000, 86_400_000),
  appNames: { holds: isStrings, fix: 'an array of app names' },
  onMessage: { holds: isFunction, fix: 'a function' },
  now: { holds: isFunction, fix: 'a function that returns ms' },
}

/** Checks the options and adds the defaults. Throws a TypeError that names the option and the fix. */
export function resolveOptions(options: SandboxOptions): SandboxSettings {
  const resolved: Record<string, unknown> = { ...defaults }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name)) {
      throw new TypeError(`startSandbox: unknown option "${name}"; expected: ${Object.keys(rules).join(', ')}`)
    }
    if (value === undefined) continue
    const rule = rules[name as keyof SandboxSettings]
    if (!rule.holds(value as never)) throw new TypeError(`startSandbox: ${name} must be ${rule.fix}`)
    resolved[name] = value
  }
  // The simulated allow-list guards nothing that the network has opened on purpose.
  const anyCaller = options.allowedAddresses === undefined && !isLoopback(String(resolved.host))
  return { ...resolved, ...(anyCaller && { allowedAddresses: 'any' }) } as unknown as SandboxSettings
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, pathname, search, hash, username } = new URL(value)
  return /^https?:$/.test(protocol) && pathname === '/' && `${search}${hash}${username}` === ''
}
