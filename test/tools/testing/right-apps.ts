import { randomUUID } from 'node:crypto'
import express, { type RequestHandler } from 'express'
import { createClient, ownCodes } from 'express-two-factor'
import {
  checkPassword,
  parse,
  rightWiring,
  sendMoney,
  transfer,
  transfers,
  type Wiring,
  withAction,
} from './bank.js'
import { behind, cors, frontEndElsewhere, type Plan } from './mistakes.js'

/** A bank that is built in another way, and as right: what of its wiring differs, and what its plan says of it. */
export interface RightApp {
  readonly what: string
  readonly wiring: Partial<Wiring>
  readonly plan?: Plan
  /** Rows that find nothing to try in it, and what they lack. */
  readonly untried?: Readonly<Record<string, string>>
  /** Where its answers do not tell what was done, or a limiter stands before it: what its plan is told. */
  readonly unsure?: RegExp
  /** True if the rows that judge all traffic are to see it. */
  readonly isOnTraffic?: boolean
  /** True if the row `changed` could accuse it: it always meets this row. */
  readonly isAboutFields?: boolean
}

const page = (title: string, body: string) =>
  `<!doctype html><title>${title}</title><nav>Acme Bank, Home, Help, Contact</nav><h1>${title}</h1>${body}`
const loginForm =
  '<form method="post" action="/login">Name <input name="name"> <input type="password" name="password"></form>'
const codeForm =
  '<form method="post" action="/two-factor/verify">Code <input name="code" autocomplete="one-time-code"></form>'

/** Reads the fields of a multipart body. */
const multipart: RequestHandler = express
  .Router()
  .use(express.text({ type: 'multipart/form-data' }), (req, _res, next) => {
    if (typeof req.body === 'string') {
      const fields = req.body.matchAll(/name="([^"]+)"\r\n\r\n([^\r]*)/g)
      req.body = Object.fromEntries([...fields].map(([, name, value]) => [name, value]))
    }
    next()
  })

/** Answers a key that it has seen as it did the first time. */
function idempotent(keyOf: (req: express.Request) => string | undefined): RequestHandler {
  const answers = new Map<string, { status: number; body: unknown }>()
  return (req, res, next) => {
    const key = keyOf(req)
    const first = key === undefined ? undefined : answers.get(key)
    if (first !== undefined) return void res.status(first.status).json(first.body)
    const json = res.json.bind(res)
    res.json = (body) => {
      if (key !== undefined && res.statusCode < 400) answers.set(key, { status: res.statusCode, body })
      return json(body)
    }
    next()
  }
}

/** Returns a balance, with a fraction for every other person. Floating point gets 3.05 + 5 - 3.05 wrong. */
function balanceOf(name: string): number {
  const start = Number(name.match(/\d+/)) % 4 > 1 ? 3.05 : 0
  return (transfers.get(name) ?? []).reduce((balance, { amount }) => balance + Number(amount), start)
}

const footer = () =>
  `<footer><a href="/account">Account</a> Acme Ltd, made ${new Date().toISOString()}</footer>`

/** Shows two tips on the account: at first by person, and then all in turn, as a random choice may. */
function withTips(): Partial<Wiring> {
  const reads = new Map<string, number>()
  const tips = ['umbrella gloves', 'sunscreen sandals']
  return {
    account: ({ app, tf }) => {
      app.get('/account', tf.requireTwoFactor(), ({ session: { userId = '' }, sessionID }, res) => {
        const read = reads.get(sessionID) ?? 0
        reads.set(sessionID, read + 1)
        const tip = tips[(read < 2 ? Number(userId.match(/\d+/)) : read) % 2]
        res.json({
          name: userId,
          tip,
          terms: 'Your contract renews every January unless somebody cancels it',
        })
      })
    },
  }
}

/** Answers every other path with a page. */
const withPages: Wiring['signUp'] = (bank, verification) => {
  rightWiring.signUp(bank, verification)
  bank.app.use((req, res) => void res.send(page('Acme', `<p>${req.method}</p>`)))
}

/** Shows whose password was given. */
const greet: RequestHandler = ({ session: { pendingUserId, userId = pendingUserId } }, res) => {
  res.send(page('Acme', `<p>Hello ${userId ?? 'Guest'}, type your code first</p>`))
}

/** Whoever signs in ends the session that they had elsewhere, and no sign-in is made on top of one. */
function oneSession(): Partial<Wiring> {
  const newest = new Map<string, string>()
  return {
    options: () => ({
      onVerified(req, _res, grant) {
        req.session.userId = grant.subject
        req.session.sid = randomUUID()
        newest.set(grant.subject, req.session.sid)
        delete req.session.pendingUserId
      },
    }),
    front: ({ app }) =>
      void app.use((req, res, next) => {
        const { sid, userId } = req.session
        if (userId === undefined) next()
        else if (newest.get(userId) !== sid) req.session.destroy(() => res.sendStatus(401))
        else if (req.path === '/login') res.sendStatus(409)
        else next()
      }),
  }
}

/** A login that takes nothing but its fields, there and in the query. */
const strictLogin = (fieldsOf: (req: express.Request) => object): Partial<Wiring> => ({
  front: ({ app }) => {
    app.post('/login', parse, (req, res, next) => {
      const isKnown = Object.keys(fieldsOf(req)).every((field) => ['name', 'password'].includes(field))
      if (isKnown) next()
      else res.sendStatus(400)
    })
  },
})

export const rightApps: readonly RightApp[] = [
  { what: 'a login whose body is checked strictly', wiring: strictLogin(({ body }) => body) },
  {
    what: 'a login whose body and query are checked strictly',
    wiring: strictLogin(({ body, query }) => ({ ...query, ...body })),
  },
  {
    what: 'one address for the account, the form to sign in and the code page, each with 200',
    wiring: {
      account: ({ app, tf }) => {
        const requireCode = tf.requireTwoFactor()
        app.get('/account', (req, res, next) => {
          const { pendingUserId, userId } = req.session
          if (pendingUserId !== undefined) return void res.send(page('Your code', codeForm))
          if (userId === undefined) return void res.send(page('Sign in', loginForm))
          requireCode(req, res, (error) => {
            if (error !== undefined) return next(error)
            res.send(
              page(
                'Account',
                `<p>Hello ${userId}, balance 5</p><form action="/password">New password <input type="password"></form>`,
              ),
            )
          })
        })
      },
    },
  },
  {
    what: 'idempotency keys in the body, in front of the guard',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const once = idempotent((req) => req.body?.key && `${req.session.userId} ${req.body.key}`)
        app.post('/transfers', parse, once, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney(req)
          res.json({ id: randomUUID(), sent: req.body.amount, to: req.body.payee })
        })
      },
    },
    plan: (bank) =>
      withAction(bank, { body: (person) => ({ amount: 5, payee: 'Luis', key: `key of ${person.name}` }) }),
  },
  {
    what: 'a request id that is new each time and covered by the code',
    isAboutFields: true,
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const bind: typeof guard.bind = ({ body }) => ({
          amount: body.amount,
          payee: body.payee,
          id: body.id,
        })
        app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, bind }), transfer)
      },
    },
    plan: (bank) => withAction(bank, { body: () => ({ amount: 5, payee: 'Luis', id: randomUUID() }) }),
  },
  {
    what: 'GraphQL: refusals are 200 with errors',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const requireCode = tf.requireTwoFactor(guard)
        const asErrors: RequestHandler = (req, res, next) => {
          const json = res.json.bind(res)
          let status = 200
          res.status = (given) => {
            status = given
            return res
          }
          res.json = (body) =>
            json(status < 400 ? body : { data: null, errors: [{ message: 'refused', extensions: body }] })
          requireCode(req, res, next)
        }
        app.post('/transfers', parse, asErrors, (req, res) => {
          sendMoney(req)
          res.json({ data: { transfer: { sent: req.body.amount, to: req.body.payee } } })
        })
      },
    },
  },
  {
    what: 'forms that lead on, with a token against CSRF',
    wiring: {
      account: ({ app, tf }) => {
        app.get(
          '/account',
          (req, res, next) => {
            if ((req.session.pendingUserId ?? req.session.userId) === undefined) res.redirect('/sign-in')
            else next()
          },
          tf.requireTwoFactor(),
          (req, res) => void res.send(page('Account', `<p>Hello ${req.session.userId}</p>`)),
        )
        app.get('/sign-in', (_req, res) => void res.send(page('Sign in', loginForm)))
      },
      transfers: ({ app, tf }, guard) => {
        const ownForm: RequestHandler = (req, res, next) => {
          if (req.session.userId === undefined) res.redirect(303, '/sign-in')
          else if (req.body?._csrf !== 'token') res.sendStatus(403)
          else next()
        }
        app.post('/transfers', parse, ownForm, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney(req)
          res.redirect(303, '/account?sent=1')
        })
      },
    },
    plan: (bank) => withAction(bank, { type: 'form', body: { amount: '5', payee: 'Luis', _csrf: 'token' } }),
  },
  {
    what: 'settings that are read as they were written, with every other path a page, and CORS for the own names',
    wiring: {
      ...cors((origin) => /^https:\/\/(\w+\.)?acme\.example$/.test(origin)),
      transfers: ({ app, tf }, guard) => {
        const settings = { amount: 1, payee: 'Ana' }
        const signedIn = tf.requireTwoFactor()
        app.get('/transfers', signedIn, (_req, res) => void res.json(settings))
        app.put('/transfers', parse, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney(req)
          res.json(req.body)
        })
      },
      signUp: withPages,
    },
    plan: (bank) => withAction(bank, { method: 'PUT' }),
  },
  {
    what: 'nothing said of what was done, by 204, behind a handler that answers every preflight (CORS) by 204, too',
    wiring: {
      front: ({ app }) => void app.options(/.*/, (_req, res) => void res.sendStatus(204)),
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney(req)
          res.sendStatus(204)
        })
      },
    },
  },
  { what: 'a front end on another site', wiring: frontEndElsewhere },
  {
    what: 'a remark that no code covers',
    isAboutFields: true,
    wiring: {},
    plan: (bank) =>
      withAction(bank, { body: { amount: 5, payee: 'Luis', remark: 'for the rent' }, mayChange: ['remark'] }),
  },
  {
    what: 'answers with ids, times and a balance',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        let balance = 1_000_000
        app.post('/transfers', parse, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney(req)
          balance -= Number(req.body.amount)
          res
            .status(201)
            .json({ id: randomUUID(), at: new Date(), balance, status: 'sent', to: req.body.payee })
        })
      },
    },
  },
  {
    what: 'a DELETE without a body and a regular expression, below a router whose mount has a parameter',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const api = express.Router()
        const bind = (req: express.Request) => ({ id: String(req.params.id) })
        const requireCode = tf.requireTwoFactor({ ...guard, bind })
        api.delete('/cards/:id', requireCode, (req, res) => {
          sendMoney(req)
          res.sendStatus(204)
        })
        api.post(/^\/limits?$/, tf.requireTwoFactor(), (_req, res) => void res.sendStatus(204))
        app.use('/shops/:shop', api)
      },
    },
    plan: () => ({ actions: [{ name: 'card', method: 'DELETE', path: '/shops/north/cards/7' }] }),
    untried: { changed: 'actions' },
  },
  {
    what: 'pages for whoever asks for them, and a sign-up form that comes again with 200',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney(req)
          res.send(page('Sent', `<p>You sent ${req.body.amount} to ${req.body.payee}</p>`))
        })
      },
      signUp: ({ app, users }, { requireProof }) => {
        const again: RequestHandler = (req, res, next) => {
          if (users.has(req.body.username)) res.send(page('Sign up', `<p>That name is taken</p>${loginForm}`))
          else next()
        }
        app.post('/signup', parse, again, requireProof(), (req, res) => {
          const { username: name, password } = req.body
          users.set(name, { name, password, phone: String(req.provenPhone?.phone) })
          res.send(page('Welcome', '<p>Your account is open</p>'))
        })
      },
    },
    plan: (bank) => ({
      ...withAction(bank, { type: 'form' }),
      async signIn(agent, { name, password }) {
        agent.headers.accept = 'text/html'
        await agent.post('/login', new URLSearchParams({ name, password }))
      },
    }),
  },
  {
    what: 'nothing in its answers, and every other path a page',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        app.post('/transfers', parse, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney(req)
          res.json({})
        })
      },
      signUp: withPages,
    },
  },
  {
    what: 'the same transfer within a minute gets the first answer',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const once = idempotent((req) => `${req.session.userId} ${req.body?.amount} ${req.body?.payee}`)
        app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, once: false }), once, (req, res) => {
          sendMoney(req)
          res.json({ id: randomUUID(), sent: req.body.amount, to: req.body.payee })
        })
      },
    },
  },
  {
    what: 'an API for a page of one file, which always answers 200',
    wiring: {
      account: ({ app, tf }) => {
        const requireCode = tf.requireTwoFactor()
        app.get('/account', (req, res, next) => {
          const { pendingUserId, userId } = req.session
          if (userId === undefined)
            return void res.json({ signedIn: false, pending: pendingUserId !== undefined })
          requireCode(req, res, (error) =>
            error === undefined ? void res.json({ signedIn: true, name: userId }) : next(error),
          )
        })
      },
    },
  },
  {
    what: 'a page of one file, which asks for its data itself',
    wiring: {
      account: ({ app }) =>
        void app.get('/account', (_req, res) => void res.send('<script src="/app.js"></script>')),
    },
    unsure: /^password-only: \/account shows no data of the user: name the address of the data in `pages`$/,
  },
  ...Object.entries({
    leads: (res: express.Response): void => res.redirect(303, '/two-factor'),
    'tells the way': (res: express.Response): unknown => res.json({ typeYourCodeAt: '/two-factor/' }),
  }).map(
    ([how, respond]): RightApp => ({
      what: `a transfer that ${how} to the code page, and does not say what for`,
      wiring: {
        transfers: ({ app, tf }) => {
          app.post('/transfers', parse, tf.requireTwoFactor(), (_req, res) => respond(res))
        },
      },
      unsure:
        /^confirmed-action: "transfer" before its code: POST \/transfers answered \d+, and `state` did not change: name a state that shows the action$/,
    }),
  ),
  ...Object.entries({
    '/two-factor/start': [1, 'confirmed-action: no code was sent'],
    '/two-factor/verify': [2, 'confirmed-action: the correct code was refused'],
    '/transfers': [2, 'confirmed-action'],
  } as const).map(
    ([path, [most, where]]): RightApp => ({
      what: `a limiter of ${path}`,
      wiring: {
        front: ({ app }) => {
          let left: number = most
          app.post(path, (_req, res, next) => (left-- > 0 ? next() : void res.sendStatus(429)))
        },
      },
      unsure: new RegExp(`^${where}: POST ${path} answered 429: lift the limiter while this runs$`),
    }),
  ),
  {
    what: 'a limiter of a second sign-in on top of the first',
    wiring: {
      front: ({ app }) => {
        app.post('/login', (req, res, next) =>
          req.session.userId === undefined ? next() : void res.sendStatus(429),
        )
      },
    },
    unsure: /^same-browser: POST \/login answered 429: lift the limiter while this runs$/,
  },
  {
    what: 'a page with more on it for the signed-in',
    wiring: {
      account: ({ app, tf }) => {
        const offers = 'Cards and loans'
        app.get(
          '/account',
          ({ session }, res, next) =>
            session.userId === undefined || session.pendingUserId !== undefined
              ? void res.json({ offers })
              : next(),
          tf.requireTwoFactor(),
          (req, res) => void res.json({ offers, name: req.session.userId }),
        )
      },
    },
  },
  {
    what: 'the name of whoever has given the password, on each page but the account, also one in its place',
    wiring: {
      account: ({ app, tf }) => {
        app.get(
          '/account',
          (req, res, next) => {
            if (req.session.userId !== undefined || req.accepts(['json', 'html']) === 'json') next()
            else greet(req, res, next)
          },
          tf.requireTwoFactor(),
          (req, res) =>
            void res.send(page('Account', `<p>Welcome back to your account, ${req.session.userId}</p>`)),
        )
      },
      signUp: (bank, verification) => {
        rightWiring.signUp(bank, verification)
        bank.app.use(greet)
      },
    },
  },
  {
    what: 'a code page that a front end draws',
    wiring: {
      front: ({ app }) => {
        app.get('/two-factor', (req, res, next) =>
          req.accepts(['json', 'html']) === 'html' ? void res.send('<div id="app"></div>') : next(),
        )
      },
    },
    untried: { 'code-page': 'a code page', headers: 'a code page' },
  },
  {
    what: 'transfers for whoever is signed in',
    wiring: {
      transfers: ({ app, tf }) => void app.post('/transfers', parse, tf.requireTwoFactor(), transfer),
    },
    plan: (bank) => withAction(bank, { stepUp: false }),
    untried: { changed: 'actions', twice: 'actions', 'of-another': 'actions' },
  },
  {
    what: 'one code for several transfers, whoever they go to',
    isAboutFields: true,
    wiring: { guard: { purpose: 'transfer' } },
    plan: (bank) => withAction(bank, { repeatable: true, changed: {} }),
    untried: { changed: 'actions', twice: 'actions' },
  },
  {
    what: 'codes of its own',
    wiring: {
      options: ({ sandbox }) => ({
        provider: ownCodes({
          client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
          secret: 'a secret of thirty-two bytes or more',
        }),
      }),
    },
    untried: { 'provider-faults': 'codes that the provider checks' },
  },
  {
    what: 'one session of each person, and no sign-in on top of another',
    wiring: oneSession(),
    untried: {
      'same-browser': 'a second sign-in in the same session',
      'password-change': 'two sessions of one person',
    },
  },
  {
    what: 'a state that counts requests, too, on a page with the look of the sign-in',
    wiring: {
      front: ({ app, tf }) => {
        const look = (rest: string) => page('Acme', `<nav>Home Cards Loans Insurance Contact</nav>${rest}`)
        const counts = new Map<string, number>()
        app.use('/transfers', ({ session: { userId = '' } }, _res, next) => {
          counts.set(userId, (counts.get(userId) ?? 0) + 1)
          next()
        })
        app.get('/sign-in', (_req, res) => void res.send(look('Please sign in')))
        const ask: RequestHandler = ({ session: { userId, pendingUserId } }, res, next) => {
          if (pendingUserId !== undefined) res.send(look('Please confirm with a code first'))
          else if (userId === undefined) res.redirect('/sign-in')
          else next()
        }
        app.get('/statement', ask, tf.requireTwoFactor(), ({ session: { userId = '' } }, res) => {
          const sent = (transfers.get(userId) ?? []).map(({ payee }) => `<li>${payee}`)
          res.send(
            look(`Requests: ${counts.get(userId) ?? 0}, transfers: ${sent.length} <ul>${sent.join('')}</ul>`),
          )
        })
      },
    },
    plan: () => ({ state: ['/statement'], pages: ['/statement'] }),
  },
  {
    what: 'an app that ends a session after some refusals',
    wiring: {
      front: ({ app }) => {
        const refusals = new Map<string, number>()
        app.use((req, res, next) => {
          const { id } = req.session
          const count = refusals.get(id) ?? 0
          res.once(
            'finish',
            () => void (res.statusCode >= 400 && refusals.set(id, (refusals.get(id) ?? 0) + 1)),
          )
          if (count > 10) req.session.destroy(() => res.sendStatus(401))
          else next()
        })
      },
    },
    unsure: /^(changed|twice): .* answered 401/,
  },
  {
    what: 'a redirect from onVerified',
    wiring: {
      options: () => ({
        onVerified: (req, res, grant) => {
          req.session.userId = grant.subject
          delete req.session.pendingUserId
          res.redirect(303, '/account')
        },
      }),
    },
  },
  {
    what: 'a token from the page before, a path of each person, and multipart bodies',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        app.get('/accounts/:name/transfers', tf.requireTwoFactor(), (req, res) => {
          req.session.sid ??= randomUUID()
          res.send(page('Transfer', `<form><input name="_csrf" value="${req.session.sid}"></form>`))
        })
        const isOwn: RequestHandler = (req, res, next) => {
          const { userId, sid } = req.session
          if (userId === undefined || userId !== req.params.name) res.sendStatus(404)
          else if (req.body?._csrf === undefined || req.body._csrf !== sid) res.sendStatus(403)
          else next()
        }
        app.post('/accounts/:name/transfers', multipart, isOwn, tf.requireTwoFactor(guard), transfer)
      },
    },
    plan: (bank) =>
      withAction(bank, {
        path: ({ name }) => `/accounts/${name}/transfers`,
        type: 'multipart',
        body: async ({ name }, agent) => {
          const { text } = await agent.get(`/accounts/${name}/transfers`)
          return { amount: 5, payee: 'Luis', _csrf: /value="([^"]+)/.exec(text)?.[1] }
        },
      }),
  },
  ...Object.entries({
    'a token or a role': [403, 'a token from the page before .*, or a `person` with the role'],
    'fields of its own': [422, 'other fields'],
  } as const).map(
    ([needed, [status, lacked]]): RightApp => ({
      what: `a plan without ${needed} that the app needs`,
      wiring: { front: ({ app }) => void app.post('/transfers', (_req, res) => void res.sendStatus(status)) },
      unsure: new RegExp(
        `^confirmed-action: "transfer" before its code: .* ${status}; the plan lacks .*${lacked}`,
      ),
    }),
  ),
  ...Object.entries({ form: express.urlencoded({ extended: false }), multipart }).map(
    ([type, parser]): RightApp => ({
      what: `a plan without the type ${type} that the app needs`,
      wiring: {
        transfers: ({ app, tf }, guard) =>
          void app.post('/transfers', parser, tf.requireTwoFactor(guard), transfer),
      },
      unsure: new RegExp(`^confirmed-action: .*; the plan lacks \`type: '${type}'\`$`),
    }),
  ),
  {
    what: 'a route that nobody has named',
    wiring: { front: ({ app }) => void app.post('/newsletter', (_req, res) => void res.sendStatus(204)) },
    unsure: /^unguarded: guard POST \/newsletter, or name it in `actions` or `ignore`$/,
  },
  {
    what: 'routes that refuse by themselves, are guarded, or are ignored',
    wiring: {
      front: ({ app, tf }) => {
        const api = express.Router()
        api.delete('/cards/:id', (_req, res) => void res.sendStatus(401))
        api.patch('/cards/:id', tf.requireTwoFactor())
        app.use('/api', api)
        app.use(
          '/v2',
          express().post('/contact', (_req, res) => void res.sendStatus(204)),
        )
      },
    },
    plan: () => ({ ignore: ['POST /v2/contact'] }),
  },
  {
    what: 'a state with a balance in fractions of a unit',
    isAboutFields: true,
    wiring: {},
    plan: () => ({
      state: ({ name }) => ({ balance: balanceOf(name), transfers: transfers.get(name) ?? [] }),
    }),
  },
  {
    what: 'a state with one value of each person, and a token that is new in each read',
    wiring: {},
    plan: (bank) => ({
      ...withAction(bank, {
        // Other stores have rehearsed with the same names.
        body: ({ name }) => ({ amount: 5, payee: `friend of ${name} ${randomUUID()}` }),
        changed: { payee: 'Eve' },
      }),
      state: ({ name }) => ({
        payee: transfers.get(name)?.at(-1)?.payee ?? `nobody for ${name}`,
        token: randomUUID(),
      }),
    }),
    unsure: /^twice: the state does not count "transfer": /,
  },
  {
    what: 'a state that shows the transfers of all people',
    wiring: {},
    plan: () => ({ state: () => [...transfers.values()].flat() }),
    unsure: /^of-another: the state of "transfer" shows what others do: /,
  },
  {
    what: 'a sign-in that refuses to be led to another site',
    wiring: {
      front: ({ app }) =>
        void app.post('/login', (req, res, next) =>
          String(req.query.next).startsWith('//') ? void res.sendStatus(400) : next(),
        ),
    },
  },
  {
    what: 'payees in capitals and amounts in whole units, by guard and handler alike',
    isAboutFields: true,
    wiring: behind(
      (requireCode) => [
        (req, _res, next) => {
          req.body = { amount: Math.round(req.body.amount), payee: String(req.body.payee).toUpperCase() }
          next()
        },
        requireCode,
      ],
      {},
    ),
  },
  {
    what: 'several transfers in one body, of which the code covers each',
    isAboutFields: true,
    wiring: {
      transfers: ({ app, tf }, guard) => {
        const listOf = ({ body }: express.Request) => [body].flat()
        const bind = (req: express.Request) => ({ transfers: JSON.stringify(listOf(req)) })
        app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, bind }), (req, res) => {
          for (const body of listOf(req)) sendMoney({ session: req.session, body })
          res.json({})
        })
      },
    },
  },
  {
    what: 'a form to sign in that repeats the address of the request and its headers',
    wiring: {
      account: ({ app, tf, users }) => {
        const requireCode = tf.requireTwoFactor()
        app.get('/account', (req, res, next) => {
          const { userId, pendingUserId } = req.session
          const asked = `${decodeURIComponent(req.url)} ${req.get('x-user')} ${req.hostname}`
          if (userId === undefined && pendingUserId === undefined) {
            return void res.send(`<h1>Sign in to see ${asked}</h1>`)
          }
          requireCode(req, res, (error) => {
            if (error !== undefined) return next(error)
            res.send(`<h1>${asked}</h1><p>${userId}, ${users.get(userId ?? '')?.phone}`)
          })
        })
      },
    },
  },
  {
    what: 'a token of the session that stays over sign-ins, on a page with little else',
    wiring: {
      account: ({ app, tf }) =>
        void app.get('/account', tf.requireTwoFactor(), (req, res) => {
          req.session.sid ??= randomUUID()
          const { userId = '', sid } = req.session
          res.send(
            page('Your account', `<input type="hidden" name="_csrf" value="${sid}"> ${userId.slice(-1)}`),
          )
        }),
    },
  },
  {
    what: 'the name and the last digits of the number for whoever has given the password, the whole number after the code, the typed number at a sign-up, and a list of all numbers on the home page',
    isOnTraffic: true,
    wiring: {
      front: ({ app, users }) => {
        app.get('/', (_req, res) => {
          const all = [...users.values()].map(({ phone }) => `<li>${phone}`)
          res.send(page('Our members', all.join('')))
        })
        app.use(({ session: { pendingUserId = '' } }, res, next) => {
          const { name, phone = '' } = users.get(pendingUserId) ?? {}
          if (name === undefined) return next()
          res.set('X-Code-To', `+57 *** *** **${phone.slice(-2)}`)
          next()
        })
      },
      login: ({ app, users }) => {
        app.post('/login', parse, checkPassword(users), (req, res) => {
          const { name, phone = '' } = users.get(req.body.name) ?? {}
          res.json({ name, codeGoesTo: `•••${phone.slice(-2)}`, at: Date.now() })
        })
      },
      account: ({ app, tf, users }) => {
        app.get(
          '/account',
          ({ session: { pendingUserId = '' } }, res, next) => {
            const { name, phone = '' } = users.get(pendingUserId) ?? {}
            if (name === undefined) return next()
            res.status(403).json({ name, error: `Enter the code that we sent to •••${phone.slice(-2)}` })
          },
          tf.requireTwoFactor(),
          ({ session: { userId = '' } }, res) => {
            const { name, phone } = users.get(userId) ?? {}
            res.json({ name, phone, offers: 'Cards and loans' })
          },
        )
      },
      signUp: (bank, verification) => {
        bank.app.post('/signup', parse, async (req, res, next) => {
          const proof = await verification.proven(req)
          if (proof === undefined) return next()
          res.set('X-Your-Number', proof.phone)
          next()
        })
        rightWiring.signUp(bank, verification)
      },
    },
  },
  {
    what: 'a profile that shows the name, and not the number, to every member',
    isOnTraffic: true,
    wiring: {
      account: (bank) => {
        rightWiring.account(bank)
        const { app, tf, users } = bank
        app.get('/users/:name', tf.requireTwoFactor(), (req, res) => {
          const { name = '', phone } = users.get(String(req.params.name)) ?? {}
          const isOwn = name === req.session.userId
          res.json(
            isOwn
              ? { name, phone, text: 'Your own profile, of which nobody else sees all' }
              : { member: name },
          )
        })
      },
    },
    plan: () => ({ pages: ['/account', ({ name }) => `/users/${name}`] }),
  },
  {
    what: 'one transfer at a time, for all people together',
    wiring: {
      transfers: ({ app, tf }, guard) => {
        let isBusy = false
        app.post('/transfers', parse, tf.requireTwoFactor(guard), async (req, res) => {
          if (isBusy) return void res.status(409).json({ wrong: 'busy' })
          isBusy = true
          await new Promise((resolve) => setTimeout(resolve, 5))
          isBusy = false
          sendMoney(req)
          res.json({})
        })
      },
    },
  },
  {
    what: 'a home page with the layout of the account, which shows little more than a name',
    wiring: {
      front: ({ app }) => void app.get('/', (_req, res) => void res.send(page('Acme', footer()))),
      account: ({ app, tf }) => {
        app.get('/account', tf.requireTwoFactor(), ({ session: { userId } }, res) => {
          res.send(page('Account', `<h2>${userId}</h2>${footer()}`))
        })
      },
    },
    isOnTraffic: true,
  },
  { what: 'an account with tips that come again for other people', wiring: withTips(), isOnTraffic: true },
  {
    what: 'rules for the fields behind the guard',
    isAboutFields: true,
    wiring: behind(
      (requireCode) => [
        requireCode,
        (req, res, next) => {
          const { amount, payee } = req.body
          if (!(typeof amount === 'number' && amount > 0 && typeof payee === 'string')) {
            return void res.status(422).json({ wrong: 'fields' })
          }
          req.body.amount = Math.trunc(amount)
          next()
        },
      ],
      {
        bind: ({ body }) => ({ amount: Number.parseInt(String(body.amount), 10), payee: String(body.payee) }),
      },
    ),
  },
  {
    what: 'a remark that is cut once, for guard and handler',
    isAboutFields: true,
    wiring: behind((requireCode) => [
      (req, _res, next) => {
        req.body.payee = String(req.body.payee ?? '').slice(0, 30)
        next()
      },
      requireCode,
    ]),
    plan: (bank) =>
      withAction(bank, {
        type: 'form',
        body: { amount: '5', payee: 'Invoice 24-B of the twelfth of March, thanks' },
        changed: {},
      }),
  },
  {
    what: 'an empty field, and a name without Latin letters',
    isAboutFields: true,
    wiring: {
      guard: {
        ...rightWiring.guard,
        bind: ({ body }) => ({ amount: body.amount, payee: body.payee, remark: body.remark }),
      },
    },
    plan: (bank) => withAction(bank, { body: { amount: 5, payee: '小明', remark: '' }, changed: {} }),
  },
  {
    what: 'no code for small amounts, which guard and handler read alike',
    isAboutFields: true,
    wiring: behind((requireCode) => [
      (req, res, next) => {
        req.body.amount = Number.parseFloat(req.body.amount)
        if (!(req.body.amount > 0)) res.sendStatus(422)
        else if (req.body.amount < 100) next()
        else requireCode(req, res, next)
      },
    ]),
    plan: (bank) => withAction(bank, { type: 'form', body: { amount: '1500', payee: 'Luis' }, changed: {} }),
  },
]
