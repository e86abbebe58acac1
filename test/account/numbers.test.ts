import { describe, expect, it } from 'vitest'
import { englishTexts, parseNumberOnFile, TwoFactorError } from '../../src/index.js'
import { phones, storeThrough } from '../express/kit.js'
import {
  confirmed,
  idOf,
  linesOf,
  newNumber,
  otherNumber,
  path,
  prove,
  proveByApp,
  proveNumber,
  shownByApp,
  signIn,
  startAccounts,
} from './kit.js'

const first = String(phones.ana)

describe('a number', () => {
  it('is added once it is proven and confirmed by a way that is there already', async () => {
    const host = await startAccounts()
    const ana = await host.signIn()
    expect((await ana.post(`${path}/numbers/add`)).json).toEqual({
      type: 'urn:express-two-factor:unproven',
      title: 'No number was verified',
      status: 409,
      detail: expect.stringContaining('Nothing was submitted'),
      code: 'unproven',
      startUrl: `${path}/number/start`,
    })
    expect((await ana.submit(`${path}/numbers/add`)).location).toBe(`${path}/number`)
    expect((await ana.open(`${path}/number`)).text).toContain(`<a href="${path}">Go back</a>`)
    await proveNumber(host, ana)
    expect((await ana.get(`${path}/numbers/add`)).json).toEqual({ number: newNumber })
    const refused = await ana.post(`${path}/numbers/add`)
    expect(refused.refusal).toEqual([403, 'second_factor_required'])
    expect(refused.json.details).toEqual({
      title: 'Adding +57 300 9876543',
      rows: [['Afterwards', 'Codes can go to this number too']],
      action: 'Add the number',
    })
    expect((await confirmed(host, ana, '/numbers/add')).json).toEqual({ changed: 'number-added' })
    // Its own code never does: the last one went to the number that was there.
    expect(host.stub.sends.map(({ form }) => form.phone)).toEqual(
      [first, newNumber, first].map((number) => number.slice(1)),
    )
    expect(host.filed.ana?.numbers).toEqual([first, newNumber])
  })

  it('is put first, and removed', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber] })
    const ana = await host.signIn()
    const number = await idOf(ana, 1)
    // What last worked is offered first whatever the list says: no promise that codes go to this one.
    const { details } = (await ana.post(`${path}/numbers/first`, { number })).json
    expect(details.rows.at(-1)[1]).toContain('last worked for you is still offered first')
    await confirmed(host, ana, '/numbers/first', { number })
    expect(host.filed.ana?.numbers).toEqual([otherNumber, first])
    const thief = await host.login()
    const [offered] = (await thief.get('/two-factor')).json.destinations
    expect(offered.masked).toMatch(new RegExp(`${first.slice(-2)}$`))
    await confirmed(host, ana, '/numbers/remove', { number: await idOf(ana, 1) })
    expect(host.filed.ana?.numbers).toEqual([otherNumber])
  })

  it('is not added twice', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber] })
    const ana = await host.signIn()
    await proveNumber(host, ana, otherNumber)
    expect((await ana.post(`${path}/numbers/add`)).json).toEqual({
      type: 'urn:express-two-factor:on_file',
      title: 'Nothing was changed',
      status: 409,
      detail: 'That number is in your list already.',
      code: 'on_file',
    })
  })

  it.each<[what: string, meanwhile: (list: string[]) => void]>([
    ['is in another order', (list) => void list.reverse()],
    ['has it no more', (list) => void list.shift()],
    ['has yet another in place of it', (list) => void list.splice(0, 2, ...list.slice(1), newNumber)],
  ])('is not taken for another that ends alike, once the list %s', async (_what, meanwhile) => {
    const alike = `${otherNumber.slice(0, -2)}${first.slice(-2)}`
    const host = await startAccounts({ numbers: [first, alike], app: true })
    const ana = await signIn(host)
    const number = await idOf(ana, 0)
    meanwhile(host.filed.ana?.numbers ?? [])
    expect((await ana.post(`${path}/numbers/remove`, { number })).refusal).toEqual([409, 'stale'])
  })

  it('of another person is not in the changed list', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber] })
    const ana = await host.signIn()
    const eve = await host.login('eve')
    const id = await idOf(ana, 1)
    for (const factor of ['/numbers/remove', '/numbers/first']) {
      const named = await eve.post(path + factor, { number: id, subject: 'ana' })
      expect(named.refusal).toEqual([409, 'stale'])
    }
    expect(host.filed.ana?.numbers).toEqual([first, otherNumber])
  })
})

describe('a save', () => {
  it('that throws leaves everything as it was, and goes to the error handler', async () => {
    const save = () => {
      throw new Error('the database is down')
    }
    const host = await startAccounts({ pages: { numbers: { list: () => [first, otherNumber], save } } })
    const ana = await host.signIn()
    const number = await idOf(ana, 1)
    const failed = await confirmed(host, ana, '/numbers/remove', { number })
    expect([failed.status, failed.json]).toEqual([500, { host: 'the database is down' }])
    expect(host.told).toEqual([])
    // The code was used up.
    expect((await ana.post(`${path}/numbers/remove`, { number })).status).toBe(403)
  })

  it('that throws an error of this package goes there, too: it is no word about the code', async () => {
    const save = () => {
      throw new TwoFactorError('second_factor_required', { message: 'down' })
    }
    const numbers = { list: () => [first, otherNumber], save }
    const authenticator = { has: () => true, save, remove: save }
    const pages = { numbers, authenticator, recoveryCodes: { remaining: () => 0, save } }
    const host = await startAccounts({ pages })
    const ana = await host.signIn()
    const number = await idOf(ana, 1)
    await prove(host, ana, (await ana.get(`${path}/app`)).json.requirement)
    const { secret } = (await ana.get(`${path}/app`)).json
    for (const answer of [
      await ana.post(`${path}/app`, { code: shownByApp(host, secret) }),
      await confirmed(host, ana, '/app/remove'),
      await confirmed(host, ana, '/numbers/remove', { number }),
      await confirmed(host, ana, '/recovery-codes'),
    ]) {
      expect([answer.status, answer.json]).toEqual([500, { host: 'down' }])
    }
  })

  it('that refuses because another process was faster changes nothing and keeps the new number verified', async () => {
    const numbers = { list: () => [first], save: () => false }
    const authenticator = { has: () => true, save: () => false, remove: () => false }
    const host = await startAccounts({ app: true, pages: { numbers, authenticator } })
    const ana = await signIn(host)
    expect((await confirmed(host, ana, '/app/remove')).refusal).toEqual([409, 'stale'])
    await proveNumber(host, ana)
    expect((await confirmed(host, ana, '/numbers/add')).refusal).toEqual([409, 'stale'])
    expect((await ana.get(`${path}/numbers/add`)).json).toEqual({ number: newNumber })
    expect(host.told).toEqual([])
  })

  it('of a new number that throws keeps it verified and emits no change', async () => {
    let isDown = true
    const numbers = {
      list: () => [first],
      save() {
        if (isDown) throw new Error('the database is down')
      },
    }
    const host = await startAccounts({ app: true, pages: { numbers } })
    const ana = await signIn(host)
    await proveNumber(host, ana)
    const changes = () => host.events.filter(({ type }) => type === 'factor.changed')
    expect((await confirmed(host, ana, '/numbers/add')).json).toEqual({ host: 'the database is down' })
    expect([changes(), host.told]).toEqual([[], []])
    isDown = false
    const adding = await confirmed(host, ana, '/numbers/add')
    expect(adding.json).toEqual({ changed: 'number-added' })
    expect(changes()).toHaveLength(1)
    // What was saved has used it up.
    expect((await ana.post(`${path}/numbers/add`)).refusal).toEqual([409, 'unproven'])
  })

  it('by a class instance that changes the read list is announced with the state before', async () => {
    class Listed {
      readonly #list = [first, otherNumber]
      list() {
        return this.#list
      }
      save(_subject: string, numbers: readonly string[]) {
        this.#list.splice(0, this.#list.length, ...numbers)
      }
    }
    const numbers = new Listed()
    const host = await startAccounts({ app: true, pages: { numbers } })
    const ana = await signIn(host)
    await confirmed(host, ana, '/numbers/remove', { number: await idOf(ana, 1) })
    expect(numbers.list()).toEqual([first])
    expect(host.told).toMatchObject([{ before: [first, otherNumber] }])
  })

  it('has every other session asked again, although the store fails for a moment', async () => {
    let fails = false
    const store = storeThrough((command, key, work) => {
      const failsNow = fails && command === 'read' && key.includes(':grants:')
      if (!failsNow) return work()
      fails = false
      throw new Error('down')
    })
    const save = () => {
      fails = true
    }
    const pages = { numbers: { list: () => [first, otherNumber], save } }
    const host = await startAccounts({ options: { store }, pages })
    const ana = await host.signIn()
    const other = await signIn(host)
    await confirmed(host, ana, '/numbers/remove', { number: await idOf(ana, 1) })
    expect([fails, host.told.length]).toEqual([false, 1])
    expect((await other.get('/home')).status).toBe(403)
  })

  it('is announced although the message to the person fails, and the change stays', async () => {
    // As a client of this package throws it: about the message, not about this request.
    const failure = new TwoFactorError('provider_unavailable', { message: 'no message today' })
    const onChanged = () => Promise.reject(failure)
    const host = await startAccounts({ numbers: [first, otherNumber], pages: { onChanged } })
    const ana = await host.signIn()
    const other = await host.signIn()
    host.clock.now += 60_000
    const answer = await confirmed(host, ana, '/numbers/remove', { number: await idOf(ana, 1) })
    expect([answer.status, answer.json]).toEqual([500, { host: 'no message today' }])
    expect(host.filed.ana?.numbers).toEqual([first])
    expect((await other.get('/home')).status).toBe(403)
  })
})

describe('the first page', () => {
  it('shows all stored factors with their possible changes', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber], app: true, hashes: ['one', 'two'] })
    const ana = await signIn(host, { trustDevice: true })
    expect(linesOf(await ana.open(path))).not.toContain('[/devices/end-all] Stop trusting all')
    await signIn(host, { trustDevice: true })
    const page = await ana.open(path)
    // Few codes are no good state.
    expect(page.text).toContain('<span class="badge">2 left</span>')
    expect(linesOf(page)).toEqual([
      'Two-step sign-in',
      'You have few recovery codes left. Make new ones.',
      'Phone numbers',
      'On',
      'the number ending in 6 7 Main',
      '[/numbers/remove] Remove the number ending in 6 7',
      'the number ending in 2 1',
      '[/numbers/first] Make main the number ending in 2 1',
      '[/numbers/remove] Remove the number ending in 2 1',
      '[/number] Add a number',
      'Authenticator app',
      'On',
      'An app such as Google Authenticator or 1Password shows a new code every 30 seconds, even where there is no signal.',
      '[/app/start] Replace Authenticator app',
      '[/app/remove] Remove Authenticator app',
      'Recovery codes',
      '2 left',
      "Each lets you in once if you can't get a code any other way.",
      '[/recovery-codes] Make new codes',
      'Trusted browsers',
      'They sign in without a code.',
      'Browser This browser',
      'Last used Mar 1, 2026',
      '[/devices/end] Stop trusting Browser',
      'Browser',
      'Last used Mar 1, 2026',
      '[/devices/end] Stop trusting Browser',
      '[/devices/end-all] Stop trusting all',
      'Other devices',
      'Do you think somebody else is in your account? Every other device will have to give a code before it can go on.',
      '[/sign-out] Ask for a code on all other devices',
    ])
  })

  it('offers recovery codes and no removable app to a person with two numbers', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber] })
    const lines = linesOf(await (await host.signIn()).open(path))
    expect(lines).toContain('[/recovery-codes] Make recovery codes')
    expect(lines).not.toContain('[/app/remove] Remove Authenticator app')
  })

  it('offers no sixth number, which would be proven in vain', async () => {
    const numbers = Array.from({ length: 5 }, (_, index) => `+57300123456${index}`)
    const host = await startAccounts({ numbers })
    const lines = linesOf(await (await host.signIn()).open(path))
    expect(lines).toContain('You have five numbers. Remove one before you add another.')
    expect(lines).not.toContain('[/number] Add a number')
  })

  it('calls no number the main one where it is the only one', async () => {
    const host = await startAccounts({ numbers: [first] })
    expect(linesOf(await (await host.signIn()).open(path))).toContain('the number ending in 6 7')
  })

  it('offers a factor to add and nothing to remove to a person without one', async () => {
    const host = await startAccounts()
    expect(linesOf(await (await host.login('eve')).open(path))).toEqual([
      'Two-step sign-in',
      'Your account has no second step yet. Add a phone number or set up an authenticator app.',
      'Phone numbers',
      'Off',
      '[/number] Add a number',
      'Authenticator app',
      'Off',
      'An app such as Google Authenticator or 1Password shows a new code every 30 seconds, even where there is no signal.',
      '[/app/start] Set up an app',
      'Recovery codes',
      'None',
      "Each lets you in once if you can't get a code any other way.",
      'Other devices',
      'Do you think somebody else is in your account? Every other device will have to give a code before it can go on.',
      '[/sign-out] Ask for a code on all other devices',
    ])
  })

  it('shows no app if the options have none', async () => {
    const without: object = { authenticator: undefined, recoveryCodes: undefined }
    const host = await startAccounts({ options: without, pages: without })
    const ana = await host.signIn()
    expect((await ana.get(path)).json).toEqual({
      numbers: [{ id: expect.any(String), masked: '••••••67' }],
      devices: [],
      canRemove: false,
      advice: 'advice.one',
    })
    expect(linesOf(await ana.open(path))).not.toContain('Recovery codes')
    expect((await ana.post(`${path}/recovery-codes`)).status).toBe(404)
    expect((await ana.get(`${path}/app`)).status).toBe(404)
  })
})

it('finds texts of the app like those for code pages, by language and region in any case', async () => {
  const zh = { ...englishTexts, lang: 'zh-Hant-TW' }
  const host = await startAccounts({
    options: { pages: { messages: { 'zh-Hant-TW': zh, 'pt-BR': {} } } },
    pages: { messages: { 'zh-hant': { title: '兩步驟登入' }, 'pt-br': { title: 'Duas etapas' } } },
  })
  const ana = await host.signIn()
  const titleIn = async (language: string) =>
    linesOf(await ana.get(path, { accept: 'text/html', 'accept-language': language }))[0]
  expect([await titleIn('zh-Hant-TW'), await titleIn('pt-BR')]).toEqual(['兩步驟登入', 'Duas etapas'])
})

describe('when a way last worked', () => {
  it('is beside it, as the host has recorded it, in the language of the person', async () => {
    const used: Record<string, number> = {}
    const host = await startAccounts({
      numbers: [first, otherNumber],
      app: true,
      options: {
        beforeSend(req, { purpose, destination }) {
          Object.assign(req.session, { [`sentTo ${purpose}`]: destination })
          return true
        },
        onVerified(req, _res, { purpose, method, verifiedAt }) {
          const by = method === 'code' ? Object(req.session)[`sentTo ${purpose}`] : method
          used[by] = verifiedAt
        },
      },
      pages: { lastUsed: () => ({ ...used, [otherNumber]: null, 'trusted-device': 0 }) },
    })
    const ana = await signIn(host)
    expect(used).toEqual({ [first]: host.clock.now })
    const { requirement } = (await ana.post(`${path}/sign-out`)).json
    await proveByApp(host, ana, requirement)
    const { numbers, appUsedAt } = (await ana.get(path)).json
    expect([numbers[0].usedAt, numbers[1].usedAt, appUsedAt]).toEqual([
      used[first],
      undefined,
      host.clock.now,
    ])
    const shownIn = async (language: string) =>
      (await ana.get(path, { accept: 'text/html', 'accept-language': language })).text
    expect((await shownIn('en')).match(/<bdi>Last used Mar 1, 2026</g)).toHaveLength(2)
    expect(await shownIn('es')).toContain('<bdi>Último uso: 1 mar 2026</bdi>')
  })

  it.each([
    ['a text', 'yesterday'],
    ['a date as text', { app: '2026-03-03' }],
    ['no number', { app: Number.NaN }],
    ['no date', { [first]: new Date('never') }],
  ])('is an error for the host where it is no time: %s', async (_what, said) => {
    const host = await startAccounts({ pages: { lastUsed: () => Object(said) } })
    const { json } = await (await host.signIn()).get(path)
    expect(json.host).toBe(
      "accountPages: lastUsed must return an object with a time for each number or 'app': a Date or milliseconds since 1970",
    )
  })
})

it('reads and replaces a table of national numbers, as the guide describes', async () => {
  const table = new Map<string, (string | { phone: string; country: 'CO' })[]>([
    [
      'ana',
      [
        { phone: '300 123 4567', country: 'CO' },
        { phone: '300 765 4321', country: 'CO' },
      ],
    ],
  ])
  const rows = (subject: string) => table.get(subject) ?? []
  const list = (subject: string) =>
    Promise.all(
      rows(subject).map(async (row) => {
        const { phone, country } = typeof row === 'string' ? { phone: row, country: 'CO' } : row
        const read = await parseNumberOnFile({ phone, country }, ['CO'])
        if (!read.ok) throw new Error(read.refusal)
        return read.phone
      }),
    )
  const host = await startAccounts({
    options: { phone: (_req, subject) => rows(subject) },
    pages: {
      numbers: {
        list,
        async save(subject, numbers, from) {
          if (String(await list(subject)) !== String(from)) return false
          table.set(subject, [...numbers])
          return true
        },
      },
    },
  })
  const browser = await signIn(host)
  const removed = await confirmed(host, browser, '/numbers/remove', { number: await idOf(browser, 1) })
  expect([removed.json.changed, table.get('ana')]).toEqual(['number-removed', [phones.ana]])
  expect((await browser.get('/home')).status).toBe(200)
})
