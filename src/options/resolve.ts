import type { SignupGuardRules } from '../challenge/budgets/signup-guard.js'
import type { Channel, Method } from '../challenge/code-provider.js'
import type { Purpose } from '../challenge/purposes.js'
import type { BalanceRules } from '../challenge/watch/balance-state.js'
import type { DeliveryRules } from '../challenge/watch/delivery-watch.js'
import type { HttpSettings } from '../express/settings.js'
import { appMethod, interfaceMethods } from '../lib/method-names.js'
import { optionError } from '../lib/options.js'
import { present } from '../lib/present.js'
import { dayMs, minuteMs } from '../lib/time.js'
import type { PurposeOptions, TwoFactorOptions } from '../options.js'
import { checkTwoFactorOptions } from './checks.js'
import { profiles, resolveLimits } from './limits.js'

type WithoutDefault = 'provider' | 'store' | 'onEvent' | 'now'

/** The options, checked, with every default in place. */
export interface Settings extends Pick<TwoFactorOptions, WithoutDefault>, HttpSettings {
  /** The first signs, all verify. */
  readonly secret: readonly [string, ...string[]]
  readonly channels: readonly Channel[]
  readonly purposes: readonly Purpose[]
  /** A purpose that nobody configured. */
  readonly defaultPurpose: (name: string) => Purpose
  readonly signupGuard: SignupGuardRules
  readonly balance?: BalanceRules
  readonly deliveryWatch?: DeliveryRules
}

const defaultSignupGuard: SignupGuardRules = {
  mode: 'observe',
  unprovenPerHour: 30,
  unprovenPerDay: 100,
  ratio: 2,
}
const defaultBalance = { everyMs: 5 * minuteMs, warnBeforeMs: dayMs }
const knownBrowserMs = 90 * dayMs

/**
 * Checks the options once and fills in the defaults. Lists are copied: what the caller does to them later
 * changes nothing.
 *
 * @throws {TypeError} naming the option and the fix, never a value: some of them are secrets
 */
export function resolveOptions(options: TwoFactorOptions): Settings {
  checkTwoFactorOptions(options)
  const { purposes = { login: {} }, allowedOrigins = [], countries } = options
  const { knownBrowsers = { maxAgeMs: knownBrowserMs } } = options
  const { path = '/two-factor', namespace = '', limits: givenLimits = {}, code = {} } = options
  const {
    store,
    session,
    trustedDevices,
    recoveryCodes,
    authenticator,
    onVerified,
    onCancelled,
    beforeSend,
    onEvent,
    now,
  } = options
  const { locale, messages = {}, brand, links, render, formFields } = options.pages ?? {}
  const { signups, balance, delivery } = options.watch ?? {}

  const declared: readonly Method[] = options.provider.methods ?? interfaceMethods
  const apps = authenticator === undefined ? [] : [{ name: appMethod }]
  const methods = [...declared, ...apps]
  const { channels = [...apps.map(({ name }) => name), ...usualChannels(declared)] } = options
  const limits = resolveLimits(givenLimits, store)
  const maxStepUpAgeMs =
    givenLimits.profile === undefined ? Number.MAX_SAFE_INTEGER : profiles[givenLimits.profile].maxAgeMs

  function resolvePurpose(name: string, purpose: PurposeOptions): Purpose {
    if (purpose.trustedDevice === true && options.trustedDevices === undefined) {
      throw optionError(
        `twoFactor: purposes.${name}.trustedDevice needs the option trustedDevices: { maxAgeMs }`,
      )
    }
    if (purpose.recoveryCode === true && options.recoveryCodes === undefined) {
      throw optionError(
        `twoFactor: purposes.${name}.recoveryCode needs the option recoveryCodes: { consume }`,
      )
    }
    const isLogin = name === 'login'
    const maxAgeMs = purpose.maxAgeMs ?? (isLogin ? limits.loginMaxAgeMs : limits.maxAgeMs)
    if (!isLogin && maxAgeMs > maxStepUpAgeMs) {
      throw optionError(
        `twoFactor: purposes.${name}.maxAgeMs must be ${maxStepUpAgeMs} or less with this profile`,
      )
    }
    return {
      name,
      maxAgeMs,
      once: purpose.once ?? false,
      channels: [...(purpose.channels ?? channels)],
      trustedDevice: purpose.trustedDevice ?? (isLogin && options.trustedDevices !== undefined),
      recoveryCode: resolveRecoveryCode(purpose.recoveryCode, isLogin && options.recoveryCodes !== undefined),
      browserStartable: true,
    }
  }

  return {
    provider: options.provider,
    subject: options.subject,
    phone: options.phone,
    ...present({
      store,
      session,
      trustedDevices,
      recoveryCodes,
      authenticator,
      onVerified,
      onCancelled,
      beforeSend,
      onEvent,
      now,
    }),
    ...present({ locale, brand, render, formFields }),
    appName: typeof options.appName === 'string' ? { login: options.appName } : { ...options.appName },
    secret: [options.secret].flat() as [string, ...string[]],
    countries: countries === undefined ? 'any' : [...countries],
    methods: methods.map((method) => ({ ...method })),
    channels: [...channels],
    codePattern: stateless(code.pattern ?? /^[0-9A-Za-z]{4,10}$/),
    codeLetters: code.letters ?? false,
    path,
    namespace,
    limits,
    maxStepUpAgeMs,
    dynamicLinking: givenLimits.profile === 'psd2',
    purposes: Object.entries(purposes).map(([name, purpose]) => resolvePurpose(name, purpose)),
    defaultPurpose: (name) => resolvePurpose(name, {}),
    knownBrowsers,
    ...(delivery !== undefined && { deliveryWatch: { afterMs: delivery.afterMs ?? 15_000 } }),
    ...(balance !== undefined && { balance: { ...defaultBalance, ...present(balance) } }),
    signupGuard: { ...defaultSignupGuard, ...present(signups) },
    allowedOrigins: [...allowedOrigins],
    messages,
    links: { ...links },
  }
}

/** What most people can receive, else all there is: not every account has every method that its service has. */
function usualChannels(methods: readonly Method[]): readonly Channel[] {
  const names = methods.map(({ name }) => name)
  const usual = names.filter((name) => name === 'sms' || name === 'call')
  return usual.length > 0 ? usual : names
}

/** Recovery codes are for getting in again: they confirm an action only where its purpose says so. */
function resolveRecoveryCode(given: boolean | undefined, isDefault: boolean): Purpose['recoveryCode'] {
  if (given === true) return 'always'
  return given === undefined && isDefault ? 'sign-in' : undefined
}

/** `g` and `y` make an expression remember where it stopped, and refuse every other code. */
function stateless({ source, flags }: RegExp): RegExp {
  return new RegExp(source, flags.replaceAll(/[gy]/g, ''))
}
