import { afterEach, expect, test, vi } from 'vitest'
import { type SandboxOptions, startSandbox } from '../../../src/tools/sandbox/index.js'
import { get, post } from './wire.js'

afterEach(() => vi.unstubAllEnvs())

test('sandboxes side by side know nothing of each other', async () => {
  await using one = await startSandbox()
  await using other = await startSandbox()
  await post(`${one.baseUrl}/2fa/send-sms`, { phone: '573001234567', 'app-name': 'Acme' })
  expect([one.inbox.list().length, other.inbox.list()]).toEqual([1, []])
})

test('closing frees the port, and doing it twice is no harm', async () => {
  const sandbox = await startSandbox()
  const port = Number(new URL(sandbox.baseUrl).port)
  await get(`${sandbox.baseUrl}/balance`, {})
  await Promise.all([sandbox.close(), sandbox.close()])
  await using next = await startSandbox({ port })
  expect(new URL(next.baseUrl).port).toBe(String(port))
})

test('a port that is taken is an error at the start', async () => {
  await using sandbox = await startSandbox()
  const port = Number(new URL(sandbox.baseUrl).port)
  await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('production is refused', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  await expect(startSandbox()).rejects.toThrow('NODE_ENV=production')
})

test('credentials and the success word can be chosen', async () => {
  await using sandbox = await startSandbox({
    credentials: { client: 7, key: 'other' },
    approvedStatus: 1,
    credits: 3,
  })
  expect(sandbox.credentials).toEqual({ client: 7, key: 'other' })
  expect(sandbox.approvedStatuses).toEqual(['1'])
  const account = { client: '7', key: 'other' }
  expect((await get(`${sandbox.baseUrl}/balance`, account)).body).toEqual({ status: 3 })
  const phone = '573001999907'
  await post(`${sandbox.baseUrl}/2fa/send-sms`, { ...account, phone, 'app-name': 'Acme' })
  const fields = { ...account, phone, 'app-name': 'Acme', code: '012345' }
  expect((await post(`${sandbox.baseUrl}/2fa/verification-code`, fields)).body).toEqual({ status: 1 })
})

test.each([
  [{ color: 'red' }, 'startSandbox: unknown option "color"'],
  [null, 'the options must be an object'],
  [{ credentials: { client: 0, key: 'k' } }, 'credentials.client must be an integer, 1 or more'],
  [{ credentials: { client: 1, key: '' } }, 'key must be a non-empty string: the key of the account'],
  [{ port: -1 }, 'port must be an integer from 0 to 65535'],
  [{ dialect: 'french' }, 'dialect must be one of spec, observed'],
  [{ wrongCode: 422 }, 'wrongCode must be one of 200, 400, 520'],
  [{ codeLifetimeMs: 59_999 }, 'codeLifetimeMs must be an integer from 60000 to 86400000'],
  [{ onMessage: true }, 'onMessage must be a function (message) => void'],
  [{ credits: -1 }, 'credits must be an integer, 0 or more'],
  [{ approvedStatus: '' }, 'approvedStatus must be a non-empty string or an integer'],
  [{ resend: 'maybe' }, 'resend must be one of repeat, replace, both'],
  [{ codeLength: 3 }, 'codeLength must be an integer from 4 to 10'],
  [{ codeAlphabet: 'x' }, 'codeAlphabet must be at least two different ASCII letters or digits'],
  [{ allowedHosts: 'sandbox' }, 'allowedHosts'],
  [{ allowedHosts: ['http://sandbox'] }, 'allowedHosts[0] must be a host name, with or without a port'],
  [{ publicUrl: 'ftp://sandbox' }, 'publicUrl must be an http or https URL without a path'],
  [{ publicUrl: 'http://sandbox/inbox' }, 'publicUrl'],
  [{ host: 5 }, 'host must be a non-empty string: an IP address or a host name'],
  [{ basePath: '/s' }, 'basePath'],
  [{ basePath: '/_sandbox/v1' }, "basePath must be a path such as '/api/v1', not below /s or /_sandbox"],
  [{ appNames: [''] }, 'appNames[0] must be a non-empty string: an app name'],
  [{ now: 5 }, 'now must be a function () => milliseconds'],
])('the options %j are refused', async (options, message) => {
  const starting = startSandbox(options as unknown as SandboxOptions)
  await expect(starting).rejects.toThrow(TypeError)
  await expect(startSandbox(options as unknown as SandboxOptions)).rejects.toThrow(message)
})

test.each([[-1], [0.5], [Number.NaN], [Number.POSITIVE_INFINITY], [1, '4567']])(
  'the clock refuses to advance by %d for %s',
  async (ms, phone?: string) => {
    await using sandbox = await startSandbox()
    expect(() => sandbox.clock.advance(ms, phone)).toThrow(TypeError)
    expect(sandbox.clock.aheadMs(phone)).toBe(0)
  },
)

test('the memory is bounded: the newest entries stay, counts are exact', async () => {
  await using sandbox = await startSandbox({ credits: 10_000 })
  const phones = (from: number) => Array.from({ length: 600 }, (_, index) => 573_000_000_000 + from + index)
  for (const from of [0, 600]) {
    await post(`${sandbox.baseUrl}/send-sms`, { phone: phones(from).join(), sms: 'Hello' })
  }
  expect(sandbox.inbox.list()).toHaveLength(1_000)
  expect(sandbox.inbox.list()[0]?.phone).toBe('+573000001199')
  for (let count = 0; count < 1_100; count += 100) {
    await Promise.all(Array.from({ length: 100 }, () => get(`${sandbox.baseUrl}/balance`, {})))
  }
  expect(sandbox.requests.list()).toHaveLength(1_000)
  expect(sandbox.requests.count('balance')).toBe(1_100)
  const page = await (await fetch(sandbox.inboxUrl)).text()
  expect(page.match(/class="card"/g)).toHaveLength(50)
})
