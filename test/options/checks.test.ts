import { describe, expect, test } from 'vitest'
import { tokenSession, twoFactor } from '../../src/index.js'

const noop = () => {}
const store = { read: noop, swap: noop, increment: noop }
const codes = { sendCode: noop, checkCode: noop, balance: noop }
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
  authenticator: { secretOf: noop, issuer: 'Acme' },
}

/** Puts a value at `limits.lockMs` or at `pages.brand`. */
function at([name = '', ...rest]: readonly string[], value: unknown, above = ''): object {
  if (rest.length === 0) return { [name]: value }
  const path = `${above}${name}`
  return { [name]: { ...beside[path], ...at(rest, value, `${path}.`) } }
}

const refused = (path: string, value: unknown) => refusal(at(path.split('.'), value))

type Row = readonly [path: string, message: string, right: readonly unknown[], wrong: readonly unknown[]]

const day = 24 * 60 * 60_000
const source = 'must be a source such as https://cdn.example.com'
const link =
  "must be a path such as '/help', an https URL, a mailto: or tel: link, or a function (req) => string"
const someCountries = "must list at least one country, in an array such as ['CO']"
const country = "must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'"
const duration = 'must be an integer, 1 or more (milliseconds)'
const timeout = 'must be an integer from 1 to 2147483647 (milliseconds)'
const secret = 'must have 32 bytes or more; make one with: openssl rand -base64 48'
const oneOrMore = 'must be an integer, 1 or more'
const noneOrMore = 'must be an integer, 0 or more'
const noneOrMoreOrOff = 'must be an integer, 0 or more, or false'
const noNumbers = [1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null]
const fn = (signature: string) => `must be a function ${signature}`

const methodList =
  "must list methods of the provider such as 'sms' and 'call', each once, the preferred one first"
const rows: readonly Row[] = [
  [
    'appName',
    'must be a non-empty string, or one per purpose with at least "login"',
    ['A', { login: 'A' }],
    ['', 5],
  ],
  ['subject', fn('(req) => subject'), [noop], ['ana']],
  ['phone', fn('(req, subject) => phone number'), [noop], ['+57']],
  ['secret', secret, ['s'.repeat(32), 'é'.repeat(16), ['s'.repeat(32)]], ['s'.repeat(31), 5, []]],
  ['countries', someCountries, [['CO', 'XK']], [[], 'CO']],
  [
    'channels',
    methodList,
    [['sms'], ['call'], ['call', 'sms']],
    [[], ['sms', 'sms'], ['+57'], ['sms', 5], 'sms', new Set(['sms'])],
  ],
  ['code.pattern', 'must be a regular expression', [/^\d+$/], ['^\\d+$']],
  ['code.letters', 'must be true or false', [true], [1]],
  [
    'path',
    "must be a fixed path such as '/two-factor', without parameters or a trailing slash",
    ['/a', '/a.b~c%20-d/x'],
    [
      '',
      '/',
      'a',
      '/a/',
      '//a',
      '/a b',
      'x/a',
      '/a?',
      '/:tenant',
      '/app/:tenant/two-factor',
      '/a/*rest',
      5,
      ['/a'],
    ],
  ],
  [
    'namespace',
    'must be a string of up to 64 letters, digits, dots, hyphens or underscores',
    ['', 'a.b-c_1', 'x'.repeat(64)],
    ['x'.repeat(65), 'a:b', 'a{b', '{a', 'a}', 5],
  ],
  [
    'store',
    'must be a store: memoryStore(), redisStore() or your own',
    [store],
    (['read', 'swap', 'increment'] as const).map((verb) => ({ ...store, [verb]: undefined })),
  ],
  [
    'session',
    'must be expressSession(), tokenSession() or { id, rotate }',
    [{ id: noop, rotate: noop }],
    [{ id: noop }, { rotate: noop }],
  ],
  ['purposes', 'must be an object of purposes by name', [{ pay: {} }], ['pay', []]],
  ['purposes.pay.maxAgeMs', duration, [1], [0]],
  ['purposes.pay.once', 'must be true or false', [true, false], [1]],
  ['purposes.pay.trustedDevice', 'must be true or false', [false], [1]],
  ['purposes.pay.recoveryCode', 'must be true or false', [false], [1]],
  ['purposes.pay.channels', methodList, [['sms']], [[]]],
  [
    'trustedDevices.maxAgeMs',
    `must be an integer from 1 to ${30 * day} (milliseconds)`,
    [1, 30 * day],
    [0, 30 * day + 1],
  ],
  ['trustedDevices.label', fn('(req) => string'), [noop], ['Firefox']],
  ['knownBrowsers.maxAgeMs', duration, [1], [0]],
  ['knownBrowsers', 'must be an object with: maxAgeMs', [false], [true]],
  ['dangerouslyAnyCountry', 'must be true', [], [false]],
  ['signupGuard.mode', "must be 'observe' or 'enforce'", ['observe', 'enforce'], ['block']],
  ['signupGuard.unprovenPerHour', oneOrMore, [1], [0]],
  ['signupGuard.unprovenPerDay', oneOrMore, [1], [0]],
  ['signupGuard.ratio', 'must be a number above 0', [0.5], [0, -1, Number.POSITIVE_INFINITY, '2']],
  ['signupGuard.countries', someCountries, [['CO']], [[], 'CO']],
  ['authenticator.secretOf', fn('(req, subject) => secret in base32'), [noop], ['JBSWY3DP']],
  [
    'authenticator.issuer',
    'must be a non-empty string without a colon: the name of your app',
    ['Acme'],
    ['', 'a:b', 5],
  ],
  ['recoveryCodes.consume', fn('(subject, hash) => boolean'), [noop], ['all']],
  ['recoveryCodes.remaining', fn('(subject) => number'), [noop], [5]],
  [
    'allowedOrigins',
    'must be an array of origins',
    [[], ['https://a.example', 'http://localhost:3000']],
    ['https://a.example'],
  ],
  ['pages.locale', 'must be a locale or a function (req) => locale', ['es', noop], [5]],
  ['pages.messages', 'must be an object of strings per locale', [{}], ['es']],
  ['pages.messages.es', 'must be an object of strings', [{}, { 'sent.sms': undefined }], ['hola']],
  ['pages.formFields', fn('(req) => ({ name: value })'), [noop], [{}]],
  ['pages.render', fn('(view, { req, res, locale, texts, html }) => html'), [noop], [{}]],
  ['onVerified', fn('(req, res, grant)'), [noop], [true]],
  ['onCancelled', fn('(req, res)'), [noop], [true]],
  ['beforeSend', fn('(req, send) => boolean or { allow, reason?, method? }'), [noop], [true]],
  ['onEvent', fn('(event)'), [noop], [true]],
  ['now', fn('() => milliseconds'), [noop], [5]],
  ['limits.profile', "must be 'psd2'", ['psd2'], ['psd1']],
  ['limits.attemptsPerChallenge', 'must be an integer from 1 to 10', [1, 10], [0, 11]],
  ...['failuresBeforeLock', 'failuresBeforeDisable'].map(
    (name): Row => [`limits.${name}`, oneOrMore, [1], [0, ...noNumbers]],
  ),
  ...['lockMs', 'codeLifetimeMs', 'maxAgeMs', 'loginMaxAgeMs'].map(
    (name): Row => [`limits.${name}`, duration, [1], [0, ...noNumbers]],
  ),
  ...['verifyTimeoutMs', 'sendTimeoutMs', 'storeTimeoutMs'].map(
    (name): Row => [`limits.${name}`, timeout, [1], [0, 2 ** 31, ...noNumbers]],
  ),
  ...(
    'sendsPerHour sendsPerDay allSendsPerHour allSendsPerDay enrolSendsPerDay ' +
    'numbersPerSessionPerDay serviceSendsPerMinute serviceEnrolSendsPerHour serviceEnrolSendsPerDay'
  )
    .split(' ')
    .map((name): Row => [`limits.${name}`, noneOrMore, [0], [-1, false, () => 1, ...noNumbers]]),
  ...['sendsPerAddressPer10Min', 'enrolSendsPerAddressPer10Min', 'enrolSendsPerAddressPerDay'].map(
    (name): Row => [`limits.${name}`, noneOrMoreOrOff, [0, 5, false], [-1, true, ...noNumbers]],
  ),
  [
    'limits.cooldownMs',
    'must list at least one pause in milliseconds, in an array such as [30_000]',
    [[0], [1, 2]],
    [[], 5],
  ],
  ...['signIn', 'addPhone', 'support', 'lostPhone', 'home', 'otherMethod'].map(
    (name): Row => [`pages.links.${name}`, link, ['/a', noop], [5, {}, 'javascript:alert(1)']],
  ),
  ['pages.brand.name', 'must be a non-empty string', ['Acme'], ['']],
  [
    'pages.brand.logoUrl',
    'must be a non-empty string: a path of this site or an https URL',
    ['/logo.svg', 'https://cdn.example.com/logo.svg'],
    [
      '',
      'logo.svg',
      '//cdn.example.com/logo.svg',
      'http://cdn.example.com/logo.svg',
      'http://localhost/logo.svg',
      'javascript:alert(1)',
      // Links take these two; they have no origin that the policy could name.
      'mailto:a@b.c',
      'tel:+15550100',
    ],
  ],
  ['pages.brand.accent', "must be a colour such as '#0b6e4f'", ['#0b6e4f', '#064'], ['red', 5]],
  ['pages.brand.accentDark', "must be a colour such as '#0b6e4f'", ['#fff'], ['']],
  [
    'pages.brand.font',
    'must be a CSS font-family list',
    [`"Open Sans", 'Inter', sans-serif`],
    ['', 'a;b', 'a}', '{a', 5],
  ],
  ['pages.brand.radius', 'must be an integer from 0 to 64 (pixels)', [0, 64], [-1, 65]],
  ['pages.brand.css', 'must be a string of CSS', ['', 'p { margin: 0 }'], [5]],
  ...['imgSrc', 'fontSrc', 'styleSrc'].map(
    (name): Row => [
      `pages.brand.csp.${name}`,
      'must be an array of sources',
      [[], ['https://cdn.example.com']],
      ['*'],
    ],
  ),
]

describe('an option', () => {
  test.each(rows)('%s is refused by name: %s', (path, message, right, wrong) => {
    for (const value of right) expect([value, refused(path, value)]).toEqual([value, undefined])
    for (const value of wrong)
      expect([value, refused(path, value)]).toEqual([value, `twoFactor: ${path} ${message}`])
  })

  const origin = 'https://a.example'
  test.each<Row>([
    ['secret', secret, ['s'.repeat(32)], ['short']],
    // Antarctica has no numbers of its own.
    ['countries', country, ['CO'], ['co', 'UK', 'AQ', ['CO']]],
    [
      'allowedOrigins',
      'must be an origin without a path, such as https://app.example.com or capacitor://localhost',
      [origin],
      [
        `${origin}/`,
        `${origin}?x`,
        'https://ana@a.example',
        'capacitor:',
        'data:text/html,x',
        'a.example',
        'null',
        new URL(origin),
      ],
    ],
    ['limits.cooldownMs', 'must be an integer, 0 or more (milliseconds)', [0], [-1]],
    ['signupGuard.countries', country, ['CO'], ['AQ']],
    ['pages.brand.csp.imgSrc', source, ['a.example'], ['a b', 'a;b', ',', 5]],
  ])('%s is refused by place: %s', (path, message, right, wrong) => {
    for (const value of wrong)
      expect([value, refused(path, [...right, value])]).toEqual([value, `twoFactor: ${path}[1] ${message}`])
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

  test('names the purpose without which none can be sent, and the one that is empty', () => {
    const fix = 'must be a non-empty string, or one per purpose with at least "login"'
    expect(refusal({ appName: { pay: 'A' } })).toBe(`twoFactor: appName ${fix}`)
    expect(refusal({ appName: { login: '' } })).toBe(
      'twoFactor: appName.login must be a non-empty string: the app-name at the provider',
    )
    expect(refusal({ pages: { messages: { es: { 'sent.sms': 5 } } } })).toBe(
      'twoFactor: pages.messages.es.sent.sms must be a string',
    )
  })

  test.each(['trustedDevices', 'knownBrowsers'])('%s needs an age', (name) => {
    expect(refusal({ [name]: {} })).toBe(`twoFactor: missing ${name}.maxAgeMs`)
  })
})

describe('what is missing', () => {
  test('within an option is named with it', () => {
    expect(refusal({ recoveryCodes: {} })).toBe('twoFactor: missing recoveryCodes.consume')
    expect(refusal({ pages: { brand: {} } })).toBe('twoFactor: missing pages.brand.name')
  })

  test('is named with lines to paste', () => {
    expect(() => twoFactor({} as never)).toThrow(
      [
        'twoFactor: missing provider, appName, secret, subject, phone, countries; add',
        '  provider: providerCodes({ client: createClient({ baseUrl, client, key }), approvedStatuses }),',
        "  appName: 'Acme', // the app-name at the provider",
        '  secret: process.env.TWO_FACTOR_SECRET, // 32 bytes or more: openssl rand -base64 48',
        '  subject: (req) => req.session.pendingUserId ?? req.session.userId,',
        '  phone: (req, subject) => users.phoneOf(subject), // the number on file',
        "  countries: ['CO', 'MX'], // the only countries that codes may go to",
      ].join('\n'),
    )
    for (const none of [undefined, null, 'options', []]) {
      expect(() => twoFactor(none as never)).toThrow('twoFactor: options must be an object with')
    }
  })

  test('is no list of countries where any will do, but not both', () => {
    expect(refusal({ countries: undefined, dangerouslyAnyCountry: true })).toBeUndefined()
    expect(refusal({ countries: undefined })).toContain('missing countries')
    expect(refusal({ dangerouslyAnyCountry: true })).toBe(
      'twoFactor: countries and dangerouslyAnyCountry exclude each other; pass one of them',
    )
  })
})

test('a browser without a cookie cannot be trusted, and is not known', () => {
  const session = tokenSession(() => 'sid')
  const trustedDevices = { maxAgeMs: day }
  const message = 'twoFactor: remove trustedDevices: with bearer tokens no cookie tells browsers apart'
  expect(refusal({ session, trustedDevices })).toBe(message)
  expect(refusal({ session: { id: noop, rotate: noop, bearer: true }, trustedDevices })).toBe(message)
  expect(refusal({ session: { id: noop, rotate: noop }, trustedDevices })).toBeUndefined()
  expect(refusal({ session, knownBrowsers: { maxAgeMs: day } })).toBeUndefined()
})

describe('an option that has moved', () => {
  const ofAccount =
    'approvedStatuses calibratedAt rejectedCodes accountErrorCodes voice callRetries countryCode'
  const ofPages = 'locale messages brand links render formFields'
  test.each<readonly [string, string]>([
    ...ofAccount.split(' ').map((name) => [name, `provider: providerCodes({ client, ${name} })`] as const),
    ...ofPages.split(' ').map((name) => [name, `pages: { ${name} }`] as const),
    ['codePattern', 'code: { pattern }'],
    ['codeLetters', 'code: { letters }'],
    ['balance', 'examples/watch-balance.ts'],
    ['deliveryWatch', 'examples/watch-delivery.ts'],
  ])('is refused with its new place: %s', (name, place) => {
    expect(refusal({ [name]: 'given' })).toBe(`twoFactor: "${name}" has moved: ${place}`)
    // Inherited ones count as given.
    expect(refusal(Object.create({ ...minimal, [name]: 'given' }), {})).toContain('has moved')
  })

  test.each([
    ['watch.balance', 'examples/watch-balance.ts'],
    ['watch.delivery', 'examples/watch-delivery.ts'],
    ['watch.signups', 'signupGuard'],
  ])('is refused with its new place where it was a member: %s', (name, place) => {
    expect(refused(name, {})).toBe(`twoFactor: "${name}" has moved: ${place}`)
  })
})

test.each([
  [
    'failuresPerSubjectPerDay',
    'wrong codes are counted by account, see attemptsPerChallenge and failuresBeforeDisable',
  ],
  ['sendsPerChallenge', 'a challenge sends as many codes as cooldownMs and sendsPerHour let it'],
  ['callsPerHour', 'a call counts as two of sendsPerHour'],
  ['callsPerDay', 'a call counts as two of sendsPerDay'],
  ['sendsPerSubjectPerDay', 'sends are counted by number, see sendsPerDay and allSendsPerDay'],
  [
    'sendsPerSessionPerHour',
    'sends are counted by number and by address, new numbers of a session by numbersPerSessionPerDay',
  ],
  ['verificationsPerAddressPer10Min', 'guesses are counted by account and number, sends by address'],
  [
    'enrolVerificationsPerAddressPer10Min',
    'guesses are counted by number, sends and questions to beforeSend by address',
  ],
  ['hostTimeoutMs', 'your functions are awaited; give the clients of your databases a deadline of their own'],
])('a limit that is gone says what holds instead: %s', (name, instead) => {
  const limits = { [name]: 5 }
  expect(refusal({ limits })).toBe(`twoFactor: limits.${name} is gone: ${instead}`)
  expect(refusal({ limits: Object.create(limits) })).toContain('is gone')
})

test.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY, '250', null])(
  'the deadline of a store is one, if it has any: %s',
  (timeoutMs) => {
    expect(refusal({ store: { ...store, timeoutMs } })).toBe(`twoFactor: store.timeoutMs ${timeout}`)
  },
)

const authenticator = { secretOf: noop, issuer: 'Acme' }

describe('a provider', () => {
  test.each([
    ['sendCode', { ...codes, sendCode: undefined }],
    ['checkCode', { ...codes, checkCode: undefined }],
    ['either, as a client', { sendSmsCode: noop, verifyCode: noop }],
  ])('without %s is none', (_, provider) => {
    expect(refusal({ provider })).toBe(
      'twoFactor: provider must be a CodeProvider, such as providerCodes({ client: createClient({ … }), approvedStatuses: [ … ] })',
    )
  })

  const none = 'the provider declares no method'
  const named =
    "must be 1 to 32 letters, digits, dots, hyphens or underscores, such as 'passkey', and none of the kinds of proof: code, app, trusted-device, recovery-code"
  const whatsapp = { name: 'whatsapp', label: 'WhatsApp' }
  const pay = { purposes: { login: {}, pay: { channels: ['whatsap'] } } }
  test.each<[object[] | undefined, object, string?]>([
    [undefined, { channels: ['sms', 'call'] }],
    [undefined, { channels: ['sms', 'whatsapp'] }, `channels: ${none} "whatsapp"; it has: sms, call`],
    [[whatsapp], { channels: ['whatsapp'] }],
    [[{ name: 'whatsapp' }], {}],
    [[whatsapp], pay, `purposes.pay.channels: ${none} "whatsap"; did you mean "whatsapp"?`],
    [[], {}, 'provider.methods must list at least one method: { name, label }'],
    [[{ label: 'WhatsApp' }], {}, 'missing provider.methods[0].name'],
    [
      [{ ...whatsapp, label: '' }],
      {},
      'provider.methods[0].label must be a non-empty string: what people call it',
    ],
    [[whatsapp, { name: '+57' }], {}, `provider.methods[1].name ${named}`],
    [[{ name: 'app' }], {}, `provider.methods[0].name ${named}`],
    [[{ name: 'code' }], {}, `provider.methods[0].name ${named}`],
    [[{ name: 'sms' }], { channels: ['app'] }, `channels: ${none} "app"; it has: sms`],
    [[{ name: 'sms' }], { authenticator, channels: ['sms', 'app'] }],
    [[{ name: 'sms' }], { authenticator, purposes: { pay: { channels: ['app'] } } }],
    [
      [{ name: 'sms' }],
      { authenticator, channels: ['sms'] },
      "authenticator: add 'app' to channels, or to those of a purpose",
    ],
  ])('says how codes can travel: %j, with %j', (methods, more, message) => {
    const provider = methods === undefined ? codes : { ...codes, methods }
    expect(refusal({ provider, ...more })).toBe(message && `twoFactor: ${message}`)
  })

  test('has a name and a deadline, if any', () => {
    expect(refusal({ provider: { ...codes, name: 'a', timeoutMs: 1 } })).toBeUndefined()
    expect(refusal({ provider: { ...codes, name: '' } })).toBe(
      'twoFactor: provider.name must be a non-empty string',
    )
    expect(refusal({ provider: { ...codes, timeoutMs: 0 } })).toBe(`twoFactor: provider.timeoutMs ${timeout}`)
  })
})
