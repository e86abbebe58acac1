import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { createClient as createRedis } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createKeys, createSecrets } from '../../../src/challenge/keys.js'
import { defaultLimits, defaultTimeouts } from '../../../src/challenge/limits.js'
import { createDeployments } from '../../../src/challenge/operator/deployment.js'
import { type ClientOptions, createClient, type ProviderClient } from '../../../src/provider/index.js'
import { redisStore } from '../../../src/store/redis-store.js'
import { describeReport, examine, type Report } from '../../../src/tools/cli/doctor.js'
import { expressRow, loadFromApp, runtimeRow } from '../../../src/tools/cli/host-checks.js'
import { redisFailure } from '../../../src/tools/cli/redis-check.js'
import { type SandboxOptions, startSandbox } from '../../../src/tools/sandbox/index.js'
import { path, read } from '../../documents.js'
import { listening } from '../../listening.js'
import { startRedis, withoutRedis } from '../../store/redis-server.js'
import { redisPackage } from './redis-package.js'

const account = { client: 100200, key: 'sandbox-key' }
const load = createRequire(import.meta.url)
const nowhere = 'redis://127.0.0.1:1'
type Parts = Partial<Parameters<typeof examine>[0]>

async function sandboxAt(options: SandboxOptions = {}): Promise<string> {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox.baseUrl
}

/** A provider that answers every GET like this. Its clock is right, unless the answer says otherwise. */
async function answering(answer: RequestListener, onHead: RequestListener = (_req, res) => res.end()) {
  const { origin, close } = await listening((req, res) => (req.method === 'HEAD' ? onHead : answer)(req, res))
  onTestFinished(close)
  return `${origin}/v1`
}

function clockApart(ms: number, age?: string): Promise<string> {
  const answer: RequestListener = (_req, res) => {
    res.setHeader('Date', new Date(Date.now() + ms).toUTCString())
    if (age !== undefined) res.setHeader('Age', age)
    res.end('{"status":500}')
  }
  return answering(answer, answer)
}

const status = (code: number, body: string, headers: Record<string, string> = {}) =>
  answering((_req, res) => res.writeHead(code, headers).end(body))

/** What Node says of itself, and other runtimes too. */
const nodeVersions = (node: string, more: object = {}) => ({ ...more, node }) as NodeJS.ProcessVersions

/** A client with these options, of a sandbox unless it is of another provider. */
async function asking(options: Partial<ClientOptions>, at?: string): Promise<Parts> {
  const baseUrl = at ?? (await sandboxAt())
  return { baseUrl, provider: createClient({ ...account, baseUrl, ...options }) }
}

/** A client whose connections fail with this code of a socket, DNS, TLS or HTTP error. */
function failingWith(code: string): Promise<Parts> {
  const dispatcher = {
    dispatch(_options: object, handler: { onResponseError(controller: unknown, error: Error): void }) {
      handler.onResponseError(undefined, Object.assign(new Error('failed'), { code }))
      return true
    },
  }
  return asking({ dispatcher: dispatcher as never })
}

async function look(parts: Parts): Promise<Report> {
  const baseUrl = parts.baseUrl ?? (await sandboxAt())
  const provider: ProviderClient = parts.provider ?? createClient({ ...account, baseUrl })
  const usual = {
    key: account.key,
    lowCredits: 50,
    redisUrl: undefined,
    namespace: undefined,
    versions: nodeVersions('22.12.0'),
    load,
  }
  try {
    return await examine({ ...usual, ...parts, baseUrl, provider })
  } finally {
    await provider.close()
  }
}

const without =
  (...missing: string[]) =>
  (name: string): unknown =>
    missing.some((one) => name.startsWith(one)) ? undefined : load(name)

const elsewhere = (baseUrl: string, path: string) => ({ baseUrl: new URL(path, baseUrl).href })

const redis = async (...options: string[]) => {
  const server = await startRedis(...options)
  onTestFinished(() => server.kill())
  return server
}

const redisThat = (server: Parameters<typeof redisPackage>[0]) => async (): Promise<Parts> => ({
  redisUrl: 'redis://redis.example:6379',
  load: (name) => (name.startsWith('redis') ? redisPackage(server) : load(name)),
})

/** A base URL alone, or more than that. */
type Arrange = () => Promise<Parts | string>

/** What is wrong somewhere, and the code it is found by. */
const fixtures: readonly [name: string, code: string, arrange: Arrange][] = [
  ['an old Node', 'node_too_old', async () => ({ versions: nodeVersions('18.20.0') })],
  ['a Bun', 'undici_replaced', async () => ({ versions: nodeVersions('24.3.0', { bun: '1.4.5' }) })],
  ['no Express', 'express_missing', async () => ({ load: without('express') })],
  [
    'an Express of another line',
    'express_unsupported',
    async () => ({ load: (name) => (name.startsWith('express') ? { version: '3.21.2' } : load(name)) }),
  ],
  ['a wrong key', 'account_refused', () => asking({ key: 'wrong-key' })],
  ['an address off the allow-list', 'account_refused', () => sandboxAt({ allowedAddresses: ['192.0.2.1'] })],
  ['an account behind a firewall', 'account_refused', () => status(403, '{}')],
  [
    'a forgotten base path',
    'base_path_missing',
    async () => elsewhere(await answering((_req, res) => void res.writeHead(404).end('<html>')), '/'),
  ],
  [
    'an operation that lies elsewhere',
    'operation_not_found',
    () => asking({ paths: { balance: '/nowhere' } }),
  ],
  ['a web site', 'website_answered', () => status(200, '<!doctype html><title>Welcome</title>')],
  [
    'a provider that hangs',
    'provider_hangs',
    async () => asking({ timeoutMs: 500 }, await answering(() => {})),
  ],
  ['nobody there', 'provider_not_listening', () => asking({ baseUrl: 'http://127.0.0.1:1/v1' })],
  ['a host without an address', 'provider_dns', () => failingWith('ENOTFOUND')],
  ['a certificate that is not trusted', 'provider_tls', () => failingWith('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['no route', 'provider_unreachable', () => failingWith('EHOSTUNREACH')],
  ['no connection in time', 'provider_unreachable', () => failingWith('UND_ERR_CONNECT_TIMEOUT')],
  ['something that speaks no HTTP', 'provider_not_http', () => failingWith('HPE_INVALID_CONSTANT')],
  ['a connection that is cut', 'provider_reset', () => answering((req) => req.socket.destroy())],
  ['a connection that fails otherwise', 'provider_failed', () => failingWith('EUNKNOWN')],
  ['a redirect', 'provider_redirects', () => status(300, '', { location: 'https://example.com/' })],
  ['too many requests', 'provider_busy', () => status(429, '{}')],
  ['a request that is refused', 'answer_unreadable', () => status(400, '{}')],
  ['an answer of another kind', 'answer_unreadable', () => status(200, '[]')],
  ['an account that is not paid', 'no_credits', () => status(402, '{}')],
  ['an empty account', 'no_credits', () => sandboxAt({ credits: 0 })],
  ['an account that runs dry', 'low_credits', () => sandboxAt({ credits: 7 })],
  ['a gateway without a provider behind it', 'provider_failing', () => status(503, '<html>Bad gateway')],
  ['a clock that is ahead', 'clock_differs', () => clockApart(-60_000)],
  [
    'no client of Redis',
    'redis_client_missing',
    async () => ({ redisUrl: nowhere, load: without('redis', 'ioredis') }),
  ],
  ['no Redis there', 'redis_not_listening', async () => ({ redisUrl: nowhere })],
  [
    'no Redis there, asked with ioredis',
    'redis_not_listening',
    async () => ({ redisUrl: nowhere, load: without('redis') }),
  ],
  [
    'a Redis without an address',
    'redis_dns',
    redisThat({ connection: 'getaddrinfo ENOTFOUND redis.example' }),
  ],
  ['a Redis behind a firewall', 'redis_unreachable', redisThat({ connection: 'Connection timeout' })],
  [
    'a port that closes each connection',
    'redis_closes',
    async () => {
      const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => void server.close())
      return { redisUrl: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` }
    },
  ],
  [
    'a port that closes each connection, asked with ioredis',
    'redis_closes',
    redisThat({ connection: 'Connection is closed.' }),
  ],
  ['a Redis that cannot be used', 'redis_unusable', redisThat({ connection: 'LOADING' })],
  ['a Redis that refuses commands', 'store_unreachable', redisThat({ commands: 'ERR unknown command' })],
  ['a replica', 'store_read_only', redisThat({ role: 'slave' })],
  [
    'an old Redis, which is slow and not silent',
    'store_too_old',
    redisThat({ version: '6.0.20', takesMs: 600 }),
  ],
  ['a Redis of another time', 'store_clock', redisThat({ leadMs: 60_000 })],
]

const startedWith =
  (...options: string[]) =>
  async (): Promise<Parts> => ({ redisUrl: (await redis(...options)).url })

const redisFixtures: typeof fixtures = [
  [
    'a wrong password',
    'redis_refuses_login',
    async () => {
      const { url } = await redis('--requirepass', 'sesame-7')
      return { redisUrl: url.replace('redis://', 'redis://:mellon-7@') }
    },
  ],
  [
    'a user who may not write',
    'redis_permission',
    startedWith('--user', 'default', 'on', 'nopass', '~*', '+@all', '-incrby'),
  ],
  [
    'a Redis that hangs',
    'redis_silent',
    async () => {
      const server = await redis()
      server.freeze()
      return { redisUrl: server.url }
    },
  ],
  ['a Redis that is full', 'redis_full', startedWith('--maxmemory', '100kb')],
  [
    'machines with different secrets',
    'secrets_differ',
    async () => {
      const { url } = await redis()
      const client = createRedis({ url })
      await client.connect()
      onTestFinished(() => client.destroy())
      for (const host of ['web-1', 'web-2']) {
        const secrets = createSecrets([`the secret of at least 32 bytes of ${host}`])
        const keys = createKeys('', secrets)
        const parts = { store: redisStore({ client }), keys, secrets, now: Date.now, namespace: '' }
        await createDeployments(parts, host).save({
          limits: { ...defaultLimits, ...defaultTimeouts },
          knownMaxAgeMs: 0,
          trustedMaxAgeMs: 0,
        })
      }
      return { redisUrl: url }
    },
  ],
  ['a Redis that forgets', 'store_evicts', startedWith('--maxmemory-policy', 'allkeys-lru')],
]

async function expectNamedOnce(code: string, arrange: Arrange): Promise<void> {
  const parts = await arrange()
  const report = await look(typeof parts === 'string' ? { baseUrl: parts } : parts)
  const found = report.rows.filter((row) => row.found === 'wrong' || row.found === 'warning')
  expect(found).toMatchObject([{ code, text: expect.stringMatching(/\w/) }])
  expect(report.ok).toBe(found[0]?.found === 'warning')

  const text = describeReport(report, { isTTY: false } as NodeJS.WriteStream)
  expect(text.match(/^ {19}Fix: \w/gm)).toHaveLength(1)
  for (const { text: other } of report.notLookedAt) expect(text).toContain(`\n  ${other}\n`)
  expect(text).toContain(report.ok ? 'Nothing is wrong.' : `1 of ${report.rows.length} is wrong.`)
  expect(text + JSON.stringify(report)).not.toMatch(/sandbox-key|wrong-key|sesame|mellon/)
}

describe('the doctor names once, with its fix', () => {
  test.each(fixtures)('%s', (_name, code, arrange) => expectNamedOnce(code, arrange))
  test.skipIf(withoutRedis).each(redisFixtures)('%s', (_name, code, arrange) =>
    expectNamedOnce(code, arrange),
  )

  test('every finding that there is', () => {
    const files = readdirSync(path('src/tools/cli')).filter((file) => /-checks?\.ts$/.test(file))
    const ofDoctor = files.flatMap(
      (file) => read(`src/tools/cli/${file}`).match(/(?<=')[a-z]+_[a-z_]+(?=')/g) ?? [],
    )
    const ofStore = read('src/store/redis-connection.ts').match(/(?<=code: ')[a-z]\w*(?=')/g) ?? []
    const codes = [...new Set([...ofDoctor, ...ofStore])]
    // Not looked at, or not wrong; and what only the option `strict` of the app's own store finds.
    const others = /_(ok|unknown|not_asked|cluster|unreplicated)$/
    const found = new Set([...fixtures, ...redisFixtures].map(([, code]) => code))
    expect([...found].sort()).toEqual(codes.filter((code) => !others.test(code)).sort())
  })
})

describe('the doctor finds nothing', () => {
  test.each(['spec', 'observed'] as const)('at a healthy account of the dialect %s', async (dialect) => {
    const { ok, rows } = await look({ baseUrl: await sandboxAt({ dialect, credits: 50 }) })
    expect(ok).toBe(true)
    expect(rows.map(({ name, code }) => `${name}: ${code}`)).toEqual([
      'Node: node_ok',
      'Express: express_ok',
      'Provider: provider_ok',
      'Clock: clock_ok',
      'Redis: redis_not_asked',
    ])
    expect(rows.map(({ text }) => text)).not.toContain('')
  })

  test.skipIf(withoutRedis).each(['ioredis', 'redis'])(
    'in a Redis, without the package %s',
    async (missing) => {
      const { rows } = await look({ redisUrl: (await redis()).url, load: without(missing) })
      expect(rows.slice(4)).toMatchObject([{ code: 'redis_ok', found: 'ok' }])
    },
  )

  test.skipIf(withoutRedis).each([
    ['shop', 'shop'],
    ['', undefined],
  ])(
    'in a Redis whose user has exactly the documented permissions (namespace "%s")',
    async (key, namespace) => {
      const [, keys = '', commands = ''] =
        /`ACL SETUSER acme on >password (~tf3:<namespace>:\*) ([^`]+)`/.exec(read('docs/deployment.md')) ?? []
      const permissions = [keys.replace('<namespace>', key), ...commands.split(' ')]
      const server = await redis('--user', 'shop', 'on', '>sesame-7', ...permissions)
      const redisUrl = server.url.replace('redis://', 'redis://shop:sesame-7@')
      const { rows } = await look({ redisUrl, namespace })
      expect(rows.at(-1)).toMatchObject({ code: 'redis_ok', found: 'ok' })
    },
  )

  test('in a status of 1 that may be a flag, and reports that it knows no credits', async () => {
    const { rows } = await look({ baseUrl: await status(200, '{"status": 1}') })
    expect(rows[2]).toMatchObject({ code: 'credits_unknown', found: 'ok' })
  })

  test('in a cluster, which the app has to check, nor at a provider without a time', async () => {
    const cluster = await look(await redisThat({ commands: 'MOVED 1 127.0.0.1:7001' })())
    expect(cluster.rows.at(-1)).toMatchObject({ code: 'redis_cluster', found: 'skipped' })
    const timeless: RequestListener = (_req, res) => {
      res.sendDate = false
      res.end('{"status": 500}')
    }
    const baseUrl = await answering(timeless, timeless)
    expect((await look({ baseUrl })).rows[3]).toMatchObject({ code: 'clock_unknown' })
  })
})

test('a fix is printed once, and names the full address to use', async () => {
  const { rows } = await look(elsewhere(await status(404, '{}'), '/'))
  const fix = expect.stringMatching(/, such as http:\/\/127\.0\.0\.1:\d+\/v1$/)
  expect(rows[2]).toMatchObject({ code: 'base_path_missing', fix })
  const refused = await look(await asking({ key: 'wrong-key' }))
  expect(refused.rows[2]?.text).not.toContain('allow-list')
})

test.each([
  ['connect ECONNREFUSED 10.0.0.7:6379', 'nothing listens at that address', 'start it'],
  ['no answer', 'it accepts connections and does not respond', 'restart it'],
  ['no response within 2000 ms', 'it accepts connections and does not respond', 'restart it'],
  ['connect ETIMEDOUT', 'it cannot be reached', 'firewall'],
  ['Socket closed unexpectedly', 'it closed the connection', 'rediss://'],
  ['read ECONNRESET', 'it closed the connection', 'rediss://'],
])('the row of a Redis that fails by "%s" says that %s, and what to do', (message, says, fix) => {
  expect(redisFailure(new Error(message))).toMatchObject({
    text: `cannot be used: ${says} (${message})`,
    fix: expect.stringContaining(fix),
  })
})

test('a package that is not installed is missing, and a package that cannot be loaded is an error', () => {
  expect(loadFromApp('express')).toBeTypeOf('function')
  expect(loadFromApp('not-installed')).toBeUndefined()
  expect(() => loadFromApp('express-two-factor/nothing')).toThrow('not defined by "exports"')
})

test.each([
  [-60_000, 'ahead of'],
  [60_000, 'behind'],
])('a wrong clock is reported with its side: %i ms at the provider', async (ms, side) => {
  const clock = (await look({ baseUrl: await clockApart(ms) })).rows[3]
  expect(clock?.text).toMatch(new RegExp(`^this machine is (59|60|61) s ${side} the provider$`))
})

test.each([
  [-3_600_000, '3600', 'clock_ok'],
  [-3_660_000, '3600', 'clock_differs'],
  [-3_600_000, 'an hour', 'clock_unknown'],
])(
  'a clock is not wrong by the age of an answer: %i ms at the provider, with %s, is %s',
  async (ms, age, code) => {
    expect((await look({ baseUrl: await clockApart(ms, age) })).rows[3]).toMatchObject({ code })
  },
)

test('no cache is to answer for the clock of the provider', async () => {
  const asked: unknown[] = []
  const baseUrl = await answering(
    (_req, res) => res.end('{"status":500}'),
    (req, res) => {
      asked.push(req.headers['cache-control'])
      res.end()
    },
  )
  await look({ baseUrl })
  expect(asked).toEqual(['no-cache'])
})

test.each([
  ['4.21.0', 'ok'],
  ['5.0.0', 'ok'],
  ['4.20.0', 'wrong'],
  ['3.21.2', 'wrong'],
  ['6.0.0', 'wrong'],
  [undefined, 'wrong'],
])('the version %s of Express is %s', (version, found) => {
  expect(expressRow(version)).toMatchObject({ found })
})

test.each([
  ['20.18.3', 'wrong'],
  ['20.19.0', 'ok'],
  ['21.7.3', 'wrong'],
  ['22.11.0', 'wrong'],
  ['22.12.0', 'ok'],
])('the version %s of Node is %s', (node, found) => {
  expect(runtimeRow(nodeVersions(node))).toMatchObject({ found })
  const deno = { name: 'Deno', code: 'deno_ok', found: 'ok', text: '2.1.4' }
  expect(runtimeRow(nodeVersions(node, { deno: '2.1.4' }))).toEqual(deno)
})
