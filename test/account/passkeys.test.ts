import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import type { Passkeys } from '../../src/passkeys/index.js'
import type { Browser } from '../express/browser.js'
import { createAuthenticator } from '../passkeys/authenticator.js'
import { createPasskeys, origin } from '../passkeys/kit.js'
import {
  type AccountHost,
  type AccountHostOptions,
  confirmed,
  idOf,
  linesOf,
  otherNumber,
  path,
  prove,
  signIn,
  startAccounts,
} from './kit.js'

/** A host whose accounts may have passkeys. Ana has one number, Eve nothing. */
async function startWithPasskeys(given: AccountHostOptions = {}) {
  const of = createPasskeys()
  const host = await startAccounts({
    ...given,
    options: { passkeys: of.keys, ...given.options },
    pages: { passkeys: of.keys, ...given.pages },
  })
  return { host, ...of }
}

/** Asks for the options of a new passkey, after a code for it. */
async function begin(host: AccountHost, browser: Browser) {
  return (await confirmed(host, browser, '/passkeys/start')).json.publicKey
}

/** Gives a passkey for a requirement. */
async function proveByPasskey(
  browser: Browser,
  requirement: string,
  authenticator: ReturnType<typeof createAuthenticator>,
) {
  const { challenge, publicKey } = (
    await browser.post('/two-factor/start', { requirement, channel: 'passkey' })
  ).json
  const passkey = authenticator.sign(publicKey)
  return browser.post('/two-factor/verify', { challenge: challenge.id, passkey })
}

describe('a new passkey', () => {
  it('is added after a code for it, named after the device, and reported', async () => {
    const { host } = await startWithPasskeys()
    const ana = await signIn(host)
    expect((await ana.post(`${path}/passkeys/start`)).json.details).toEqual({
      title: 'Adding a passkey',
      rows: [['Afterwards', 'The new passkey lets you in without a code']],
      action: 'Add the passkey',
    })
    const publicKey = await begin(host, ana)
    expect(publicKey).toMatchObject({ rp: { name: 'Acme' }, user: { name: 'ana' }, excludeCredentials: [] })
    const authenticator = createAuthenticator(origin)
    const agent = { 'user-agent': 'Mozilla/5.0 (iPhone) Safari/604.1' }
    const added = await ana.post(`${path}/passkeys`, { passkey: authenticator.create(publicKey) }, agent)
    expect(added.json).toEqual({ changed: 'passkey-added' })
    const { passkeys, risk } = (await ana.get(path)).json
    expect(passkeys).toEqual([
      { id: authenticator.id, label: 'Safari, iPhone', createdAt: expect.any(Number) },
    ])
    expect(risk).toBeUndefined()
    expect(host.told).toEqual([
      expect.objectContaining({ kind: 'passkey-added', subject: 'ana', before: ['+573001234567'] }),
    ])
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'factor.changed', kind: 'passkey', subject: 'ana' }),
    )
    // The session stays signed in, and others need a factor again.
    expect((await ana.get('/home')).status).toBe(200)
    const page = await ana.open(added.location || path)
    const row = [
      'Safari, iPhone',
      '[/passkeys/rename] Rename Safari, iPhone',
      '[/passkeys/remove] Remove Safari, iPhone',
    ]
    expect(linesOf(page)).toEqual(
      expect.arrayContaining(['Passkeys', ...row, '[/passkeys/start] Add a passkey']),
    )
  })

  it('needs its code: neither the session alone nor a code for another change is enough', async () => {
    const { host, table } = await startWithPasskeys()
    const ana = await signIn(host)
    const authenticator = createAuthenticator(origin)
    const challenge = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    const passkey = authenticator.create({ challenge, rp: { id: 'acme.example' } })
    expect((await ana.post(`${path}/passkeys`, { passkey })).refusal).toEqual([403, 'second_factor_required'])
    expect((await ana.get(`${path}/passkeys/new`)).status).toBe(403)
    const { requirement } = (await ana.post(`${path}/sign-out`)).json
    await prove(host, ana, requirement)
    expect((await ana.post(`${path}/passkeys`, { passkey })).status).toBe(403)
    expect(table.size).toBe(0)
  })

  it('answers the challenge of this session, once', async () => {
    const { host, table } = await startWithPasskeys()
    const ana = await signIn(host)
    const publicKey = await begin(host, ana)
    const authenticator = createAuthenticator(origin)
    const wrong = [
      authenticator.create({ ...publicKey, challenge: 'AAAA' }),
      authenticator.create(publicKey, { isVerified: false }),
      authenticator.create(publicKey, { origin: 'https://evil.example' }),
      'no JSON',
      undefined,
    ]
    for (const passkey of wrong) {
      expect((await ana.post(`${path}/passkeys`, { passkey })).refusal).toEqual([409, 'no_passkey'])
    }
    expect(table.size).toBe(0)
    const passkey = authenticator.create(publicKey)
    const form = await ana.submit(`${path}/passkeys`, { passkey: JSON.stringify(passkey) })
    expect([form.status, form.location.startsWith(`${path}?changed=`)]).toEqual([303, true])
    expect((await ana.open(form.location)).text).toContain('The passkey was added.')
    const second = createAuthenticator(origin).create(publicKey)
    expect((await ana.post(`${path}/passkeys`, { passkey: second })).status).toBe(403)
    expect(table.size).toBe(1)
  })

  it('is no passkey of another account', async () => {
    const { host, give, table } = await startWithPasskeys()
    const ofBen = await give('ben')
    const ana = await signIn(host)
    const publicKey = await begin(host, ana)
    const passkey = ofBen.create(publicKey)
    expect((await ana.post(`${path}/passkeys`, { passkey })).refusal).toEqual([409, 'no_passkey'])
    expect(table.get(ofBen.id)?.subject).toBe('ben')
  })

  it('may be the first factor, and then confirms the next change', async () => {
    const { host } = await startWithPasskeys()
    const eve = await host.login('eve')
    const { publicKey } = (await eve.post(`${path}/passkeys/start`)).json
    const authenticator = createAuthenticator(origin)
    const passkey = authenticator.create(publicKey)
    const other = await host.login('eve')
    const begunToo = (await other.post(`${path}/passkeys/start`)).json.publicKey
    expect((await eve.post(`${path}/passkeys`, { passkey })).json).toEqual({ changed: 'passkey-added' })
    // A session that began before is not enough any more.
    const late = createAuthenticator(origin).create(begunToo)
    expect((await other.post(`${path}/passkeys`, { passkey: late })).status).toBe(403)
    expect((await other.get('/home')).status).toBe(403)
    const refused = await eve.post(`${path}/sign-out`)
    expect(refused.status).toBe(403)
    expect((await proveByPasskey(eve, refused.json.requirement, authenticator)).status).toBe(200)
    expect((await eve.post(`${path}/sign-out`)).json).toEqual({ changed: 'signed-out-elsewhere' })
    const codes = (await eve.post(`${path}/recovery-codes`)).json.requirement
    await proveByPasskey(eve, codes, authenticator)
    expect((await eve.post(`${path}/recovery-codes`)).json.changed).toBe('recovery-codes-made')
    expect(host.stub.sends).toEqual([])
  })

  it('names the account as the app does, or asks for nothing', async () => {
    for (const [label, name, status] of [
      [() => 'ana@example.com', 'ana@example.com', 200],
      [() => 7, undefined, 500],
    ] as const) {
      const { host } = await startWithPasskeys({ pages: { label: label as () => string } })
      const ana = await signIn(host)
      const begun = await confirmed(host, ana, '/passkeys/start')
      expect([begun.status, begun.json.publicKey?.user.name]).toEqual([status, name])
    }
  })

  it('is refused beside ten others, before a code is sent, also if tabs add one in parallel', async () => {
    const { host, give, table } = await startWithPasskeys()
    for (let count = 0; count < 9; count += 1) await give('ana')
    const ana = await signIn(host)
    const publicKey = await begin(host, ana)
    const tabs = Array.from({ length: 8 }, () => {
      const passkey = createAuthenticator(origin).create(publicKey)
      return ana.copy().post(`${path}/passkeys`, { passkey })
    })
    const statuses = (await Promise.all(tabs)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(table.size).toBe(10)

    const sends = host.stub.sends.length
    const full = [await ana.post(`${path}/passkeys/start`), await ana.get(`${path}/passkeys/new`)]
    expect(full.map(({ refusal }) => refusal)).toEqual(Array(2).fill([409, 'too_many_passkeys']))
    expect(host.stub.sends).toHaveLength(sends)
    const lines = linesOf(await ana.open(path))
    expect(lines).toContain('You have ten passkeys. Remove one before you add another.')
    expect(lines.join()).not.toContain('/passkeys/start')
  })

  it('is created by a script, and the page explains this without one', async () => {
    const { host } = await startWithPasskeys()
    const ana = await signIn(host)
    await begin(host, ana)
    const page = await ana.open(`${path}/passkeys/new`)
    expect(page.text).toMatch(/<form [^>]*hidden data-new-passkey="\{/)
    expect(linesOf(page)).toContain("This browser can't create passkeys. Try another browser or device.")
  })
})

describe('a stored passkey', () => {
  it('is renamed and removed after a code, each for this passkey', async () => {
    const { host, give, table } = await startWithPasskeys()
    const [first, second] = [await give('ana'), await give('ana')]
    const ana = await signIn(host)
    const rename = { passkey: first.id, name: ' Old\0 phone\n' }
    expect((await ana.post(`${path}/passkeys/rename`, rename)).json.details).toMatchObject({
      title: 'Renaming the passkey Phone',
      rows: [
        ['Name of the passkey', 'Old phone'],
        ['Afterwards', 'The passkey has the new name'],
      ],
    })
    expect((await confirmed(host, ana, '/passkeys/rename', rename)).json.changed).toBe('passkey-renamed')
    expect(table.get(first.id)).toMatchObject({ label: 'Old phone', counter: 0 })

    const { requirement } = (await ana.post(`${path}/passkeys/remove`, { passkey: first.id })).json
    await prove(host, ana, requirement)
    // The code was for the other passkey.
    expect((await ana.post(`${path}/passkeys/remove`, { passkey: second.id })).status).toBe(403)
    expect((await ana.post(`${path}/passkeys/remove`, { passkey: first.id })).json).toEqual({
      changed: 'passkey-removed',
    })
    expect([...table.keys()]).toEqual([second.id])
    expect(host.told.map(({ kind, passkey }) => [kind, passkey])).toEqual([
      ['passkey-renamed', 'Phone'],
      ['passkey-removed', 'Old phone'],
    ])
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'factor.changed', kind: 'passkey', removed: true }),
    )
  })

  it('changes nothing and requires no code if the form names none or a removed one', async () => {
    const { host, give, table } = await startWithPasskeys()
    const { id } = await give('ana')
    const ofBen = await give('ben')
    const ana = await signIn(host)
    for (const passkey of [undefined, 'none', ofBen.id]) {
      expect((await ana.post(`${path}/passkeys/remove`, { passkey })).json).toEqual({})
    }
    expect((await ana.post(`${path}/passkeys/rename`, { name: 'Mine' })).json).toEqual({})
    for (const passkey of ['none', ofBen.id]) {
      const gone = await ana.post(`${path}/passkeys/rename`, { passkey, name: 'Mine' })
      expect(gone.refusal).toEqual([409, 'passkey_gone'])
    }
    expect(table.get(ofBen.id)?.label).toBe('Phone')
    const same = await ana.post(`${path}/passkeys/rename`, { passkey: id, name: 'Phone' })
    expect(same.json).toEqual({})
    const page = await ana.submit(`${path}/passkeys/rename`, { passkey: id })
    expect(linesOf(page)).toContain('Name of the passkey')
    expect((await ana.get(path)).json.passkeys).toMatchObject([{ id, label: 'Phone' }])
  })

  it('is gone, and does not come back, if another process removes it while it is renamed', async () => {
    const { host, give, table } = await startWithPasskeys()
    const { id } = await give('ana')
    const ana = await signIn(host)
    const rename = { passkey: id, name: 'Mine' }
    await prove(host, ana, (await ana.post(`${path}/passkeys/rename`, rename)).json.requirement)
    const { list } = host.tf.passkeys as Passkeys
    const reading = vi.spyOn(host.tf.passkeys as Passkeys, 'list').mockImplementation(async (subject) => {
      const stored = await list(subject)
      // After the last read of the pages.
      if (reading.mock.calls.length === 3) table.delete(id)
      return stored
    })
    const page = await ana.submit(`${path}/passkeys/rename`, rename)
    expect(page.status).toBe(409)
    expect(page.text).toContain('That passkey was removed, so nothing was changed.')
    expect(table.size).toBe(0)
  })

  it('counts as a factor: the last one stays, and a number beside it can be removed', async () => {
    const { host, give, table } = await startWithPasskeys({ numbers: [], hashes: [] })
    const { id, sign } = await give('ana')
    const ana = await host.login()
    const start = (await ana.start({ channel: 'passkey' })).json
    await ana.post('/two-factor/verify', { challenge: start.challenge.id, passkey: sign(start.publicKey) })
    const overview = (await ana.get(path)).json
    expect(overview).toMatchObject({ canRemove: false, advice: 'advice.one.codes' })
    const { createdAt, usedAt } = Object(table.get(id))
    expect(overview.passkeys).toEqual([{ id, label: 'Phone', createdAt, usedAt }])
    expect((await ana.post(`${path}/passkeys/remove`, { passkey: id })).refusal).toEqual([409, 'last_factor'])

    const beside = await startWithPasskeys()
    const other = await signIn(beside.host)
    expect((await other.get(path)).json.canRemove).toBe(false)
    await beside.give('ana')
    expect((await other.get(path)).json.canRemove).toBe(true)
    const number = await idOf(other, 0)
    expect((await other.post(`${path}/numbers/remove`, { number })).refusal[1]).toBe('second_factor_required')
  })

  it('shows its last use, and the day it was added until then', async () => {
    const { host, give, table } = await startWithPasskeys({ numbers: [otherNumber] })
    const { id } = await give('ana')
    table.set(id, { ...Object(table.get(id)), createdAt: Date.parse('2026-01-02') })
    const ana = await signIn(host)
    expect(linesOf(await ana.open(path))).toContain('Added Jan 2, 2026')
    table.set(id, { ...Object(table.get(id)), usedAt: Date.parse('2026-02-03') })
    const lines = linesOf(await ana.open(path))
    expect(lines).toContain('Last used Feb 3, 2026')
    expect(lines).not.toContain('Added Jan 2, 2026')
    table.set(id, { ...Object(table.get(id)), createdAt: null, usedAt: null })
    expect((await ana.get(path)).json.passkeys).toEqual([{ id, label: expect.any(String) }])
    expect((await ana.open(path)).text).not.toMatch(/Added|Last used/)
  })
})

describe('the offer of a passkey', () => {
  /** A sign-in by forms. The script of the code page has found out that this device can create passkeys. */
  async function signInByForm(host: AccountHost, fields: Record<string, string> = {}, browser?: Browser) {
    host.clock.now += 5 * 60_000
    const ana = browser ?? (await host.login())
    const returnTo = '/home?from=here'
    await ana.submit('/two-factor/start', { channel: 'sms', returnTo })
    const sent = { code: host.stub.rightCode, returnTo, offersPasskey: 'true', ...fields }
    return { ana, verified: await ana.submit('/two-factor/verify', sent) }
  }

  const offer = '/two-factor/passkey?returnTo='

  it('follows a sign-in by text once per browser, and "Not now" continues it', async () => {
    const { host } = await startWithPasskeys()
    const { ana, verified } = await signInByForm(host)
    expect([verified.status, verified.location]).toEqual([303, `${offer}%2Fhome%3Ffrom%3Dhere`])
    expect(verified.headers.getSetCookie().find((line) => line.startsWith('two-factor-passkey'))).toMatch(
      /^two-factor-passkey-offered=1; Max-Age=31536000; Path=\/; .*HttpOnly; SameSite=Lax$/,
    )
    expect(linesOf(await ana.open(verified.location))).toEqual([
      'Sign in faster next time',
      "With a passkey, you use your fingerprint, face or screen lock instead of a code. We'll ask for one more code to set it up.",
      '[/passkeys/start]',
      'Set up a passkey',
      '[/home?from=here] Not now',
    ])
    expect((await ana.get('/home')).status).toBe(200)
    const again = await signInByForm(host, {}, ana.copy())
    expect(again.verified.location).toBe('/home?from=here')
  })

  it('leads over a code for the passkey to its creation, and then on', async () => {
    const { host, table } = await startWithPasskeys()
    const { ana, verified } = await signInByForm(host)
    const { fields } = await ana.open(verified.location)
    const asked = await ana.submit(`${path}/passkeys/start`, fields)
    const code = host.stub.rightCode
    const created = (await ana.submit('/two-factor/verify', { ...asked.fields, code })).location
    expect(created).toBe(`${path}/passkeys/new?returnTo=%2Fhome%3Ffrom%3Dhere`)
    const page = await ana.open(created)
    expect(linesOf(page)).toContain('[/home?from=here] Not now')
    const publicKey = (await ana.get(created)).json.publicKey
    const passkey = JSON.stringify(createAuthenticator(origin).create(publicKey))
    const done = await ana.submit(`${path}/passkeys`, { ...page.fields, passkey })
    expect(done.status).toBe(200)
    expect(done.text).toContain('The passkey was added.')
    expect(linesOf(done)).toContain('[/home?from=here] Continue')
    expect(table.size).toBe(1)
    // The form is sent twice.
    const twice = await ana.submit(`${path}/passkeys`, { ...page.fields, passkey })
    expect(twice.location).toBe('/home?from=here')
    // The page of the offer after Back.
    expect((await ana.open(verified.location)).location).toBe('/home?from=here')
  })

  it('leads on after a passkey that was refused, by its creation and by its start', async () => {
    const { host, give } = await startWithPasskeys()
    const { ana, verified } = await signInByForm(host)
    const { fields } = await ana.open(verified.location)
    const asked = await ana.submit(`${path}/passkeys/start`, fields)
    const right = { ...asked.fields, code: host.stub.rightCode }
    const page = await ana.open((await ana.submit('/two-factor/verify', right)).location)
    const wrong = await ana.submit(`${path}/passkeys`, { ...page.fields, passkey: '{}' })
    // Another tab was faster.
    for (let count = 0; count < 10; count += 1) await give('ana')
    const full = await ana.submit(`${path}/passkeys/start`, fields)
    for (const [refused, problem] of [
      [wrong, 'The passkey was not added.'],
      [full, 'You have ten passkeys.'],
    ] as const) {
      expect(refused.status).toBe(409)
      expect(refused.text).toContain(problem)
      expect(linesOf(refused).at(-1)).toBe('[/home?from=here] Continue')
    }
  })

  it('is made to nobody who gave the password only', async () => {
    const { host } = await startWithPasskeys()
    expect((await (await host.login()).open(`${offer}%2Fhome`)).location).toBe('/home')
  })

  it('keeps the creation, and not the return path, where both would be too long', async () => {
    const { host } = await startWithPasskeys()
    const { ana } = await signInByForm(host)
    const returnTo = `/home?${'=a'.repeat(1_200)}`
    const { fields } = await ana.open(offer + encodeURIComponent(returnTo))
    const asked = await ana.submit(`${path}/passkeys/start`, fields)
    const right = { ...asked.fields, code: host.stub.rightCode }
    expect((await ana.submit('/two-factor/verify', right)).location).toBe(`${path}/passkeys/new`)
  })

  it('leads over recovery codes where the passkey is the first factor', async () => {
    const { host } = await startWithPasskeys()
    const eve = await host.login('eve')
    const { publicKey } = (await eve.post(`${path}/passkeys/start`)).json
    const passkey = JSON.stringify(createAuthenticator(origin).create(publicKey))
    const { location } = await eve.submit(`${path}/passkeys`, { passkey, returnTo: '/home' })
    expect(location).toMatch(`${path}/recovery-codes?changed=`)
  })

  it('never leads to another site', async () => {
    const { host } = await startWithPasskeys({ options: { prefix: '/shop' } })
    const { ana } = await signInByForm(host, { returnTo: '/shop/home' })
    for (const [returnTo, link] of [
      ['/shop/home?a=1', '/shop/home?a=1'],
      ['//evil.example', '/shop/'],
      ['https://evil.example/shop/', '/shop/'],
      ['/shopping', '/shop/'],
      ['/shop/../other', '/shop/'],
      ['/shop//evil.example', '/shop/'],
    ] as const) {
      const page = await ana.open(offer + encodeURIComponent(returnTo))
      expect(linesOf(page).at(-1)).toBe(`[${link}] Not now`)
    }
  })

  it('is absent for a device without passkeys, a client of JSON, a step-up and an account with another factor', async () => {
    const { host, give, table } = await startWithPasskeys({
      mount(app, tf) {
        const recent = tf.requireTwoFactor({ maxAgeMs: 1_000 })
        app.get('/now', recent, (_req, res) => void res.json({}))
        const form = express.urlencoded({ extended: false })
        app.post('/orders', form, tf.requireTwoFactor({ resume: true }), (_req, res) => void res.json({}))
      },
    })
    // Without a script, the field stays disabled and is not sent.
    const codePage = await (await host.challenged()).open('/two-factor')
    expect(codePage.text).toContain('<input type="hidden" name="offersPasskey" value="true" disabled>')
    const { ana, verified } = await signInByForm(host, { offersPasskey: '' })
    expect(verified.location).toBe('/home?from=here')

    host.clock.now += 5 * 60_000
    const json = await host.login()
    await json.start({ channel: 'sms' })
    const body = { offersPasskey: 'true', returnTo: '/home' }
    const { headers, json: result } = await json.verify(host.stub.rightCode, body)
    expect(result).toEqual({
      verified: true,
      purpose: 'login',
      verifiedAt: expect.any(String),
      returnTo: '/home',
    })
    expect(headers.getSetCookie().join()).not.toContain('passkey')
    expect((await json.get(path)).json.risk).toBe('risk.passkeys')

    host.clock.now += 5 * 60_000
    const refused = await ana.open('/now')
    const requirement = String(new URL(refused.location, host.url).searchParams.get('requirement'))
    await ana.submit('/two-factor/start', { requirement })
    const step = { requirement, code: host.stub.rightCode, offersPasskey: 'true' }
    expect((await ana.submit('/two-factor/verify', step)).location).toBe('/now')

    // A saved form comes first.
    host.clock.now += 5 * 60_000
    const order = await host.login()
    const { fields } = await order.submit('/orders', { item: 'bread' })
    await order.submit('/two-factor/start', { ...fields, channel: 'sms' })
    const right = { ...fields, code: host.stub.rightCode, offersPasskey: 'true' }
    expect((await order.submit('/two-factor/verify', right)).location).toMatch(/^\/two-factor\?form=/)

    await give('ana')
    expect((await signInByForm(host)).verified.location).toBe('/home?from=here')
    table.clear()
    Object.assign(host.filed.ana ?? {}, { app: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })
    expect((await signInByForm(host)).verified.location).toBe('/home?from=here')
  })

  it('never fails a sign-in, and can be switched off', async () => {
    const { host, failing } = await startWithPasskeys()
    const { ana, verified } = await signInByForm(host)
    failing.list = new Error('down')
    expect((await ana.open(verified.location)).location).toBe('/home?from=here')

    const { host: quiet } = await startWithPasskeys({ pages: { offerPasskey: false } })
    const code = await (await quiet.challenged()).open('/two-factor')
    expect(code.text).not.toContain('offersPasskey')
    const after = await signInByForm(quiet)
    expect(after.verified.location).toBe('/home?from=here')
    expect((await after.ana.open(`${offer}%2Fhome`)).status).toBe(404)
  })
})

describe('account pages', () => {
  it('have the passkeys of twoFactor(), and no others', async () => {
    const missing = startWithPasskeys({ pages: { passkeys: undefined } as never })
    await expect(missing).rejects.toThrow('passkeys must be the value of the option passkeys of twoFactor()')
    const other = startWithPasskeys({ pages: { passkeys: createPasskeys().keys } })
    await expect(other).rejects.toThrow('passkeys must be the value of the option passkeys of twoFactor()')
  })
})
