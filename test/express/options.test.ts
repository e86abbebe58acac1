import { getCountries } from 'libphonenumber-js/mobile'
import { describe, expect, it } from 'vitest'
import { createClient, type TwoFactorOptions, twoFactor } from '../../src/index.js'
import { countryCodes } from '../../src/lib/countries.js'
import { defaultLimits } from '../../src/options/default-limits.js'
import { resolveOptions } from '../../src/options/resolve.js'
import { limits as documentedLimits } from '../challenge/kit.js'

const provider = createClient({ baseUrl: 'http://127.0.0.1:9/v1', client: 1, key: 'k' })
const good: TwoFactorOptions = {
  provider,
  appName: 'Acme',
  approvedStatuses: ['verified'],
  secret: 'a secret of thirty-two bytes or more',
  countries: ['CO'],
  subject: () => null,
  phone: () => undefined,
}
const make = (changes: object) => () => twoFactor({ ...good, ...changes } as TwoFactorOptions)

describe('options', () => {
  it.each<[string, object, string]>([
    ['provider', { provider: null }, 'provider must be a client from createClient()'],
    ['provider', { provider: {} }, 'provider must be'],
    ['appName', { appName: '' }, 'appName must be'],
    ['appName', { appName: { signup: 'x' } }, 'appName must be'],
    ['approvedStatuses', { approvedStatuses: null }, 'approvedStatuses must list'],
    ['approvedStatuses', { approvedStatuses: [] }, 'approvedStatuses must list'],
    ['approvedStatuses', { approvedStatuses: 'verified' }, 'approvedStatuses must list'],
    ['approvedStatuses', { approvedStatuses: [1] }, 'approvedStatuses[0] must list'],
    ['rejectedCodes', { rejectedCodes: [1001] }, 'rejectedCodes[0] must be'],
    ['subject', { subject: 'ana' }, 'subject must be a function'],
    ['phone', { phone: null }, 'phone must be a function'],
    ['secret', { secret: null }, 'secret must have 32 bytes'],
    ['secret', { secret: 'short' }, 'secret must have 32 bytes'],
    ['secret', { secret: [] }, 'secret must have 32 bytes'],
    ['secret', { secret: ['a secret of thirty-two bytes or more', 'short'] }, 'secret[1] must have 32 bytes'],
    ['countries', { countries: null }, 'countries must list at least one country'],
    ['countries', { countries: [] }, 'countries must list at least one country'],
    ['countries', { countries: ['co'] }, 'countries[0] must be an upper-case ISO 3166-1 alpha-2 code'],
    ['countries', { countries: ['CO', 'ZZ'] }, 'countries[1] must be an upper-case ISO 3166-1 alpha-2 code'],
    [
      'countries',
      { countries: ['UK'] },
      "countries[0] must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    ],
    ['countries', { dangerouslyAnyCountry: true }, 'countries and dangerouslyAnyCountry exclude each other'],
    [
      'purposes',
      { purposes: { login: { maxAge: 1 } } },
      'unknown option "purposes.login.maxAge"; did you mean "maxAgeMs"?',
    ],
    ['purposes', { purposes: { login: { maxAgeMs: 0 } } }, 'purposes.login.maxAgeMs must be'],
    [
      'purposes',
      { purposes: { x: { trustedDevice: true } } },
      'purposes.x.trustedDevice needs the option trustedDevices',
    ],
    ['channels', { channels: [] }, "channels must list 'sms', 'call' or both"],
    ['channels', { channels: ['sms', 'sms'] }, 'channels must list'],
    ['channels', { channels: ['fax'] }, 'channels must list'],
    ['voice', { voice: 'Bob' }, "voice must be 'Mariana' or 'Penelope'"],
    ['callRetries', { callRetries: 4 }, 'callRetries must be an integer from 1 to 3'],
    ['countryCode', { countryCode: 'Colombia' }, 'countryCode must be'],
    ['countryCode', { countryCode: 'ZZ' }, 'countryCode must be'],
    ['codePattern', { codePattern: '^[0-9]+$' }, 'codePattern must be a regular expression'],
    ['path', { path: 'two-factor' }, 'path must be'],
    ['path', { path: '/two-factor/' }, 'path must be'],
    ['path', { path: '//evil.example' }, 'path must be'],
    ['store', { store: new Map() }, 'store must be a store'],
    ['namespace', { namespace: 'a:b' }, 'namespace must be a string of up to 64'],
    ['session', { session: { id: 'x' } }, 'session must be'],
    [
      'trustedDevices',
      { trustedDevices: { maxAgeMs: 31 * 24 * 3_600_000 } },
      'trustedDevices.maxAgeMs must be',
    ],
    ['trustedDevices', { trustedDevices: true }, 'trustedDevices must be'],
    ['recoveryCodes', { recoveryCodes: {} }, 'missing recoveryCodes.consume'],
    [
      'recoveryCodes',
      { recoveryCodes: { consume: true } },
      'recoveryCodes.consume must be a function (subject, hash)',
    ],
    [
      'a purpose with recovery codes that are none',
      { purposes: { pay: { recoveryCode: true } } },
      'purposes.pay.recoveryCode needs the option recoveryCodes: { consume }',
    ],
    ['allowedOrigins', { allowedOrigins: ['https://app.example/'] }, 'allowedOrigins[0] must be an origin'],
    ['allowedOrigins', { allowedOrigins: ['null'] }, 'allowedOrigins[0] must be an origin'],
    ['allowedOrigins', { allowedOrigins: ['*'] }, 'allowedOrigins[0] must be an origin'],
    [
      'locale',
      { locale: 'fr' },
      'locale "fr" is not available; add messages for it or use one of en, es, pt',
    ],
    ['links', { links: { signin: '/' } }, 'unknown option "links.signin"; did you mean "signIn"?'],
    ['links', { links: { home: 'javascript:alert(1)' } }, 'links.home must be a path, an https URL'],
    ['brand', { brand: { accent: '#0b6e4f' } }, 'missing brand.name'],
    [
      'brand',
      { brand: { name: 'Acme', accent: 'green' } },
      "brand.accent must be a colour such as '#0b6e4f'",
    ],
    ['brand', { brand: { name: 'Acme', accent: '#ffcc00' } }, 'brand.accent cannot be read on the page'],
    ['brand', { brand: { name: 'Acme', font: 'x; } body { display: none' } }, 'brand.font must be a CSS'],
    [
      'brand',
      { brand: { name: 'Acme', csp: { imgSrc: ['x; script-src *'] } } },
      'brand.csp.imgSrc[0] must be',
    ],
    ['messages', { messages: 'Hola' }, 'messages must be'],
    ['render', { render: '<p>' }, 'render must be a function'],
    ['onVerified', { onVerified: true }, 'onVerified must be a function'],
    ['beforeSend', { beforeSend: true }, 'beforeSend must be a function'],
    ['onEvent', { onEvent: console }, 'onEvent must be a function'],
    ['now', { now: 0 }, 'now must be a function'],
    [
      'a misspelt name',
      { subjct: () => null, subject: undefined },
      'unknown option "subjct"; did you mean "subject"?',
    ],
    ['limits', { limits: { lockMS: 5 } }, 'unknown option "limits.lockMS"; did you mean "lockMs"?'],
    ['limits', { limits: { profile: 'psd3' } }, "limits.profile must be 'psd2'"],
  ])('that are wrong are refused by name: %s', (_name, changes, message) => {
    expect(make(changes)).toThrow(TypeError)
    expect(make(changes)).toThrow(`twoFactor: ${message}`)
  })

  const optional = [
    'rejectedCodes',
    'accountErrorCodes',
    'purposes',
    'channels',
    'voice',
    'callRetries',
    'codePattern',
    'path',
    'namespace',
    'allowedOrigins',
    'messages',
    'dangerouslyAnyCountry',
    'countryCode',
    'store',
    'session',
    'limits',
    'trustedDevices',
    'locale',
    'recoveryCodes',
    'codeLetters',
    'links',
    'brand',
    'render',
    'onVerified',
    'beforeSend',
    'onEvent',
    'now',
  ]
  /** What is inside of lists and objects, too. */
  const paths = [
    ...Object.keys(good),
    ...optional,
    ...Object.keys(defaultLimits).map((name) => `limits.${name}`),
    'limits.profile',
    ...['login', 'login.maxAgeMs', 'login.once', 'login.channels', 'login.channels.0'].map(
      (name) => `purposes.${name}`,
    ),
    'purposes.login.trustedDevice',
    'purposes.login.recoveryCode',
    'recoveryCodes.consume',
    'appName.login',
    'trustedDevices.maxAgeMs',
    'messages.en',
    'messages.en.error',
    ...[
      'approvedStatuses',
      'rejectedCodes',
      'accountErrorCodes',
      'secret',
      'countries',
      'channels',
      'allowedOrigins',
      'limits.cooldownMs',
    ].map((list) => `${list}.0`),
  ]
  const shapes: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['a number', 0.5],
    ['an empty text', ''],
    ['a list', []],
    ['a list of nothing', [null]],
    ['an object', {}],
    ['an object of nothing', { login: null }],
    ['true', true],
    ['false', false],
  ]
  const rightShapes: Readonly<Record<string, readonly string[]>> = {
    dangerouslyAnyCountry: ['true'],
    rejectedCodes: ['a list'],
    accountErrorCodes: ['a list'],
    allowedOrigins: ['a list'],
    purposes: ['an object'],
    'purposes.login': ['an object'],
    'purposes.login.once': ['true', 'false'],
    'purposes.login.trustedDevice': ['false'],
    'purposes.login.recoveryCode': ['false'],
    codeLetters: ['true', 'false'],
    links: ['an object'],
    limits: ['an object'],
    messages: ['an object'],
    'messages.en': ['an object'],
    'messages.en.error': ['an empty text'],
    namespace: ['an empty text'],
    ...Object.fromEntries(
      ['sends', 'verifications', 'enrolSends', 'enrolVerifications'].map((counted) => [
        `limits.${counted}PerAddressPer10Min`,
        ['false'],
      ]),
    ),
  }

  it.each(paths)('of every wrong shape are refused by name: %s', (path) => {
    const [name = ''] = path.split('.')
    const right = shapes.filter(([shape, value]) => {
      const given = path.split('.').reduceRight((inner: unknown, member) => {
        return member === '0' ? [inner] : { [member]: inner }
      }, value)
      try {
        const { countries } = name === 'dangerouslyAnyCountry' ? { countries: undefined } : good
        make({ countries, ...(given as object) })()
        return true
      } catch (error) {
        expect(error, shape).toBeInstanceOf(TypeError)
        // What is wrong inside may be named by its own path, or by that of what it is in.
        expect((error as Error).message, shape).toMatch(
          new RegExp(
            `^twoFactor: ${name}[\\w.[\\]]* (must|needs|"\\w*" is not available)|unknown option "${name}\\.|missing ${name}|messages: "`,
          ),
        )
        return false
      }
    })
    expect(right.map(([shape]) => shape)).toEqual(rightShapes[path] ?? [])
  })

  it.each(Object.keys(resolveOptions(good).limits))('refuse a limit that is no plain number: %s', (name) => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, '5', null]) {
      expect(make({ limits: { [name]: value } })).toThrow(`twoFactor: limits.${name}`)
    }
  })

  it('never quote a value, because some are secrets', () => {
    expect(make({ secret: 'hunter2' })).toThrow(expect.not.stringContaining('hunter2') as never)
    expect(make({ secret: 'hunter2', hunter3: 'hunter2' })).not.toThrow('hunter2')
  })

  it('refuse a key that no page uses', () => {
    expect(make({ messages: { en: { nothing: 'x' } } })).toThrow(
      'messages.en: unknown key "nothing" (keys look like "code.title")',
    )
  })

  it('that are required and missing are all named at once, with lines to paste', () => {
    expect(() => twoFactor({} as never)).toThrow(
      'twoFactor: missing provider, appName, approvedStatuses, secret, subject, phone, countries; add\n',
    )
    expect(make({ secret: undefined, countries: undefined })).toThrow('twoFactor: missing secret, countries;')
    expect(make({ secret: undefined, dangerouslyAnyCountry: true, countries: undefined })).toThrow(
      'twoFactor: missing secret; add',
    )
  })

  it('may be inherited, or getters of a class', () => {
    const inherited = Object.create({ ...good, path: '/codes', now: () => 5 })
    expect(resolveOptions(inherited)).toMatchObject({ path: '/codes', countries: ['CO'], now: inherited.now })
    class Limited {
      get lockMs() {
        return 7
      }
    }
    expect(resolveOptions({ ...good, limits: new Limited() }).limits.lockMs).toBe(7)
  })

  it('are copied: a list that changes later changes nothing', () => {
    const countries = ['CO']
    const cooldownMs = [1_000]
    const settings = resolveOptions({ ...good, countries, limits: { cooldownMs } })
    countries.push('ZZ')
    cooldownMs.push(0)
    expect(settings.countries).toEqual(['CO'])
    expect(settings.limits.cooldownMs).toEqual([1_000])
  })

  it('are not written into', () => {
    const frozen = Object.freeze({ ...good, limits: Object.freeze({}), purposes: Object.freeze({}) })
    expect(() => twoFactor(frozen)).not.toThrow()
    expect(frozen.limits).toEqual({})
  })

  it('are refused when they are none', () => {
    for (const none of [undefined, null, 'options', []]) {
      expect(() => twoFactor(none as never)).toThrow('twoFactor: options must be an object')
    }
  })

  it('have the documented limits as defaults', () => {
    expect(resolveOptions(good).limits).toEqual(documentedLimits)
  })

  it('take a single limit and an address counter that is off', () => {
    const { limits } = resolveOptions({ ...good, limits: { lockMs: 1, sendsPerAddressPer10Min: false } })
    expect(limits).toMatchObject({ lockMs: 1, sendsPerAddressPer10Min: false, attemptsPerChallenge: 5 })
  })

  it('that are undefined count as absent', () => {
    expect(resolveOptions({ ...good, limits: { lockMs: undefined } } as never).limits.lockMs).toBe(900_000)
  })

  it('lift the list of countries by name alone', () => {
    const { countries: _listed, ...anywhere } = good
    expect(resolveOptions({ ...anywhere, dangerouslyAnyCountry: true }).countries).toBe('any')
    expect(resolveOptions(good).countries).toEqual(['CO'])
  })

  it('know every country that has a numbering plan', () => {
    const listed = getCountries()
    expect(resolveOptions({ ...good, countries: listed }).countries).toEqual(listed)
    const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
    const codes = letters.flatMap((first) => letters.map((second) => first + second))
    const taken = codes.filter((code) => {
      try {
        return resolveOptions({ ...good, countries: [code] }).countries
      } catch {
        return false
      }
    })
    expect(taken).toEqual(listed.toSorted())
  })

  it('take a countryCode that the client sends', () => {
    for (const countryCode of getCountries()) {
      const isSent = countryCodes.has(countryCode)
      const making = expect(() => resolveOptions({ ...good, countryCode }))
      if (isSent) making.not.toThrow()
      else making.toThrow('countryCode must be an upper-case ISO 3166-1')
    }
  })

  it('make no stateful code pattern', () => {
    const { codePattern } = resolveOptions({ ...good, codePattern: /^\d{6}$/gy })
    expect([1, 2, 3].map(() => codePattern.test('482913'))).toEqual([true, true, true])
  })
})

describe('the profile psd2', () => {
  it('locks at five failures and takes no wider value', () => {
    const psd2 = resolveOptions({ ...good, limits: { profile: 'psd2' } })
    expect(psd2.limits).toMatchObject({ failuresBeforeLock: 5, attemptsPerChallenge: 5, maxAgeMs: 300_000 })
    expect(make({ limits: { profile: 'psd2', failuresBeforeLock: 6 } })).toThrow(
      'limits.failuresBeforeLock must be 5 or less',
    )
    expect(make({ limits: { profile: 'psd2', maxAgeMs: 300_001 } })).toThrow(
      'limits.maxAgeMs must be 300000 or less',
    )
    expect(make({ limits: { profile: 'psd2' }, purposes: { pay: { maxAgeMs: 300_001 } } })).toThrow(
      'purposes.pay.maxAgeMs',
    )
    const tf = twoFactor({ ...good, limits: { profile: 'psd2', failuresBeforeLock: 3 } })
    expect(() => tf.requireTwoFactor({ purpose: 'pay', maxAgeMs: 300_001 })).toThrow(
      'maxAgeMs must be 300000 or less',
    )
    expect(() => tf.requireTwoFactor({ purpose: 'pay', maxAgeMs: 60_000 })).not.toThrow()
  })
})

describe('describeLimits', () => {
  it('makes a table of what is in force', () => {
    const table = twoFactor({
      ...good,
      limits: { lockMs: 90_000, sendsPerAddressPer10Min: false },
    }).describeLimits()
    const lines = table.split('\n')
    expect(lines.slice(0, 3)).toEqual([
      '| limit | value |',
      '| --- | --- |',
      '| `attemptsPerChallenge` | 5 |',
    ])
    expect(lines).toContain('| `lockMs` | 90 s |')
    expect(lines).toContain('| `cooldownMs` | 1 min, 2 min, 5 min |')
    expect(lines).toContain('| `loginMaxAgeMs` | 12 h |')
    expect(lines).toContain('| `sendsPerAddressPer10Min` | off |')
    expect(lines).toContain('| `storeTimeoutMs` | 250 ms |')
  })
})
