import {
  type Channel,
  type CodeProvider,
  interfaceMethods,
  type Method,
  membersOf,
} from '../challenge/exchange/code-provider.js'
import {
  defaultLimits,
  defaultTimeouts,
  type Limits,
  type LimitsOption,
  maxStepUpAges,
  type OptionLimits,
  profiles,
  type Timeouts,
} from '../challenge/limits.js'
import type { Purpose } from '../challenge/purposes.js'
import type { HttpSettings } from '../express/settings.js'
import { optionError } from '../lib/options.js'
import { originOf } from '../lib/origin.js'
import { hourMs, minuteMs, secondMs } from '../lib/time.js'
import type { PurposeOptions, TwoFactorOptions } from '../options.js'
import type { Finding, Store } from '../store/store.js'
import { type CheckedOptions, checkTwoFactorOptions, unsentMethods } from './checks.js'

/** How long a sign-in lasts. NIST SP 800-63B-4, AAL2: a day at most. */
const signInAgeMs = 12 * hourMs
/** How long a code counts for anything else. PSD2 RTS, article 4(3)(d): five minutes. */
const stepUpAgeMs = 5 * minuteMs

/** The checked options with every default. */
export interface Settings
  extends Pick<
      CheckedOptions,
      'provider' | 'secret' | 'store' | 'namespace' | 'signupGuard' | 'onEvent' | 'now'
    >,
    HttpSettings {
  readonly channels: readonly Channel[]
  readonly limits: Limits
  readonly purposes: readonly Purpose[]
  /** Returns the policy of a purpose that the options do not configure. */
  readonly defaultPurpose: (name: string) => Purpose
}

/**
 * Checks the options once and fills in the defaults.
 *
 * @throws {TypeError} naming the option and the fix, never a value: some of them are secrets
 */
export function resolveOptions(options: TwoFactorOptions): Settings {
  const given = checkTwoFactorOptions(options)
  const { provider, store, trustedDevices, recoveryCodes } = given
  const { profile } = given.limits
  const declared: readonly Method[] = provider.methods ?? interfaceMethods
  const unsent = unsentMethods(given)
  const { channels = [...unsent, ...usualChannels(declared)] } = given
  const limits = {
    ...resolveLimits(given.limits),
    ...resolveTimeouts(provider, store),
    // PSD2 RTS, article 4(3)(b): five failures, in whatever browsers.
    ...(profile === 'psd2' && { attemptsAreShared: true as const }),
  }
  const maxStepUpAgeMs = profile === undefined ? Number.MAX_SAFE_INTEGER : maxStepUpAges[profile]

  function resolvePurpose(name: string, purpose: PurposeOptions): Purpose {
    if (purpose.trustedDevice === true && trustedDevices === undefined) {
      throw optionError(
        `twoFactor: purposes.${name}.trustedDevice needs the option trustedDevices: { maxAgeMs }`,
      )
    }
    if (purpose.recoveryCode === true && recoveryCodes === undefined) {
      throw optionError(
        `twoFactor: purposes.${name}.recoveryCode needs the option recoveryCodes: { consume }`,
      )
    }
    const isLogin = name === 'login'
    const maxAgeMs = purpose.maxAgeMs ?? (isLogin ? signInAgeMs : stepUpAgeMs)
    if (!isLogin && maxAgeMs > maxStepUpAgeMs) {
      throw optionError(
        `twoFactor: purposes.${name}.maxAgeMs must be ${maxStepUpAgeMs} or less with this profile`,
      )
    }
    return {
      name,
      maxAgeMs,
      once: purpose.once ?? false,
      channels: purpose.channels ?? channels,
      trustedDevice: purpose.trustedDevice ?? (isLogin && trustedDevices !== undefined),
      recoveryCode: resolveRecoveryCode(purpose.recoveryCode, isLogin && recoveryCodes !== undefined),
      browserStartable: true,
    }
  }

  return {
    ...given,
    // A client with a bearer token keeps no cookies.
    knownBrowsers: given.session?.bearer ? false : given.knownBrowsers,
    countries: given.countries === 'dangerously-any' ? 'any' : given.countries,
    allowedOrigins: given.allowedOrigins.flatMap((origin) => originOf(origin) ?? []),
    channels,
    methods: [...declared, ...unsent.map((name) => ({ name }))],
    limits,
    maxStepUpAgeMs,
    dynamicLinking: profile === 'psd2',
    tellsCodesApart: provider.tellsCodesApart === true,
    purposes: Object.entries(given.purposes).map(([name, purpose]) => resolvePurpose(name, purpose)),
    defaultPurpose: (name) => resolvePurpose(name, {}),
  }
}

/**
 * Returns the methods that most people can receive, or all of them: not every account of a service has every method.
 */
function usualChannels(methods: readonly Method[]): readonly Channel[] {
  const names = methods.map(({ name }) => name)
  const usual = names.filter((name) => name === 'sms' || name === 'call')
  return usual.length > 0 ? usual : names
}

/** A recovery code signs a user in again. It confirms an action only if the purpose allows this. */
function resolveRecoveryCode(given: boolean | undefined, isDefault: boolean): Purpose['recoveryCode'] {
  if (given === true) return 'always'
  return given === undefined && isDefault ? 'sign-in' : undefined
}

/** Combines the defaults, the profile and the option `limits`. */
function resolveLimits({ profile, ...given }: LimitsOption): OptionLimits {
  const bounds = profile === undefined ? {} : profiles[profile]
  for (const [name, max] of Object.entries<number>(bounds)) {
    if (Number(given[name as keyof OptionLimits] ?? max) > max) {
      throw optionError(`twoFactor: limits.${name} must be ${max} or less with the profile ${profile}`)
    }
  }
  return { ...defaultLimits, ...bounds, ...given }
}

/**
 * Returns the longest deadline of the provider's members, so that no request is given up while a member still waits.
 */
function resolveTimeouts(provider: CodeProvider, store: Store | undefined): Timeouts {
  const members = membersOf(provider)
  const longest = (byDefault: number) => Math.max(...members.map(({ timeoutMs }) => timeoutMs ?? byDefault))
  return {
    sendTimeoutMs: longest(defaultTimeouts.sendTimeoutMs),
    verifyTimeoutMs: longest(defaultTimeouts.verifyTimeoutMs),
    storeTimeoutMs: store?.timeoutMs ?? defaultTimeouts.storeTimeoutMs,
  }
}

/** Returns the limits in force as a Markdown table, for the documentation of an operator. */
export function describeLimits(limits: OptionLimits): string {
  const names = Object.keys(defaultLimits) as readonly (keyof OptionLimits)[]
  const rows = names.map((name) => `| \`${name}\` | ${inWords(name, limits[name])} |`)
  return ['| limit | value |', '| --- | --- |', ...rows].join('\n')
}

export function inWords(name: string, value: OptionLimits[keyof OptionLimits]): string {
  if (value === false) return 'off'
  if (typeof value === 'object') return value.map((one) => inWords(name, one)).join(', ')
  return name.endsWith('Ms') ? describeDuration(value) : String(value)
}

function describeDuration(ms: number): string {
  const units = [
    [hourMs, 'h'],
    [minuteMs, 'min'],
    [secondMs, 's'],
  ] as const
  const [size, unit] = units.find(([length]) => ms >= length && ms % length === 0) ?? [1, 'ms']
  return `${ms / size} ${unit}`
}

/** Returns the findings of `selfTest` about the options. */
export function settingFindings({ secret }: Pick<Settings, 'secret'>): readonly Finding[] {
  // One repeated character passes the length check, and is the first guess of an attacker.
  if (!secret.some((one) => /^(.)\1*$/s.test(one))) return []
  return [
    {
      code: 'secret_weak',
      message: 'A secret is one character, repeated.',
      fix: 'generate a secret with: openssl rand -base64 48',
    },
  ]
}
