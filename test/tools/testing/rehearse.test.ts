import express from 'express'
import { createClient, providerCodes, type SessionAdapter } from 'express-two-factor'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import {
  describeRehearsal,
  type Rehearsal,
  type RehearsalAgent,
  type RehearsalOptions,
  rehearse,
} from 'express-two-factor/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAgent } from '../../../src/tools/testing/rehearsal/agent.js'
import { attacks } from '../../../src/tools/testing/rehearsal/attacks.js'
import { actionChecks, planChecks } from '../../../src/tools/testing/rehearsal/plan-checks.js'
import { recordSignIn } from '../../../src/tools/testing/rehearsal/sign-in-recorder.js'
import { createWire } from '../../../src/tools/testing/rehearsal/wire.js'
import { anchorsOf, read } from '../../documents.js'
import { Browser } from '../../express/browser.js'
import { listening } from '../../listening.js'
import { createAuthJs } from './auth-js.js'
import { createBank, parse, transfer, transfers, type User, type Wiring, withAction } from './bank.js'
import { missedApps } from './cases.js'
import { mistakes } from './mistakes.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
beforeEach(() => {
  sandbox.reset()
  transfers.clear()
})
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

type Plan = RehearsalOptions<User>

const drop =
  (name: keyof Plan) =>
  ({ [name]: _, ...rest }: Plan) =>
    rest as Plan
const withPlan =
  (change: Partial<Plan>) =>
  (bank: Plan): Plan => ({ ...bank, ...change })
const packageOnly = drop('all')

/** A plan without the material of a row. A part that the app replaces is material, too. */
const without: Readonly<Record<string, (bank: Plan) => Plan>> = {
  'confirmed-action': drop('actions'),
  'password-only': drop('pages'),
  'without-code': drop('state'),
  spellings: drop('state'),
  'other-methods': drop('state'),
  'content-types': drop('state'),
  'forged-headers': drop('state'),
  'other-fields': drop('state'),
  changed: drop('actions'),
  twice: withPlan({ state: ({ name }) => transfers.has(name) }),
  'of-another': drop('actions'),
  'session-renewal': drop('pages'),
  'sign-out': drop('signOut'),
  'password-change': drop('changePassword'),
  'sign-up': drop('signUp'),
  'taken-name': drop('signUp'),
  'account-without-code': drop('account'),
  'account-of-another': drop('account'),
  cookies: drop('pages'),
  'code-page': packageOnly,
  replay: packageOnly,
  guesses: packageOnly,
  'right-codes': packageOnly,
  starts: packageOnly,
  'provider-faults': packageOnly,
}
/** Rows whose material is the sign-in, which every plan has. */
const always = [
  'sign-in',
  'other-session',
  'named-by-request',
  'same-browser',
  'cross-site',
  'return-to',
  'headers',
]

describe('rehearse', () => {
  it('accuses a right app of nothing, and runs every row', async () => {
    const result = await rehearsed(undefined, { maxRequests: 2_000 })
    expect(withVerdict(result, 'fell')).toEqual([])
    expect(withVerdict(result, 'not tried')).toEqual([])
    expect(result).toMatchObject({ ok: true, rows: { length: attacks.length }, notSeen: [] })
    const words = expect.stringMatching(/\w/)
    for (const row of result.rows) expect(row).toMatchObject({ claim: words, tried: words, seen: words })
    // A request whose kept connection was closed is sent again, and answered once.
    const heard = Number(/(\d+) responses/.exec(describeRehearsal(result))?.[1])
    expect(heard).toBeGreaterThan(result.requests - 5)
    expect(describeRehearsal(result)).toMatch(/\n35 held, 0 fell, 0 not tried: \d+ requests in \d+\.\d s\.$/)
  })

  it.each(Object.entries(without))(
    'does not try %s with a plan without its material',
    async (row, change) => {
      const bank = createBank(sandbox)
      const result = await rehearse({ ...change(bank), maxRequests: 700, only: [row] })
      expect(result.rows.find(({ code }) => code === row)).toMatchObject({ verdict: 'not tried', seen: '' })
      expect(withVerdict(result, 'fell')).toEqual([])
    },
  )

  it('has material for each row in a plan', () => {
    const judged = ['unguarded', 'secrets', 'warnings']
    expect(new Set([...Object.keys(without), ...always, ...judged])).toEqual(
      new Set(attacks.map(({ code }) => code)),
    )
  })

  it.each<[object, RegExp]>([
    [
      { actions: [{ name: 'a', path: '/a', change: { amount: 1 } }] },
      /actions\[0\]\.change"; did you mean "changed"\?/,
    ],
    [{ actions: [{ name: 'a', path: 'a' }] }, /actions\[0\]\.path must be a path such as '\/transfers'/],
    [{ actions: [{ name: 'a', path: '/a', done: () => 1 }] }, /unknown option "actions\[0\]\.done"/],
    [{ signOut: { name: 'a', path: '/a', changed: {} } }, /unknown option "signOut\.changed"/],
    [{ signUp: { path: '/a', account: { name: 'a' }, newcomer: failing } }, /missing signUp\.account\.path/],
    [{ state: '/account' }, /state must be an array of paths such as \['\/account'\], or a function/],
    [{ pages: ['account'] }, /pages\[0\] must be a path/],
    [{ ignore: ['/logout'] }, /ignore\[0\] must be a method and a path, such as 'POST \/newsletter'/],
    [{ own: ['shop'] }, /own\[0\] must be 'store' or 'provider' or 'session' or 'page'/],
    [{ coverage: {} }, /unknown option "coverage"/],
    [{ pages: [], actions: [] }, /the plan has neither pages nor actions/],
    [{ only: ['chagned'] }, /only: unknown row "chagned"; did you mean "changed"\?/],
    [{ signUp: 5 }, /signUp must be an object with: path, account, newcomer, nameField/],
  ])('refuses the plan %j', async (plan, message) => {
    await expect(rehearsed(undefined, plan)).rejects.toThrow(message)
  })

  it('does not accuse a row of an action that its own preparation did', async () => {
    const result = await rehearsed('a transfer for which the code of the sign-in is enough', {
      only: ['same-browser'],
    })
    expect(withVerdict(result, 'fell')).toEqual([])
  })

  it('says that no action has a field to change', async () => {
    const actions = [{ name: 'transfer', path: '/transfers' }]
    const { rows } = await rehearsed(undefined, { actions, only: ['changed'] })
    expect(rows.at(1)?.tried).toBe('no action has a field to change')
  })

  it('does not exit with 0 if an action of the plan could not be counted', async () => {
    const result = await rehearsed(undefined, { ...without.twice?.(createBank(sandbox)), only: ['twice'] })
    expect(result.ok).toBe(false)
    expect(result.hindrance).toMatch(/^twice: the state does not count "transfer": /)
  })

  it('repeats each action, also after one that the state does not count', async () => {
    const [action] = createBank(sandbox).actions ?? []
    if (action === undefined) throw new Error('the bank has an action')
    const actions = [{ ...action, name: 'first', state: ({ name }: User) => transfers.has(name) }, action]
    const { rows } = await rehearsed('a guard without once', { actions, only: ['twice'] })
    expect(rows.at(-1)).toMatchObject({ code: 'twice', verdict: 'fell' })
  })

  it('names a row under the first cause, if a page or an action needs no code', async () => {
    const { rows } = await rehearsed('signed in by the password, with a page that asks the session only', {
      only: ['password-only', 'other-session', 'sign-out'],
    })
    const fallen = rows.flatMap(({ code, verdict, under }) => (verdict === 'fell' ? [[code, under]] : []))
    expect(fallen).toEqual([
      ['password-only', undefined],
      ['other-session', 'password-only'],
      ['sign-out', 'password-only'],
    ])
  })

  it('names regenerate() if the session is not renewed', async () => {
    const session: SessionAdapter = { id: (req) => req.session.id, regenerate: () => {}, save: () => {} }
    const bank = createBank(sandbox, { options: () => ({ session }) })
    const { rows } = await rehearse({ ...bank, only: ['sign-in'] })
    expect(rows.at(0)).toMatchObject({ verdict: 'fell', fix: expect.stringMatching(/^let regenerate\(\)/) })
  })

  it('names the provider if a wrong code signs in', async () => {
    const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
    const provider = providerCodes({ client, approvedStatuses: sandbox.approvedStatuses })
    const bank = createBank(sandbox, {
      options: () => ({ provider: { ...provider, checkCode: async () => 'approved' } }),
    })
    const { rows } = await rehearse({ ...bank, only: ['sign-in'] })
    expect(rows.at(0)).toMatchObject({
      verdict: 'fell',
      fix: expect.stringMatching(/checkCode of your provider/),
    })
  })

  it('names the countries of the app if no number of the plan may get a code', async () => {
    const bank = createBank(sandbox, { options: () => ({ countries: ['MX'] }) })
    const result = await rehearse({ ...bank, only: ['sign-in'] })
    expect(withVerdict(result, 'fell')).toEqual([])
    expect(result.hindrance).toMatch(
      /destination_not_allowed for \+57\d+: let `person` return numbers of a country/,
    )
  })

  it('explains that a person whose number an action changed gets no code', async () => {
    const waitFor: typeof sandbox.inbox.waitFor = (phone, options) =>
      sandbox.inbox.waitFor(phone, { ...options, timeoutMs: 50 })
    const bank = createBank(sandbox)
    const result = await rehearse({
      ...bank,
      sandbox: { ...sandbox, inbox: { ...sandbox.inbox, waitFor } },
      async person(index) {
        const user = await bank.person(index)
        return index === 1 ? user : { ...user, phone: user.phone.replace('+5730', '+5732') }
      },
      only: ['same-browser'],
    })
    expect(result.hindrance).toMatch(
      /no code reached \+5732\d+: if an action changes the number, let `person` return/,
    )
  })

  it('reports the fix, the request to repeat and the page to read for a failed row', async () => {
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

  it('names a guard that is skipped first, if other fields are accepted only after the action', async () => {
    const flagged = missedApps.find(({ what }) => what === 'a code that opens all transfers for some minutes')
    const bank = createBank(sandbox, flagged?.wiring)
    const { rows } = await rehearse({ ...bank, maxRequests: 500, only: ['changed'] })
    expect(rows.at(-1)).toMatchObject({
      seen: expect.stringMatching(/, after the confirmed action$/),
      fix: expect.stringMatching(
        /^let no flag of your app skip the guard .* once: true to it; otherwise give each/,
      ),
    })
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
    expect(withVerdict(result, 'held')).toEqual(['sign-in', 'secrets', 'warnings'])
  })

  it('attacks no action without a state, and names the missing option', async () => {
    const result = await rehearse({
      ...drop('state')(createBank(sandbox)),
      only: ['confirmed-action', 'without-code', 'spellings'],
    })
    expect(result.hindrance).toBe(
      'confirmed-action: add `state`: pages or a function that show what "transfer" changes',
    )
    expect(describeRehearsal(result)).toContain('By this also: without-code, spellings')
  })

  it('reads the state from pages as the person, and reports no app whose state changes without a request', async () => {
    const statement: Partial<Wiring> = {
      front: ({ app }) => {
        app.get('/statement', ({ session: { userId = '' } }, res) => {
          const sent = transfers.get(userId) ?? []
          res.send(
            `<h1>Statement</h1><p>${crypto.randomUUID()}</p><ul>${sent.map(() => '<li>sent').join('')}</ul>`,
          )
        })
      },
    }
    const twin: Partial<Wiring> = {
      ...statement,
      ...mistakes.find(({ what }) => what === 'a GET that transfers')?.wiring,
    }
    const only = ['confirmed-action', 'other-methods']
    const pages = { state: ['/statement'], only, maxRequests: 2_000 }
    expect((await rehearse({ ...createBank(sandbox, statement), ...pages })).ok).toBe(true)
    expect(withVerdict(await rehearse({ ...createBank(sandbox, twin), ...pages }), 'fell')).toEqual([
      'other-methods',
    ])
    let reads = 0
    const moving = await rehearsed(undefined, {
      state: ({ name }) => {
        reads += 1
        return [transfers.get(name)?.length, reads > 6 ? reads : 0]
      },
      only: ['without-code'],
    })
    expect(withVerdict(moving, 'fell')).toEqual([])
  })

  it('does not try an action that is never done', async () => {
    const nothing: Partial<Wiring> = {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), (_req, res) => void res.json({ sent: 5 }))
      },
    }
    const result = await rehearse({ ...createBank(sandbox, nothing), only: ['confirmed-action'] })
    expect(result.hindrance).toBe(
      'confirmed-action: "transfer" after its code: POST /transfers answered 200, and `state` did not change: name a state that shows the action',
    )
  })

  it('reports a mistake by which several rows fall once, with their names', async () => {
    const result = await rehearsed('the guard behind the handler', {
      only: ['without-code', 'spellings', 'other-fields'],
    })
    const text = describeRehearsal(result)
    expect(text).toContain('By this also: spellings, other-fields')
    expect(text.match(/^FELL/gm)).toHaveLength(1)
  })

  it('lists the routes that change something, in either line of Express', async () => {
    const ok: express.RequestHandler = (_req, res) => void res.json({})
    const routes: Partial<Wiring> = {
      front: ({ app, tf }) => {
        app.post('/reset/:token', ok)
        app.get('/reset/:token', ok)
        app.all('/any', (_req, res) => void res.sendStatus(401))
        // It passes the request on.
        app.post('/login', (_req, _res, next) => next())
        const api = express.Router()
        api.delete('/cards', tf.requireTwoFactor(), ok)
        app.use('/api', api)
        const hidden = express.Router().put('/limits', ok)
        app.use((req, res, next) => hidden(req, res, next))
      },
    }
    const bank = createBank(sandbox, routes)
    const result = await rehearse({ ...bank, only: ['confirmed-action', 'unguarded'] })
    const named = (wanted: string) =>
      result.routes.flatMap(({ route, kind }) => (kind === wanted ? [route] : []))
    const kinds = ['unknown', 'answered', 'guarded', 'attacked', 'exempt']
    const names = Object.fromEntries(kinds.map((kind) => [kind, named(kind)]))
    expect(names).toEqual({
      unknown: ['POST /reset/:token'],
      answered: ['ALL /any'],
      guarded: ['DELETE /api/cards'],
      attacked: ['POST /transfers'],
      exempt: ['POST /login', 'POST /logout', 'POST /password', 'POST /signup'],
    })
    expect(result).toMatchObject({ ok: false, notSeen: [] })
    expect(result.hindrance).toBe('unguarded: guard POST /reset/:token, or name it in `actions` or `ignore`')
    expect(describeRehearsal(result)).toMatch(/Routes that change something:\n {7}answered: ALL \/any\n/)
  })

  it('attacks a route whose guard requires only a sign-in with a code', async () => {
    const bank = createBank(sandbox, {
      front: ({ app, tf }) => {
        app.use('/v2', tf.requireTwoFactor())
        app.post('/v2/transfers', parse, transfer)
      },
    })
    const body = async (_person: User, agent: RehearsalAgent) => {
      await agent.post('/v2/transfers')
      return { amount: 5, payee: 'Luis' }
    }
    const result = await rehearse({ ...withAction(bank, { body }), only: ['without-code', 'unguarded'] })
    expect(result.routes).toContainEqual({ route: 'POST /v2/transfers', kind: 'guarded' })
    expect(withVerdict(result, 'fell')).toEqual(['unguarded'])
  })

  it('attributes the warnings that its own requests caused', async () => {
    const printed: (Error & { readonly code?: string })[] = []
    const listen = (warning: Error) => void printed.push(warning)
    process.on('warning', listen)
    await rehearsed(undefined, { only: ['content-types', 'forged-headers'], maxRequests: 1_000 })
    await new Promise(setImmediate)
    process.off('warning', listen)
    expect(printed.map(({ code }) => code)).toContain('TWO_FACTOR_TRUST_PROXY_MISSING')
    expect(printed.at(-1)).toMatchObject({
      code: 'TWO_FACTOR_REHEARSED',
      message: expect.stringMatching(/caused .*TWO_FACTOR_TRUST_PROXY_MISSING.*\. Follow the rows that fell/),
    })
  })

  it('refuses people who share a number, because their attempts would count together', async () => {
    const ana: User = { name: 'person-1', password: 'sesame-1', phone: '+573010000001' }
    const bank = createBank(sandbox)
    await bank.person(1)
    for (const actions of [bank.actions, []]) {
      await expect(
        rehearse({ ...bank, person: () => ana, actions: actions ?? [], maxRequests: 500 }),
      ).rejects.toThrow('rehearse: person returned a number twice')
    }
  })

  it('tries a used name in the field that the plan names, and refuses a field that no body has', async () => {
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
    await rehearse({ ...bank, maxRequests: 1_000, only: ['sign-in', 'replay', 'starts'] })
    // The people of before, at the same app and at one that has been started anew.
    const again = await rehearse({ ...bank, maxRequests: 1_000, only: ['sign-in', 'replay', 'starts'] })
    expect(withVerdict(again, 'fell')).toEqual([])
    // Often enough that the checks of all would be more than one number may have.
    for (let run = 1; run <= 2; run += 1) {
      expect(
        withVerdict(
          await rehearsed(undefined, { maxRequests: 1_000, only: ['sign-in', 'replay', 'starts'] }),
          'fell',
        ),
      ).toEqual([])
    }
  })

  it('reports the response of a failing sign-in, and how a form is posted', async () => {
    const { rows } = await rehearsed(undefined, {
      signIn: (agent, { name }) => agent.post('/login', { name, password: 'none' }),
    })
    expect(rows.at(0)?.tried).toMatch(/new URLSearchParams\(\{ … \}\).*POST \/login answered 401$/s)
  })

  it('attacks nothing with faults left on in the sandbox', async () => {
    sandbox.faults.add({ operation: 'verifyCode', kind: 'hang', times: Number.POSITIVE_INFINITY })
    expect(await rehearsed(undefined)).toMatchObject({
      hindrance: 'sign-in: the sandbox still has faults: hang of verifyCode',
      requests: 0,
    })
  })

  it('reports the end of its time immediately, with the running row', async () => {
    let count = 0
    const stuck: express.RequestHandler = (_req, _res, next) => {
      count += 1
      if (count < 60) next()
    }
    const bank = createBank(sandbox, { front: ({ app }) => void app.use(stuck) })
    const result = await rehearse({ ...bank, timeoutMs: 1_500 })
    expect(result.durationMs).toBeLessThan(3_000)
    expect(result.hindrance).toMatch(/^[\w-]+: the 1\.5 seconds were over: run some of the rows with `only`$/)
    expect(result.rows).toHaveLength(attacks.length)
  })

  it('ends when its requests are used up, and counts nothing as held that it did not try', async () => {
    const result = await rehearsed(undefined, { maxRequests: 100 })
    expect(result.requests).toBe(100)
    expect(withVerdict(result, 'not tried')).toContain('headers')
  })

  it('uses an app and a sandbox at addresses, and names the parts that it cannot see', async () => {
    const bank = createBank(sandbox)
    const { origin, close } = await listening(bank.app as never)
    const { person, signIn, pages = [] } = bank
    const app = origin.replace('127.0.0.1', 'localhost')
    const at = new URL(sandbox.baseUrl).origin
    const result = await rehearse({ app, person, signIn, pages, sandbox: at, maxRequests: 1_000 })
    await close()
    expect(result).toMatchObject({ ok: true, routes: [], notSeen: { length: 3 } })
    expect(result.notSeen.join()).toMatch(/attacks cause TWO_FACTOR_NOT_PARSED, .* Follow the rows that fell/)
    expect(withVerdict(result, 'fell')).toEqual([])
    const lacking = new Set(result.rows.flatMap(({ lacks = [] }) => lacks))
    const members = ['actions', 'signOut', 'changePassword', 'signUp', 'account', 'logs']
    const parts = ['own: page', 'own: store', 'own: provider', 'an Express app in this process']
    expect(lacking).toEqual(new Set([...members, ...parts]))
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

  it.each(['http://localhost:3000/shop', new URL('http://localhost:3000/shop?a=b')])(
    'refuses the address %s, whose path would be ignored',
    async (app) => {
      await expect(rehearse({ ...createBank(sandbox), app })).rejects.toThrow(
        "rehearse: app has the path /shop; remove it, and put /shop into the paths of the plan, including path: '/shop/two-factor'",
      )
    },
  )

  it('writes the signIn while a person signs in by hand, without the typed values', async () => {
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
    const result = await rehearse({ ...authJs, signIn, only: ['sign-in'] })
    expect(result.rows.at(0)).toMatchObject({ code: 'sign-in', verdict: 'held' })
    await close()
  })

  it('sends the tokens of the next page, too, from any position in it', async () => {
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

  it('documents every member of a plan', () => {
    const document = read('docs/rehearsal.md')
    for (const name of Object.keys(planChecks))
      expect(document).toMatch(new RegExp(`^\\| \`${name}[\`(]`, 'm'))
    for (const name of Object.keys(actionChecks))
      expect(document).toMatch(new RegExp(`^\\| \`${name}\``, 'm'))
  })

  it('names the change for each row, and links to existing sections', () => {
    for (const { fix, docs } of attacks) {
      expect(fix, docs).toMatch(/\w/)
      const [file = '', section] = docs.split('#')
      const anchors = anchorsOf(read(file))
      if (section !== undefined) expect(anchors, docs).toContain(section)
    }
  })
})
