import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../src/challenge/limits.js'
import { twoFactor } from '../../src/index.js'
import { resolveOptions, settingFindings } from '../../src/options/resolve.js'
import type { TwoFactorOptions } from '../../src/options.js'
import { optionLimits as documentedLimits } from '../challenge/kit.js'

const noop = () => {}
const hour = 60 * 60_000
const provider = { sendCode: noop, checkCode: noop, balance: noop }
const secret = 'a secret of thirty-two bytes or more'
const minimal = {
  provider,
  appName: 'Acme',
  secret,
  subject: () => null,
  phone: () => undefined,
  countries: ['CO'],
}
const resolve = (change: object = {}) =>
  resolveOptions({ ...minimal, ...change } as unknown as TwoFactorOptions)
const purposes = (change: object) =>
  Object.fromEntries(resolve(change).purposes.map((one) => [one.name, one]))

test('an omitted option has its default', () => {
  const settings = resolve()
  expect(settings).toMatchObject({
    methods: [{ name: 'sms' }, { name: 'call' }],
    dynamicLinking: false,
    path: '/two-factor',
    namespace: '',
    allowedOrigins: [],
    knownBrowsers: { maxAgeMs: 90 * 24 * hour },
    purposes: [{ name: 'login' }],
    limits: defaultLimits,
    signupGuard: { mode: 'observe', unprovenPerHour: 30, unprovenPerDay: 100, ratio: 2 },
  })
  expect(settings.code).toEqual({ pattern: /^[0-9A-Za-z]{4,10}$/, letters: false })
})

test('a given option is used', () => {
  const given = {
    store: { read: noop, swap: noop, increment: noop },
    session: { id: noop, regenerate: noop },
    trustedDevices: { maxAgeMs: hour },
    recoveryCodes: { consume: noop },
    onVerified: noop,
    beforeSend: noop,
    onEvent: noop,
    now: () => 0,
    channels: ['call'],
    path: '/2fa',
    namespace: 'shop',
    knownBrowsers: false,
    allowedOrigins: ['https://a.example'],
  }
  const pages = {
    locale: 'es',
    messages: { es: {} },
    brand: { name: 'Acme' },
    links: { home: '/' },
    render: noop,
    formFields: noop,
  }
  const settings = resolve({ ...given, pages, code: { letters: true } })
  expect(settings).toMatchObject({ ...given, pages, code: { letters: true } })
})

test('with bearer tokens no browser is known: their clients keep no cookies', () => {
  const session = { id: noop, regenerate: noop, bearer: true }
  expect(resolve({ session }).knownBrowsers).toBe(false)
  expect(resolve({ session, knownBrowsers: { maxAgeMs: hour } }).knownBrowsers).toBe(false)
})

test('any country, and app-names per purpose', () => {
  expect(resolve({ countries: 'dangerously-any' }).countries).toBe('any')
  expect(resolve({ appName: { login: 'A', pay: 'B' } }).appName).toEqual({ login: 'A', pay: 'B' })
  expect(resolve({ secret: [secret, `${secret}!`] }).secret).toEqual([secret, `${secret}!`])
})

test('an inherited option, or a getter of a class, is used', () => {
  const inherited = Object.create({ ...minimal, path: '/codes' })
  expect(resolveOptions(inherited)).toMatchObject({ path: '/codes', countries: ['CO'] })
  class Limited {
    get lockMs() {
      return 7
    }
  }
  expect(resolve({ limits: new Limited() }).limits.lockMs).toBe(7)
})

test('a pattern for codes remembers no position', () => {
  const { pattern } = resolve({ code: { pattern: /^\d{6}$/giy } }).code
  expect([pattern.source, pattern.flags]).toEqual(['^\\d{6}$', 'i'])
})

test('an option that is undefined has its default', () => {
  const { signupGuard, ...settings } = resolve({
    signupGuard: { mode: undefined, ratio: 3 },
    store: undefined,
  })
  expect(signupGuard).toMatchObject({ mode: 'observe', ratio: 3 })
  expect(settings).not.toHaveProperty('store')
})

describe('a purpose', () => {
  const usual = {
    once: false,
    channels: ['sms', 'call'],
    trustedDevice: false,
    recoveryCode: undefined,
    browserStartable: true,
  }

  test('is only login by default, and any further one lasts as long as a step-up', () => {
    expect(resolve().purposes).toEqual([{ ...usual, name: 'login', maxAgeMs: 12 * hour }])
    expect(resolve().defaultPurpose('pay')).toEqual({ ...usual, name: 'pay', maxAgeMs: 5 * 60_000 })
  })

  test('uses its options', () => {
    const pay = { maxAgeMs: 1_000, once: true, channels: ['call'], trustedDevice: false, recoveryCode: false }
    const taken = { ...usual, ...pay, name: 'pay', recoveryCode: undefined }
    expect(purposes({ purposes: { pay } }).pay).toEqual(taken)
  })

  test('accepts a trusted device at sign-in only, unless it opts in', () => {
    const change = {
      trustedDevices: { maxAgeMs: hour },
      purposes: { login: {}, pay: {}, look: { trustedDevice: true } },
    }
    const { login, pay, look } = purposes(change)
    expect([login?.trustedDevice, pay?.trustedDevice, look?.trustedDevice]).toEqual([true, false, true])
    const without = purposes({ ...change, purposes: { login: { trustedDevice: false } } })
    expect(without.login?.trustedDevice).toBe(false)
    expect(() => resolve({ purposes: { look: { trustedDevice: true } } })).toThrow(
      'twoFactor: purposes.look.trustedDevice needs the option trustedDevices: { maxAgeMs }',
    )
  })

  test('accepts recovery codes at sign-in only, unless it opts in', () => {
    const change = {
      recoveryCodes: { consume: noop },
      purposes: { login: {}, pay: {}, look: { recoveryCode: true } },
    }
    const { login, pay, look } = purposes(change)
    const taken = [login?.recoveryCode, pay?.recoveryCode, look?.recoveryCode]
    expect(taken).toEqual(['sign-in', undefined, 'always'])
    const without = purposes({ ...change, purposes: { login: { recoveryCode: false } } })
    expect(without.login?.recoveryCode).toBeUndefined()
    expect(() => resolve({ purposes: { look: { recoveryCode: true } } })).toThrow(
      'twoFactor: purposes.look.recoveryCode needs the option recoveryCodes: { consume }',
    )
  })
})

test('the deadlines come from provider and store, with a default for each', () => {
  const store = { read: noop, swap: noop, increment: noop }
  const deadlines = ({ limits }: ReturnType<typeof resolve>) => [
    limits.sendTimeoutMs,
    limits.verifyTimeoutMs,
    limits.storeTimeoutMs,
  ]
  expect(deadlines(resolve({ store }))).toEqual([10_000, 8_000, 250])
  const provider = { sendCode: noop, checkCode: noop, timeoutMs: 3_000 }
  expect(deadlines(resolve({ provider, store: { ...store, timeoutMs: 100 } }))).toEqual([3_000, 3_000, 100])
})

describe('the profile psd2', () => {
  const limits = { profile: 'psd2' }

  test('bounds attempts, failures and the age of a step-up, and asks for dynamic linking', () => {
    const settings = resolve({ limits })
    expect(settings.limits).toEqual({
      ...defaultLimits,
      attemptsAreShared: true,
      attemptsPerChallenge: 5,
      failuresBeforeLock: 5,
      sendTimeoutMs: 10_000,
      verifyTimeoutMs: 8_000,
      storeTimeoutMs: 250,
    })
    expect([settings.maxStepUpAgeMs, settings.dynamicLinking]).toEqual([300_000, true])
  })

  test('accepts narrower values and refuses wider ones', () => {
    const withLimits = (more: object) => resolve({ limits: { ...limits, ...more } })
    expect(withLimits({ failuresBeforeLock: 3 }).limits.failuresBeforeLock).toBe(3)
    expect(() => withLimits({ failuresBeforeLock: 6 })).toThrow(
      'twoFactor: limits.failuresBeforeLock must be 5 or less with the profile psd2',
    )
    const withAge = (name: string, maxAgeMs: number) =>
      purposes({ limits, purposes: { [name]: { maxAgeMs } } })[name]?.maxAgeMs
    expect(withAge('pay', 300_000)).toBe(300_000)
    expect(() => withAge('pay', 300_001)).toThrow('twoFactor: purposes.pay.maxAgeMs must be 300000 or less')
    // A sign-in is no payment.
    expect(withAge('login', hour)).toBe(hour)
  })
})

test('the default limits match the documentation', () => {
  expect(defaultLimits).toEqual(documentedLimits)
})

test.each([
  ['lockMs', 2 * hour, '2 h'],
  ['codeLifetimeMs', 90_000, '90 s'],
  ['codeLifetimeMs', 1_500, '1500 ms'],
  ['lockMs', 60_000, '1 min'],
  ['cooldownMs', [1_000, 120_000], '1 s, 2 min'],
  ['sendsPerAddressPer10Min', false, 'off'],
  ['sendsPerHour', 5, '5'],
])('a table of the limits shows %s, %j, in the largest unit that fits: %s', (name, value, told) => {
  const tf = twoFactor({ ...minimal, limits: { [name]: value } } as never)
  const [head, line, ...lines] = tf.describeLimits().split('\n')
  expect([head, line]).toEqual(['| limit | value |', '| --- | --- |'])
  expect(lines).toContain(`| \`${name}\` | ${told} |`)
})

test.each([
  [[secret], []],
  [['x'.repeat(32)], ['secret_weak']],
  [[secret, '\n'.repeat(32)], ['secret_weak']],
  [[`${'x'.repeat(32)}y`], []],
  [[`y${'x'.repeat(32)}`], []],
])('a secret of one character is found, wherever it stands: %j', (secrets, codes) => {
  const found = settingFindings({ secret: secrets as [string, ...string[]] })
  expect(found.map(({ code }) => code)).toEqual(codes)
})
