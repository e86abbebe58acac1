import { describe, expect, it } from 'vitest'
import {
  createClient,
  failover,
  memoryStore,
  ownCodes,
  providerCodes,
  tokenSession,
  twoFactor,
} from '../src/index.js'
import { startSandbox } from '../src/sandbox/index.js'
import { redisStore } from '../src/store/redis-store.js'
import { codeProviderContract, storeContract } from '../src/testing/index.js'

const account = { baseUrl: 'http://127.0.0.1:9/v1', client: 1, key: 'k' }
const options = {
  provider: createClient(account),
  appName: { login: 'Acme', signup: 'Acme signup' },
  approvedStatuses: ['verified'],
  secret: 'a secret of thirty-two bytes or more',
  countries: ['CO'],
  subject: () => null,
  phone: () => undefined,
}
const tf = twoFactor(options)
const contract = { test: () => {}, createStore: () => memoryStore(), elapse: () => {} }
const client = createClient(account)
const codeContract = {
  test: () => {},
  createProvider: () => ownCodes({ client, secret: options.secret }),
  codeFor: () => '482913',
  sendsTo: () => 1,
  fail: () => {},
}
const sendCommand = async () => null

/** Every factory, over what would be right but for the change. */
const factories: Readonly<Record<string, (change: never) => unknown>> = {
  twoFactor: (change: object) => twoFactor({ ...options, ...change } as never),
  createClient: (change: object) => createClient({ ...account, ...change } as never),
  memoryStore: (change: object) => memoryStore(change),
  redisStore: (change: object) => redisStore({ sendCommand, ...change } as never),
  requireTwoFactor: (change: object) => tf.requireTwoFactor(change),
  start: (change: object) => tf.start(change),
  phoneVerification: (change: object) => tf.phoneVerification(change),
  tokenSession: (idOf: unknown) => tokenSession(idOf as never),
  storeContract: (change: object) => storeContract({ ...contract, ...change }),
  startSandbox: (change: object) => startSandbox(change),
  ownCodes: (change: object) => ownCodes({ client, secret: options.secret, ...change } as never),
  providerCodes: (change: object) => providerCodes({ client, approvedStatuses: ['ok'], ...change } as never),
  failover: (change: object) => failover([ownCodes({ client, secret: options.secret, name: 'a' })], change),
  codeProviderContract: (change: object) => codeProviderContract({ ...codeContract, ...change } as never),
}

/** A provider with nothing to look at. */
const adapter = {
  provider: { sendCode: async () => ({ result: 'sent' }), checkCode: async () => 'approved' },
  approvedStatuses: undefined,
}

type Probe = readonly [factory: string, change: unknown, says: string]

const misspelt: readonly Probe[] = [
  ['twoFactor', { coutries: ['CO'] }, 'unknown option "coutries"; did you mean "countries"?'],
  ['twoFactor', { secert: 'x' }, 'unknown option "secert"; did you mean "secret"?'],
  ['twoFactor', { onVerifed: () => {} }, 'unknown option "onVerifed"; did you mean "onVerified"?'],
  ['twoFactor', { rateLimit: 5 }, 'unknown option "rateLimit"; see the options table in the README'],
  [
    'twoFactor',
    { limits: { sendPerHour: 5 } },
    'unknown option "limits.sendPerHour"; did you mean "sendsPerHour"?',
  ],
  [
    'twoFactor',
    { purposes: { pay: { onec: true } } },
    'unknown option "purposes.pay.onec"; expected: maxAgeMs, once, channels, trustedDevice, recoveryCode',
  ],
  [
    'twoFactor',
    { trustedDevices: { maxAge: 5 } },
    'unknown option "trustedDevices.maxAge"; did you mean "maxAgeMs"?',
  ],
  [
    'twoFactor',
    { deliveryWatch: { after: 5 } },
    'unknown option "deliveryWatch.after"; did you mean "afterMs"?',
  ],
  ['twoFactor', { balance: { every: 5 } }, 'unknown option "balance.every"; did you mean "everyMs"?'],
  [
    'twoFactor',
    { signupGuard: { unprovenPerHours: 5 } },
    'unknown option "signupGuard.unprovenPerHours"; did you mean "unprovenPerHour"?',
  ],
  [
    'twoFactor',
    { recoveryCodes: { consume() {}, remaning() {} } },
    'unknown option "recoveryCodes.remaning"; did you mean "remaining"?',
  ],
  [
    'requireTwoFactor',
    { recoveryCodes: true },
    'unknown option "recoveryCodes"; did you mean "recoveryCode"?',
  ],
  ['createClient', { timeoutMS: 5 }, 'unknown option "timeoutMS"; did you mean "timeoutMs"?'],
  ['createClient', { apiKey: 'k' }, 'unknown option "apiKey"; expected: baseUrl, client, key'],
  ['createClient', { paths: { sendSMS: '/x' } }, 'unknown option "paths.sendSMS"; did you mean "sendSms"?'],
  ['memoryStore', { maxLedger: 5 }, 'unknown option "maxLedger"; did you mean "maxLedgers"?'],
  ['memoryStore', { size: 5 }, 'unknown option "size"; expected: maxLedgers, maxGrants'],
  ['redisStore', { strickt: true }, 'unknown option "strickt"; did you mean "strict"?'],
  ['redisStore', { timeout: 5 }, 'unknown option "timeout"; did you mean "timeoutMs"?'],
  ['redisStore', { prefix: 'x' }, 'unknown option "prefix"; expected: client, sendCommand'],
  ['requireTwoFactor', { purpouse: 'pay' }, 'unknown option "purpouse"; did you mean "purpose"?'],
  ['requireTwoFactor', { maxAge: 5 }, 'unknown option "maxAge"; did you mean "maxAgeMs"?'],
  ['requireTwoFactor', { fields: () => ({}) }, 'unknown option "fields"; expected: purpose, maxAgeMs, once'],
  ['start', { purpos: 'pay' }, 'unknown option "purpos"; did you mean "purpose"?'],
  ['start', { channel: 'sms' }, 'unknown option "channel"; expected: purpose'],
  ['phoneVerification', { purpos: 'x' }, 'unknown option "purpos"; did you mean "purpose"?'],
  ['phoneVerification', { path: '/x' }, 'unknown option "path"; expected: purpose'],
  ['storeContract', { createDown: () => {} }, 'unknown option "createDown"; expected: test, createStore'],
  ['storeContract', { elaps: () => {} }, 'unknown option "elaps"; did you mean "elapse"?'],
  ['startSandbox', { codeLenght: 4 }, 'unknown option "codeLenght"; did you mean "codeLength"?'],
  ['startSandbox', { latencyMs: 5 }, 'unknown option "latencyMs"; see the options table in the README'],
  [
    'startSandbox',
    { credentials: { client: 1, keys: 'k' } },
    'unknown option "credentials.keys"; did you mean "key"?',
  ],
]

const mistyped: readonly Probe[] = [
  ['twoFactor', { provider: {} }, 'provider must be a client'],
  ['twoFactor', { secret: 'short' }, 'secret must have 32 bytes or more'],
  ['twoFactor', { secret: [] }, 'secret must have 32 bytes or more'],
  ['twoFactor', { approvedStatuses: [] }, 'approvedStatuses must list'],
  ['twoFactor', { approvedStatuses: 'verified' }, 'approvedStatuses must list'],
  ['twoFactor', { countries: ['CO', 'gb'] }, 'countries[1] must be an upper-case ISO 3166-1 alpha-2 code'],
  ['twoFactor', { subject: 'ana' }, 'subject must be a function (req) => subject'],
  ['twoFactor', { limits: { lockMs: '5' } }, 'limits.lockMs must be an integer, 1 or more (milliseconds)'],
  ['twoFactor', { limits: { cooldownMs: [] } }, 'limits.cooldownMs must list at least one pause'],
  [
    'twoFactor',
    { limits: { sendsPerHour: Number.NaN } },
    'limits.sendsPerHour must be an integer, 0 or more',
  ],
  ['twoFactor', { channels: ['fax'] }, "channels must list 'sms', 'call' or both"],
  ['twoFactor', { locale: 'fr' }, 'locale "fr" is not available'],
  ['twoFactor', { messages: { es_ES: {} } }, 'messages: "es_ES" is not a valid language tag'],
  [
    'twoFactor',
    { messages: { es: { 'code.sent': '{tt}' } } },
    'messages.es: unknown placeholder {tt} in "code.sent"',
  ],
  ['twoFactor', { session: { id: () => 'x' } }, 'session must be expressSession()'],
  ['twoFactor', { deliveryWatch: { afterMs: 0 } }, 'deliveryWatch.afterMs must be an integer from 1 to'],
  ['twoFactor', { ...adapter, deliveryWatch: {} }, 'remove deliveryWatch, or give the provider a method'],
  ['twoFactor', { balance: { low: -1 } }, 'balance.low must be an integer, 0 or more'],
  ['twoFactor', { balance: { everyMs: 2 ** 31 } }, 'balance.everyMs must be an integer from 1 to'],
  ['twoFactor', { ...adapter, balance: {} }, 'remove balance, or give the provider a method balance()'],
  ['twoFactor', { signupGuard: true }, 'signupGuard must be an object with: mode, unprovenPerHour'],
  ['twoFactor', { signupGuard: { mode: 'block' } }, "signupGuard.mode must be 'observe' or 'enforce'"],
  ['twoFactor', { signupGuard: { ratio: Number.NaN } }, 'signupGuard.ratio must be a number above 0'],
  ['twoFactor', { signupGuard: { countries: ['co'] } }, 'signupGuard.countries[0] must be an upper-case'],
  ['twoFactor', { store: {} }, 'store must be a store'],
  ['createClient', { baseUrl: 'http://api.example.com' }, 'baseUrl must use https'],
  ['createClient', { client: 1.5 }, 'client must be the account client identifier'],
  ['createClient', { key: '' }, 'key must be a non-empty string: the account key'],
  [
    'createClient',
    { timeoutMs: 2 ** 31 },
    'timeoutMs must be an integer from 1 to 2147483647 (milliseconds)',
  ],
  ['createClient', { numberFormat: 'e164' }, "numberFormat must be 'digits' or 'plus'"],
  ['createClient', { dispatcher: {} }, 'dispatcher must be an undici Dispatcher'],
  ['memoryStore', { maxLedgers: 0 }, 'maxLedgers must be an integer, 1 or more'],
  ['memoryStore', { now: 5 }, 'now must be a function () => milliseconds'],
  ['memoryStore', [], 'options must be an object'],
  ['memoryStore', Promise.resolve({}), 'options must be an object'],
  ['redisStore', { strict: 'yes' }, 'strict must be true or false'],
  ['redisStore', { timeoutMs: -1 }, 'timeoutMs must be an integer from 1 to 2147483647'],
  ['redisStore', { sendCommand: 'redis://' }, 'sendCommand must be a function'],
  [
    'redisStore',
    { sendCommand: undefined, client: 'redis://' },
    'client must be a client of redis or ioredis',
  ],
  ['requireTwoFactor', { purpose: '' }, 'purpose must be a non-empty string'],
  ['requireTwoFactor', { purpose: null }, 'purpose must be a non-empty string'],
  ['requireTwoFactor', { maxAgeMs: '60000' }, 'maxAgeMs must be an integer, 1 or more (milliseconds)'],
  ['requireTwoFactor', { once: 'yes' }, 'once must be true or false'],
  ['requireTwoFactor', { bind: ['amount'] }, 'bind must be a function (req) => fields'],
  ['requireTwoFactor', { exempt: true }, 'exempt must be a function'],
  ['requireTwoFactor', 'pay', 'options must be an object with: purpose, maxAgeMs'],
  ['start', { purpose: 5 }, 'purpose must be a non-empty string'],
  ['start', 'login', 'options must be an object with: purpose'],
  ['phoneVerification', { purpose: [] }, 'purpose must be a non-empty string'],
  ['phoneVerification', null, 'options must be an object with: purpose'],
  ['tokenSession', undefined, 'missing idOf'],
  ['tokenSession', 'sid', 'idOf must be a function (req) => id'],
  ['tokenSession', { idOf: () => 'x' }, 'idOf must be a function (req) => id'],
  ['storeContract', { test: 'test' }, 'test must be a function'],
  ['storeContract', { elapse: 100 }, 'elapse must be a function'],
  ['storeContract', { createStore: memoryStore() }, 'createStore must be a function'],
  ['startSandbox', { port: '4010' }, 'port must be an integer from 0 to 65535'],
  ['startSandbox', { wrongCode: 404 }, 'wrongCode must be 200 or 400 or 520'],
  ['startSandbox', { credentials: { client: 1 } }, 'missing credentials.key'],
  ['startSandbox', { basePath: '/v1/' }, "basePath must be a path such as '/api/v1'"],
  ['startSandbox', { allowedHosts: 'sandbox' }, 'allowedHosts must be an array of host names'],
  ['startSandbox', { allowedHosts: ['http://x'] }, 'allowedHosts[0] must be a host name'],
  ['startSandbox', { onMessage: true }, 'onMessage must be a function (message) => void'],
  ['ownCodes', { voice: 'Marianna' }, "voice must be 'Mariana' or"],
  ['ownCodes', { retrys: 2 }, 'unknown option "retrys"; did you mean "retries"?'],
  ['ownCodes', { client: { sendSms() {}, sendCall() {} } }, 'client must be a client from createClient()'],
  ['providerCodes', { countryCode: 'UK' }, 'countryCode must be an upper-case ISO 3166-1'],
  ['providerCodes', { voice: 'Bob' }, "voice must be 'Mariana' or"],
  ['failover', { pik: () => 0 }, 'unknown option "pik"; did you mean "pick"?'],
  ['codeProviderContract', { chanels: ['sms'] }, 'unknown option "chanels"; did you mean "channels"?'],
  ['codeProviderContract', { codeFor: '482913' }, 'codeFor must be a function'],
  ['twoFactor', { recoveryCodes: { consume: 'all' } }, 'recoveryCodes.consume must be a function'],
  ['requireTwoFactor', { methods: ['pass key!'] }, 'methods[0] must be 1 to 32 letters'],
  ['startSandbox', 4010, 'options must be an object with: port, host'],
]

describe('the factories', () => {
  it.each([...misspelt, ...mistyped])('%s(%j) is refused: %s', async (name, change, says) => {
    const make = async () => factories[name]?.(change as never)
    await expect(make()).rejects.toBeInstanceOf(TypeError)
    await expect(make()).rejects.toMatchObject({
      code: 'ERR_TWO_FACTOR_OPTION',
      message: expect.stringContaining(`${name}: ${says}`),
    })
  })

  it('are all probed, with at least 60 mistakes', () => {
    const probes = [...misspelt, ...mistyped]
    expect(probes.length).toBeGreaterThanOrEqual(60)
    expect(new Set(probes.map(([name]) => name))).toEqual(new Set(Object.keys(factories)))
  })
})
