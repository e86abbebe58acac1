import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openInspection } from '../../src/challenge/operator/inspection.js'
import { type RedisStoreOptions, redisStore } from '../../src/store/redis-store.js'
import { transfersAt } from '../express/described-transfers.js'
import { type HostOptions, signupAt, startHost } from '../express/kit.js'
import { patientMs, type RedisServer, startRedis, until, withoutRedis } from '../store/redis-server.js'

const secret = 'a secret of thirty-two bytes or more'
const number = '+573009998877'
const wrongCodes = (count: number, from = 100_000) => Array.from({ length: count }, (_, i) => `${from + i}`)

async function clientOf(server: RedisServer) {
  const client = createClient({ url: server.url, disableOfflineQueue: true }).on('error', () => {})
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

async function startServer(...settings: string[]) {
  const server = await startRedis(...settings)
  onTestFinished(() => server.kill())
  return server
}

const startApp = (store: RedisStoreOptions, { options, ...given }: HostOptions = {}) =>
  startHost({
    ...given,
    listens: true,
    options: { ...options, store: redisStore({ timeoutMs: patientMs, ...store }) },
  })

describe.skipIf(withoutRedis)('a Redis that comes back empty', () => {
  it('has lost codes, grants, trust, forms, numbers, locks and the pause, and needs no restart of the app', async () => {
    const server = await startServer()
    const client = await clientOf(server)
    const store = redisStore({ client, timeoutMs: patientMs })
    const host = await startApp(
      { client },
      {
        options: { trustedDevices: { maxAgeMs: 86_400_000 }, limits: { failuresBeforeLock: 5 } },
        mount(app, tf) {
          signupAt('/phone')(app, tf)
          transfersAt('/pay', { resume: true })(app, tf)
        },
      },
    )
    const { stub } = host
    const trusted = await host.challenged()
    expect((await trusted.verify(stub.rightCode, { trustDevice: true })).status).toBe(200)
    host.clock.now += 60_000
    const refused = await trusted.submit('/pay', { amount: '5', payee: 'Mum' })
    const page = await host.ledBy(refused.fields.requirement, trusted)
    expect((await trusted.open(page)).text).toContain('Mum')
    const visitor = host.browser()
    await visitor.post('/phone/start', { phone: number })
    expect((await visitor.post('/phone/verify', { code: stub.rightCode })).status).toBe(200)
    const eva = await host.challenged('eva')
    for (const code of wrongCodes(5)) await eva.verify(code)
    expect((await (await host.login('eva')).start()).refusal).toEqual([429, 'account_locked'])
    const ben = await host.challenged('ben')
    const open = () => openInspection({ store, secret, namespace: '' })
    await until(async () => typeof (await open()) !== 'string')
    const desk = await open()
    if (typeof desk === 'string') throw new Error(desk)
    await desk.signups.pause(3_600_000)
    expect((await host.browser().post('/phone/start', { phone: '+573009998866' })).status).toBe(503)

    await server.kill()
    expect((await ben.verify(stub.rightCode)).refusal).toEqual([503, 'store_unavailable'])
    await server.restart()
    await until(async () => (await ben.get('/two-factor')).status === 200)
    expect((await ben.verify(stub.rightCode)).refusal).toEqual([410, 'challenge_gone'])
    expect((await ben.start()).status).toBe(201)
    expect((await ben.verify(stub.rightCode)).status).toBe(200)
    expect((await trusted.get('/account')).refusal).toEqual([403, 'second_factor_required'])
    const form = await trusted.open(page)
    expect([form.status, form.text.includes('Form not found')]).toEqual([410, true])
    expect((await trusted.start()).status).toBe(201)
    expect((await visitor.post('/signup')).status).toBe(403)
    expect((await (await host.login('eva')).start()).status).toBe(201)
    expect(await host.tf.subjects.state('eva')).toMatchObject({ judged: 0, locked: false })
    expect((await host.browser().post('/phone/start', { phone: '+573009998866' })).status).toBe(201)
    expect(await open()).toBe('unknown-namespace')
  })
})

describe.skipIf(withoutRedis)('a replica that takes over without the last changes', () => {
  /** An app on a primary, and what makes it one on the replica, which has all but what came after `part`. */
  async function startFailover(strict: boolean) {
    const primary = await startServer()
    const replica = await startServer('--replicaof', `127.0.0.1 ${primary.port}`)
    const clients = [await clientOf(primary), await clientOf(replica)] as const
    await until(async () => Number(await clients[0].sendCommand(['WAIT', '1', '100'])) === 1)
    let current = clients[0]
    const sendCommand = (_key: string, args: string[]) => current.sendCommand(args)
    const options = { sendCommand, strict, timeoutMs: strict ? 300 : patientMs }
    const store = redisStore(options)
    const host = await startApp(options, { options: { limits: { failuresBeforeLock: 5 } } })
    return {
      host,
      store,
      async part() {
        await clients[0].sendCommand(['WAIT', '1', '1000'])
        await replica.ask('REPLICAOF', 'NO', 'ONE')
      },
      async failOver() {
        await primary.kill()
        current = clients[1]
      },
    }
  }

  it('gives back guesses and misses a lock', async () => {
    const { host, part, failOver } = await startFailover(false)
    const ana = await host.login()
    expect((await ana.start()).status).toBe(201)
    await part()
    for (const code of wrongCodes(5)) await ana.verify(code)
    expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([429, 'account_locked'])
    await failOver()
    expect((await ana.verify('999999')).json).toMatchObject({ status: 422, attemptsRemaining: 4 })
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect(host.stub.checks).toHaveLength(7)
  })

  it('lets no guess through with `strict`, except that counters lose their last hits', async () => {
    const { host, store, part, failOver } = await startFailover(true)
    const ana = await host.login()
    expect((await ana.start()).status).toBe(201)
    await part()
    expect((await ana.verify('111111')).refusal).toEqual([503, 'store_unavailable'])
    expect(host.stub.checks).toEqual([])
    await store.increment('tf3::count-auth-forms:ana', 60_000)
    await failOver()
    expect(await store.increment('tf3::count-auth-forms:ana', 60_000)).toMatchObject({ count: 1 })
  })
})

describe.skipIf(withoutRedis)('a payment while Redis hangs', () => {
  it('is 503 on a page, does not run, and is not saved; code and form of before work afterwards', async () => {
    const server = await startServer()
    const client = await clientOf(server)
    const host = await startApp({ client, timeoutMs: 250 }, { mount: transfersAt('/pay', { resume: true }) })
    const ana = await host.signIn()
    host.clock.now += 60_000
    const refused = await ana.submit('/pay', { amount: '5', payee: 'Mum' })
    const { requirement = '' } = refused.fields
    await ana.submit('/two-factor/start', { requirement })

    server.freeze()
    const startedAt = performance.now()
    const posted = await ana.submit('/pay', { amount: '6', payee: 'Mum' })
    const tookMs = performance.now() - startedAt
    expect(tookMs).toBeGreaterThan(240)
    expect(tookMs).toBeLessThan(1_000)
    expect([posted.status, posted.json]).toEqual([503, undefined])
    expect(posted.text).toContain('Sorry, we can&#39;t confirm that it&#39;s you right now')
    expect((await ana.get('/account')).refusal).toEqual([503, 'store_unavailable'])
    expect((await ana.submit('/two-factor/verify', { requirement, code: host.stub.rightCode })).status).toBe(
      503,
    )
    server.thaw()
    await until(async () => (await ana.get('/account')).status === 200)
    await sleep(100)

    host.clock.now += 6_000
    const page = (await ana.submit('/two-factor/verify', { requirement, code: host.stub.rightCode })).location
    expect((await ana.open(page)).text).toContain('<bdi>5</bdi>')
    const form = { amount: '5', payee: 'Mum', twoFactorForm: page.split('=')[1] ?? '' }
    expect((await ana.submit('/pay', form)).status).toBe(200)
  })
})
