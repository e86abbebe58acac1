import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/provider/index.js'

const good = { baseUrl: 'https://api.example.com/v1', client: 1, key: 'k' }

describe('a client is not made from', () => {
  const https = 'baseUrl must use https (http is allowed for loopback hosts only)'
  const bare = 'baseUrl must not have a user name, password'
  const account = 'client must be the account client identifier'
  const path = 'paths.balance must be a path that begins with /'
  test.each<[string, object | undefined, string]>([
    ['an unknown option', { timeout: 5 }, 'unknown option "timeout"; did you mean "timeoutMs"?'],
    [
      'no address',
      { baseUrl: undefined },
      "missing baseUrl; add\n  baseUrl: 'https://api.example.com/v1', // with the version segment",
    ],
    ['a relative address', { baseUrl: '/v1' }, 'baseUrl must be an absolute URL'],
    ['plain HTTP to a host', { baseUrl: 'http://api.example.com/v1' }, https],
    ['a host that begins like loopback', { baseUrl: 'http://127.0.0.1.example.com' }, https],
    ['another protocol', { baseUrl: 'file:///v1' }, https],
    ['a name in the address', { baseUrl: 'https://u@api.example.com' }, bare],
    ['a password in the address', { baseUrl: 'https://:p@api.example.com' }, bare],
    ['a fragment in the address', { baseUrl: 'https://api.example.com/v1#a' }, bare],
    ['a query in the address', { baseUrl: 'https://api.example.com/v1?a=1' }, bare],
    [
      'no account',
      { client: undefined },
      'missing client; add\n  client: process.env.TWO_FACTOR_CLIENT, // the account client identifier',
    ],
    ['an account that lost digits', { client: 2 ** 53 }, account],
    ['a fraction of an account', { client: 1.5 }, account],
    ['an account of twenty digits', { client: '1'.repeat(20) }, account],
    ['an account in words', { client: 'acme' }, account],
    ['no key', { key: undefined }, 'missing key; add\n  key: process.env.TWO_FACTOR_KEY, // the account key'],
    ['a line end behind the key', { key: 'k\n' }, 'key must not begin or end with white space'],
    ['time without end', { timeoutMs: 2 ** 31 }, 'timeoutMs must be an integer from 1 to 2147483647'],
    ['one request at a time', { maxExchanges: 1 }, 'maxExchanges must be an integer from 3 to 10000'],
    ['an unknown number format', { numberFormat: 'e164' }, "numberFormat must be 'digits' or 'plus'"],
    ['nothing at all', undefined, 'options must be an object with: baseUrl'],
    ['paths that are null', { paths: null }, 'paths must be an object with: '],
    ['a path for no operation', { paths: { sendPigeon: '/x' } }, 'unknown option "paths.sendPigeon"; '],
    ['a path with a query', { paths: { balance: '/x?key=1' } }, path],
    ['no dispatcher', { dispatcher: {} }, 'dispatcher must be an undici Dispatcher'],
  ])('%s', (_what, wrong, message) => {
    const create = () => createClient((wrong && { ...good, ...wrong }) as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(`createClient: ${message}`)
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
