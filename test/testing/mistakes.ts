import express, { type RequestHandler } from 'express'
import session from 'express-session'
import {
  createClient,
  type GuardOptions,
  memoryStore,
  type SessionAdapter,
  twoFactor,
} from 'express-two-factor'
import { checkPassword, freeName, openAccount, parse, showAccount, transfer, type Wiring } from './bank.js'

/** One deliberate mistake in the wiring of a bank, and the row of the rehearsal that has to find it. */
export interface Mistake {
  readonly what: string
  readonly row: string
  readonly wiring: Partial<Wiring>
}

const bindTo = (bind: GuardOptions['bind']): GuardOptions => ({
  purpose: 'transfer',
  once: true,
  bind: bind ?? (() => ({})),
})

/** A session whose id changes, while the cookie stays the same. */
const ownId: SessionAdapter = {
  id: (req) => req.session.sid,
  rotate(req) {
    req.session.sid = crypto.randomUUID()
  },
  keep(req) {
    req.session.sid ??= crypto.randomUUID()
  },
}

export const mistakes: readonly Mistake[] = [
  {
    what: 'the guard behind the handler',
    row: 'without-code',
    wiring: {
      transfers: ({ app, tf }, guard) =>
        void app.post('/transfers', parse, transfer, tf.requireTwoFactor(guard)),
    },
  },
  {
    what: 'a guard that is not waited for',
    row: 'without-code',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const requireCode = tf.requireTwoFactor(guard)
        const notAwaited: RequestHandler = (req, res, next) => {
          requireCode(
            req,
            Object.create(res, { json: { value: () => res }, status: { value: () => res } }),
            () => {},
          )
          next()
        }
        app.post('/transfers', parse, notAwaited, transfer)
      },
    },
  },
  {
    what: 'everybody exempt',
    row: 'without-code',
    wiring: {
      transfers: ({ app, tf }, guard) =>
        void app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, exempt: () => true }), transfer),
    },
  },
  {
    what: 'a twin by another method',
    row: 'other-methods',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), transfer)
        app.put('/transfers', parse, transfer)
      },
    },
  },
  {
    what: 'a GET that transfers',
    row: 'other-methods',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), transfer)
        app.get(
          '/transfers',
          (req, res) => void res.json({ sent: Number(req.query.amount), to: req.query.payee }),
        )
      },
    },
  },
  {
    what: 'a guard that compares the path',
    row: 'spellings',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const requireCode = tf.requireTwoFactor(guard)
        app.use(parse, (req, res, next) => (req.path === '/transfers' ? requireCode(req, res, next) : next()))
        app.post('/transfers', transfer)
      },
    },
  },
  {
    what: 'a guard for JSON only',
    row: 'content-types',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const requireCode = tf.requireTwoFactor(guard)
        const ifJson: RequestHandler = (req, res, next) =>
          req.is('json') ? requireCode(req, res, next) : next()
        app.post('/transfers', parse, ifJson, transfer)
      },
    },
  },
  {
    what: 'bind that forgets the payee',
    row: 'changed',
    wiring: { guard: bindTo((req) => ({ amount: req.body.amount })) },
  },
  {
    what: 'bind that forgets the amount',
    row: 'changed',
    wiring: { guard: bindTo((req) => ({ payee: req.body.payee })) },
  },
  {
    what: 'bind that reads the query, and a handler that reads the body',
    row: 'changed',
    wiring: {
      guard: bindTo((req) => ({ amount: String(req.query.amount), payee: String(req.query.payee) })),
    },
  },
  {
    what: 'a guard without once',
    row: 'twice',
    wiring: {
      guard: { ...bindTo((req) => ({ amount: req.body.amount, payee: req.body.payee })), once: false },
    },
  },
  {
    what: 'once, made at home, with a gap between look and use',
    row: 'twice',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const used = new Set<unknown>()
        const onlyOnce: RequestHandler = async (req, res, next) => {
          const id = req.twoFactor?.grant.verifiedAt
          if (used.has(id)) return void res.sendStatus(409)
          await new Promise((resolve) => setTimeout(resolve, 20))
          used.add(id)
          next()
        }
        app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, once: false }), onlyOnce, transfer)
      },
    },
  },
  {
    what: 'a parser behind the guard',
    row: 'confirmed-action',
    wiring: {
      transfers: ({ app, tf }, guard) =>
        void app.post('/transfers', tf.requireTwoFactor(guard), parse, transfer),
    },
  },
  {
    what: 'a session that keeps its cookie',
    row: 'session-renewal',
    wiring: { options: () => ({ session: ownId }) },
  },
  {
    what: 'a proof that is noted for the account',
    row: 'other-session',
    wiring: {
      account: ({ app, tf }) => {
        const proven = new Set<unknown>()
        const requireCode = tf.requireTwoFactor()
        app.get(
          '/account',
          (req, res, next) => {
            const known = proven.has(req.session.pendingUserId ?? req.session.userId)
            if (known) next()
            else
              requireCode(req, res, (error) => {
                if (error === undefined) proven.add(req.session.userId)
                next(error)
              })
          },
          showAccount,
        )
      },
    },
  },
  {
    what: 'limits for each session',
    row: 'guesses',
    wiring: {
      routes: ({ app, options, tf }) => {
        const bySession = new Map<string, RequestHandler>()
        app.use('/two-factor', (req, res, next) => {
          const { id } = req.session
          const own = bySession.get(id) ?? twoFactor({ ...options, store: memoryStore() }).routes()
          bySession.set(id, own)
          own(req, res, next)
        })
        app.use('/two-factor', tf.routes())
      },
    },
  },
  {
    what: 'a subject from the body',
    row: 'named-by-request',
    wiring: {
      options: () => ({
        subject: (req) => req.body?.userId ?? req.session.pendingUserId ?? req.session.userId,
      }),
      front: ({ app }) => void app.use(parse),
    },
  },
  {
    what: 'a number from the request',
    row: 'named-by-request',
    wiring: {
      options: ({ users }) => ({
        phone: (req, subject) =>
          typeof req.query.phone === 'string' ? req.query.phone : users.get(subject)?.phone,
      }),
    },
  },
  {
    what: 'two sessions',
    row: 'sign-in',
    wiring: {
      routes: ({ app, tf }) =>
        void app.use(
          '/two-factor',
          session({ name: 'other', secret: 'x', resave: false, saveUninitialized: true }),
          (req, res, next) => {
            session({ name: 'second', secret: 'y', resave: false, saveUninitialized: true })(
              Object.assign(req, { session: undefined }),
              res,
              next,
            )
          },
          tf.routes(),
        ),
    },
  },
  {
    what: 'a second sign-in that leaves the first person in place',
    row: 'same-browser',
    wiring: { options: () => ({ subject: (req) => req.session.userId ?? req.session.pendingUserId }) },
  },
  {
    what: 'CORS with credentials for every origin',
    row: 'cross-site',
    wiring: {
      front: ({ app }) =>
        void app.use((req, res, next) => {
          res.set({
            'Access-Control-Allow-Origin': req.get('origin') ?? '*',
            'Access-Control-Allow-Credentials': 'true',
          })
          next()
        }),
    },
  },
  {
    what: 'every origin allowed to post',
    row: 'cross-site',
    wiring: {
      front: ({ app }) =>
        void app.use((req, _res, next) => {
          delete req.headers.origin
          req.headers['sec-fetch-site'] = 'same-origin'
          next()
        }),
    },
  },
  {
    what: 'trust proxy for all',
    row: 'warnings',
    wiring: { front: ({ app }) => void app.set('trust proxy', true) },
  },
  {
    what: 'an open redirect after the password',
    row: 'return-to',
    wiring: {
      login: ({ app, users }) => {
        app.post('/login', parse, checkPassword(users), (req, res) => {
          res.redirect(303, String(req.body.next ?? '/two-factor'))
        })
      },
    },
  },
  {
    what: 'a sign-out that only clears the cookie',
    row: 'sign-out',
    wiring: {
      signOut: ({ app }) =>
        void app.post(
          '/logout',
          (_req, res) => void res.clearCookie('connect.sid').json({ signedOut: true }),
        ),
    },
  },
  {
    what: 'a new password that leaves other sessions alone',
    row: 'password-change',
    wiring: { changePassword: async () => {} },
  },
  {
    what: 'a sign-up without a proof',
    row: 'sign-up',
    wiring: {
      signUp: ({ app, users }) => {
        app.post('/signup', parse, freeName(users), (req, res) =>
          openAccount(users, req, res, req.body.phone ?? ''),
        )
      },
    },
  },
  {
    what: 'a sign-up that takes the number from the form',
    row: 'sign-up',
    wiring: {
      signUp: ({ app, users }, { requireProof }) => {
        app.post('/signup', parse, freeName(users), requireProof(), (req, res) => {
          openAccount(users, req, res, req.body.phone ?? String(req.provenPhone?.phone))
        })
      },
    },
  },
  {
    what: 'a sign-up under a name that is taken',
    row: 'sign-up',
    wiring: {
      signUp: ({ app, users }, { requireProof }) => {
        app.post('/signup', parse, requireProof(), (req, res) => {
          const { name, password } = users.get(req.body.name) ?? req.body
          req.body = { name, password }
          openAccount(users, req, res, String(req.provenPhone?.phone))
        })
      },
    },
  },
  {
    what: 'a session cookie that scripts can read',
    row: 'cookies',
    wiring: { cookie: { sameSite: 'lax', httpOnly: false } },
  },
  {
    what: 'a session cookie for every site',
    row: 'cookies',
    wiring: { cookie: { sameSite: 'none' } },
  },
  {
    what: 'an own code page that posts elsewhere',
    row: 'code-page',
    wiring: {
      options: () => ({
        pages: {
          render: () =>
            '<form method="post" action="/own/code"><input name="code"><button>Go</button></form>',
        },
      }),
    },
  },
  {
    what: 'pages of the signed-in for shared caches',
    row: 'headers',
    wiring: {
      account: ({ app, tf }) => {
        const cached: RequestHandler = (_req, res, next) => {
          res.set('Cache-Control', 'public, max-age=60')
          next()
        }
        app.get('/account', tf.requireTwoFactor(), cached, showAccount)
      },
    },
  },
  {
    what: 'a log of bodies',
    row: 'secrets',
    wiring: {
      front: ({ app, log }) => {
        app.use(express.json(), express.urlencoded({ extended: false }), (req, _res, next) => {
          log.push(`${req.method} ${req.path} ${JSON.stringify(req.body)}`)
          next()
        })
      },
    },
  },
  {
    what: 'a page of errors that shows the options',
    row: 'secrets',
    wiring: {
      options: () => ({}),
      front: ({ app }) => void app.get('/account/debug', (_req, res) => void res.json(process.env)),
      account: ({ app, tf, options }) => {
        app.get('/account', tf.requireTwoFactor(), (req, res) => {
          res.json({ name: req.session.userId, key: 'sandbox-key', countries: options.countries })
        })
      },
    },
  },
  {
    what: 'a provider of its own that takes every HTTP 200 for a yes',
    row: 'provider-faults',
    wiring: {
      options: ({ sandbox }) => {
        const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
        return {
          provider: {
            async sendCode({ destination, appName }) {
              await client.sendSmsCode({ phone: destination, appName })
              return { result: 'sent' }
            },
            async checkCode({ destination, appName, code }) {
              const { httpStatus } = await client.verifyCode({ phone: destination, appName, code })
              return httpStatus === 200 ? 'approved' : 'rejected'
            },
          },
        }
      },
    },
  },
  {
    what: 'signed in by the password, with a page that asks the session only',
    row: 'password-only',
    wiring: {
      account: ({ app }) => {
        app.get('/account', (req, res, next) => {
          if (req.session.pendingUserId === undefined && req.session.userId === undefined) res.sendStatus(401)
          else showAccount(req, res, next)
        })
      },
    },
  },
]
