import { describe, expect, it } from 'vitest'
import { accountPages } from '../../src/account/index.js'
import { TwoFactorError } from '../../src/index.js'
import { phones, storeThrough } from '../express/kit.js'
import {
  type AccountHost,
  confirmed,
  idOf,
  linesOf,
  path,
  prove,
  proveNumber,
  shownByApp,
  signIn,
  startAccounts,
} from './kit.js'

/** Somebody who has nothing on file. */
async function startEve() {
  const host = await startAccounts()
  return { host, eve: await host.login('eve') }
}

const changedIn = ({ told }: AccountHost) => told.map(({ kind }) => kind)

describe('whoever has no second factor', () => {
  it('sees a notice, adds a number with only a session, and continues to recovery codes', async () => {
    const { host, eve } = await startEve()
    expect((await eve.get(path)).json.advice).toBe('advice.none')
    expect((await eve.post(`${path}/recovery-codes`)).refusal).toEqual([409, 'no_factor'])
    await proveNumber(host, eve)
    const added = await eve.open(`${path}/numbers/add`)
    expect(added.location).toContain(`${path}/recovery-codes?changed=number-added.`)
    expect((await eve.open(added.location)).text).toContain('Make recovery codes')
    expect((await eve.open(path)).text).not.toMatch(/Remove|Make main/)
    // Still in, and no further code for these.
    expect((await eve.get('/home')).status).toBe(200)
    const made = await eve.submit(`${path}/recovery-codes`)
    expect([made.status, host.filed.eve?.hashes.length]).toEqual([200, 10])
    // Whether they were copied is told there, and nothing in its place.
    expect(made.text.match(/<[^>]*role="status">/g)).toEqual(['<p class="unseen" role="status">'])
    expect(linesOf(made)).toEqual([
      'Your recovery codes',
      'We show them only this once. Keep them where you would find them without your phone.',
      expect.stringMatching(/^For eve, made on /),
      ...Array(10).fill(expect.stringMatching(/^[\dA-Z]{4}(-[\dA-Z]{4}){5}$/)),
      'Copy',
      expect.stringMatching(/^\[data:text\/plain;[^\]]*\] Download$/),
      'Print',
      '[] I have saved them',
    ])
    expect(changedIn(host)).toEqual(['number-added', 'recovery-codes-made'])
    // From now on a code is asked for.
    expect((await eve.post(`${path}/recovery-codes`)).refusal).toEqual([403, 'second_factor_required'])
    const other = await host.login('eve')
    expect((await other.get('/home')).status).toBe(403)
  })

  it.each(['/sign-out', '/devices/end-all'])(
    'has proven nothing by a change that adds no way: %s',
    async (factor) => {
      const { eve } = await startEve()
      expect((await eve.submit(path + factor)).location).toContain(`${path}?changed=`)
      // A guard that lets nobody pass without a second factor.
      expect((await eve.get('/account')).refusal).toEqual([403, 'second_factor_required'])
    },
  )

  it('sets up an app with only a session', async () => {
    const { host, eve } = await startEve()
    const { secret } = (await eve.get(`${path}/app`)).json
    expect((await eve.get(`${path}/app`)).json.secret).toBe(secret)
    const wrong = await eve.submit(`${path}/app`, { code: '000000' })
    expect([wrong.status, host.filed.eve?.app]).toEqual([422, undefined])
    expect(wrong.text).toContain('<title>Error: ')
    expect(wrong.text).toContain('aria-invalid="true"')
    expect((await eve.submit(`${path}/app`, { code: 'x' })).text).toMatch(/>[^<.]+\. Enter the six digits/)
    const right = await eve.submit(`${path}/app`, { code: shownByApp(host, secret) })
    expect(right.location).toContain(`${path}/recovery-codes?changed=app-added.`)
    expect(host.filed.eve?.app).toBe(secret)
    // Sent twice, it did not fail: the page says what is on file.
    const twice = await eve.submit(`${path}/app`, { code: shownByApp(host, secret) })
    expect([twice.status, twice.text]).toEqual([409, expect.stringContaining('An app is set up.')])
    // No further code for these.
    expect((await eve.post(`${path}/recovery-codes`)).status).toBe(200)
    expect(changedIn(host)).toEqual(['app-added', 'recovery-codes-made'])
    // The session alone is worth nothing from here on.
    expect((await eve.get(`${path}/app`)).refusal).toEqual([403, 'second_factor_required'])
    expect((await eve.get('/home')).status).toBe(200)
  })

  it.each<[what: string, said: object]>([
    ['a number alone', { list: () => String(phones.ana) }],
    ['no list', { list: () => undefined }],
    ['numbers with labels', { list: () => [{ phone: phones.ana }] }],
    // Beside it the same number in E.164 would count as a second way.
    ['another spelling', { list: () => ['+57 300 123 4567'] }],
    ['a list in a list', { list: () => [[phones.ana]] }],
    ['two numbers in one', { list: () => [`${phones.ana},${phones.ana}`] }],
    ['the secret of the app', { has: () => 'JBSWY3DPEHPK3PXP' }],
    ['no word about the app', { has: () => undefined }],
    ['no word about codes', { remaining: () => Number.NaN }],
    [
      'a failure',
      {
        list: () =>
          Promise.reject(new TwoFactorError('store_unavailable', { message: 'accountPages: down' })),
      },
    ],
  ])('is nobody whom the host misnames: %s', async (_what, said) => {
    const saved: unknown[] = []
    const save = (...given: unknown[]) => void saved.push(given)
    const { list, has, remaining } = { list: () => [], has: () => false, remaining: () => 0, ...said }
    const numbers = { list, save }
    const pages = { numbers, authenticator: { has, save, remove: save }, recoveryCodes: { remaining, save } }
    const host = await startAccounts({ pages })
    const eve = await host.login('eve')
    await proveNumber(host, eve)
    for (const answer of [
      await eve.get(path),
      await eve.post(`${path}/numbers/add`),
      await eve.get(`${path}/app`),
    ]) {
      expect([answer.status, answer.json]).toEqual([500, { host: expect.stringMatching(/^accountPages: /) }])
    }
    expect(saved).toEqual([])
  })

  it.each<[name: string, given: object, message: string]>([
    ['path', { pages: { path: undefined } }, "missing path; add\n  path: '/account/security'"],
    ['authenticator', { pages: { authenticator: undefined } }, 'authenticator is missing'],
    ['recoveryCodes', { pages: { recoveryCodes: undefined } }, 'recoveryCodes is missing'],
    ['authenticator', { options: { authenticator: undefined } }, 'authenticator needs the option'],
    ['recoveryCodes', { options: { recoveryCodes: undefined } }, 'recoveryCodes needs the option'],
    // Whoever had nothing but codes left could never add a way again.
    [
      'mustKeep',
      { pages: { mustKeep: 'recovery-codes' } },
      "mustKeep 'recovery-codes' requires that a recovery code confirms",
    ],
    [
      'messages',
      { pages: { messages: { es: { 'app.titel': 'x' } } } },
      'messages.es: unknown key "app.titel" (keys look like "numbers.title"); did you mean "app.title"?',
    ],
    // The person would not see what is to be added.
    [
      'messages',
      { pages: { messages: { es: { 'change.number-added': 'Agregar' } } } },
      'messages.es: "change.number-added" lacks {number}',
    ],
  ])('is judged by all that codes are taken of: %s', async (_name, given, message) => {
    await expect(startAccounts(given)).rejects.toMatchObject({
      code: 'ERR_TWO_FACTOR_OPTION',
      message: expect.stringContaining(`accountPages: ${message}`),
    })
  })

  it('has pages of no twoFactor(): the error has the line to write', () => {
    const none = JSON.parse('{}')
    for (const tf of [undefined, none]) {
      expect(() => accountPages(tf, none)).toThrow('accountPages(tf, { path, numbers })')
    }
  })
})

describe('an app', () => {
  it('is set up beside a number, and in place of another, after a code for this', async () => {
    const host = await startAccounts()
    const ana = await signIn(host)
    const refused = await ana.get(`${path}/app`)
    expect(refused.json.details.title).toBe('Setting up an authenticator app')
    await prove(host, ana, refused.json.requirement)
    const { secret, qr } = (await ana.get(`${path}/app`)).json
    expect(qr).toContain('<svg')
    expect(linesOf(await ana.open(`${path}/app`))).toEqual([
      'Set up your authenticator app',
      'Scan this picture with the app, then enter the code that it shows.',
      expect.stringMatching(/^\[otpauth:.*\] Open the app on this device$/),
      `If you can't scan it, enter this key in the app: ${secret.match(/.{4}/g)?.join(' ')}`,
      '[/app]',
      'Code from the app',
      'Turn on',
      '[] Back to two-step sign-in',
    ])
    expect((await ana.post(`${path}/app`, { code: shownByApp(host, secret) })).json).toEqual({
      changed: 'app-added',
    })
    expect(host.filed.ana?.app).toBe(secret)
  })

  it('that takes too long to set up is begun again, with another secret', async () => {
    const host = await startAccounts()
    const ana = await signIn(host)
    await prove(host, ana, (await ana.get(`${path}/app`)).json.requirement)
    const { secret } = (await ana.get(`${path}/app`)).json
    host.clock.now += 15 * 60_000
    const code = shownByApp(host, secret)
    expect((await ana.post(`${path}/app`, { code })).refusal).toEqual([403, 'second_factor_required'])
    const late = await ana.submit(`${path}/app`, { code })
    expect([late.status, late.location]).toEqual([303, `${path}/app`])
    await prove(host, ana, (await ana.get(`${path}/app`)).json.requirement)
    expect((await ana.get(`${path}/app`)).json.secret).not.toBe(secret)
    expect((await ana.post(`${path}/app`, { code })).refusal).toEqual([422, 'code_not_accepted'])
    expect(host.filed.ana?.app).toBeUndefined()
  })
})

describe('recovery codes', () => {
  it('bring no further ones, and confirm a change only where the purpose takes them', async () => {
    const purposes = { account: { recoveryCode: true }, transfer: {} }
    const host = await startAccounts({ options: { purposes } })
    const ana = await signIn(host)
    const { codes } = (await confirmed(host, ana, '/recovery-codes')).json
    expect((await ana.open(`${path}/recovery-codes`)).location).toBe(path)

    const again = (await ana.post(`${path}/recovery-codes`)).json
    const { requirement } = again
    const typed = await ana.post('/two-factor/verify', { requirement, recoveryCode: codes[0] })
    expect(typed.refusal).toEqual([400, 'invalid_request'])

    await proveNumber(host, ana)
    const adding = (await ana.post(`${path}/numbers/add`)).json
    const body = { requirement: adding.requirement, recoveryCode: codes[1] }
    expect((await ana.post('/two-factor/verify', body)).status).toBe(200)
    expect((await ana.post(`${path}/numbers/add`)).status).toBe(200)
    // It proves no phone: the session is asked for a code like every other.
    expect((await ana.get('/home')).status).toBe(403)
  })

  it.each([
    ['the message to the person', 'no message today', false],
    ['what ends the proofs of other sessions', 'The store did not respond.', true],
  ])(
    'are in the response although %s fails, and the error handler gets the failure',
    async (_what, message, isStore) => {
      let isDown = false
      const store = storeThrough((command, key, work) => {
        if (isDown && command === 'read' && key.includes(':grants:')) throw new Error('down')
        return work()
      })
      const save = () => {
        isDown = isStore
      }
      const onChanged = () => {
        if (!isStore) throw new Error(message)
      }
      const pages = { recoveryCodes: { remaining: () => 0, save }, onChanged }
      const host = await startAccounts({ options: { store }, pages })
      const ana = await signIn(host)
      const made = await confirmed(host, ana, '/recovery-codes')
      expect([made.status, made.json.codes]).toEqual([200, expect.objectContaining({ length: 10 })])
      await expect.poll(() => host.errors).toEqual([expect.objectContaining({ message })])
    },
  )

  it('confirm a change with the last of them too, but not the loss of the last way', async () => {
    const purposes = { account: { recoveryCode: true }, transfer: {} }
    const host = await startAccounts({ options: { purposes }, pages: { mustKeep: 'recovery-codes' } })
    const ana = await signIn(host)
    const { codes } = (await confirmed(host, ana, '/recovery-codes')).json
    const [last = '', other = ''] = host.filed.ana?.hashes ?? []
    const byLast = async (factor: string, fields: object, hash: string, recoveryCode: string) => {
      const { numbers = [], app } = host.filed.ana ?? {}
      host.filed.ana = { numbers, app, hashes: [hash] }
      const { requirement } = (await ana.post(path + factor, fields)).json
      expect((await ana.post('/two-factor/verify', { requirement, recoveryCode })).status).toBe(200)
      expect(host.filed.ana.hashes).toEqual([])
      return ana.post(path + factor, fields)
    }
    const number = await idOf(ana, 0)
    expect((await byLast('/numbers/remove', { number }, last, codes[0])).refusal).toEqual([
      409,
      'last_factor',
    ])
    await proveNumber(host, ana)
    expect((await byLast('/numbers/add', {}, other, codes[1])).json).toEqual({ changed: 'number-added' })
  })
})
