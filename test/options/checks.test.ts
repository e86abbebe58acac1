import { describe, expect, test } from 'vitest'
import { tokenSession, twoFactor } from '../../src/index.js'

const noop = () => {}
const store = { read: noop, swap: noop, increment: noop }
const codes = { sendCode: noop, checkCode: noop, balance: noop }
const authenticator = { secretOf: noop, issuer: 'Acme' }
const passkeys = { signerOf: noop }
const minimal = {
  provider: codes,
  appName: 'Acme',
  secret: 's'.repeat(32),
  subject: noop,
  phone: noop,
  countries: ['CO'],
}

function refusal(change: object, usual: object = minimal): string | undefined {
  const options = usual === minimal ? { ...minimal, ...change } : change
  try {
    void twoFactor(options as never).close()
  } catch (error) {
    expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_TWO_FACTOR_OPTION' })
    return (error as Error).message
  }
  return undefined
}

/** What goes with a member to make its object whole. */
const beside: Readonly<Record<string, object>> = {
  'pages.brand': { name: 'Acme' },
  recoveryCodes: { consume: noop },
  trustedDevices: { maxAgeMs: 1 },
  authenticator,
}

/** Puts a value at `limits.lockMs` or at `pages.brand`. */
function at([name = '', ...rest]: readonly string[], value: unknown, above = ''): object {
  if (rest.length === 0) return { [name]: value }
  const path = `${above}${name}`
  return { [name]: { ...beside[path], ...at(rest, value, `${path}.`) } }
}

const refused = (path: string, value: unknown) => refusal(at(path.split('.'), value))

const day = 24 * 60 * 60_000
const noNumbers = [1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null]

/** Options of one kind, with how the refusal begins, what is taken and what is refused. */
type Row = readonly [paths: string, says: string, right: readonly unknown[], wrong: readonly unknown[]]

const rows: readonly Row[] = [
  [
    'subject phone onVerified onCancelled beforeSend onEvent now trustedDevices.label authenticator.secretOf ' +
      'authenticator.label recoveryCodes.consume recoveryCodes.remaining pages.formFields pages.render',
    'must be a function (',
    [noop],
    ['ana', {}],
  ],
  [
    'code.letters purposes.pay.once purposes.pay.trustedDevice purposes.pay.recoveryCode',
    'must be true or false',
    [false],
    [1],
  ],
  [
    'limits.failuresBeforeLock limits.failuresBeforeDisable limits.lockMs limits.codeLifetimeMs ' +
      'purposes.pay.maxAgeMs knownBrowsers.maxAgeMs signupGuard.unprovenPerHour ' +
      'signupGuard.unprovenPerDay',
    'must be an integer, 1 or more',
    [1],
    [0, ...noNumbers],
  ],
  [
    'limits.sendsPerHour limits.sendsPerDay limits.allSendsPerHour limits.allSendsPerDay limits.enrolSendsPerDay ' +
      'limits.numbersPerSessionPerDay limits.serviceSendsPerMinute limits.serviceEnrolSendsPerHour ' +
      'limits.serviceEnrolSendsPerDay',
    'must be an integer, 0 or more',
    [0],
    [-1, false, () => 1, ...noNumbers],
  ],
  [
    'limits.sendsPerAddressPer10Min limits.enrolSendsPerAddressPer10Min limits.enrolSendsPerAddressPerDay',
    'must be an integer, 0 or more, or false',
    [0, 5, false],
    [-1, true, ...noNumbers],
  ],
  ['limits.attemptsPerChallenge', 'must be an integer from 1 to 10', [1, 10], [0, 11]],
  ['limits.cooldownMs', 'must list at least one pause', [[0], [1, 2]], [[], 5]],
  ['limits.profile', "must be 'psd2'", ['psd2'], ['psd1']],
  ['appName', 'must be a non-empty string, or one per purpose', ['A', { login: 'A' }], ['', 5, { pay: 'A' }]],
  [
    'secret',
    'must have 32 bytes or more',
    ['s'.repeat(32), 'é'.repeat(16), ['s'.repeat(32)]],
    ['s'.repeat(31), 5, []],
  ],
  ['countries signupGuard.countries', 'must list at least one country', [['CO', 'XK']], [[], 'CO']],
  [
    'channels purposes.pay.channels',
    'must list methods of the provider',
    [['sms'], ['call'], ['call', 'sms']],
    [[], ['sms', 'sms'], ['+57'], ['sms', 5], 'sms', new Set(['sms'])],
  ],
  ['code.pattern', 'must be a regular expression', [/^\d+$/], ['^\\d+$']],
  [
    'path',
    "must be a fixed path such as '/two-factor'",
    ['/a', '/a.b~c%20-d/x'],
    ['', '/', 'a', '/a/', '//a', '/a b', 'x/a', '/a?', '/app/:tenant/two-factor', '/a/*rest', ['/a']],
  ],
  [
    'namespace',
    'must be a string of up to 64 letters',
    ['', 'a.b-c_1', 'x'.repeat(64)],
    ['x'.repeat(65), 'a:b', 'a{b', '{a', 'a}', 5],
  ],
  [
    'store',
    'must be a store',
    [store],
    [
      { ...store, read: undefined },
      { ...store, swap: undefined },
      { ...store, increment: undefined },
    ],
  ],
  [
    'session',
    'must be expressSession(), tokenSession()',
    [{ id: noop, regenerate: noop }],
    [{ id: noop }, { regenerate: noop }],
  ],
  ['purposes', 'must be an object of purposes by name', [{ pay: {} }], ['pay', []]],
  // NIST SP 800-63B-4, 5.1.
  ['trustedDevices.maxAgeMs', 'must be an integer from 1 to', [1, 30 * day], [0, 30 * day + 1]],
  ['knownBrowsers', 'must be an object with: maxAgeMs', [false], [true]],
  ['signupGuard.mode', "must be 'observe' or 'enforce'", ['observe', 'enforce'], ['block']],
  ['signupGuard.ratio', 'must be a number above 0', [0.5], [0, -1, Number.POSITIVE_INFINITY, '2']],
  ['authenticator.issuer', 'must be a non-empty string without a colon', ['Acme'], ['', 'a:b', 5]],
  [
    'allowedOrigins',
    'must be an array of origins',
    [[], ['https://a.example', 'http://localhost:3000']],
    ['https://a.example'],
  ],
  ['pages.locale', 'must be a locale or a function', ['es', noop], [5]],
  ['pages.messages', 'must be an object of strings per locale', [{}], ['es']],
  ['pages.messages.es', 'must be an object of strings', [{}, { 'sent.sms': undefined }], ['hola']],
  [
    ['signIn', 'addPhone', 'support', 'lostPhone', 'home', 'otherMethod']
      .map((name) => `pages.links.${name}`)
      .join(' '),
    'must be a path such as',
    ['/a', noop],
    [5, {}, 'javascript:alert(1)'],
  ],
  ['pages.brand.name', 'must be a non-empty string', ['Acme'], ['']],
  [
    'pages.brand.logoUrl',
    'must be a non-empty string: a path of this site or an https URL',
    ['/logo.svg', 'https://cdn.example.com/logo.svg'],
    // Links take the last one; it has no origin that the policy could name.
    ['', 'logo.svg', '//cdn.example.com/logo.svg', 'http://localhost/logo.svg', 'mailto:a@b.c'],
  ],
  ['pages.brand.accent', 'must be a color', ['#0b6e4f', '#064'], ['red', 5]],
  ['pages.brand.accentDark', 'must be a color', ['#fff'], ['']],
  [
    'pages.brand.font',
    'must be a CSS font-family list',
    [`"Open Sans", 'Inter', sans-serif`],
    ['', 'a;b', 'a}', '{a', 5],
  ],
  ['pages.brand.radius', 'must be an integer from 0 to 64', [0, 64], [-1, 65]],
  ['pages.brand.css', 'must be a string of CSS', ['', 'p { margin: 0 }'], [5]],
  [
    'pages.brand.csp.imgSrc pages.brand.csp.fontSrc pages.brand.csp.styleSrc',
    'must be an array of sources',
    [[], ['https://cdn.example.com']],
    ['*'],
  ],
]

describe('an option', () => {
  const single = rows.flatMap(([paths, ...row]) => paths.split(' ').map((path) => [path, ...row] as const))
  test.each(single)('%s is refused by name: it %s', (path, says, right, wrong) => {
    for (const value of right) expect([value, refused(path, value)]).toEqual([value, undefined])
    for (const value of wrong) {
      expect([value, refused(path, value)]).toEqual([
        value,
        expect.stringContaining(`twoFactor: ${path} ${says}`),
      ])
    }
  })

  const origin = 'https://a.example'
  test.each<Row>([
    ['secret', 'must have 32 bytes or more', ['s'.repeat(32)], ['short']],
    // Antarctica has no numbers of its own.
    ['countries', 'must be an upper-case ISO 3166-1 alpha-2 code', ['CO'], ['co', 'UK', 'AQ', ['CO']]],
    [
      'allowedOrigins',
      'must be an origin without a path',
      [origin],
      [`${origin}/`, `${origin}?x`, 'https://ana@a.example', 'data:text/html,x', 'null', [origin]],
    ],
    ['limits.cooldownMs', 'must be an integer, 0 or more (milliseconds)', [0], [-1]],
    ['pages.brand.csp.imgSrc', 'must be a source', ['a.example'], ['a b', 'a;b', ',', 5]],
  ])('%s is refused by place: it %s', (path, says, right, wrong) => {
    for (const value of wrong) {
      expect([value, refused(path, [...right, value])]).toEqual([
        value,
        expect.stringContaining(`twoFactor: ${path}[1] ${says}`),
      ])
    }
  })

  test.each([
    ['coutries', 'did you mean "countries"?'],
    ['limits.sendPerHour', 'did you mean "sendsPerHour"?'],
    ['limits.limit', 'see docs/reference.md#limits'],
    ['pages.links.signin', 'did you mean "signIn"?'],
    ['pages.brand.csp.img', 'expected: imgSrc, fontSrc, styleSrc'],
    ['purposes.pay.onec', 'expected: maxAgeMs, once, channels, trustedDevice, recoveryCode'],
    ['trustedDevices.maxAge', 'did you mean "maxAgeMs"?'],
    ['knownBrowsers.maxAge', 'did you mean "maxAgeMs"?'],
    ['signupGuard.ratios', 'did you mean "ratio"?'],
    ['recoveryCodes.remaning', 'did you mean "remaining"?'],
  ])('that is misspelt is named, wherever it stands: %s', (name, hint) => {
    expect(refused(name, 5)).toContain(`twoFactor: unknown option "${name}"; ${hint}`)
  })

  test('never quotes a value, because some are secrets', () => {
    expect(refusal({ secret: 'hunter2', hunter3: 'hunter2' })).not.toContain('hunter2')
    expect(refusal({ secret: 'hunter2' })).not.toContain('hunter2')
  })

  test.each([
    ['appName', { login: '' }, 'appName.login must be a non-empty string: the app-name at the provider'],
    ['pages.messages', { es: { 'sent.sms': 5 } }, 'pages.messages.es.sent.sms must be a string'],
    ['trustedDevices', {}, 'missing trustedDevices.maxAgeMs'],
    ['knownBrowsers', {}, 'missing knownBrowsers.maxAgeMs'],
    ['recoveryCodes', {}, 'missing recoveryCodes.consume'],
    ['authenticator', {}, 'missing authenticator.secretOf, authenticator.issuer'],
    ['pages', { brand: {} }, 'missing pages.brand.name'],
  ])('%s that is %j names the member: %s', (name, value, says) => {
    expect(refused(name, value)).toBe(`twoFactor: ${says}`)
  })
})

describe('what is missing', () => {
  test('is named with lines to paste', () => {
    expect(() => twoFactor({} as never)).toThrow(
      /^twoFactor: missing provider, appName, secret, subject, phone, countries; add\n {2}provider: providerCodes\(.*\n {2}appName: 'Acme'.*\n(.+\n)+ {2}countries: \['CO', 'MX'\],.*$/,
    )
    for (const none of [undefined, null, 'options', []]) {
      expect(() => twoFactor(none as never)).toThrow('twoFactor: options must be an object with')
    }
  })

  test('includes the countries, unless every country is allowed on purpose', () => {
    expect(refusal({ countries: 'dangerously-any' })).toBeUndefined()
    expect(refusal({ countries: undefined })).toContain('missing countries')
    expect(refusal({ countries: 'any' })).toContain("'dangerously-any'")
  })
})

test('a browser without a cookie cannot be trusted, and is not known', () => {
  const session = tokenSession(() => 'sid')
  const trustedDevices = { maxAgeMs: day }
  expect(refusal({ session, trustedDevices })).toContain('remove trustedDevices: with bearer tokens')
  expect(refusal({ session: { id: noop, regenerate: noop }, trustedDevices })).toBeUndefined()
  expect(refusal({ session, knownBrowsers: { maxAgeMs: day } })).toBeUndefined()
})

test.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY, '250', null])(
  'the deadline of a store is one, if it has any: %s',
  (timeoutMs) => {
    expect(refusal({ store: { ...store, timeoutMs } })).toContain('twoFactor: store.timeoutMs must be')
  },
)

describe('a provider', () => {
  test.each([
    ['sendCode', { ...codes, sendCode: undefined }],
    ['checkCode', { ...codes, checkCode: undefined }],
    ['either, as a client', { sendSmsCode: noop, verifyCode: noop }],
  ])('without %s is none', (_, provider) => {
    expect(refusal({ provider })).toContain('twoFactor: provider must be a CodeProvider, such as')
  })

  const none = 'the provider declares no method'
  const named = 'must be 1 to 32 letters, digits, dots, hyphens or underscores'
  const whatsapp = { name: 'whatsapp', label: 'WhatsApp' }
  const pay = { purposes: { login: {}, pay: { channels: ['whatsap'] } } }
  test.each<[object[] | undefined, object, string?]>([
    [undefined, { channels: ['sms', 'call'] }],
    [undefined, { channels: ['sms', 'whatsapp'] }, `channels: ${none} "whatsapp"; it has: sms, call`],
    [[whatsapp], { channels: ['whatsapp'] }],
    [[{ name: 'whatsapp' }], {}],
    [[whatsapp], pay, `purposes.pay.channels: ${none} "whatsap"; did you mean "whatsapp"?`],
    [[], {}, 'provider.methods must list at least one method'],
    [[{ label: 'WhatsApp' }], {}, 'missing provider.methods[0].name'],
    [[{ ...whatsapp, label: '' }], {}, 'provider.methods[0].label must be a non-empty string'],
    [[whatsapp, { name: '+57' }], {}, `provider.methods[1].name ${named}`],
    [[{ name: 'app' }], {}, `provider.methods[0].name ${named}`],
    [[{ name: 'code' }], {}, `provider.methods[0].name ${named}`],
    [[{ name: 'sms' }], { channels: ['app'] }, `channels: ${none} "app"; it has: sms`],
    [[{ name: 'sms' }], { authenticator, channels: ['sms', 'app'] }],
    [[{ name: 'sms' }], { authenticator, purposes: { pay: { channels: ['app'] } } }],
    [[{ name: 'sms' }], { authenticator, channels: ['sms'] }, "authenticator: add 'app' to channels"],
    [[{ name: 'passkey' }], {}, `provider.methods[0].name ${named}`],
    [[{ name: 'sms' }], { channels: ['passkey'] }, `channels: ${none} "passkey"; it has: sms`],
    [[{ name: 'sms' }], { passkeys, channels: ['sms', 'passkey'] }],
    [[{ name: 'sms' }], { passkeys, channels: ['sms'] }, "passkeys: add 'passkey' to channels"],
    [
      [{ name: 'sms' }],
      { passkeys: {} },
      "passkeys must be passkeys({ … }) of 'express-two-factor/passkeys'",
    ],
  ])('says how codes can travel: %j, with %j', (methods, more, says) => {
    const provider = methods === undefined ? codes : { ...codes, methods }
    const told = refusal({ provider, ...more })
    if (says === undefined) expect(told).toBeUndefined()
    else expect(told).toContain(`twoFactor: ${says}`)
  })

  test('has a name and a deadline, if any', () => {
    expect(refusal({ provider: { ...codes, name: 'a', timeoutMs: 1 } })).toBeUndefined()
    expect(refusal({ provider: { ...codes, name: '' } })).toContain('twoFactor: provider.name must be')
    expect(refusal({ provider: { ...codes, timeoutMs: 0 } })).toContain(
      'twoFactor: provider.timeoutMs must be',
    )
  })
})
