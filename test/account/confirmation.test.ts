import { describe, expect, it } from 'vitest'
import { newsIn, newsOf } from '../../src/account/news.js'
import type { Answer } from '../express/browser.js'
import { bringDevice, phones, withTokens } from '../express/kit.js'
import {
  confirmed,
  idOf,
  newNumber,
  otherNumber,
  path,
  prove,
  proveByApp,
  proveNumber,
  signIn,
  startAccounts,
} from './kit.js'

const first = String(phones.ana)

/** An account that has all of it, a browser that is signed in with a code, and one that is trusted. */
async function startFull() {
  const options = { trustedDevices: { maxAgeMs: 86_400_000, label: () => 'Firefox' } }
  const given = { numbers: [first, otherNumber], app: true, hashes: ['a hash'], options }
  const host = await startAccounts(given)
  const trusted = await signIn(host, { trustDevice: true })
  const ana = await signIn(host)
  await proveNumber(host, ana)
  const [device] = (await ana.get(path)).json.devices
  const number = await idOf(ana, 1)
  const changes: readonly (readonly [string, object])[] = [
    ['/numbers/add', {}],
    ['/numbers/first', { number }],
    ['/numbers/remove', { number }],
    ['/app/remove', {}],
    ['/recovery-codes', {}],
    ['/devices/end', { device: device.id }],
    ['/devices/end-all', {}],
    ['/sign-out', {}],
  ]
  return { host, ana, trusted, changes }
}

const expectAsked = async (answer: Promise<Answer>) =>
  expect((await answer).status).toBeGreaterThanOrEqual(400)

describe('every change', () => {
  it('requires a code, shows the change and makes it only after the code', async () => {
    const { host, ana, changes } = await startFull()
    const before = structuredClone(host.filed.ana)
    for (const [factor, fields] of changes) {
      const refused = await ana.post(path + factor, fields)
      expect([factor, ...refused.refusal]).toEqual([factor, 403, 'second_factor_required'])
      expect(refused.json.details.rows.at(-1)).toEqual(['Afterwards', expect.stringMatching(/\w/)])
    }
    expect((await ana.get(`${path}/app`)).refusal).toEqual([403, 'second_factor_required'])
    expect((await ana.post(`${path}/app`, { code: '123456' })).refusal).toEqual([409, 'app_on_file'])
    expect([host.filed.ana, host.told]).toEqual([before, []])
    expect((await ana.get(path)).json.devices).toHaveLength(1)
  })

  it('accepts only its own code, and its code confirms no other change', async () => {
    const { host, ana, changes } = await startFull()
    const before = structuredClone(host.filed.ana)
    for (const [factor, fields] of changes) {
      const { requirement } = (await ana.post(path + factor, fields)).json
      expect((await proveByApp(host, ana, requirement)).status).toBe(200)
      for (const [other, more] of changes.filter(([one]) => one !== factor)) {
        await expectAsked(ana.post(path + other, more))
      }
      // What is proven for one number, or one browser, is proven for no other.
      host.filed.ana?.numbers.reverse()
      await expectAsked(ana.post(path + factor, fields))
      host.filed.ana?.numbers.reverse()
      // Used up, so that it is not there for the next one.
      host.clock.now += 5 * 60_000
    }
    expect([host.filed.ana, host.told]).toEqual([before, []])
  })

  it('does not renew the sign-in by its code', async () => {
    const { host, ana } = await startFull()
    const signedIn = host.clock.now
    for (const factor of ['/sign-out', '/recovery-codes']) {
      host.clock.now = Math.max(host.clock.now, signedIn + 15 * 60_000)
      expect((await ana.get('/recent')).status).toBe(200)
      expect((await confirmed(host, ana, factor)).json).not.toHaveProperty('code')
    }
    host.clock.now = signedIn + 30 * 60_000
    expect((await ana.get('/home')).status).toBe(200)
    expect((await ana.get('/recent')).refusal).toEqual([403, 'second_factor_required'])
  })

  it('stores no app by a code that did not name the change', async () => {
    const { host, ana } = await startFull()
    if (host.filed.ana) host.filed.ana.app = undefined
    host.clock.now += 5 * 60_000
    expect((await ana.start({ purpose: 'authenticator', channel: 'sms' })).status).toBe(201)
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    const asked = await ana.get(`${path}/app`)
    expect(asked.refusal).toEqual([403, 'second_factor_required'])
    expect(asked.json.details.title).toBe('Setting up an authenticator app')
    const posted = await ana.post(`${path}/app`, { code: '123456' })
    expect(posted.refusal).toEqual([403, 'second_factor_required'])
    expect(host.filed.ana?.app).toBeUndefined()
  })

  it('that would change nothing asks for no code', async () => {
    const { host, ana } = await startFull()
    for (const [factor, fields] of [
      ['/devices/end', { device: 'ended before' }],
      ['/numbers/first', { number: await idOf(ana, 0) }],
    ] as const) {
      expect((await ana.post(path + factor, fields)).json).toEqual({})
      expect(await ana.submit(path + factor, fields)).toMatchObject({ status: 303, location: path })
    }
    expect(host.told).toEqual([])
  })

  it('is made once for one code', async () => {
    const { host, ana } = await startFull()
    const { requirement } = (await ana.post(`${path}/recovery-codes`)).json
    await prove(host, ana, requirement)
    const answers = await Promise.all(Array.from({ length: 10 }, () => ana.post(`${path}/recovery-codes`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(host.told).toHaveLength(1)
  })

  it('comes from no other site', async () => {
    const { ana, changes } = await startFull()
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const [factor, fields] of changes) {
      expect((await ana.post(path + factor, fields, foreign)).refusal).toEqual([403, 'cross_site'])
    }
  })
})

describe('after a change', () => {
  it('notifies app and events once, with full numbers only of the state before', async () => {
    const { host, ana } = await startFull()
    const numbers = [first, otherNumber]
    const change = async (factor: string, fields: object = {}) => {
      const { requirement } = (await ana.post(path + factor, fields)).json
      await proveByApp(host, ana, requirement)
      expect([factor, (await ana.post(path + factor, fields)).status]).toEqual([factor, 200])
    }
    const [{ id }] = (await ana.get(path)).json.devices
    await change('/numbers/add')
    await change('/devices/end', { device: id })
    await change('/numbers/first', { number: await idOf(ana, 1) })
    await change('/numbers/remove', { number: await idOf(ana, 1) })
    await change('/recovery-codes')
    await change('/sign-out')
    await change('/app/remove')
    const of = { subject: 'ana' }
    const before = [otherNumber, first, newNumber]
    const after = [otherNumber, newNumber]
    expect(host.told).toEqual([
      { ...of, kind: 'number-added', number: '••••••43', before: numbers },
      { ...of, kind: 'device-ended', device: 'Firefox', before: [...numbers, newNumber] },
      { ...of, kind: 'number-first', number: '••••••21', before: [...numbers, newNumber] },
      { ...of, kind: 'number-removed', number: '••••••67', before },
      { ...of, kind: 'recovery-codes-made', before: after },
      { ...of, kind: 'signed-out-elsewhere', before: after },
      { ...of, kind: 'app-removed', before: after },
    ])
    const changed = { at: expect.any(Number), type: 'factor.changed', ...of }
    expect(host.events.filter(({ type }) => type === 'factor.changed')).toEqual([
      { ...changed, kind: 'phone', before: '••••••67', after: '••••••43' },
      { ...changed, kind: 'phone', before: '••••••67', removed: true },
      { ...changed, kind: 'recovery-codes' },
      { ...changed, kind: 'app', removed: true },
    ])
  })

  it('every other session is asked for a code again, and this one is not', async () => {
    const { host, ana, trusted } = await startFull()
    const other = await signIn(host)
    await confirmed(host, ana, '/numbers/remove', { number: await idOf(ana, 1) })
    expect((await other.get('/home')).refusal).toEqual([403, 'second_factor_required'])
    expect((await ana.get('/home')).status).toBe(200)
    // Trust that a removed number may have given is gone, that of a stolen cookie too.
    expect((await ana.get(path)).json.devices).toEqual([])
    const thief = bringDevice(await host.login(), trusted)
    expect((await thief.start()).json.verified).toBeUndefined()
    expect((await thief.get('/home')).status).toBe(403)
  })

  it('pending codes are no longer valid', async () => {
    const { host, ana } = await startFull()
    const { requirement } = (await ana.post(`${path}/sign-out`)).json
    await prove(host, ana, requirement)
    host.clock.now += 5 * 60_000 - 1
    const other = await host.login()
    await other.start({ channel: 'sms' })
    const code = host.stub.rightCode
    expect((await ana.post(`${path}/sign-out`)).json).toEqual({ changed: 'signed-out-elsewhere' })
    expect((await other.verify(code)).refusal).toEqual([410, 'challenge_gone'])
  })

  it('the page shows the notice only at its own address', async () => {
    const { host, ana } = await startFull()
    const { requirement } = (await ana.post(`${path}/sign-out`)).json
    await prove(host, ana, requirement)
    const { location } = await ana.submit(`${path}/sign-out`)
    const told = 'All other devices are asked for a code again.'
    expect((await ana.open(location)).text).toContain(told)
    const [, at] = location.split('.')
    for (const forged of [
      `${path}?changed=app-removed`,
      location.replace('signed-out-elsewhere', 'app-removed'),
      location.replace(String(at), String(Number(at) + 1)),
    ]) {
      expect((await ana.open(forged)).text).not.toContain('class="notice done')
    }
    expect((await (await signIn(host)).open(location)).text).not.toContain(told)
    const changed = { toString: 'app-removed' }
    expect((await ana.post(`${path}/numbers/remove`, { changed })).refusal).toEqual([409, 'stale'])
    const news = { kind: 'number-added', label: '43' } as const
    expect(newsIn(newsOf(news, 'a', Date.now() - 59_000), 'a')).toEqual(news)
    expect(newsIn(newsOf(news, 'a', Date.now() - 60_000), 'a')).toBeUndefined()
  })

  it('trust in browsers stays where no way went', async () => {
    const { host, ana } = await startFull()
    await confirmed(host, ana, '/numbers/add')
    expect(host.filed.ana?.numbers).toContain(newNumber)
    expect((await ana.get(path)).json.devices).toHaveLength(1)
  })
})

describe('attacked', () => {
  it('by a stolen cookie of a trusted browser with the password, nothing is changed', async () => {
    const { host, trusted, changes } = await startFull()
    const thief = bringDevice(await host.login(), trusted)
    await thief.start()
    expect((await thief.get('/home')).status).toBe(200)
    for (const [factor, fields] of changes.slice(1)) {
      expect((await thief.post(path + factor, fields)).refusal).toEqual([403, 'second_factor_required'])
    }
    expect(host.told).toEqual([])
  })

  it('by a client with a bearer token, a code is asked for as at any guard', async () => {
    const host = await startAccounts({ ...withTokens(), numbers: [first, otherNumber] })
    const client = host.browser({ authorization: 'Bearer ana' })
    expect((await host.confirm(client)).status).toBe(200)
    const number = await idOf(client, 1)
    const refused = await client.post(`${path}/numbers/remove`, { number })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('insufficient_user_authentication'),
    ])
    await prove(host, client, refused.json.requirement)
    expect((await client.post(`${path}/numbers/remove`, { number })).status).toBe(200)
    expect((await client.get(path)).status).toBe(200)
  })
})
