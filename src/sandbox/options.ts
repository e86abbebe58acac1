import type { ResendRule } from './codes.js'
import type { Dialect } from './service/dialect.js'

/** How a sandbox behaves. Everything has a default. */
export interface SandboxOptions {
  /** TCP port on the loopback address; 0, the default, takes a free one. */
  readonly port?: number
  readonly credentials?: { readonly client: number; readonly key: string }
  /** Caller addresses the account allows; the loopback addresses by default. */
  readonly allowedAddresses?: readonly string[]
  /** Credits to begin with; 1,000 by default. */
  readonly credits?: number
  /** Answers in the shapes of the specification (`spec`, default) or as seen in the field (`observed`). */
  readonly dialect?: Dialect
  /** HTTP status of the answer to a wrong, used or expired code: the specification leaves it open; 520 by default. */
  readonly wrongCode?: 200 | 400 | 520
  /** `status` of the answer to a right code; `verified` by default. */
  readonly approvedStatus?: string | number
  /** What a second send does to a living code; `replace` by default. */
  readonly resend?: ResendRule
  /** Characters of a code, 4 to 10; 6 by default. */
  readonly codeLength?: number
  /** Characters codes are made of; the ten digits by default. */
  readonly codeAlphabet?: string
  /** Life of a code in ms, at least a minute; 5 minutes by default. */
  readonly codeLifetimeMs?: number
  /** App-names the account knows; any is taken by default. */
  readonly appNames?: readonly string[]
  /** Real time in ms, for tests; `Date.now` by default. */
  readonly now?: () => number
}

export type SandboxSettings = {
  readonly [Key in keyof Required<Omit<SandboxOptions, 'appNames'>>]: Required<SandboxOptions>[Key]
} & {
  readonly appNames: readonly string[] | 'any'
}

const defaults = {
  port: 0,
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
  now: Date.now,
} as const satisfies SandboxSettings

type Rule = { readonly holds: (value: never) => boolean; readonly fix: string }

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const whole = (least: number, most: number): Rule => ({
  holds: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  fix: `a whole number from ${least} to ${most}`,
})
const oneOf = (...allowed: readonly unknown[]): Rule => ({
  holds: (value: unknown) => allowed.includes(value),
  fix: `one of ${allowed.join(', ')}`,
})

const rules: { readonly [Key in keyof SandboxSettings]: Rule } = {
  port: whole(0, 65_535),
  credentials: {
    holds: (value: { client?: unknown; key?: unknown } | null) =>
      Number.isSafeInteger(value?.client) && Number(value?.client) > 0 && isText(value?.key),
    fix: 'an object of client, a positive integer, and key, a text',
  },
  allowedAddresses: { holds: isTexts, fix: 'an array of IP addresses' },
  credits: whole(0, Number.MAX_SAFE_INTEGER),
  dialect: oneOf('spec', 'observed'),
  wrongCode: oneOf(200, 400, 520),
  approvedStatus: {
    holds: (value: unknown) => isText(value) || Number.isSafeInteger(value),
    fix: 'a text or an integer',
  },
  resend: oneOf('repeat', 'replace', 'both'),
  codeLength: whole(4, 10),
  codeAlphabet: {
    holds: (value: unknown) => typeof value === 'string' && /^[0-9A-Za-z]{2,62}$/.test(value),
    fix: 'at least two ASCII letters or digits',
  },
  codeLifetimeMs: whole(60_000, 86_400_000),
  appNames: { holds: isTexts, fix: 'an array of app-names' },
  now: { holds: (value: unknown) => typeof value === 'function', fix: 'a function that gives ms' },
}

/** Checks the options and fills in the defaults. Throws a TypeError that names the option and the fix. */
export function settle(options: SandboxOptions): SandboxSettings {
  const settled: Record<string, unknown> = { ...defaults }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name)) {
      throw new TypeError(`startSandbox: unknown option ${name}; known are ${Object.keys(rules).join(', ')}`)
    }
    if (value === undefined) continue
    const rule = rules[name as keyof SandboxSettings]
    if (!rule.holds(value as never)) throw new TypeError(`startSandbox: ${name} must be ${rule.fix}`)
    settled[name] = value
  }
  return settled as unknown as SandboxSettings
}
