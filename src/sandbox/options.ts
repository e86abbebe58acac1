import {
  type Check,
  checkOptions,
  func,
  integer,
  list,
  nonEmptyString,
  object,
  oneOf,
  that,
} from '../lib/options.js'
import type { ResendRule } from './codes.js'
import type { InboxMessage } from './inbox.js'
import { defaultHost, isLoopback } from './reach.js'
import type { Dialect } from './service/dialect.js'

/** How a sandbox behaves. Everything has a default. */
export interface SandboxOptions {
  /** TCP port; 0, the default, takes a free one. */
  readonly port?: number
  /**
   * IP address or name to listen on; both loopback addresses by default. Anyone who reaches it can read every
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
  /** The account that requests must name. Default `{ client: 100200, key: 'sandbox-key' }`. */
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

const defaults: SandboxSettings = {
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
}

const isString = (value: unknown) => typeof value === 'string' && value !== ''

const checks: { readonly [Key in keyof SandboxOptions]-?: Check } = {
  port: integer(0, 65_535),
  host: nonEmptyString('an IP address or a host name'),
  allowedHosts: list(
    that("must be a host name, with or without a port, such as 'sandbox:4010'", isHost),
    'must be an array of host names',
  ),
  publicUrl: that("must be an http or https URL without a path, such as 'http://sandbox:4010'", isOrigin),
  basePath: that(
    "must be a path such as '/api/v1', not below /s or /_sandbox, without a slash at its end",
    isBasePath,
  ),
  credentials: object({ client: integer(1), key: nonEmptyString() }, ['client', 'key']),
  allowedAddresses: list(nonEmptyString('an IP address'), 'must be an array of IP addresses'),
  credits: integer(0),
  dialect: oneOf('spec', 'observed'),
  wrongCode: oneOf(200, 400, 520),
  approvedStatus: that(
    'must be a non-empty string or an integer',
    (value) => isString(value) || Number.isSafeInteger(value),
  ),
  resend: oneOf('repeat', 'replace', 'both'),
  codeLength: integer(4, 10),
  codeAlphabet: that(
    'must be at least two ASCII letters or digits',
    (value) => typeof value === 'string' && /^[0-9A-Za-z]{2,62}$/.test(value),
  ),
  codeLifetimeMs: integer(60_000, 86_400_000),
  appNames: list(nonEmptyString('an app name'), 'must be an array of app names'),
  onMessage: func('(message) => void'),
  now: func('() => milliseconds'),
}

/** Checks the options and adds the defaults. Throws a TypeError that names the option and the fix. */
export function resolveOptions(options: SandboxOptions): SandboxSettings {
  checkOptions('startSandbox', options, checks)
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const settings = { ...defaults, ...given }
  // The simulated allow-list protects nothing on a network that was opened on purpose.
  const anyCaller = options.allowedAddresses === undefined && !isLoopback(settings.host)
  return anyCaller ? { ...settings, allowedAddresses: 'any' } : settings
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s/@?#]+$/.test(value)
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, pathname, search, hash, username } = new URL(value)
  return /^https?:$/.test(protocol) && pathname === '/' && `${search}${hash}${username}` === ''
}

function isBasePath(value: unknown): boolean {
  return typeof value === 'string' && /^(?!\/(?:s|_sandbox)(?:\/|$))(?:\/[\w.~-]+)+$/.test(value)
}
