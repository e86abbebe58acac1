import express from 'express'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { areMountedElsewhere } from '../../src/express/host/router-mounts.js'
import { createClient, memoryStore } from '../../src/index.js'
import type { Browser } from './browser.js'
import {
  asAna,
  type HostOptions,
  hearWarnings,
  ok,
  phones,
  startHost,
  startLoggedIn,
  startSignedIn,
} from './kit.js'

const warned = hearWarnings()
const warnings = async (code: string) => {
  await warned.codes()
  return warned.said.filter((one) => one.code === code)
}

/** Express does not show what a function calls. */
const hide =
  (routes: express.RequestHandler): express.RequestHandler =>
  (req, res, next) =>
    routes(req, res, next)

const throwing = () => {
  throw new Error('not signed in')
}

const withRoutesAt = (mount: string | undefined, isHidden = false): HostOptions => ({
  routes(app, tf) {
    app.post('/login', express.json(), express.urlencoded({ extended: false }), (req, _res, next) => {
      req.session.pendingUserId = 'ana'
      next()
    })
    app.post('/login', tf.start({ purpose: 'login' }))
    if (mount !== undefined) app.use(mount, isHidden ? hide(tf.routes()) : tf.routes())
    app.get('/account', tf.requireTwoFactor(), ok)
  },
})

/** Mounts routes and a sign-in. Returns the path of the sign-in. */
type Layout = (
  app: express.Router,
  makeRoutes: () => express.RequestHandler,
  login: express.RequestHandler[],
) => string

const at =
  (mount: string | string[]): Layout =>
  (app, makeRoutes, login) => {
    app.use(mount, makeRoutes())
    app.post('/login', login)
    return '/login'
  }

const inRouter =
  (mount: string): Layout =>
  (app, ...more) => {
    const inside = express.Router()
    app.use(mount, inside)
    return mount + at('/two-factor')(inside, ...more)
  }

const inSubApp =
  (mount: string, address = mount, layout = at('/two-factor')): Layout =>
  (app, ...more) => {
    const inside = express()
    app.use(mount, inside)
    return `${address}${layout(inside, ...more)}`.replace('//', '/')
  }

const hidden =
  (layout: Layout): Layout =>
  (app, makeRoutes, login) =>
    layout(app, () => hide(makeRoutes()), login)

/** Sends the first code of a host with this layout. */
async function startCode(path: string, layout: Layout): Promise<void> {
  let login = ''
  const host = await startHost({
    options: { path },
    routes(app, tf) {
      login = layout(app, () => tf.routes(), [asAna, tf.start({ purpose: 'login' })])
    },
  })
  expect((await host.browser().post(login, {})).status).toBe(201)
}

describe('routes that users do not reach', () => {
  it('warn once where tf.routes() was never called', async () => {
    const { ana } = await startLoggedIn(withRoutesAt(undefined))
    await ana.open('/account')
    await ana.open('/account')
    const said = await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')
    expect(said).toHaveLength(1)
    expect(said[0]?.message).toContain("(path: '/two-factor')")
  })

  it('warn at the first code for a program where tf.routes() was never called', async () => {
    await startLoggedIn(withRoutesAt(undefined))
    expect(await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')).toHaveLength(1)
  })

  it('are a finding of the self-test, with the whole fix, until a request arrives', async () => {
    const { host, ana } = await startLoggedIn(withRoutesAt('/two-factor'))
    const found = async () => (await host.tf.selfTest()).findings
    for (let time = 0; time < 3; time += 1) await ana.open('/account')
    const fix = expect.stringMatching(/^Mount them .* set the option `prefix`\.$/)
    expect(await found()).toContainEqual(expect.objectContaining({ code: 'routes_not_mounted', fix }))
    await ana.open('/two-factor')
    expect(await found()).not.toContainEqual(expect.objectContaining({ code: 'routes_not_mounted' }))
  })

  it.each<[string, string, Layout]>([
    ['another path', '/two-factor', at('/elsewhere')],
    ['the root', '/two-factor', at('/')],
    ['the path of a browser behind a proxy', '/shop/two-factor', at('/two-factor')],
    ['a pattern for other paths', '/acme/two-factor', at('/:shop/2fa')],
    ['their path in a router at another path', '/two-factor', inRouter('/shop')],
    ['their path in a sub-app at another path', '/two-factor', inSubApp('/shop')],
    [
      'two other paths',
      '/two-factor',
      (app, makeRoutes, login) => {
        app.use('/2fa', makeRoutes())
        return at('/mfa')(app, makeRoutes, login)
      },
    ],
  ])('warn at the first code where they are mounted at %s', async (_where, path, layout) => {
    await startCode(path, layout)
    const said = await warnings('TWO_FACTOR_ROUTES_ELSEWHERE')
    expect(said.map(({ message }) => message)).toEqual([expect.stringContaining(`(path: '${path}'`)])
  })

  it.each<[string, string, Layout]>([
    ['their path in other letters', '/two-factor', at('/Two-Factor/')],
    ['one path of several', '/two-factor', at(['/2fa', '/two-factor'])],
    ['a pattern', '/acme/two-factor', at('/:shop/two-factor')],
    ['a path in a router', '/shop/two-factor', inRouter('/shop')],
    [
      'a path in a router in itself',
      '/shop/two-factor',
      (app, makeRoutes, login) => {
        const shop = express.Router()
        app.use('/shop', shop)
        shop.use('/again', shop)
        return `/shop${at('/two-factor')(shop, makeRoutes, login)}`
      },
    ],
    ['a path in a sub-app', '/shop/two-factor', inSubApp('/shop')],
    ['a path in a sub-app at the root', '/two-factor', inSubApp('/')],
    ['a path in a sub-app at a pattern', '/acme/two-factor', inSubApp('/:shop', '/acme')],
    ['a path in a sub-app in a sub-app', '/eu/shop/two-factor', inSubApp('/eu', '/eu', inSubApp('/shop'))],
    [
      'a path in an app that a function calls',
      '/shop/two-factor',
      (app, makeRoutes, login) => {
        const shop = express()
        app.use('/shop', hide(shop))
        return `/shop${at('/two-factor')(shop, makeRoutes, login)}`
      },
    ],
    ['no path that Express shows', '/two-factor', hidden(at('/elsewhere'))],
    [
      'another path, and their path where Express does not show it',
      '/two-factor',
      (app, makeRoutes, login) => {
        hidden(at('/two-factor'))(app, makeRoutes, login)
        return at('/2fa')(app, makeRoutes, login)
      },
    ],
  ])('warn of nothing at the first code where they are mounted at %s', async (_where, path, layout) => {
    await startCode(path, layout)
    expect(await warnings('TWO_FACTOR_ROUTES_ELSEWHERE')).toEqual([])
  })

  it('warn after three users where a request never arrives', async () => {
    const { host } = await startLoggedIn(withRoutesAt('/elsewhere', true))
    const openAccount = async () => (await host.login()).open('/account')
    await openAccount()
    await openAccount()
    expect(await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')).toEqual([])
    await openAccount()
    expect(await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')).toHaveLength(1)
  })

  describe('warn five seconds after a redirect to the code page', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
    afterEach(() => void vi.useRealTimers())

    const unmounted = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return (await warnings('TWO_FACTOR_ROUTES_NOT_MOUNTED')).length
    }
    /** The routes after the handler that answers every other path. */
    const afterNotFound: HostOptions = {
      routes(app, tf) {
        withRoutesAt(undefined).routes?.(app, tf)
        app.use((_req, res) => void res.status(404).end()).use('/two-factor', tf.routes())
      },
    }

    it.each<[string, HostOptions]>([
      ['created without a mount', { ...withRoutesAt(undefined), mount: (_app, tf) => void tf.routes() }],
      ['mounted after a handler of every path', afterNotFound],
      ['mounted at another path in a function', withRoutesAt('/elsewhere', true)],
    ])('if they are %s, once', async (_how, options) => {
      const { host, ana } = await startLoggedIn(options)
      expect((await ana.open('/account')).status).toBe(303)
      await (await host.login('ben')).open('/account')
      expect(await unmounted(4_999)).toBe(0)
      expect(await unmounted(1)).toBe(1)
      await ana.open('/account')
      expect(await unmounted(5_000)).toBe(1)
    })

    it('that follows the form of a sign-in', async () => {
      const host = await startHost(afterNotFound)
      expect((await host.browser().submit('/login', { user: 'ben' })).status).toBe(303)
      expect(await unmounted(5_000)).toBe(1)
    })

    it.each<[string, (ana: Browser) => Promise<unknown>]>([
      ['a browser opens the page', async (ana) => ana.open((await ana.open('/account')).location)],
      ['a program starts a code and waits for the person', (ana) => ana.start()],
      ['a program is refused by a guard', (ana) => ana.get('/account')],
    ])('but not if %s', async (_what, visit) => {
      const { ana } = await startLoggedIn(withRoutesAt('/two-factor'))
      await visit(ana)
      expect(await unmounted(60_000)).toBe(0)
    })

    it('but not if other processes may get the next request, as with a shared store', async () => {
      const { ana } = await startLoggedIn({ ...afterNotFound, options: { store: memoryStore() } })
      await ana.open('/account')
      expect(await unmounted(60_000)).toBe(0)
    })

    it('but not after the app has closed', async () => {
      const { host, ana } = await startLoggedIn(afterNotFound)
      await ana.open('/account')
      await host.tf.close()
      expect(await unmounted(5_000)).toBe(0)
    })
  })

  it('warn of nothing but the error if the app passes tf.routes instead of tf.routes()', async () => {
    const { host, ana } = await startLoggedIn({
      routes(app, tf) {
        withRoutesAt(undefined).routes?.(app, tf)
        app.use('/two-factor', tf.routes as express.RequestHandler)
      },
    })
    for (let time = 0; time < 4; time += 1) await ana.open((await ana.open('/account')).location)
    expect(host.errors.map(String)).toContainEqual(expect.stringContaining('pass routes(), not routes'))
    expect(await warned.codes()).toEqual([])
  })

  it.each<[string, unknown, unknown, boolean]>([
    ['the match has the mount', { path: '/2fa' }, undefined, true],
    ['the layer has the mount', true, '/2fa', true],
    ['the match has the option `path`', { path: '/two-factor' }, undefined, false],
    ['the layer has the option `path`', true, '/two-factor', false],
    ['nothing has the mount', true, undefined, false],
  ])('are elsewhere, by the router of Express, if %s', (_where, match, path, isElsewhere) => {
    const handle = () => undefined
    const layer = { handle, match: () => match, path }
    const app = { mountpath: '/', path: () => '', router: { stack: [layer, { handle }, undefined] } }
    const made = { routers: new WeakSet([handle]), count: 1 }
    const req = { app, baseUrl: '' } as unknown as express.Request
    expect(areMountedElsewhere(made, '/two-factor', req)).toBe(isElsewhere)
  })

  it('warn once if they are mounted at another path, such as a path that a proxy keeps', async () => {
    const { ana } = await startLoggedIn(withRoutesAt('/shop/two-factor', true))
    await ana.open('/shop/two-factor')
    await ana.open('/shop/two-factor')
    const said = await warnings('TWO_FACTOR_ROUTES_ELSEWHERE')
    expect(said).toHaveLength(1)
    expect(said[0]?.message).toContain("(path: '/two-factor', mounted at '/shop/two-factor')")
  })

  it('warn of nothing at their path, in any case', async () => {
    const { ana } = await startLoggedIn(withRoutesAt('/Two-Factor'))
    for (let time = 0; time < 4; time += 1) await ana.open((await ana.open('/account')).location)
    for (const code of ['TWO_FACTOR_ROUTES_ELSEWHERE', 'TWO_FACTOR_ROUTES_NOT_MOUNTED']) {
      expect(await warnings(code)).toEqual([])
    }
  })
})

describe('a subject that ignores the pending user', () => {
  /** A host whose sign-in stores these members. `/login` sends a code at once, `/enter` leads to the guard. */
  const withSession = (stored: object, options: HostOptions['options'] = {}): HostOptions => ({
    options: { subject: (req) => req.session.userId, ...options },
    routes(app, tf) {
      const enter: express.RequestHandler = (req, _res, next) => {
        Object.assign(req.session, stored)
        next()
      }
      app.post('/login', enter, tf.start({ purpose: 'login' }))
      app.post('/enter', enter, ok)
      app.get('/account', tf.requireTwoFactor(), ok)
      app.use('/two-factor', tf.routes())
    },
  })
  const visit = async (stored: object, options?: HostOptions['options']) => {
    const host = await startHost(withSession(stored, options))
    const ana = host.browser()
    await ana.post('/enter', {})
    return { host, ana }
  }
  const code = 'TWO_FACTOR_PENDING_IGNORED'

  it.each<[string, object, string]>([
    ['an id', { pendingUserId: 'ana' }, 'pendingUserId'],
    ['a number', { mfaUser: 7 }, 'mfaUser'],
    ['an object', { userBefore2fa: { id: 'ana', name: 'Ana' } }, 'userBefore2fa'],
    ['a name with control characters', { 'pending\n\u001b[31m.id': 'ana' }, 'pending___31m_id'],
  ])('warns once at the second request, with the member of the session: %s', async (_what, stored, name) => {
    const phone = (_req: unknown, subject: string) => ({ ...phones, 7: phones.ana })[subject]
    const { ana } = await visit(stored, { phone })
    expect((await ana.post('/login', {})).status).toBe(401)
    expect(await warnings(code)).toEqual([])
    for (const path of ['/account', '/two-factor']) expect((await ana.open(path)).status).toBe(401)
    const said = await warnings(code)
    expect(said).toHaveLength(1)
    expect(said[0]?.message).toContain(`(req.session.${name})`)
  })

  it.each<[string, object, HostOptions['options']?]>([
    ['has no pending user', { cart: 'ana', csrf: 'ana', mfaAttempts: 7 }, { phone: () => phones.ana }],
    ['has a pending user without a number', { pendingUserId: 'nobody' }],
    ['has an empty pending user', { pendingUserId: '', pendingUser: null }, { phone: () => phones.ana }],
    ['has a pending user whom `phone` refuses', { pendingUserId: 'ana' }, { phone: throwing }],
  ])('is not assumed for a session that %s', async (_what, stored, options) => {
    const { ana } = await visit(stored, options)
    for (let time = 0; time < 4; time += 1) expect((await ana.open('/account')).status).toBe(401)
    expect(await warnings(code)).toEqual([])
  })

  it('is not assumed where subject returned a user before, such as one pending not too long', async () => {
    let isExpired = false
    const subject = (req: express.Request) => (isExpired ? undefined : req.session.pendingUserId)
    const { ana } = await visit({ pendingUserId: 'ana' }, { subject })
    expect((await ana.open('/account')).status).toBe(303)
    isExpired = true
    for (let time = 0; time < 4; time += 1) expect((await ana.open('/account')).status).toBe(401)
    expect(await warnings(code)).toEqual([])
  })
})

describe('a bind with a misspelt field', () => {
  const bindWarnings = async () => (await warnings('TWO_FACTOR_BIND_EMPTY')).map(({ message }) => message)
  const withBind = (name: string, second?: string): HostOptions => ({
    mount(app, tf) {
      const bind = ({ body }: express.Request) => ({
        amount: body[name],
        ...(second && { payee: body[second] }),
      })
      app.post('/pay', express.json(), tf.requireTwoFactor({ purpose: 'pay', bind }), ok)
    },
  })

  it('warns once where all fields of a filled body are undefined', async () => {
    const { ana } = await startSignedIn(withBind('amuont'))
    for (let time = 0; time < 2; time += 1) expect((await ana.post('/pay', { amount: 5 })).status).toBe(400)
    expect(await bindWarnings()).toEqual([expect.stringContaining('(POST /pay: amount)')])
  })

  it('warns once where a field is undefined that the body has', async () => {
    const { ana } = await startSignedIn(withBind('amuont', 'payee'))
    for (let time = 0; time < 2; time += 1) {
      expect((await ana.post('/pay', { amount: 5, payee: 'mum' })).status).toBe(400)
    }
    expect(await bindWarnings()).toEqual([expect.stringContaining('(POST /pay: amount)')])
  })

  const pay = (bind: (req: express.Request) => unknown): HostOptions => ({
    mount(app, tf) {
      const guard = tf.requireTwoFactor({ purpose: 'pay', bind: bind as never })
      app.use('/pay', express.json()).all('/pay', guard, ok)
      app.post('/unparsed', guard, ok, express.json())
    },
  })

  it.each<[string, (req: express.Request) => object]>([
    ['amount is the text "undefined"', ({ body }) => ({ amount: String(body.amuont) })],
    ['amount is the text "undefined"', ({ body }) => ({ amount: `${body.amuont}`, payee: body.payee })],
    ['amount is the text "NaN"', ({ body }) => ({ amount: String(Number(body.amuont)) })],
    ['amount is the text "[object Object]"', ({ body }) => ({ amount: String(body) })],
    ['amount is NaN', ({ body }) => ({ amount: Number(body.amuont) })],
  ])('in a conversion confirms no amount, and warns once: %s', async (named, bind) => {
    const { ana } = await startSignedIn(pay(bind))
    for (const amount of [10, 9_999]) {
      const { status, json } = await ana.post('/pay', { amount, payee: 'mum' })
      expect([status, json.detail]).toEqual([400, expect.stringContaining('amount must')])
    }
    expect(await bindWarnings()).toEqual([expect.stringContaining(`(POST /pay: ${named})`)])
  })

  it('in a conversion of the query gets 400, and warns once', async () => {
    const { ana } = await startSignedIn(pay(({ query }) => ({ id: String(query.idd) })))
    for (let time = 0; time < 2; time += 1) expect((await ana.get('/pay?id=5')).status).toBe(400)
    expect(await bindWarnings()).toEqual([expect.stringContaining('id is the text "undefined"')])
  })

  it.each([[{ amount: 'undefined' }], [{ amount: 'NaN' }], [{ amount: '[object Object]' }]])(
    'is not assumed for %j, which the client wrote',
    async (body) => {
      const { ana } = await startSignedIn(pay((req) => ({ amount: String(req.body.amount) })))
      expect((await ana.post('/pay', body)).status).toBe(400)
      expect(await bindWarnings()).toEqual([])
    },
  )

  it.each([
    [
      'of several lines',
      'a\n(node:1) b\u001b[31m\u202ec',
      /\(POST \/pay: a \(node:1\) b \[31m c is the text/,
    ],
    ['of great length', 'a'.repeat(50_000), /a{400}/],
  ])('is named in one short line if the client chose the name: %s', async (_name, field, line) => {
    const texts = ({ body }: express.Request) =>
      Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
    const { ana } = await startSignedIn(pay(texts))
    expect((await ana.post('/pay', { [field]: {} })).status).toBe(400)
    const [said = ''] = await bindWarnings()
    expect(said).toMatch(line)
    expect(said).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
    expect(said.length).toBeLessThan(1_000)
  })

  it('is not assumed for a text that the client wrote and that is no number', async () => {
    const { ana } = await startSignedIn(pay((req) => ({ amount: Number(req.body.amount) })))
    expect((await ana.post('/pay', { amount: 'ten' })).status).toBe(400)
    expect(await bindWarnings()).toEqual([])
  })

  it('is not taken for a body that no parser has read, whose amount a conversion hides', async () => {
    const { ana } = await startSignedIn(pay((req) => ({ amount: String(req.body?.amount) })))
    expect((await ana.post('/unparsed', { amount: 10 })).status).toBe(500)
    const [said] = await warnings('TWO_FACTOR_NOT_PARSED')
    expect(said?.message).toContain('(POST /unparsed)')
  })

  it('without `return` is named in the error', async () => {
    const { host, ana } = await startSignedIn(
      pay(({ body }) => {
        // biome-ignore lint/suspicious/noConfusingLabels: the mistake itself
        amount: body.amount
      }),
    )
    expect((await ana.post('/pay', { amount: 10 })).status).toBe(500)
    expect(host.errors.map(String)).toEqual([expect.stringContaining('bind returned nothing')])
  })

  it('is not assumed for a field that the client omitted', async () => {
    const { ana } = await startSignedIn(withBind('amount', 'payee'))
    expect((await ana.post('/pay', { payee: 'mum' })).status).toBe(400)
    expect(await warnings('TWO_FACTOR_BIND_EMPTY')).toEqual([])
  })

  it('is not assumed for an empty body or a field that was sent', async () => {
    const { ana } = await startSignedIn(withBind('amount'))
    expect((await ana.post('/pay', {})).status).toBe(400)
    expect((await ana.post('/pay', { amount: 5 })).status).toBe(403)
    expect(await warnings('TWO_FACTOR_BIND_EMPTY')).toEqual([])
  })
})

it('a baseUrl without a version segment warns once, and one with paths of its own does not', async () => {
  const make = (more: object) =>
    createClient({ baseUrl: 'https://first-mistakes.example.com', client: 41, key: 'k', ...more })
  make({ baseUrl: 'https://api.example.com/v1' })
  expect(await warnings('TWO_FACTOR_BASE_URL')).toEqual([])
  make({})
  make({})
  expect(await warnings('TWO_FACTOR_BASE_URL')).toHaveLength(1)
})
