import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/index.js'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import type { StubAnswer } from '../provider-stub.js'
import { until } from '../store/redis-server.js'
import { bringDevice, gate, phones, startHost, stubCodes } from './kit.js'
import { recover, startRecoveryHost } from './recovery-kit.js'

const appSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

it('a start is 503 while the provider cannot be reached, and the page says when to try again', async () => {
  const host = await startHost()
  const ana = await host.login()
  await host.stub.close()
  const { status, text } = await ana.submit('/two-factor/start')
  expect(status).toBe(503)
  expect(text).toContain('Sorry, we can&#39;t send codes right now.')
  expect(text).toContain('Try again in a few minutes.')
})

it('apps, recovery codes, trusted browsers and sign-ins work while the provider cannot be reached', async () => {
  const host = await startRecoveryHost({
    options: {
      authenticator: {
        secretOf: (_req, subject) => (subject === 'ben' ? appSecret : undefined),
        issuer: 'Acme',
      },
      trustedDevices: { maxAgeMs: 86_400_000 },
      purposes: { login: { trustedDevice: true }, transfer: {} },
    },
  })
  const trusted = await host.challenged()
  expect((await trusted.verify(host.stub.rightCode, { trustDevice: true })).status).toBe(200)
  await host.stub.close()

  expect((await trusted.get('/account')).status).toBe(200)
  const again = bringDevice(await host.login(), trusted)
  expect((await again.start()).json).toMatchObject({ verified: true })
  expect((await recover(await host.login(), host.codes[0])).status).toBe(200)
  const ben = await host.login('ben')
  await ben.start({ channel: 'app' })
  const shown = codeOf(Math.floor(host.clock.now / 30_000), fromBase32(appSecret) ?? Buffer.of())
  expect((await ben.verify(shown)).status).toBe(200)
  expect((await (await host.login('eva')).start()).status).toBe(503)
})

type Told = readonly [start: number, check: number, countedSends: number, attemptsRemaining: number]

it.each<[string, StubAnswer | 'refused', Told, ...reasons: string[]]>([
  ['cannot be reached', 'refused', [503, 503, 0, 5], 'refused'],
  ['hangs', 'hang', [202, 503, 1, 4], 'timeout'],
  ['disconnects', 'reset', [202, 503, 1, 4], 'reset'],
  ['responds with 408', { status: 408, json: { error: 7 } }, [202, 503, 1, 4], 'answer'],
  ['responds with 503', { status: 503, json: { error: 7 } }, [202, 503, 1, 4], 'answer'],
  ['responds with a page and 520', { status: 520, text: '<html>' }, [202, 503, 1, 4], 'answer'],
  ['responds with 429', { status: 429, json: {} }, [503, 503, 1, 4], 'later', 'answer'],
])(
  'start, check, sends of the number and attempts with a provider that %s',
  async (_does, answer, told, ...reasons) => {
    const timeoutMs = 400
    const host = await startHost({
      listens: true,
      provider: (stub) =>
        stubCodes(stub, { client: createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k', timeoutMs }) }),
    })
    const [ana, ben] = [await host.challenged(), await host.login('ben')]
    const { stub } = host
    if (answer === 'refused') await stub.close()
    else Object.assign(stub, { answerSend: () => answer, answerCheck: () => answer })

    const startedAt = performance.now()
    const [start, check] = [await ben.start(), await ana.verify(stub.rightCode)]
    if (answer === 'hang') expect(performance.now() - startedAt).toBeGreaterThan(2 * timeoutMs - 50)
    expect(performance.now() - startedAt).toBeLessThan(2 * timeoutMs + 2_000)
    const { number } = await host.tf.subjects.state('ben', { phone: phones.ben ?? '' })
    const { challenge } = (await ana.get('/two-factor')).json
    expect([start.status, check.status, number?.sendsInHour.count, challenge.attemptsRemaining]).toEqual(told)
    if (start.status === 202) expect(start.json.delivery).toBe('unconfirmed')
    if (told[2] === 1 && start.status === 503) expect(start.headers.get('retry-after')).toBe('30')
    const [reasonOfStart, reasonOfCheck = reasonOfStart] = reasons
    const happened = host.events.map((event) => [event.type, 'reason' in event && event.reason])
    expect(happened).toContainEqual(['provider.unavailable', reasonOfCheck])
    if (reasonOfStart === 'later') expect(happened).toContainEqual(['challenge.undelivered', 'later'])
    const { lastSentAt = 0, lastFailure } = host.tf.health().provider
    expect(lastFailure?.at).toBeGreaterThanOrEqual(lastSentAt)
  },
)

it.each([
  ['hangs', 'timeout', () => undefined],
  ['disconnects', 'reset', (socket: Socket) => socket.resetAndDestroy()],
] as const)(
  'a provider that %s before a connection exists was sent nothing: 503, and nothing is counted',
  async (_does, reason, behave) => {
    const server = createServer(behave)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const host = await startHost({
      listens: true,
      provider: (stub) =>
        stubCodes(stub, {
          client: createClient({
            baseUrl: `https://127.0.0.1:${port}/v1`,
            client: 41,
            key: 'k',
            timeoutMs: 500,
          }),
        }),
    })
    const told = await (await host.login()).start()
    expect(told.refusal).toEqual([503, 'provider_unavailable'])
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'provider.unavailable', sent: false, reason }),
    )
    const { number } = await host.tf.subjects.state('ana', { phone: phones.ana ?? '' })
    expect(number?.sendsInHour.count).toBe(0)
  },
)

it('close() lets requests to the provider that are under way end first', async () => {
  const held = gate()
  const host = await startHost()
  const ana = await host.login()
  const { answerSend } = host.stub
  host.stub.answerSend = async (request) => {
    await held.opened
    return answerSend(request)
  }
  const starting = ana.start()
  await until(() => host.stub.sends.length === 1)
  let isClosed = false
  const closing = host.tf.close().then(() => {
    isClosed = true
  })
  await sleep(100)
  expect(isClosed).toBe(false)
  held.open()
  expect((await starting).status).toBe(201)
  await closing
  expect((await (await host.login('ben')).start()).status).toBe(503)
})
