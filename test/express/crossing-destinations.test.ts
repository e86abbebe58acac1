import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/index.js'
import { startAppHost } from './app-kit.js'
import { startHost } from './kit.js'

const [mobile, office] = ['+573001234567', '+573007654321']
const here = { subject: 'ana', session: 's' }

describe('a person with more than one destination', () => {
  it('has one live challenge: a code that was sent before to another number is gone', async () => {
    const { host } = await startAppHost()
    const { start, find, verify, cancel } = host.tf.challenges
    const first = await start({ ...here, phone: mobile, purpose: 'login' })
    if (first.outcome !== 'started') throw new Error(first.outcome)
    expect((await start({ ...here, phone: office, purpose: 'login' })).outcome).toBe('started')
    expect(await find({ ...here, phone: mobile })).toBeUndefined()
    const { id: challenge } = first.challenge
    const typed = { ...here, phone: mobile, challenge, code: host.stub.rightCode }
    const both = { ...typed, phone: [mobile, office] }
    expect(await verify(both)).toMatchObject({ code: 'challenge_superseded' })
    // The number of the one that lives is not on file here.
    expect(await verify(typed)).toMatchObject({ code: 'challenge_gone' })
    await cancel({ ...here, phone: office })
    expect(await find({ ...here, phone: mobile })).toBeUndefined()
    expect(await verify(typed)).toMatchObject({ code: 'challenge_gone' })
    expect(host.stub.checks).toEqual([])
  })

  it('is reached without a request as with one: by several numbers, and by the app', async () => {
    const { host, secrets, shows } = await startAppHost()
    const { start, verify } = host.tf.challenges
    const ana = { ...here, phone: [mobile, { phone: office, methods: ['call'] }], secret: secrets.ana }
    const asked = { ...ana, purpose: 'login' }
    const told = [await start(asked), await start({ ...asked, methods: ['code'] })]
    expect(told.map((one) => one.outcome === 'started' && one.challenge.channel)).toEqual(['app', 'sms'])
    const destination = (await (await host.login()).get('/two-factor')).json.destinations[0].id
    expect(await start({ ...asked, destination })).toMatchObject({ code: 'invalid_request' })
    const rejected = { outcome: 'rejected', attemptsRemaining: 4 }
    expect(await verify({ ...ana, code: shows() })).toEqual(rejected)
    const byApp = await start({ ...asked, channel: 'app' })
    const { id: challenge } = byApp.outcome === 'started' ? byApp.challenge : { id: '' }
    const typed = { ...ana, challenge, code: shows(1) }
    expect(await verify(typed)).toMatchObject({ outcome: 'approved', channel: 'app' })
    // Where nothing was sent, a code that names nothing is one of the app.
    const elsewhere = { ...ana, session: 'other' }
    host.clock.now += 60_000
    expect(await verify({ ...elsewhere, code: shows() })).toMatchObject({
      outcome: 'approved',
      purpose: 'login',
    })
    expect(await verify({ ...elsewhere, code: shows(1), purpose: 'signup' })).toMatchObject({
      outcome: 'refused',
    })
    await expect(start({ ...asked, phone: 5 as never })).rejects.toThrow(
      /^phone returned a value of type number/,
    )
    await expect(start({ ...asked, secret: '!' })).rejects.toThrow(/^authenticator\.secretOf must return/)
  })

  it('is sent one code where the hour allows one, however many numbers ask at once', async () => {
    const { host } = await startAppHost({ limits: { sendsPerHour: 1 } })
    const told = await Promise.all(
      [mobile, office].map((phone) => host.tf.challenges.start({ ...here, phone, purpose: 'login' })),
    )
    expect(told.map(({ outcome }) => outcome).sort()).toEqual(['refused', 'started'])
    expect(host.stub.sends).toHaveLength(1)
    const { nextSendInMs } = await host.tf.subjects.state('ana')
    expect(nextSendInMs).toBe(3_600_000)
  })

  it('is asked for the code that the app shows already, and no code is sent for it', async () => {
    const { host, events } = await startAppHost()
    const zoe = await host.login('zoe')
    const { challenge } = (await zoe.post('/two-factor/start', {})).json
    expect((await zoe.post('/two-factor/resend', {})).json).toMatchObject({ alreadySent: true })
    const other = await zoe.post('/two-factor/resend', { challenge: 'another' })
    expect(other.json.code).toBe('challenge_gone')
    // Any number of them may stand.
    await (await host.login('zoe')).post('/two-factor/start', {})
    expect((await zoe.post('/two-factor/resend', { challenge: challenge.id })).json).toMatchObject({
      alreadySent: true,
      challenge: { id: challenge.id },
    })
    expect(events.map(({ type }) => type)).not.toContain('challenge.superseded')
    expect(host.stub.sends).toEqual([])
  })

  it('is told by the page when the account is disabled, and where nothing will do', async () => {
    const { host } = await startAppHost({ knownBrowsers: false, limits: { failuresBeforeDisable: 1 } })
    const ana = await host.login()
    await ana.post('/two-factor/start', { channel: 'sms' })
    await ana.post('/two-factor/verify', { code: '000000' })
    expect((await ana.post('/two-factor/start', { channel: 'sms' })).json.code).toBe('phone_disabled')
    expect((await ana.open('/two-factor')).text).not.toContain('value="sms"')
    expect(await host.tf.subjects.state('ana')).toMatchObject({ disabled: true })

    const calls = { phone: () => [{ phone: mobile, methods: ['call'] }], channels: ['sms'] }
    const without = await (await startHost({ options: calls })).login()
    expect((await without.open('/two-factor')).text).not.toContain('name="channel"')
    const nobody = { ...here, purpose: 'login' } as Parameters<typeof host.tf.challenges.start>[0]
    expect(await host.tf.challenges.start(nobody)).toMatchObject({ outcome: 'refused' })
  })

  it('is sent no code for what the app no longer asks for', async () => {
    const store = memoryStore()
    const before = await startHost({ options: { store, purposes: { transfer: {}, retired: {} } } })
    const started = await before.tf.challenges.start({ ...here, phone: mobile, purpose: 'retired' })
    if (started.outcome !== 'started') throw new Error(started.outcome)
    const { tf, clock, stub } = await startHost({ options: { store } })
    clock.now += 61_000
    const seen = await tf.challenges.find({ ...here, phone: mobile })
    expect(seen).toMatchObject({ purpose: 'retired', channels: ['sms'] })
    const again = { ...here, phone: mobile, challenge: started.challenge.id }
    expect(await tf.challenges.resend(again)).toMatchObject({ code: 'invalid_request' })
    expect(stub.sends).toEqual([])
  })
})
