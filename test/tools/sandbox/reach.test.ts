import { networkInterfaces } from 'node:os'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { type SandboxOptions, startSandbox } from '../../../src/tools/sandbox/index.js'
import { freePort } from '../../free-port.js'
import { get, post } from './wire.js'

interface Asked {
  readonly at: string
  readonly host?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** One request over a chosen address, under a chosen name. */
const ask = (port: string, { at, host = `${at}:${port}`, path = '/', method = 'GET', headers = {} }: Asked) =>
  request(`http://${at.includes(':') ? `[${at}]` : at}:${port}`)
    [method === 'GET' ? 'get' : 'post'](path)
    .set({ Host: host, ...headers })

const start = async (options: SandboxOptions = {}) => {
  const sandbox = await startSandbox(options)
  return { sandbox, port: new URL(sandbox.baseUrl).port }
}

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')
if (!hasIpv6) console.warn('skipped, this machine has no ::1: the IPv6 loopback address')

describe('by default', () => {
  test('another loopback address is not listened on, and a foreign name is refused', async () => {
    const { sandbox, port } = await start()
    await expect(ask(port, { at: '127.0.0.2' })).rejects.toThrow('ECONNREFUSED')
    for (const host of [`sandbox:${port}`, 'sandbox', 'localhost', 'localhost:1', `127.0.0.2:${port}`]) {
      expect((await ask(port, { at: '127.0.0.1', host })).status, host).toBe(421)
    }
    expect((await ask(port, { at: '127.0.0.1', host: `LocalHost:${port}` })).status).toBe(200)
    await sandbox.close()
  })

  test.skipIf(!hasIpv6)('both loopback addresses serve, and both are freed', async () => {
    const { sandbox, port } = await start()
    expect((await ask(port, { at: '::1', host: `[::1]:${port}` })).status).toBe(200)
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(200)
    await sandbox.close()
    await expect(ask(port, { at: '::1', host: `[::1]:${port}` })).rejects.toThrow()
    const own = await start({ host: '::1' })
    expect(own.sandbox.baseUrl).toBe(`http://[::1]:${own.port}/v1`)
    await own.sandbox.close()
  })
})

describe('with host, allowedHosts and publicUrl', () => {
  test('another loopback address and a foreign name are served, and short links go to that name', async () => {
    const { sandbox } = await start({ host: '127.0.0.2', publicUrl: 'http://sandbox.test:8080' })
    expect(sandbox.baseUrl).toBe('http://sandbox.test:8080/v1')
    expect(sandbox.inboxUrl).toBe('http://sandbox.test:8080/')
    await sandbox.close()

    // A published URL hides the port, so it is chosen beforehand.
    const port = await freePort()
    const other = await startSandbox({
      host: '127.0.0.2',
      port,
      publicUrl: 'http://sandbox.test:8080',
      allowedHosts: ['Gateway'],
    })
    const base = `http://127.0.0.2:${port}/v1`
    const link = await post(`${base}/url/short`, {
      name: 'a',
      alias: 'a',
      'url-long': 'https://example.com/x',
    })
    expect(link.body.urlShort).toBe('http://sandbox.test:8080/s/a')
    for (const host of ['sandbox.test:8080', 'gateway:99', `127.0.0.2:${port}`]) {
      const followed = await ask(String(port), { at: '127.0.0.2', host, path: '/s/a' })
      expect([followed.status, followed.headers.location], host).toEqual([302, 'https://example.com/x'])
    }
    for (const host of ['sandbox.test', 'sandbox.test:81', 'evil.example:8080', 'gateway.evil.example']) {
      expect((await ask(String(port), { at: '127.0.0.2', host })).status, host).toBe(421)
    }
    await other.close()
  })

  test('a change from the page of the published name is accepted, from any other site it is not', async () => {
    const { sandbox, port } = await start({ allowedHosts: ['sandbox.test'] })
    const reset = (origin: string) =>
      ask(port, {
        at: '127.0.0.1',
        host: 'sandbox.test',
        path: '/_sandbox/reset',
        method: 'POST',
        headers: { Origin: origin },
      })
    expect((await reset('https://sandbox.test')).status).toBe(200)
    expect((await reset('https://sandbox.test.evil.example')).status).toBe(403)
    expect((await reset('null')).status).toBe(403)
    await sandbox.close()
  })

  test('callers of a network that was opened are allowed, unless the account has a list', async () => {
    const { sandbox, port } = await start({ host: '0.0.0.0' })
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address
    const address = outside ?? '127.0.0.1'
    const balance = () => get(`http://${address}:${port}/v1/balance`, {})
    expect(sandbox.baseUrl).toBe(`http://127.0.0.1:${port}/v1`)
    // Only loopback names and what is listed: an address of the machine may be a foreign page's idea.
    if (outside !== undefined) expect((await balance()).status).toBe(421)
    await sandbox.close()

    const opened = await start({ host: '0.0.0.0', allowedHosts: [address] })
    expect((await get(`http://${address}:${opened.port}/v1/balance`, {})).status).toBe(200)
    await opened.sandbox.close()
    const listed = await start({
      host: '0.0.0.0',
      allowedHosts: [address],
      allowedAddresses: ['203.0.113.7'],
    })
    expect((await get(`http://${address}:${listed.port}/v1/balance`, {})).body.error).toBe('1001')
    await listed.sandbox.close()
  })
})

test('the base path can be any other', async () => {
  await using sandbox = await startSandbox({ basePath: '/api/v1' })
  expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/)
  expect((await get(`${sandbox.baseUrl}/balance`, {})).status).toBe(200)
  expect((await fetch(`${sandbox.inboxUrl}v1/balance`)).status).toBe(404)
})

test.each([
  ['GET', '/v1/send-sms', 'Use POST, not GET.'],
  ['POST', '/v1/sms/send', '--dialect observed has this path.'],
  ['POST', '/v1/Send-SMS/', 'Did you mean POST /v1/send-sms?'],
  ['POST', '/2fa/send-sms', 'Did you mean POST /v1/2fa/send-sms?'],
  ['POST', '/v1/v1/call/2fa/send-call', 'Did you mean POST /v1/call/2fa/send-call?'],
  ['POST', '/v1/fax', 'The operations are listed at /openapi.json.'],
])('%s %s, which no operation matches, is logged with a hint', async (method, path, hint) => {
  await using sandbox = await startSandbox()
  const url = new URL(path, sandbox.inboxUrl)
  const response = await fetch(url, { method })
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining(hint) })
  expect(sandbox.requests.unmatched()).toMatchObject([{ method, path, hint }])
  expect(sandbox.requests.count()).toBe(0)
  expect(await (await fetch(sandbox.inboxUrl)).text()).toContain(hint)
})
