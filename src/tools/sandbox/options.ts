import { z } from 'zod'
import { isLoopback, optionError } from '../../lib/options.js'
import type { InboxMessage } from './inbox.js'
import { problemIn } from './problem.js'

/** Which interface the sandbox serves: that of the specification, or the one seen in the field. */
export type Dialect = 'spec' | 'observed'

/** What a second send does to a code that is still live: the provider's documentation leaves it open. */
export type ResendRule = 'repeat' | 'replace' | 'both'

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
  /** How long a code is valid, in ms, from a minute to a day; 5 minutes by default. */
  readonly codeLifetimeMs?: number
  /** App names registered in the account; any is accepted by default. */
  readonly appNames?: readonly string[]
  /** Called with every message as it arrives. */
  readonly onMessage?: (message: InboxMessage) => void
  /** Real time in ms, for tests; `Date.now` by default. */
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

/** The default: anyone who reaches this port can read every code, so only this machine may. */
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
  // The simulated allow-list protects nothing on a network that was opened on purpose.
  const local = isLoopback(settings.host) ? ['127.0.0.1', '::1'] : undefined
  return { ...settings, allowedAddresses: settings.allowedAddresses ?? local }
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, search, hash, username } = new URL(text)
  return /^https?:$/.test(protocol) && pathname === '/' && `${search}${hash}${username}` === ''
}
