import { z } from 'zod'
import { isLoopback, optionError } from '../../lib/options.js'
import type { InboxMessage } from './inbox.js'
import { problemIn } from './problem.js'

/** The interface of the sandbox: as specified, or as observed in the field. */
export type Dialect = 'spec' | 'observed'

/** The effect of a second send on a live code: the provider's documentation leaves it open. */
export type ResendRule = 'repeat' | 'replace' | 'both'

/** Options of a sandbox. Each has a default. */
export interface SandboxOptions {
  /** TCP port. Default: 0, any free port. */
  readonly port?: number
  /**
   * IP address or name to listen on. Default: both loopback addresses. A client that reaches it can read every code, so
   * use `0.0.0.0` only for containers and your own networks.
   */
  readonly host?: string
  /**
   * Accepted Host headers besides the loopback names: `sandbox`, `sandbox:4010`. Without a port, any port. Other names
   * are refused, because a foreign page could be rebound to this machine (DNS rebinding).
   */
  readonly allowedHosts?: readonly string[]
  /** Public scheme, host and port of the sandbox, for `baseUrl`, `inboxUrl` and short URLs. */
  readonly publicUrl?: string
  /** Path of the operations. Default: `/v1`. */
  readonly basePath?: string
  /** The account that requests must name. Default: `{ client: 100200, key: 'sandbox-key' }`. */
  readonly credentials?: { readonly client: number; readonly key: string }
  /** Caller IP addresses that the account allows. Default: the loopback addresses; with another `host`, any. */
  readonly allowedAddresses?: readonly string[]
  /** Initial credits. Default: 1,000. */
  readonly credits?: number
  /** Format of responses: as specified (`spec`, default) or as observed in the field (`observed`). */
  readonly dialect?: Dialect
  /** HTTP status for a wrong, used or expired code, which the specification leaves open. Default: 520. */
  readonly wrongCode?: 200 | 400 | 520
  /** `status` in the response to a correct code. Default: `verified`. */
  readonly approvedStatus?: string | number
  /** Effect of a second send on a live code. Default: `replace`. */
  readonly resend?: ResendRule
  /** Length of a code, 4 to 10. Default: 6. */
  readonly codeLength?: number
  /** Characters of codes. Default: the ten digits. */
  readonly codeAlphabet?: string
  /** Lifetime of a code in ms, from a minute to a day. Default: 5 minutes. */
  readonly codeLifetimeMs?: number
  /** App names registered in the account. Default: any. */
  readonly appNames?: readonly string[]
  /** Called with every message when it arrives. */
  readonly onMessage?: (message: InboxMessage) => void
  /** Returns real time in ms, for tests. Default: `Date.now`. */
  readonly now?: () => number
}

const integer = (min: number, max = Number.MAX_SAFE_INTEGER) => {
  const fix = `must be an integer${max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`}`
  return z.int(fix).min(min, fix).max(max, fix)
}
const text = (meaning: string) => matching(/./s, `a non-empty string: ${meaning}`)
const matching = (pattern: RegExp, what: string) =>
  z.string(`must be ${what}`).regex(pattern, `must be ${what}`)
const func = <Signature>(signature: string) =>
  z.custom<Signature>((value) => typeof value === 'function', `must be a function ${signature}`)

/** Loopback, because a client that reaches this port can read every code. */
export const defaultHost = '127.0.0.1'

const statusWords = 'a non-empty string or an integer'

/** The options with their defaults. */
export type SandboxSettings = z.output<typeof schema>

const schema = z.strictObject({
  port: integer(0, 65_535).default(0),
  host: text('an IP address or a host name').default(defaultHost),
  allowedHosts: z
    .array(matching(/^[^\s/@?#]+$/, "a host name, with or without a port, such as 'sandbox:4010'"))
    .default([]),
  publicUrl: z
    .string()
    .refine(isOrigin, "must be an http or https URL without a path, such as 'http://sandbox:4010'")
    .optional(),
  basePath: matching(
    /^(?!\/(?:s|_sandbox)(?:\/|$))(?:\/[\w.~-]+)+$/,
    "a path such as '/api/v1', not below /s or /_sandbox, without a slash at its end",
  ).default('/v1'),
  credentials: z
    .strictObject({ client: integer(1), key: text('the key of the account') })
    .default({ client: 100200, key: 'sandbox-key' }),
  /** Any when absent. */
  allowedAddresses: z.array(text('an IP address')).optional(),
  credits: integer(0).default(1_000),
  dialect: z.enum(['spec', 'observed']).default('spec'),
  wrongCode: z.literal([200, 400, 520]).default(520),
  approvedStatus: z
    .union([matching(/./s, statusWords), z.int()], `must be ${statusWords}`)
    .default('verified'),
  resend: z.enum(['repeat', 'replace', 'both']).default('replace'),
  codeLength: integer(4, 10).default(6),
  codeAlphabet: matching(
    /^(?!(.)\1*$)[0-9A-Za-z]{2,62}$/,
    'at least two different ASCII letters or digits',
  ).default('0123456789'),
  codeLifetimeMs: integer(60_000, 86_400_000).default(300_000),
  /** Any when absent. */
  appNames: z.array(text('an app name')).optional(),
  onMessage: func<(message: InboxMessage) => void>('(message) => void').optional(),
  now: func<() => number>('() => milliseconds').default(() => Date.now),
})

/** Checks the options and adds the defaults. Throws a TypeError that names the option and the fix. */
export function resolveOptions(options: SandboxOptions): SandboxSettings {
  const problem = problemIn(schema, options, 'option')
  if (problem !== undefined) throw optionError(`startSandbox: ${problem}`)
  const settings = schema.parse(options)
  // The simulated allow-list protects nothing on a network that the developer opened.
  const local = isLoopback(settings.host) ? ['127.0.0.1', '::1'] : undefined
  return { ...settings, allowedAddresses: settings.allowedAddresses ?? local }
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, search, hash, username } = new URL(text)
  return /^https?:$/.test(protocol) && pathname === '/' && `${search}${hash}${username}` === ''
}
