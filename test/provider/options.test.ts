import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/provider/index.js'

const good = { baseUrl: 'https://api.example.com/v1', client: 1, key: 'k' }

describe('a client is not made from', () => {
  test.each([
    ['an unknown option', { ...good, timeout: 5 }, 'unknown option "timeout"; did you mean "timeoutMs"?'],
    [
      'no address',
      { ...good, baseUrl: undefined },
      "missing baseUrl; add\n  baseUrl: 'https://api.example.com/v1', // with the version segment",
    ],
    ['a relative address', { ...good, baseUrl: '/v1' }, 'baseUrl must be an absolute URL'],
    [
      'plain HTTP to a host',
      { ...good, baseUrl: 'http://api.example.com/v1' },
      'baseUrl must use https (http is allowed for loopback hosts only)',
    ],
    [
      'plain HTTP to a neighbour',
      { ...good, baseUrl: 'http://192.168.1.2/v1' },
      'baseUrl must use https (http is allowed for loopback hosts only)',
    ],
    [
      'a host that begins like loopback',
      { ...good, baseUrl: 'http://127.0.0.1.example.com' },
      'baseUrl must use https (http is allowed for loopback hosts only)',
    ],
    [
      'another protocol',
      { ...good, baseUrl: 'file:///v1' },
      'baseUrl must use https (http is allowed for loopback hosts only)',
    ],
    [
      'a password in the address',
      { ...good, baseUrl: 'https://u:p@api.example.com' },
      'baseUrl must not have a user name, password',
    ],
    [
      'a password without a name in the address',
      { ...good, baseUrl: 'https://:p@api.example.com' },
      'baseUrl must not have a user name, password',
    ],
    [
      'a name without a password in the address',
      { ...good, baseUrl: 'https://u@api.example.com' },
      'baseUrl must not have a user name, password',
    ],
    [
      'a query in the address',
      { ...good, baseUrl: 'https://api.example.com/v1?a=1' },
      'baseUrl must not have a user name, password',
    ],
    [
      'no account',
      { ...good, client: undefined },
      'missing client; add\n  client: process.env.PROVIDER_CLIENT, // the account client identifier',
    ],
    [
      'an account that lost digits',
      { ...good, client: 2 ** 53 },
      'client must be the account client identifier',
    ],
    ['a fraction of an account', { ...good, client: 1.5 }, 'client must be the account client identifier'],
    ['a negative account', { ...good, client: -1n }, 'client must be the account client identifier'],
    ['an account in words', { ...good, client: 'acme' }, 'client must be the account client identifier'],
    [
      'no key',
      { ...good, key: undefined },
      'missing key; add\n  key: process.env.TWO_FACTOR_KEY, // the account key',
    ],
    ['an empty key', { ...good, key: '' }, 'key must be a non-empty string: the account key'],
    ['a line end behind the key', { ...good, key: 'k\n' }, 'key must not begin or end with white space'],
    ['half a surrogate pair as key', { ...good, key: 'a\ud83d' }, 'key must be a well-formed string'],
    [
      'no time at all',
      { ...good, timeoutMs: 0 },
      'timeoutMs must be an integer from 1 to 2147483647 (milliseconds)',
    ],
    ['time without end', { ...good, timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs must be'],
    ['time as text', { ...good, timeoutMs: '10000' }, 'timeoutMs must be'],
    [
      'an unknown number format',
      { ...good, numberFormat: 'e164' },
      "numberFormat must be 'digits' or 'plus'",
    ],
    ['nothing at all', undefined, 'options must be an object with: baseUrl'],
    ['null', null, 'options must be an object with: baseUrl'],
    ['paths that are null', { ...good, paths: null }, 'paths must be an object with: '],
    ['time that is null', { ...good, timeoutMs: null }, 'timeoutMs must be an integer'],
    ['a spelling that is null', { ...good, numberFormat: null }, "numberFormat must be 'digits' or 'plus'"],
    ['paths as text', { ...good, paths: '/v2' }, 'paths must be an object with: '],
    [
      'a path for no operation',
      { ...good, paths: { sendPigeon: '/x' } },
      'unknown option "paths.sendPigeon"; ',
    ],
    [
      'a path with a query',
      { ...good, paths: { balance: '/x?key=1' } },
      'paths.balance must be a path that begins with /',
    ],
    [
      'a path that is a URL',
      { ...good, paths: { balance: 'https://x.example' } },
      'paths.balance must be a path that begins with /',
    ],
    ['no dispatcher', { ...good, dispatcher: {} }, 'dispatcher must be an undici Dispatcher'],
  ])('%s', (_what, options, message) => {
    expect(() => createClient(options as never)).toThrow(TypeError)
    expect(() => createClient(options as never)).toThrow(`createClient: ${message}`)
  })
})

describe('plain HTTP is taken for', () => {
  test.each(['localhost', '127.0.0.1', '127.18.19.11', '[::1]', 'provider.localhost'])('%s', async (host) => {
    await createClient({ ...good, baseUrl: `http://${host}:8080/v1` }).close()
  })
})

test('a client shows neither key nor account nor address, however it is printed', async () => {
  const client = createClient({ baseUrl: 'https://canary.example/v1', client: 918273, key: 'canary-key' })
  const shown = [
    inspect(client, { depth: 10, showHidden: true }),
    JSON.stringify(client),
    String(client),
    Object.keys(client).join(),
  ].join()
  expect(shown).not.toMatch(/canary|918273/)
  await client.close()
})

test('options may be inherited', async () => {
  await createClient(Object.create(good)).close()
})

test('options are not written into', async () => {
  const options = Object.freeze({ ...good, paths: Object.freeze({ balance: '/credits' }) })
  await createClient(options).close()
})
