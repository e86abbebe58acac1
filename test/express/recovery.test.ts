import type { Express, RequestHandler } from 'express'
import { describe, expect, it, vi } from 'vitest'
import type { GuardOptions, PurposeOptions, TwoFactor, TwoFactorOptions } from '../../src/index.js'
import { TwoFactorError } from '../../src/index.js'
import { ok, storeThrough } from './kit.js'
import { recover, startRecoveryHost, wrongCode } from './recovery-kit.js'

const by: RequestHandler = (req, res) => void res.json({ by: req.twoFactor?.grant.method })
const guards = (app: Express, tf: TwoFactor) => {
  app.get('/fresh', tf.requireTwoFactor({ maxAgeMs: 60_000 }), ok)
  app.get('/by-code', tf.requireTwoFactor({ methods: ['code'] }), ok)
  app.get('/email', tf.requireTwoFactor({ purpose: 'email' }), ok)
  app.get(
    '/number',
    tf.requireTwoFactor({ purpose: 'number', once: true, bind: (req) => ({ to: String(req.query.to) }) }),
    by,
  )
  app.get('/only-by-code', tf.requireTwoFactor({ purpose: 'only', methods: ['code'] }), ok)
  app.get('/only', tf.requireTwoFactor({ purpose: 'only', methods: ['recovery-code'] }), by)
}
const purposes = {
  ...{ login: {}, transfer: {}, email: {} },
  ...{ number: { recoveryCode: true }, only: { recoveryCode: true } },
}

describe('a recovery code', () => {
  it('signs in without the phone, under a renewed session, once', async () => {
    const host = await startRecoveryHost()
    const ana = await host.login()
    const old = ana.copy()
    const [code = ''] = host.codes
    const told = await recover(ana, code.toLowerCase().replaceAll('-', ' '))
    expect([told.status, told.json.verified, told.json.purpose]).toEqual([200, true, 'login'])
    expect((await ana.get('/account')).json).toMatchObject({ subject: 'ana', basket: 'three apples' })
    expect((await old.get('/account')).status).toBe(401)
    expect(host.stub.sends).toEqual([])
    expect(host.kept.size).toBe(9)

    const again = await recover(await host.login(), code)
    expect([again.status, again.json]).toMatchObject([
      422,
      { code: 'code_not_accepted', attemptsRemaining: 8 },
    ])
    expect(host.events.filter(({ type }) => /^(?:recovery|factor)/.test(type))).toMatchObject([
      { type: 'factor.changed', kind: 'recovery-codes', subject: 'ana' },
      { type: 'recovery.used', subject: 'ana', remaining: 9 },
      { type: 'recovery.failed', subject: 'ana' },
    ])
  })

  it('does as a form, and leads where the page came from', async () => {
    const host = await startRecoveryHost()
    const ana = await host.login()
    const location = (await ana.open('/account')).location
    const start = await ana.open(location)
    const [, link = ''] = start.text.match(/href="([^"]*method=recovery-code)"/) ?? []
    const { fields } = await ana.open(link.replaceAll('&amp;', '&'))
    for (const [typed, status] of [
      ['', 400],
      ['482913', 400],
      [wrongCode(), 422],
    ] as const) {
      const told = await ana.submit('/two-factor/verify', { ...fields, recoveryCode: typed })
      expect([typed, told.status, told.text.includes('name="recoveryCode"')]).toEqual([typed, status, true])
    }
    const right = await ana.submit('/two-factor/verify', { ...fields, recoveryCode: host.codes[3] ?? '' })
    expect([right.status, right.location]).toEqual([303, '/account'])
    expect((await ana.get('/account')).status).toBe(200)
  })

  it.each<[left: string, remaining: unknown, isOffered: boolean]>([
    ['a code is left', () => 1, true],
    ['no code is left', () => 0, false],
    ['no code is left, after a while', async () => 0, false],
    ['the app cannot count them', undefined, true],
    ['the app fails to count them', () => Promise.reject(new Error('down')), true],
  ])('is offered on pages where %s: %s', async (_left, remaining, isOffered) => {
    const recoveryCodes = { consume: () => false, ...(remaining !== undefined && { remaining }) } as never
    const host = await startRecoveryHost({ options: { recoveryCodes } })
    const ana = await host.login()
    const offers = async () => (await ana.open('/two-factor')).text.includes('method=recovery-code')
    expect(await offers()).toBe(isOffered)
    await ana.start()
    expect(await offers()).toBe(isOffered)
    const wrong = await ana.submit('/two-factor/verify', { code: '000000' })
    expect(wrong.text.includes('method=recovery-code')).toBe(isOffered)
    expect(host.errors).toEqual([])
    expect((await host.browser().open('/two-factor')).text).not.toContain('recovery-code')
  })

  it('is not counted for a page of another purpose, or for JSON', async () => {
    const remaining = vi.fn(() => 1)
    const recoveryCodes = { consume: () => false, remaining }
    const host = await startRecoveryHost({ options: { recoveryCodes } })
    const ana = await host.login()
    await ana.get('/two-factor')
    await ana.open('/two-factor?purpose=transfer')
    expect(remaining).not.toHaveBeenCalled()
    await ana.open('/two-factor')
    expect(remaining.mock.calls).toEqual([['ana']])
  })

  it('requires the first factor like a code by phone', async () => {
    const host = await startRecoveryHost()
    expect((await recover(host.browser(), host.codes[0])).status).toBe(401)
    // IDOR: her codes are worth nothing to somebody else.
    expect((await recover(await host.login('ben'), host.codes[0])).status).toBe(422)
    expect((await recover(await host.login(), host.codes[0])).status).toBe(200)
  })

  it('works while the number is locked, and for a subject that has none', async () => {
    const host = await startRecoveryHost({ options: { limits: { failuresBeforeDisable: 5 } } })
    const mallory = await host.challenged()
    for (let guess = 0; guess < 10; guess += 1) {
      await mallory.verify(`00000${guess}`)
    }
    host.clock.now += 3_600_000
    const ana = await host.login()
    expect((await ana.start()).json.code).toBe('account_disabled')
    const page = await ana.open('/two-factor?method=recovery-code')
    expect(page.text).toContain('name="recoveryCode"')
    expect((await recover(ana, host.codes[0])).status).toBe(200)

    const nobody = await startRecoveryHost({ options: { phone: () => undefined } })
    expect((await recover(await nobody.login(), nobody.codes[0])).status).toBe(200)
  })

  it('in the wrong shape, or beside a code by phone, costs no try', async () => {
    const host = await startRecoveryHost()
    const ana = await host.login()
    for (let round = 0; round < 11; round += 1) {
      for (const code of [['0'.repeat(24)], '482913']) expect((await recover(ana, code)).status).toBe(400)
    }
    expect((await recover(ana, host.codes[0], { code: '482913' })).status).toBe(400)
    expect(host.asked).toEqual([])
    expect((await recover(ana, host.codes[0])).status).toBe(200)
  })

  it.each([new Error('the database is away'), 'route'])(
    'lets nobody in when consume throws %j, and the try counts',
    async (thrown) => {
      const host = await startRecoveryHost({
        consume: () => {
          throw thrown
        },
      })
      const ana = await host.login()
      for (let round = 0; round < 10; round += 1) {
        expect((await recover(ana, wrongCode(round))).status).toBe(500)
      }
      expect(host.errors.every((error) => error instanceof Error)).toBe(true)
      expect((await recover(ana, host.codes[0])).json).toMatchObject({ code: 'attempts_exhausted' })
      expect((await ana.get('/account')).status).toBe(403)
    },
  )

  it('is not accepted without the option', async () => {
    const host = await startRecoveryHost({ options: { recoveryCodes: undefined } as never })
    const ana = await host.login()
    const told = await recover(ana, host.codes[0])
    expect(told.refusal).toEqual([400, 'invalid_request'])
    expect((await ana.open('/two-factor?method=recovery-code')).text).not.toContain('name="recoveryCode"')
    expect(() => host.tf.requireTwoFactor({ methods: ['recovery-code'] })).toThrow(
      'need the option recoveryCodes',
    )
  })
})

describe('what a recovery code is for', () => {
  const isAway = () => {
    throw new Error('the accounts are away')
  }

  it('is the displayed challenge, and no different live one', async () => {
    const host = await startRecoveryHost({ mount: guards, options: { purposes } })
    const ana = await host.signIn()
    const { requirement } = (await ana.get('/number?to=a')).json
    const { requirement: other } = (await ana.get('/number?to=b')).json
    host.clock.now += 60_000
    const started = await ana.start({ requirement })
    for (const [shown, status] of [
      [{ purpose: 'login' }, 409],
      [{ requirement: other }, 409],
      [{ challenge: 'another' }, 409],
      [{ challenge: 5 }, 400],
      [{ challenge: '' }, 400],
    ] as const) {
      expect((await recover(ana, host.codes[0], shown)).status).toBe(status)
    }
    expect(host.asked).toEqual([])
    const { id } = started.json.challenge
    expect((await recover(ana, host.codes[0], { challenge: id })).json.purpose).toBe('number')
    expect((await ana.get('/number?to=b')).status).toBe(403)
    expect((await ana.get('/number?to=a')).json).toEqual({ by: 'recovery-code' })
  })

  it('is the requirement if no challenge is live, and none of an earlier one remains', async () => {
    const host = await startRecoveryHost({ mount: guards, options: { purposes } })
    const ana = await host.signIn()
    const { requirement } = (await ana.get('/number?to=a')).json
    expect((await recover(ana, host.codes[0], { challenge: 'earlier', requirement })).status).toBe(410)
    expect((await recover(ana, host.codes[0], { requirement })).json.purpose).toBe('number')
    expect((await ana.get('/number?to=b')).status).toBe(403)
    expect((await ana.get('/number?to=a')).json).toEqual({ by: 'recovery-code' })
    expect((await ana.get('/number?to=a')).status).toBe(403)
  })

  it('is not guessed while the number or the live challenge cannot be read, and no code is used up', async () => {
    let isDown = false
    const store = storeThrough((command, key, work) => {
      if (isDown && command === 'read' && key.includes(':auth:')) throw new Error('down')
      return work()
    })
    let phone: TwoFactorOptions['phone'] = () => '+573001234567'
    const host = await startRecoveryHost({ options: { store, phone: (...args) => phone(...args) } })
    const ana = await host.login()
    isDown = true
    expect((await recover(ana, host.codes[0])).refusal).toEqual([503, 'store_unavailable'])
    isDown = false
    phone = isAway
    expect((await recover(ana, host.codes[0])).json).toEqual({ host: 'the accounts are away' })
    phone = () => {
      throw new TwoFactorError('no_phone')
    }
    expect((await recover(ana, host.codes[0])).json).toEqual({ host: 'no_phone' })
    expect(host.asked).toEqual([])
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('is never to trust the browser, though the form may ask for it', async () => {
    const host = await startRecoveryHost({ options: { trustedDevices: { maxAgeMs: 60_000 } } })
    const ana = await host.login()
    expect((await recover(ana, host.codes[0], { trustDevice: true })).status).toBe(200)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
  })
})

describe('a guard', () => {
  it('takes a recovery code for a sign-in, and for nothing stricter', async () => {
    const host = await startRecoveryHost({ mount: guards, options: { purposes } })
    const ana = await host.login()
    await recover(ana, host.codes[0])
    expect((await ana.get('/account')).status).toBe(200)
    for (const path of ['/fresh', '/by-code', '/email', '/number?to=a', '/only-by-code', '/only']) {
      const refused = await ana.get(path)
      expect([path, refused.status]).toEqual([path, 403])
    }
  })

  it.each(['/fresh', '/email', '/only-by-code'])(
    'that takes none keeps one from being used up in vain: %s',
    async (path) => {
      const host = await startRecoveryHost({ mount: guards, options: { purposes } })
      const ana = await host.login()
      const { requirement } = (await ana.get(path)).json
      const told = await recover(ana, host.codes[0], { requirement })
      expect(told.json.detail).toBe('A recovery code is not accepted here.')
      expect(host.asked).toEqual([])
      const page = await ana.open(`/two-factor?${new URLSearchParams({ requirement })}`)
      expect(page.text).not.toContain('recovery-code')
    },
  )

  it('accepts one if its purpose does, and further guards of the purpose do not by their methods', async () => {
    const host = await startRecoveryHost({ mount: guards, options: { purposes } })
    const ana = await host.signIn()
    const { requirement } = (await ana.get('/only')).json
    expect((await recover(ana, host.codes[0], { requirement })).status).toBe(200)
    expect((await ana.get('/only')).json).toEqual({ by: 'recovery-code' })
    expect((await ana.get('/only-by-code')).status).toBe(403)
    expect((await ana.open((await ana.open('/only-by-code')).location ?? '/')).status).toBe(200)
  })

  it.each<[string, GuardOptions, PurposeOptions]>([
    ['another purpose', { purpose: 'transfer' }, {}],
    ['one request only', { once: true }, {}],
    ['bound fields', { purpose: 'pay', bind: () => ({ to: 'a' }) }, {}],
    ['a younger sign-in', { maxAgeMs: 60_000 }, {}],
    ['a sign-in whose purpose says no', {}, { recoveryCode: false }],
  ])('names none among its methods without its purpose: %s', async (_name, guard, declared) => {
    const { purpose = 'login' } = guard
    const methods = ['code', 'recovery-code']
    const { tf } = await startRecoveryHost({
      options: { purposes: { login: {}, transfer: {}, [purpose]: declared } },
    })
    expect(() => tf.requireTwoFactor({ ...guard, methods })).toThrow(
      `requireTwoFactor: methods must not include "recovery-code" here without purposes: { ${purpose}: { recoveryCode: true } }`,
    )
    const willing = { login: {}, transfer: {}, [purpose]: { recoveryCode: true } }
    const open = await startRecoveryHost({ options: { purposes: willing } })
    expect(() => open.tf.requireTwoFactor({ ...guard, methods })).not.toThrow()
  })
})
