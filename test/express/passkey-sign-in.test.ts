import * as webauthn from '@simplewebauthn/server'
import { describe, expect, it } from 'vitest'
import { createPasskeys, startPasskeyHost } from '../passkeys/kit.js'
import { anasToken, gate, ok, startHost, withTokens } from './kit.js'

type Host = Awaited<ReturnType<typeof startPasskeyHost>>['host']
type Visitor = Awaited<ReturnType<Host['login']>>

/** Starts a challenge that the browser signs. */
async function begin(browser: Visitor, body: object = {}) {
  const { challenge, publicKey } = (await browser.start({ channel: 'passkey', ...body })).json
  return { challenge: challenge.id, publicKey }
}

const send = (browser: Visitor, challenge: string, passkey: unknown) =>
  browser.post('/two-factor/verify', { challenge, passkey })

describe('a passkey', () => {
  it('signs in: nothing is sent, counted as a send or checked at the provider', async () => {
    const { host, events, ofAna, table } = await startPasskeyHost()
    const ana = await host.login()
    const started = await ana.start()
    expect(started.status).toBe(201)
    expect(started.json.challenge).toMatchObject({ channel: 'passkey', destination: '', channels: [] })
    expect(started.json.publicKey).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'acme.example',
      allowCredentials: [{ type: 'public-key', id: ofAna.id, transports: ['internal'] }],
      userVerification: 'required',
      timeout: 300_000,
    })
    const right = await send(ana, started.json.challenge.id, ofAna.sign(started.json.publicKey))
    expect(right.json).toMatchObject({ verified: true, purpose: 'login' })
    expect((await ana.get('/account')).json).toMatchObject({ subject: 'ana', basket: 'three apples' })
    expect(table.get(ofAna.id)).toMatchObject({ counter: 1, usedAt: expect.any(Number) })
    expect([host.stub.sends, host.stub.checks]).toEqual([[], []])
    expect(events.map(({ type }) => type)).toEqual(['challenge.started', 'challenge.approved'])
    expect(events[1]).toMatchObject({ channel: 'passkey', subject: 'ana' })
    const codes = await startHost()
    await codes.signIn()
    await host.signIn('ben')
    const sent = (one: { readonly stub: Host['stub'] }) => one.stub.sends.length
    expect([sent(host), sent(codes)]).toEqual([1, 1])
  })

  it('is the first method of an account that has one, and no method of any other', async () => {
    const { host } = await startPasskeyHost()
    const ana = await host.login()
    expect((await ana.start({ channel: 'sms' })).json).not.toHaveProperty('publicKey')
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    const ben = await host.login('ben')
    expect((await ben.start({ channel: 'passkey' })).status).toBe(400)
    expect((await ben.start()).json.challenge.channel).toBe('sms')
    expect((await (await host.login('nobody')).start()).json.code).toBe('no_phone')
  })

  it('confirms one transfer, by JSON, and no other', async () => {
    const { host, ofAna } = await startPasskeyHost()
    const ana = await host.login()
    const { requirement, destinations } = (await ana.post('/transfers', { amount: 1, payee: 'Mum' })).json
    expect(destinations.map(({ method }: { readonly method: string }) => method)).toContain('passkey')
    const { challenge, publicKey } = await begin(ana, { requirement })
    expect((await send(ana, challenge, ofAna.sign(publicKey))).status).toBe(200)
    expect((await ana.post('/transfers', { amount: 2, payee: 'Mum' })).status).toBe(403)
    expect((await ana.post('/transfers', { amount: 1, payee: 'Mum' })).json).toEqual({
      sent: 1,
      by: 'passkey',
    })
  })

  it('does not verify for another amount, purpose, session or account', async () => {
    const { host, ofAna, ofZoe } = await startPasskeyHost()
    const ana = await host.login()
    const requirementOf = async (amount: number) =>
      (await ana.post('/transfers', { amount, payee: 'Mum' })).json.requirement
    const one = await begin(ana, { requirement: await requirementOf(1) })
    const thousand = await begin(ana, { requirement: await requirementOf(1_000) })
    const login = await begin(ana)
    for (const { publicKey } of [one, login]) {
      const refused = await send(ana, thousand.challenge, ofAna.sign(publicKey))
      expect(refused.refusal).toEqual([422, 'code_not_accepted'])
    }
    // The challenge itself belongs to its session and account.
    const elsewhere = await send(await host.login(), login.challenge, ofAna.sign(login.publicKey))
    expect(elsewhere.refusal).toEqual([409, 'challenge_superseded'])
    const zoe = await host.login('zoe')
    expect((await send(zoe, login.challenge, ofZoe.sign(login.publicKey))).refusal[0]).toBe(410)
    const ofOther = await begin(zoe)
    for (const foreign of [ofAna.sign(ofOther.publicKey), ofZoe.sign(login.publicKey)]) {
      expect((await send(zoe, ofOther.challenge, foreign)).status).toBe(422)
    }
    expect((await send(zoe, ofOther.challenge, ofZoe.sign(ofOther.publicKey))).status).toBe(200)
  })

  it('must be verified by its user on this site, and on file', async () => {
    const { host, ofAna, table, give } = await startPasskeyHost()
    const ana = await host.login()
    const { challenge, publicKey } = await begin(ana)
    const stranger = await give('ben')
    const signature = ofAna.sign(publicKey)
    const wrong = [
      ofAna.sign(publicKey, { origin: 'https://acme.example.evil.example' }),
      ofAna.sign(publicKey, { rpId: 'evil.example' }),
      ofAna.sign(publicKey, { isVerified: false }),
      ofAna.sign(publicKey, { type: 'webauthn.create' }),
      stranger.sign(publicKey),
      stranger.sign(publicKey, { id: ofAna.id }),
      { ...signature, response: { ...signature.response, signature: 'AAAA' } },
      { id: ofAna.id },
      {},
    ]
    for (const passkey of wrong) {
      expect((await send(ana, challenge, passkey)).refusal).toEqual([422, 'code_not_accepted'])
    }
    expect(table.get(ofAna.id)?.counter).toBe(0)
    expect((await ana.get('/account')).status).toBe(403)
    expect((await send(ana, challenge, ofAna.sign(publicKey))).status).toBe(200)
  })

  it('whose counter does not increase is refused and reported', async () => {
    // The check does not depend on the app.
    const of = createPasskeys({
      used: (_subject, id, use) => of.table.set(id, { ...Object(of.table.get(id)), ...use }),
    })
    const { host, events, ofAna } = await startPasskeyHost({}, of)
    const use = async (counter: number) => {
      const ana = await host.login()
      const { challenge, publicKey } = await begin(ana)
      return (await send(ana, challenge, ofAna.sign(publicKey, { counter }))).status
    }
    expect([await use(7), await use(7), await use(6), await use(0), await use(8)]).toEqual([
      200, 422, 422, 422, 200,
    ])
    expect(events.filter(({ type }) => type === 'passkey.copied')).toMatchObject(
      Array.from({ length: 3 }, () => ({ subject: 'ana' })),
    )
  })

  it('that two browsers use with one counter at the same moment is accepted once and reported', async () => {
    const of = createPasskeys()
    const both = gate()
    let uses = 0
    const { keys } = createPasskeys({
      list: of.keys.list,
      async used(subject, id, use) {
        uses += 1
        if (uses === 2) both.open()
        await both.opened
        return of.use(subject, id, use)
      },
    })
    const { host, events, ofAna } = await startPasskeyHost({ options: { passkeys: keys } }, of)
    const begun = await Promise.all(
      [host.login(), host.login()].map(async (login) => {
        const ana = await login
        return { ana, ...(await begin(ana)) }
      }),
    )
    const answers = await Promise.all(
      begun.map(({ ana, challenge, publicKey }) =>
        send(ana, challenge, ofAna.sign(publicKey, { counter: 1 })),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(events.filter(({ type }) => type === 'passkey.copied')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'challenge.approved')).toHaveLength(1)
    const accounts = await Promise.all(begun.map(({ ana }) => ana.get('/account')))
    expect(accounts.map(({ status }) => status).sort()).toEqual([200, 403])
  })

  it('that is removed while it is used is refused, and is no copy', async () => {
    const of = createPasskeys({ used: () => false })
    const { host, events, give } = await startPasskeyHost({}, of)
    const synchronised = await give('ben', { counts: false })
    const ben = await host.login('ben')
    await ben.start({ channel: 'sms' })
    await ben.verify('000000')
    const left: unknown[] = []
    for (let use = 0; use < 2; use += 1) {
      const { challenge, publicKey } = await begin(ben)
      const { status, json } = await send(ben, challenge, synchronised.sign(publicKey))
      expect(status).toBe(422)
      left.push(json.attemptsRemaining)
    }
    expect(events.map(({ type }) => type)).not.toContain('passkey.copied')
    // It counts as a wrong signature, and resets nothing.
    expect(left).toEqual([199, 198])
    expect(await host.tf.subjects.state('ben')).toMatchObject({ judged: 1 })
  })

  it('that does not count its uses is accepted each time', async () => {
    const { host, give } = await startPasskeyHost()
    const synchronised = await give('ben', { counts: false })
    for (let time = 0; time < 2; time += 1) {
      const ben = await host.login('ben')
      const { challenge, publicKey } = await begin(ben)
      expect((await send(ben, challenge, synchronised.sign(publicKey))).status).toBe(200)
    }
  })

  it('signs a challenge once, replayed or in parallel, in known and unknown browsers', async () => {
    const { host, events, give } = await startPasskeyHost()
    const synchronised = await give('ana', { counts: false })
    const known = await host.login()
    await host.confirm(known, { channel: 'sms' })
    await known.post('/login', { user: 'ana' })
    const unknown = known.copy()
    for (const name of known.cookies.keys()) if (name !== 'connect.sid') unknown.cookies.delete(name)
    expect(unknown.cookies.size).toBeLessThan(known.cookies.size)
    const { challenge, publicKey } = await begin(known)
    const signature = synchronised.sign(publicKey)
    const browsers = Array.from({ length: 20 }, (_, index) => (index % 2 ? known.copy() : unknown.copy()))
    const answers = await Promise.all(browsers.map((browser) => send(browser, challenge, signature)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const approved = events.filter(
      (event) => event.type === 'challenge.approved' && event.channel === 'passkey',
    )
    expect(approved).toHaveLength(1)
    expect(events).toContainEqual(expect.objectContaining({ type: 'challenge.rejected', used: true }))
  })

  it('signs a challenge once, however many others follow, and makes the host forget no code', async () => {
    const { host, give } = await startPasskeyHost(withTokens())
    const synchronised = await give('ana', { counts: false })
    const ana = host.browser(anasToken)
    await ana.start({ channel: 'sms' })
    const { rightCode } = host.stub
    expect((await ana.verify(rightCode)).status).toBe(200)
    const sign = async () => {
      host.clock.now += 2_000
      const { challenge, publicKey } = await begin(ana)
      return { challenge, passkey: synchronised.sign(publicKey) }
    }
    const first = await sign()
    const early = await sign()
    const verify = (signed: object) => ana.post('/two-factor/verify', signed)
    expect((await verify(first)).status).toBe(200)
    for (let others = 0; others < 20; others += 1) expect((await verify(await sign())).status).toBe(200)
    for (const old of [first, early]) expect((await verify(old)).refusal).toEqual([422, 'code_not_accepted'])
    expect((await verify(await sign())).status).toBe(200)
    host.clock.now += 60_000
    await ana.start({ channel: 'sms' })
    // The provider would approve the used code again.
    host.stub.rightCode = rightCode
    expect((await ana.verify(rightCode)).refusal).toEqual([422, 'code_not_accepted'])
  })

  it('that is sent twice is no copy', async () => {
    const { host, events, ofAna } = await startPasskeyHost(withTokens())
    const ana = host.browser(anasToken)
    const { challenge, publicKey } = await begin(ana)
    const passkey = ofAna.sign(publicKey)
    const answers = await Promise.all([send(ana, challenge, passkey), send(ana, challenge, passkey)])
    answers.push(await send(ana, challenge, passkey))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422])
    expect(events.map(({ type }) => type)).not.toContain('passkey.copied')
  })

  it('is refused if its challenge ends during the check', async () => {
    let duringCheck = () => undefined as unknown
    const verifyAuthenticationResponse: typeof webauthn.verifyAuthenticationResponse = async (options) => {
      const checked = await webauthn.verifyAuthenticationResponse(options)
      duringCheck()
      return checked
    }
    const of = createPasskeys({ webauthn: { ...webauthn, verifyAuthenticationResponse } })
    const { host, ofAna } = await startPasskeyHost({}, of)
    duringCheck = () => {
      host.clock.now += 600_000
    }
    const ana = await host.login()
    const { challenge, publicKey } = await begin(ana)
    expect((await send(ana, challenge, ofAna.sign(publicKey))).refusal).toEqual([410, 'challenge_gone'])
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('ends with its time, a logout and its removal', async () => {
    const { host, ofAna, table } = await startPasskeyHost()
    const late = await host.login()
    const first = await begin(late)
    host.clock.now += 600_000
    expect((await send(late, first.challenge, ofAna.sign(first.publicKey))).status).toBe(410)
    const revoked = await begin(late)
    await host.tf.grants.revokeSubject('ana')
    expect((await send(late, revoked.challenge, ofAna.sign(revoked.publicKey))).status).toBe(410)
    const ana = await host.login()
    const removed = await begin(ana)
    table.delete(ofAna.id)
    expect((await send(ana, removed.challenge, ofAna.sign(removed.publicKey))).status).toBe(410)
  })

  it('and a code each approve their own challenge', async () => {
    const { host, ofAna } = await startPasskeyHost()
    const ana = await host.login()
    const signed = await begin(ana)
    const text = (await ana.start({ channel: 'sms' })).json.challenge.id
    expect((await ana.verify(host.stub.rightCode, { challenge: signed.challenge })).status).toBe(400)
    expect((await send(ana, text, ofAna.sign(signed.publicKey))).status).toBe(410)
    expect(host.stub.checks).toEqual([])
    const again = await ana.post('/two-factor/resend', { challenge: signed.challenge })
    expect(again.json).toMatchObject({ alreadySent: true, publicKey: signed.publicKey })
    expect((await ana.verify(host.stub.rightCode, { challenge: text })).status).toBe(200)
  })

  it('is an object in JSON and its text in a form', async () => {
    const { host, ofAna } = await startPasskeyHost()
    const ana = await host.login()
    const { challenge, publicKey } = await begin(ana)
    const passkey = ofAna.sign(publicKey)
    for (const other of [1, null, true, [], [passkey], 'no JSON', '[]', '']) {
      expect((await send(ana, challenge, other)).refusal).toEqual([400, 'invalid_request'])
    }
    const both = await ana.post('/two-factor/verify', { challenge, passkey, code: '123456' })
    expect(both.refusal).toEqual([400, 'invalid_request'])
    const form = await ana.submit('/two-factor/verify', { challenge, passkey: JSON.stringify(passkey) })
    expect([form.status, form.location]).toEqual([303, '/'])
    expect((await ana.get('/account')).status).toBe(200)
  })
})

describe('wrong signatures', () => {
  it('are limited per account and address, and stop neither codes nor the owner', async () => {
    const { host, ofAna } = await startPasskeyHost()
    host.app.set('trust proxy', 1)
    const from = async (address: string) => {
      const browser = host.browser({ 'x-forwarded-for': address })
      await browser.post('/login', { user: 'ana' })
      return browser
    }
    const attacker = await from('192.0.2.1')
    const { challenge } = await begin(attacker)
    const refused = await Promise.all(Array.from({ length: 40 }, () => send(attacker, challenge, {})))
    expect(refused.filter(({ status }) => status === 422)).toHaveLength(20)
    expect(refused.filter(({ status }) => status === 429)).toHaveLength(20)
    const { json, headers } = await send(attacker, challenge, {})
    expect([json.code, headers.get('retry-after')]).toEqual(['attempts_exhausted', '600'])

    const owner = await from('198.51.100.2')
    const own = await begin(owner)
    expect((await send(owner, own.challenge, ofAna.sign(own.publicKey))).status).toBe(200)
    expect((await attacker.start({ channel: 'sms' })).status).toBe(201)
    expect((await attacker.verify(host.stub.rightCode)).status).toBe(200)
  })

  it('at one address stop no known browser, and may be more behind a proxy that Express does not know', async () => {
    for (const [trusted, last] of [
      [1, 429],
      [0, 422],
    ] as const) {
      const { host, ofAna } = await startPasskeyHost()
      host.app.set('trust proxy', trusted)
      const from = { 'x-forwarded-for': '192.0.2.1' }
      const [owner, attacker] = [host.browser(from), host.browser(from)]
      await owner.post('/login', { user: 'ana' })
      await host.confirm(owner, { channel: 'sms' })
      await attacker.post('/login', { user: 'ana' })
      const { challenge } = await begin(attacker)
      const refused: number[] = []
      for (let wrong = 0; wrong < 21; wrong += 1) refused.push((await send(attacker, challenge, {})).status)
      expect(refused).toEqual([...Array<number>(20).fill(422), last])
      await owner.post('/login', { user: 'ana' })
      const own = await begin(owner)
      expect((await send(owner, own.challenge, ofAna.sign(own.publicKey))).status).toBe(200)
    }
  })

  it('stay within the limit if right ones come between them', async () => {
    const { host, ofAna } = await startPasskeyHost()
    for (let round = 0; round < 22; round += 1) {
      host.clock.now += 1_000
      const ana = await host.login()
      const { challenge, publicKey } = await begin(ana)
      expect((await send(ana, challenge, ofAna.sign(publicKey))).status).toBe(200)
    }
  })
})

describe('wrong codes', () => {
  it('lock texts for unknown browsers, and no passkey', async () => {
    const { host, ofAna } = await startPasskeyHost({ options: { limits: { failuresBeforeLock: 1 } } })
    const ana = await host.login()
    await ana.start({ channel: 'sms' })
    await ana.verify('000000')
    expect((await ana.start({ channel: 'sms' })).json.code).toBe('account_locked')
    const { challenge, publicKey } = await begin(ana)
    expect((await send(ana, challenge, ofAna.sign(publicKey))).status).toBe(200)
  })
})

describe('a guard', () => {
  it('accepts only passkeys and offers nothing else', async () => {
    const { host, ofAna } = await startPasskeyHost({
      mount(app, tf) {
        app.get('/vault', tf.requireTwoFactor({ purpose: 'vault', methods: ['passkey'] }), (req, res) => {
          res.json({ by: req.twoFactor?.grant.method })
        })
      },
    })
    const ana = await host.login()
    await host.confirm(ana, { channel: 'sms' })
    const { requirement, methods } = (await ana.get('/vault')).json
    expect(methods).toEqual(['passkey'])
    expect((await ana.start({ requirement, channel: 'sms' })).status).toBe(400)
    const { challenge, publicKey } = await begin(ana, { requirement })
    expect((await send(ana, challenge, ofAna.sign(publicKey))).status).toBe(200)
    expect((await ana.get('/vault')).json).toEqual({ by: 'passkey' })
  })

  it('exempts no user with a passkey, readable or not', async () => {
    const { host, failing } = await startPasskeyHost({
      mount(app, tf) {
        app.get('/open', tf.requireTwoFactor({ exempt: () => true }), ok)
      },
    })
    const visit = async (user: string) => (await (await host.login(user)).get('/open')).status
    expect([await visit('zoe'), await visit('nobody')]).toEqual([403, 200])
    failing.list = new Error('down')
    expect(await visit('zoe')).toBe(403)
  })
})

describe('functions of the app that throw', () => {
  it('leave texts if the passkeys cannot be read', async () => {
    const { host, events, failing } = await startPasskeyHost()
    failing.list = Object.assign(new Error('secret'), { code: 'ECONNREFUSED' })
    const ana = await host.login()
    expect((await ana.start()).json.challenge.channel).toBe('sms')
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    const unreadable = { type: 'factor.unreadable', kind: 'passkey', subject: 'ana', reason: 'ECONNREFUSED' }
    expect(events[0]).toMatchObject(unreadable)
    const zoe = await host.login('zoe')
    expect((await zoe.start()).status).toBe(500)
    expect(host.errors).toEqual([failing.list])
  })

  it('sign in no user if the use is not stored', async () => {
    const { host, failing, ofAna } = await startPasskeyHost()
    failing.used = new Error('down')
    const ana = await host.login()
    const { challenge, publicKey } = await begin(ana)
    expect((await send(ana, challenge, ofAna.sign(publicKey))).status).toBe(500)
    expect(host.errors).toEqual([failing.used])
    expect((await ana.get('/account')).status).toBe(403)
  })
})

describe('the name passkey', () => {
  it('belongs to the app without the option, and to the package with it', async () => {
    const grant = { subject: 'ana', session: 'one', purpose: 'login', method: 'passkey' }
    const without = await startHost()
    expect(await without.tf.grants.write(grant)).toMatchObject({ method: 'passkey' })
    const { host } = await startPasskeyHost()
    await expect(host.tf.grants.write(grant)).rejects.toThrow('"passkey" is reserved')
  })
})
