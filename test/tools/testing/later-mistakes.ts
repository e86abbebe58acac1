import { createHash } from 'node:crypto'
import express, { type RequestHandler } from 'express'
import { createClient, memoryStore, type SessionAdapter, twoFactor } from 'express-two-factor'
import {
  checkPassword,
  freeName,
  openAccount,
  parse,
  rightWiring,
  showAccount,
  transfer,
  type Wiring,
} from './bank.js'
import type { Mistake } from './mistakes.js'

// Written after the rows and before anybody had tried them on these: what they miss stays missed here, with the reason.

const mistake = (
  what: string,
  row: string,
  wiring: Partial<Wiring>,
  more: Partial<Mistake> = {},
): Mistake => ({
  ...{ what, row, wiring },
  ...more,
})

/** Answers whose origin this takes for its own may be read there. */
const cors = (isOwn: (origin: string, host: string) => boolean): Partial<Wiring> => ({
  front: ({ app }) =>
    void app.use((req, res, next) => {
      const origin = req.get('origin')
      if (origin !== undefined && isOwn(origin, String(req.get('host')))) {
        res.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' })
      }
      next()
    }),
})

/** Guards transfers, but for requests of which this says that they need none. */
const unless = (isFree: (req: express.Request) => boolean): Partial<Wiring> => ({
  transfers: ({ app, tf }, guard) => {
    const requireCode = tf.requireTwoFactor(guard)
    const mostly: RequestHandler = (req, res, next) => (isFree(req) ? next() : requireCode(req, res, next))
    app.use('/transfers', parse, mostly)
    app.post('/transfers', transfer)
  },
})

const page = (title: string, body: string) =>
  `<!doctype html><title>${title}</title><h1>Acme Bank</h1>${body}`
const loginForm =
  '<form method="post" action="/login">Name <input name="name"> <input type="password"></form>'

/** The account as a page, for whoever this lets see it. All others get the form to sign in, with 200. */
const htmlAccount = (isShown: (req: express.Request) => boolean): Partial<Wiring> => ({
  account: ({ app, users }) => {
    app.get('/account', (req, res) => {
      const user = users.get(req.session.userId ?? req.session.pendingUserId ?? '')
      if (user === undefined || !isShown(req)) return void res.send(page('Sign in', loginForm))
      res.send(
        page('Your account', `<p>Hello ${user.name}, your balance today is 5 and your card is active</p>`),
      )
    })
  },
})

export const laterMistakes: readonly Mistake[] = [
  mistake('a sign-out that forgets the user and nothing else', 'sign-out', {
    signOut: ({ app }) =>
      void app.post('/logout', (req, res) => {
        delete req.session.userId
        res.json({ signedOut: true })
      }),
  }),
  mistake('a sign-out that revokes, and a page that asks the session only', 'sign-out', {
    account: ({ app }) =>
      void app.get('/account', (req, res, next) =>
        req.session.userId === undefined ? void res.sendStatus(401) : showAccount(req, res, next),
      ),
    signOut: ({ app, tf }) =>
      void app.post('/logout', async (req, res) => {
        await tf.grants.revoke(req)
        res.json({ signedOut: true })
      }),
  }),
  mistake(
    'CORS for whatever begins like the own origin',
    'cross-site',
    cors((origin, host) => origin.startsWith(`http://${host}`)),
  ),
  mistake(
    'CORS for whatever ends like the own host',
    'cross-site',
    cors((origin, host) => origin.endsWith(host)),
  ),
  mistake(
    'CORS for whatever ends like the domain of a front end',
    'cross-site',
    cors((origin) => /acme\.example$/.test(origin)),
  ),
  mistake(
    'CORS for the origin null',
    'cross-site',
    cors((origin) => origin === 'null'),
  ),
  mistake(
    'CORS for every name with localhost in it',
    'cross-site',
    cors((origin) => origin.includes('localhost')),
  ),
  mistake(
    'a guard that goes by the method, before the body overrides it',
    'other-methods',
    {
      transfers: ({ app, tf }, guard) => {
        const requireCode = tf.requireTwoFactor(guard)
        app.use(parse, (req, res, next) => (req.method === 'PUT' ? requireCode(req, res, next) : next()))
        app.use((req, _res, next) => {
          if (req.method === 'POST' && typeof req.body?._method === 'string') req.method = req.body._method
          next()
        })
        app.put('/transfers', transfer)
      },
    },
    { action: { method: 'PUT' } },
  ),
  mistake('a session cookie without SameSite', 'cookies', { cookie: {} }),
  mistake('a session cookie for every subdomain', 'cookies', {
    cookie: { sameSite: 'lax', domain: 'localhost' },
  }),
  mistake(
    'bind that forgets a field that the plan gives no other value for',
    'changed',
    {},
    { action: { body: { amount: 5, payee: 'Luis', currency: 'COP' } } },
  ),
  mistake('bind that reads the query, and a handler that reads the body', 'changed', {
    guard: {
      ...rightWiring.guard,
      bind: (req) => ({ amount: String(req.query.amount), payee: String(req.query.payee) }),
    },
  }),
  mistake(
    'a handler that lets the query go before the body',
    'changed',
    {
      transfers: ({ app, tf }, guard) =>
        void app.post('/transfers', parse, tf.requireTwoFactor(guard), (req, res) => {
          const { amount, payee } = { ...req.body, ...req.query }
          res.json({ sent: Number(amount), to: payee })
        }),
    },
    { missed: ['the answer does not tell which of two values was taken'] },
  ),
  mistake('a flag for the next transfer, whatever it is', 'changed', {
    options: () => ({
      onVerified: (req, _res, grant) => {
        req.session.userId = grant.subject
        if (grant.purpose === 'transfer') req.session.approved = 'yes'
        delete req.session.pendingUserId
      },
    }),
    transfers: ({ app, tf }, guard) => {
      const requireCode = tf.requireTwoFactor({ ...guard, once: false })
      const flagged: RequestHandler = (req, res, next) => {
        if (req.session.approved !== 'yes') return void requireCode(req, res, next)
        delete req.session.approved
        next()
      }
      app.post('/transfers', parse, flagged, transfer)
    },
  }),
  mistake('a flag in the session in place of the guard', 'without-code', {
    options: () => ({
      onVerified: (req, _res, grant) => {
        req.session.userId = grant.subject
        req.session.approved = 'yes'
        delete req.session.pendingUserId
      },
    }),
    transfers: ({ app, tf }, guard) => {
      const requireCode = tf.requireTwoFactor(guard)
      app.post(
        '/transfers',
        parse,
        (req, res, next) => (req.session.approved === 'yes' ? next() : requireCode(req, res, next)),
        transfer,
      )
    },
  }),
  mistake('a transfer for which the code of the sign-in is enough', 'without-code', {
    transfers: ({ app, tf }) => void app.post('/transfers', parse, tf.requireTwoFactor(), transfer),
  }),
  mistake(
    'a guard that lets this machine pass',
    'without-code',
    unless((req) => String(req.ip).includes('127.0.0.1')),
  ),
  mistake(
    'a guard that a parameter switches off',
    'spellings',
    unless((req) => req.query.twoFactor === '1'),
  ),
  mistake(
    'a guard that a header switches off',
    'without-code',
    unless((req) => req.get('x-internal') !== undefined),
    { missed: ['no list has the name of the header'] },
  ),
  mistake('a guard that compares the whole address', 'spellings', {
    transfers: ({ app, tf }, guard) => {
      const requireCode = tf.requireTwoFactor(guard)
      app.use(parse, (req, res, next) =>
        req.originalUrl === '/transfers' ? requireCode(req, res, next) : next(),
      )
      app.post('/transfers', transfer)
    },
  }),
  mistake('a guard on a router that minds case, before one that does not', 'spellings', {
    transfers: ({ app, tf }, guard) => {
      const guarded = express.Router({ caseSensitive: true })
      guarded.post('/transfers', parse, tf.requireTwoFactor(guard))
      app.use(guarded)
      app.post('/transfers', parse, transfer)
    },
  }),
  mistake('a guard that leaves texts alone, and a handler that parses them', 'content-types', {
    transfers: ({ app, tf }, guard) => {
      const requireCode = tf.requireTwoFactor(guard)
      app.post(
        '/transfers',
        express.text(),
        parse,
        (req, res, next) => (typeof req.body === 'string' ? next() : requireCode(req, res, next)),
        (req, res, next) => {
          if (typeof req.body === 'string') req.body = JSON.parse(req.body)
          transfer(req, res, next)
        },
      )
    },
  }),
  mistake('a DELETE that nobody thought of', 'other-methods', {
    transfers: ({ app, tf }, guard) => {
      const route = app.route('/transfers').post(parse, tf.requireTwoFactor(guard), transfer)
      route.delete(parse, transfer)
    },
  }),
  mistake(
    'an account as HTML for whoever has given a password',
    'password-only',
    htmlAccount(() => true),
  ),
  mistake('a page that anybody may see', 'password-only', {
    account: ({ app }) =>
      void app.get('/account', (_req, res) => void res.send(page('Statement', 'IBAN, card, balance'))),
  }),
  mistake('a flag for the browser that outlives its person', 'same-browser', {
    options: () => ({
      onVerified: (req, _res, grant) => {
        req.session.userId = grant.subject
        req.session.approved = 'yes'
        delete req.session.pendingUserId
      },
    }),
    account: ({ app }) =>
      void app.get('/account', (req, res) => {
        const name = req.session.pendingUserId ?? req.session.userId
        if (name === undefined || req.session.approved !== 'yes') return void res.sendStatus(401)
        res.json({ name })
      }),
  }),
  mistake('a subject from a header', 'named-by-request', {
    options: () => ({
      subject: (req) => req.get('x-user') ?? req.session.pendingUserId ?? req.session.userId,
    }),
  }),
  mistake('a number from the body', 'named-by-request', {
    front: ({ app }) => void app.use(parse),
    options: ({ users }) => ({ phone: (req, subject) => req.body?.mobile ?? users.get(subject)?.phone }),
  }),
  mistake('a used code that is remembered as good', 'replay', {
    front: (bank) => {
      const used = new Set<string>()
      bank.app.post('/two-factor/verify', parse, async (req, res, next) => {
        const subject = req.session.pendingUserId
        const key = `${subject} ${req.body.code}`
        if (subject !== undefined && used.has(key)) {
          await bank.tf.grants.write({ subject, session: req.session.id, purpose: 'login', method: 'cache' })
          return void res.json({ verified: true })
        }
        res.once('finish', () => void (res.statusCode === 200 && used.add(key)))
        next()
      })
    },
  }),
  mistake('a verify of its own with a gap between look and use', 'right-codes', {
    front: ({ app, users, sandbox }) => {
      const used = new Set<unknown>()
      app.post('/two-factor/verify', parse, async (req, res, next) => {
        const phone = users.get(req.session.pendingUserId ?? '')?.phone
        const [newest] = phone === undefined ? [] : sandbox.inbox.list(phone)
        if (newest === undefined || newest.code !== req.body.code || used.has(newest.id)) return next()
        // Long enough for a second request, also on a busy machine.
        await new Promise((resolve) => setTimeout(resolve, 200))
        used.add(newest.id)
        res.json({ verified: true })
      })
    },
  }),
  mistake('a code of its own at every start', 'starts', {
    front: ({ app, users, sandbox }) => {
      const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
      app.post('/two-factor/start', async (req, _res, next) => {
        const phone = users.get(req.session.pendingUserId ?? '')?.phone
        if (phone !== undefined) await client.sendSmsCode({ phone, appName: 'Acme' })
        next()
      })
    },
  }),
  mistake('twoFactor() in the handler', 'sign-in', {
    routes: ({ app, options, tf }) => {
      app.use('/two-factor', (req, res, next) => {
        if (req.path === '/verify' || req.path === '/start') {
          twoFactor({ ...options, store: memoryStore() }).routes()(req, res, next)
        } else next()
      })
      app.use('/two-factor', tf.routes())
    },
  }),
  mistake('an adapter that lets people in while the provider is down', 'provider-faults', {
    options: ({ sandbox }) => {
      const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
      return {
        provider: {
          async sendCode({ destination, appName }) {
            await client.sendSmsCode({ phone: destination, appName })
            return { result: 'sent' }
          },
          async checkCode({ destination, appName, code }) {
            const answer = await client
              .verifyCode({ phone: destination, appName, code })
              .catch(() => undefined)
            if (answer === undefined) return 'approved'
            return JSON.stringify(answer.body).includes(String(sandbox.approvedStatuses[0]))
              ? 'approved'
              : 'rejected'
          },
        },
      }
    },
  }),
  mistake('a code that is kept in the session, and shown', 'secrets', {
    front: ({ app }) => {
      app.post('/two-factor/verify', parse, (req, _res, next) => {
        req.session.sid = String(req.body.code)
        next()
      })
    },
    options: () => ({
      onVerified: (req, _res, grant) => {
        req.session.userId = grant.subject
        delete req.session.pendingUserId
      },
    }),
    account: ({ app, tf }) =>
      void app.get('/account', tf.requireTwoFactor(), (req, res) => {
        res.json({ name: req.session.userId, session: req.session })
      }),
  }),
  mistake('a proof that opens one account after the other', 'sign-up', {
    signUp: ({ app, users }, { requireProof }) => {
      const proven = new Map<string, string>()
      app.post(
        '/signup',
        parse,
        freeName(users),
        (req, res, next) => {
          if (proven.has(req.session.id)) return next()
          requireProof()(req, res, (error) => {
            if (error === undefined) proven.set(req.session.id, String(req.provenPhone?.phone))
            next(error)
          })
        },
        (req, res) => openAccount(users, req, res, String(proven.get(req.session.id))),
      )
    },
  }),
  mistake('the code page in any frame', 'headers', {
    front: ({ app }) =>
      void app.use((_req, res, next) => {
        const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => express.Response
        res.writeHead = (...given: unknown[]) => {
          for (const name of ['Content-Security-Policy', 'X-Frame-Options']) res.removeHeader(name)
          return writeHead(...given)
        }
        next()
      }),
  }),
  mistake('a way back that the session remembers from the first request', 'return-to', {
    login: ({ app, tf, users }) => {
      const remember: RequestHandler = (req, _res, next) => {
        if (typeof req.query.next === 'string') req.session.sid = req.query.next
        next()
      }
      app.post(
        '/login',
        remember,
        parse,
        checkPassword(users),
        tf.start({ purpose: 'login', successPath: '/home' }),
      )
      app.get('/home', (req, res) => res.redirect(req.session.sid ?? '/account'))
    },
    options: () => ({
      onVerified: (req, _res, grant) => {
        const { sid } = req.session
        req.session.userId = grant.subject
        if (sid !== undefined) req.session.sid = sid
        delete req.session.pendingUserId
      },
    }),
  }),
  mistake('a step-up that is noted for the account', 'twice', {
    transfers: ({ app, tf }, guard) => {
      const approved = new Set<unknown>()
      const requireCode = tf.requireTwoFactor({ ...guard, once: false })
      app.post(
        '/transfers',
        parse,
        (req, res, next) => {
          const key = createHash('sha256')
            .update(JSON.stringify([req.session.userId, req.body]))
            .digest('hex')
          if (approved.delete(key)) return next()
          requireCode(req, res, (error) => {
            if (error === undefined) approved.add(key)
            next(error)
          })
        },
        transfer,
      )
    },
  }),
  mistake('a session id that stays, since the adapter keeps the session', 'session-renewal', {
    options: () => {
      const keeping: SessionAdapter = {
        id: (req) => req.session.sid,
        rotate(req) {
          req.session.sid = `${req.session.sid ?? ''}x`
        },
        keep(req) {
          req.session.sid ??= crypto.randomUUID()
        },
      }
      return { session: keeping }
    },
  }),
  mistake(
    'a second route to the same, without a guard',
    'unguarded',
    {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), transfer)
        app.post('/v2/transfers', parse, transfer)
      },
    },
    { missed: ['the plan does not name the route', /nothing went there:\s+POST \/v2\/transfers/] },
  ),
  mistake(
    'a name in a cookie that nobody signed',
    'other-session',
    {
      options: () => ({
        subject: (req) =>
          /user=([\w-]+)/.exec(req.get('cookie') ?? '')?.[1] ??
          req.session.pendingUserId ??
          req.session.userId,
      }),
    },
    { missed: ['no list has the name of the cookie'] },
  ),
  mistake(
    'a limiter of the password route, and a page that leaks behind it',
    'password-only',
    {
      front: ({ app }) => {
        let count = 0
        app.post('/login', (_req, res, next) => {
          count += 1
          if (count > 1) res.sendStatus(429)
          else next()
        })
      },
      account: ({ app }) =>
        void app.get('/account', (req, res, next) =>
          (req.session.pendingUserId ?? req.session.userId) === undefined
            ? void res.sendStatus(401)
            : showAccount(req, res, next),
        ),
    },
    { missed: ['nobody can sign in', /^Not tried: .*POST \/login answered 429: lift the limiter/] },
  ),
]
