import express from 'express'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import {
  describeRehearsal,
  type Rehearsal,
  type RehearsalOptions,
  rehearse,
} from 'express-two-factor/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAgent } from '../../../src/tools/testing/rehearsal/agent.js'
import { attacks } from '../../../src/tools/testing/rehearsal/attacks.js'
import { recordSignIn } from '../../../src/tools/testing/rehearsal/sign-in-recorder.js'
import { createWire } from '../../../src/tools/testing/rehearsal/wire.js'
import { anchorsOf, read } from '../../documents.js'
import { Browser } from '../../express/browser.js'
import { listening } from '../../listening.js'
import { createAuthJs } from './auth-js.js'
import { createBank, parse, type User, type Wiring } from './bank.js'
import { mistakes } from './mistakes.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
beforeEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const withVerdict = ({ rows }: Rehearsal, wanted: string) =>
  rows.flatMap(({ code, verdict }) => (verdict === wanted ? [code] : []))

const failing = () => {
  throw new Error('db down')
}

/** The rehearsal of a bank with one of the mistakes. */
async function rehearsed(
  what: string | undefined,
  more: Partial<RehearsalOptions<User>> = {},
): Promise<Rehearsal> {
  const bank = createBank(sandbox, mistakes.find((one) => one.what === what)?.wiring)
  return rehearse({ ...bank, maxRequests: 500, ...more })
}

describe('rehearse', () => {
  it('accuses a right app of nothing, and tries everything', async () => {
    const result = await rehearsed(undefined)
    expect(withVerdict(result, 'fell')).toEqual([])
    expect(withVerdict(result, 'not tried')).toEqual([])
    expect(result).toMatchObject({ ok: true, rows: { length: attacks.length } })
    const words = expect.stringMatching(/\w/)
    for (const row of result.rows) expect(row).toMatchObject({ claim: words, tried: words, seen: words })
    expect(result.requests).toBeLessThanOrEqual(500)
    // A request whose kept connection was closed is sent again, and answered once.
    const heard = Number(/(\d+) responses/.exec(describeRehearsal(result))?.[1])
    expect(heard).toBeGreaterThan(result.requests - 5)
    expect(describeRehearsal(result)).toMatch(/\n32 held, 0 fell, 0 not tried: \d+ requests in \d+\.\d s\.$/)
  })

  it('says of what fell what to change, which request to repeat, and where to read on', async () => {
    const result = await rehearsed('bind that forgets the payee', { only: ['changed'] })
    expect(withVerdict(result, 'fell')).toEqual(['changed'])
    const text = describeRehearsal(result)
    expect(text).toContain('POST /transfers answered 200 with another "payee"')
    expect(text).toMatch(/\n {7}Change: \w.*\n/)
    expect(text).toMatch(/\n {7}Read: {3}docs\/\w+\.md/)
    expect(text).toMatch(
      /Repeat: curl -i -X POST 'http:\/\/127\.0\.0\.1:\d+\/transfers' .*-H "cookie: \$COOKIE" --data '{"amount":5,"payee":"Eve"}'/,
    )
  })

  it('attacks nothing unless a code arrives in the sandbox that it holds', async () => {
    // A code of before is not one that arrives.
    await rehearsed(undefined, { only: ['sign-in'] })
    await using other = await startSandbox()
    const bank = createBank(other)
    // Where no code comes, there is nothing to wait five seconds for.
    const waitFor: typeof sandbox.inbox.waitFor = (phone, options) =>
      sandbox.inbox.waitFor(phone, { ...options, timeoutMs: 50 })
    const result = await rehearse({
      ...bank,
      sandbox: { ...sandbox, inbox: { ...sandbox.inbox, waitFor } },
    })
    expect(withVerdict(result, 'fell')).toEqual(['sign-in'])
    expect(withVerdict(result, 'not tried')).toHaveLength(attacks.length - 1)
    expect(result.requests).toBeLessThan(5)
  })

  it.each<[string, Partial<RehearsalOptions<User>>, RegExp]>([
    [
      'an app that does not run',
      { app: 'http://127.0.0.1:1' },
      /nothing listens at http:\/\/127\.0\.0\.1:1$/,
    ],
    ['no people', { person: failing }, /db down$/],
    ['a sign-in that fails', { signIn: failing }, /db down$/],
  ])('tries nothing with %s, and says so first', async (_what, plan, why) => {
    const result = await rehearsed(undefined, plan)
    expect(result.ok).toBe(false)
    expect(result.hindrance).toMatch(why)
    expect(describeRehearsal(result)).toMatch(/^Not tried: sign-in: /)
    // Told once, with the names of the others.
    expect(describeRehearsal(result).match(/^ {7}not tried: /gm)).toHaveLength(1)
    expect(withVerdict(result, 'not tried')).toHaveLength(attacks.length)
  })

  it('counts nothing as held behind a limiter of the password route', async () => {
    let count = 0
    const limiter: express.RequestHandler = (_req, res, next) => {
      count += 1
      if (count > 1) res.sendStatus(429)
      else next()
    }
    const bank = createBank(sandbox, { front: ({ app }) => void app.post('/login', limiter) })
    const result = await rehearse({ ...bank, maxRequests: 500 })
    expect(result.hindrance).toBe(
      'confirmed-action: POST /login answered 429: lift the limiter while this runs',
    )
    // What is judged by all traffic is judged by what there was.
    expect(withVerdict(result, 'held')).toEqual(['sign-in', 'secrets', 'unguarded', 'warnings'])
  })

  it('counts nothing as held of an action that was never done', async () => {
    const nothing: Partial<Wiring> = {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), (_req, res) => void res.json({ sent: 5 }))
      },
    }
    const bank = createBank(sandbox, nothing)
    const actions = bank.actions?.map((one) => ({ ...one, done: () => 0 })) ?? []
    const result = await rehearse({ ...bank, actions, maxRequests: 500 })
    expect(result.rows.find(({ code }) => code === 'confirmed-action')).toMatchObject({
      verdict: 'fell',
      seen: 'POST /transfers answered 200, and `done` counted nothing',
    })
    const ofActions = ['without-code', 'other-methods', 'spellings', 'content-types', 'changed', 'twice']
    expect(withVerdict(result, 'not tried')).toEqual([...ofActions, 'same-browser'])
  })

  it('counts no GET as reading that says as little as the action does', async () => {
    const silent: express.RequestHandler = (_req, res) => void res.sendStatus(204)
    const twin: Partial<Wiring> = {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), silent)
        app.get('/transfers', silent)
      },
    }
    const result = await rehearse({ ...createBank(sandbox, twin), only: ['other-methods'], maxRequests: 500 })
    expect(result.hindrance).toBe(
      'other-methods: "transfer" says nothing when it is done, and neither does GET: give `done`',
    )
  })

  it('tells a mistake by which several rows fall once, with their names', async () => {
    const result = await rehearsed('the guard behind the handler')
    const under = result.rows.filter((row) => row.under === 'without-code').map(({ code }) => code)
    expect(under).toEqual(['other-methods', 'spellings', 'content-types', 'changed', 'twice', 'same-browser'])
    const text = describeRehearsal(result)
    expect(text).toContain(`By this also: ${under.join(', ')}`)
    expect(text.match(/^FELL/gm)).toHaveLength(1)
  })

  it('lists the routes that change something and saw no request, in either line of Express', async () => {
    const ok: express.RequestHandler = (_req, res) => void res.json({})
    const routes: Partial<Wiring> = {
      front: ({ app }) => {
        app.post('/reset/:token', ok)
        app.get('/reset/:token', ok)
        app.all('/any', ok)
        // It passes the request on, and so answers none.
        app.post('/login', (_req, _res, next) => next())
        const api = express.Router()
        api.delete('/cards', ok)
        app.use('/api', api)
      },
    }
    const bank = createBank(sandbox, routes)
    // Of the package's own routes those are known that a request reached.
    const only = ['sign-up', 'account-without-code']
    const result = await rehearse({ ...bank, only, maxRequests: 500, ignore: ['/Password'] })
    expect(result.notAttacked).toEqual(['ALL /any', 'DELETE …/cards', 'POST /logout', 'POST /reset/:token'])
    expect(describeRehearsal(result)).toMatch(/Not attacked, nothing went there:\n {7}ALL \/any/)
  })

  it('refuses people who share a number: what one does would count against another', async () => {
    const ana: User = { name: 'person-1', password: 'sesame-1', phone: '+573010000001' }
    const bank = createBank(sandbox)
    await bank.person(1)
    for (const actions of [bank.actions, []]) {
      await expect(
        rehearse({ ...bank, person: () => ana, actions: actions ?? [], maxRequests: 500 }),
      ).rejects.toThrow('rehearse: person returned a number twice')
    }
  })

  it('tries a taken name where the plan says which field that is, and refuses one that no body has', async () => {
    const { signUp } = createBank(sandbox)
    if (signUp === undefined) throw new Error('the bank has a sign-up')
    const { nameField, ...nameless } = signUp
    const only = ['taken-name']
    const { rows } = await rehearsed(undefined, { signUp: nameless, only })
    expect(rows.at(-1)).toMatchObject({ code: 'taken-name', lacks: 'signUp.nameField' })
    await expect(rehearsed(undefined, { signUp: { ...signUp, nameField: 'name' }, only })).rejects.toThrow(
      'rehearse: signUp.nameField: the body of signUp.account has no "name"',
    )
  })

  it('takes nothing for its own that the sandbox saw before', async () => {
    const bank = createBank(sandbox, {
      options: ({ users }) => ({ phone: (_req, subject) => users.get(subject)?.phone }),
    })
    await rehearse({ ...bank, maxRequests: 500 })
    // The people of before, at the same app and at one that has been started anew.
    const again = await rehearse({ ...bank, maxRequests: 500 })
    expect(withVerdict(again, 'fell')).toEqual([])
    // Often enough that the checks of all would be more than one number may have.
    for (let run = 1; run <= 2; run += 1) {
      expect(withVerdict(await rehearsed(undefined, { maxRequests: 500 }), 'fell')).toEqual([])
    }
  })

  it('says of a sign-in that fails what it answered, and how a form is posted', async () => {
    const { rows } = await rehearsed(undefined, {
      signIn: (agent, { name }) => agent.post('/login', { name, password: 'none' }),
    })
    expect(rows.at(0)?.tried).toMatch(/new URLSearchParams\(\{ … \}\).*POST \/login answered 401$/s)
  })

  it('attacks nothing with faults left on in the sandbox, or rows that there are not', async () => {
    const unknown = rehearsed(undefined, { only: ['changed', 'chagned'] })
    await expect(unknown).rejects.toThrow('rehearse: only: unknown row "chagned"; did you mean "changed"?')
    sandbox.faults.add({ operation: 'verifyCode', kind: 'hang', times: Number.POSITIVE_INFINITY })
    expect(await rehearsed(undefined)).toMatchObject({
      hindrance: 'sign-in: the sandbox has faults left on: hang of verifyCode',
      requests: 0,
    })
  })

  it('ends when its time is over', async () => {
    const slowly: express.RequestHandler = (_req, _res, next) => void setTimeout(next, 100)
    const bank = createBank(sandbox, { front: ({ app }) => void app.use(slowly) })
    const result = await rehearse({ ...bank, maxRequests: 500, timeoutMs: 1_000 })
    expect(result.durationMs).toBeLessThan(10_000)
    expect(result.rows.at(5)).toMatchObject({ verdict: 'not tried', tried: 'the 1 seconds were over' })
  })

  it('ends when its requests are used up, and counts nothing as held that it did not try', async () => {
    const result = await rehearsed(undefined, { maxRequests: 100 })
    expect(result.requests).toBe(100)
    expect(withVerdict(result, 'not tried')).toContain('headers')
  })

  it('uses an app and a sandbox at addresses, and says what it did not try', async () => {
    const bank = createBank(sandbox)
    const { origin, close } = await listening(bank.app as never)
    const { person, signIn } = bank
    const app = origin.replace('127.0.0.1', 'localhost')
    const at = new URL(sandbox.baseUrl).origin
    const result = await rehearse({ app, person, signIn, sandbox: at, maxRequests: 500 })
    await close()
    expect(withVerdict(result, 'fell')).toEqual([])
    expect(withVerdict(result, 'not tried'), describeRehearsal(result)).toHaveLength(18)
    expect(result).toMatchObject({ ok: true, notAttacked: [] })
    const why = result.rows.flatMap(({ verdict, tried }) => (verdict === 'not tried' ? [tried] : []))
    const missing = ['actions', 'pages', 'signOut', 'changePassword', 'signUp', 'account', 'coverage']
    expect(new Set(why)).toEqual(
      new Set([
        ...missing.map((name) => `the plan has no \`${name}\``),
        'the app runs in another process, and the plan has no `logs`',
      ]),
    )
    const lacking = new Set(result.rows.flatMap(({ lacks = [] }) => lacks))
    expect(lacking).toEqual(new Set([...missing, 'logs']))
    expect(sandbox.faults.list()).toEqual([])
  })

  it.each(['https://127.0.0.1:3000', 'http://192.168.0.1', 'http://127.0.0.1.example.com', 'x', 5])(
    'refuses the address %s',
    async (app) => {
      const bank = createBank(sandbox)
      await expect(rehearse({ ...bank, app: app as string })).rejects.toThrow(
        'rehearse: app must be a listener',
      )
    },
  )

  it('has its signIn written while somebody signs in by hand, without what was typed', async () => {
    const ana = { name: 'ana-of-auth', password: 'a password', phone: '+573001234567' }
    const authJs = createAuthJs(sandbox, (add) => () => {
      add(ana)
      return ana
    })
    await authJs.person(1)
    const { origin, close } = await listening(authJs.app as never)
    let address = ''
    const recorded = recordSignIn(origin, '/two-factor', (own) => {
      address = own
    })
    await expect.poll(() => address).not.toBe('')

    const browser = new Browser(address, { origin: address })
    const { csrfToken = '' } = (await browser.open('/auth/signin')).fields
    const { name, password } = ana
    const signedIn = await browser.submit('/auth/callback/credentials', { csrfToken, name, password })
    expect(signedIn.location).toContain(address)
    await browser.open('/two-factor')

    const written = await recorded
    expect(written).toContain("'password': person['password']")
    for (const typed of [...Object.values(ana), csrfToken]) expect(written).not.toContain(typed)
    const { signIn } = new Function(`return { ${written} }`)()
    const result = await rehearse({ ...authJs, signIn, actions: [], only: ['sign-in'] })
    expect(result.rows.at(0)).toMatchObject({ code: 'sign-in', verdict: 'held' })
    await close()
  })

  it('has tokens sent that are those of the next page, too, wherever they stand in it', async () => {
    const tokens = new Set<unknown>()
    const token = () => {
      const made = crypto.randomUUID()
      tokens.add(made)
      return made
    }
    const input = (name: string, value: string) => `<input\n  name="${name}"\n  value="${value}"\n>`
    const ways = ['html', 'text', 'json', 'unquoted'] as const
    const app = express()
    app.get(
      '/html',
      (_req, res) => void res.send(`<p>${input('page', 'the front page')}${input('t', token())}`),
    )
    app.get('/text', (_req, res) => void res.type('text').send(token()))
    app.get('/json', (_req, res) => void res.json({ id: 'of somebody', all: [token()] }))
    app.get('/unquoted', (_req, res) => void res.type('text').send(`t=${'x'.repeat(500)}${token()}`))
    const sent: unknown[] = []
    app.post('/login', parse, (req, res) => {
      sent.push(ways.map((way) => tokens.has(req.body[way]) || req.body[way]))
      res.end()
    })
    app.get('/two-factor', (_req, res) => void res.end())
    const { origin, close } = await listening(app as never)
    let address = ''
    const recorded = recordSignIn(origin, '/two-factor', (own) => {
      address = own
    })
    await expect.poll(() => address).not.toBe('')
    const body = new URLSearchParams()
    for (const way of ways) {
      const text = await (await fetch(`${address}/${way}`)).text()
      body.set(way, /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/.exec(text)?.[0] ?? '')
    }
    await fetch(`${address}/login`, { method: 'POST', body })
    await fetch(`${address}/two-factor`)
    const { signIn } = new Function(`return { ${await recorded} }`)()

    tokens.clear()
    const wire = createWire(origin)
    await signIn(createAgent(wire), { unquoted: 'of the person' })
    wire.close()
    await close()
    expect(sent).toEqual([
      [true, true, true, true],
      [true, true, true, 'of the person'],
    ])
  })

  it('says of each row what to change, and links to sections that exist', () => {
    for (const { fix, docs } of attacks) {
      expect(fix, docs).toMatch(/\w/)
      const [file = '', section] = docs.split('#')
      const anchors = anchorsOf(read(file))
      if (section !== undefined) expect(anchors, docs).toContain(section)
    }
  })
})
