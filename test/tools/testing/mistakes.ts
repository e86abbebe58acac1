import express, { type RequestHandler, type Response } from 'express'
import session from 'express-session'
import {
  createClient,
  type GuardOptions,
  memoryStore,
  type SessionAdapter,
  twoFactor,
} from 'express-two-factor'
import type { RehearsalOptions } from 'express-two-factor/testing'
import {
  checkPassword,
  freeName,
  openAccount,
  parse,
  rightWiring,
  showAccount,
  transfer,
  transfers,
  type User,
  type Wiring,
  withAction,
} from './bank.js'

/** One deliberate mistake in the wiring of a bank, and the row of the rehearsal that has to find it. */
export interface Mistake {
  readonly what: string
  readonly row: string
  readonly wiring: Partial<Wiring>
  /** What its plan says, where that differs. */
  readonly plan?: Plan
}

export type Plan = (bank: RehearsalOptions<User>) => Partial<RehearsalOptions<User>>

const bindTo = (bind: NonNullable<GuardOptions['bind']>): Partial<Wiring> => ({
  guard: { ...rightWiring.guard, bind },
})

/** Transfers behind these in place of the guard. */
export const behind = (
  handlers: (requireCode: RequestHandler) => RequestHandler | RequestHandler[],
  change: GuardOptions = {},
): Partial<Wiring> => ({
  transfers: ({ app, tf }, guard) =>
    void app.post('/transfers', parse, handlers(tf.requireTwoFactor({ ...guard, ...change })), transfer),
})

/** Guards transfers, but for requests of which this says that they need none. */
const unless = (isFree: (req: express.Request) => boolean): Partial<Wiring> =>
  behind((requireCode) => (req, res, next) => (isFree(req) ? next() : requireCode(req, res, next)))

/** A guard that goes by the method, and behind it a server that takes a request for one of another. */
const overridden = (methodOf: (req: express.Request) => unknown): Partial<Wiring> => ({
  transfers: ({ app, tf }, guard) => {
    const requireCode = tf.requireTwoFactor(guard)
    app.use('/transfers', parse, (req, res, next) => {
      if (req.method === 'PUT') return void requireCode(req, res, next)
      req.method = String(methodOf(req) || req.method)
      next()
    })
    app.put('/transfers', (req, res) => {
      req.body = { ...req.query, ...req.body }
      transfer(req, res, () => {})
    })
  },
})

const strictFields = { amount: 5, payee: 'Luis', on: '2027-01-15', urgent: false }

/** Takes no field that has not the form of its own. */
const strict: RequestHandler = (req, res, next) => {
  const { amount, payee, on, urgent } = req.body ?? {}
  const isDate = /^\d{4}-\d\d-\d\d$/.test(on)
  if (Number.isInteger(amount) && /^[A-Z][a-z]+$/.test(payee) && isDate && typeof urgent === 'boolean') next()
  else res.sendStatus(400)
}

/** In front of everything but the session. */
const inFront = (handler: RequestHandler): Partial<Wiring> => ({ front: ({ app }) => void app.use(handler) })

/** Answers whose origin this takes for its own may be read there. */
export const cors = (isOwn: (origin: string, host: string) => boolean): Partial<Wiring> =>
  inFront((req, res, next) => {
    const origin = req.get('origin')
    if (origin !== undefined && isOwn(origin, String(req.get('host')))) {
      res.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' })
    }
    next()
  })

/** As the documents say for a front end on another site, which the plan of a bank names. */
export const frontEndElsewhere: Partial<Wiring> = {
  ...cors((origin) => origin === 'https://app.acme.example'),
  cookie: { sameSite: 'none' },
  options: () => ({ allowedOrigins: ['https://app.acme.example'] }),
}

/** Account settings that are changed at once, where this says so. */
const settingsAtOnce = (isFree: (req: express.Request) => boolean): Partial<Wiring> =>
  inFront((req, res, next) => {
    if (req.method === 'POST' && req.path.startsWith('/settings/') && isFree(req)) res.json({ changed: true })
    else next()
  })

/** A provider of its own that takes these answers for a yes; undefined where none came. */
const approving = (
  isYes: (answer: Readonly<Record<string, unknown>> | undefined, word: unknown) => boolean,
): Partial<Wiring> => ({
  options: ({ sandbox }) => {
    const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
    return {
      provider: {
        async sendCode({ destination, appName }) {
          await client.sendSmsCode({ phone: destination, appName })
          return { result: 'sent' }
        },
        async checkCode({ destination, appName, code }) {
          const answer = await client.verifyCode({ phone: destination, appName, code }).catch(() => undefined)
          return isYes(answer, sandbox.approvedStatuses[0]) ? 'approved' : 'rejected'
        },
      },
    }
  },
})

/** A session whose id changes, while the cookie stays the same. */
const ownId: SessionAdapter = {
  id: (req) => req.session.sid,
  regenerate(req) {
    req.session.sid = crypto.randomUUID()
  },
  save(req) {
    req.session.sid ??= crypto.randomUUID()
  },
}

export const mistake = (what: string, row: string, wiring: Partial<Wiring>, plan?: Plan): Mistake => ({
  ...{ what, row, wiring },
  ...(plan && { plan }),
})

export const mistakes: readonly Mistake[] = [
  mistake('the guard behind the handler', 'without-code', {
    transfers: ({ app, tf }, guard) =>
      void app.post('/transfers', parse, transfer, tf.requireTwoFactor(guard)),
  }),
  mistake(
    'a guard that is not waited for',
    'without-code',
    behind((requireCode) => (req, res, next) => {
      const deaf = { json: { value: () => res }, status: { value: () => res } }
      requireCode(req, Object.create(res, deaf), () => {})
      next()
    }),
  ),
  mistake(
    'a guard that lets strangers pass',
    'without-code',
    unless(({ session }) => (session.pendingUserId ?? session.userId) === undefined),
    () => ({ state: () => [...transfers.values()].flat() }),
  ),
  mistake(
    'a guard that lets a password pass',
    'without-code',
    unless(({ session }) => session.pendingUserId !== undefined),
  ),
  mistake('a transfer for which the code of the sign-in is enough', 'without-code', {
    transfers: ({ app, tf }) => void app.post('/transfers', parse, tf.requireTwoFactor(), transfer),
  }),
  mistake('a twin by another method', 'other-methods', {
    transfers: ({ app, tf }, guard) => {
      app.post('/transfers', parse, tf.requireTwoFactor(guard), transfer)
      app.put('/transfers', parse, transfer)
    },
  }),
  mistake('a GET that transfers', 'other-methods', {
    transfers: ({ app, tf }, guard) => {
      app.post('/transfers', parse, tf.requireTwoFactor(guard), transfer)
      app.get('/transfers', (req, res, next) => {
        req.body = { ...req.query }
        transfer(req, res, next)
      })
    },
  }),
  mistake('a guard for POST, in front of the method that a header names', 'other-methods', {
    transfers: ({ app, tf }, guard) => {
      const requireCode = tf.requireTwoFactor(guard)
      app.use('/transfers', parse, (req, res, next) =>
        req.method === 'POST' ? requireCode(req, res, next) : next(),
      )
      app.use((req, _res, next) => {
        req.method = req.get('x-http-method-override') ?? req.method
        next()
      })
      app.post('/transfers', transfer)
    },
  }),
  ...Object.entries({
    'a field': (req: express.Request) => req.is('json') && req.body._method,
    'a field of a form': (req: express.Request) => req.is('urlencoded') && req.body._method,
    'a header': (req: express.Request) => req.get('x-http-method-override'),
    'the address': (req: express.Request) => req.query._method,
  }).map(([where, methodOf]) =>
    mistake(`a method in ${where}, read behind the guard`, 'other-methods', overridden(methodOf), (bank) =>
      withAction(bank, { method: 'PUT' }),
    ),
  ),
  ...Object.entries({
    'the path': ({ path }: express.Request) => path === '/transfers',
    'the address as it was sent': ({ originalUrl }: express.Request) => /^\/transfers/i.test(originalUrl),
  }).map(([what, isTransfer]) =>
    mistake(`a guard that compares ${what}`, 'spellings', {
      transfers: ({ app, tf }, guard) => {
        const requireCode = tf.requireTwoFactor(guard)
        app.use(parse, (req, res, next) => (isTransfer(req) ? requireCode(req, res, next) : next()))
        app.post('/transfers', transfer)
      },
    }),
  ),
  mistake(
    'a guard for JSON only',
    'content-types',
    unless((req) => !req.is('json')),
  ),
  mistake(
    'a guard for JSON only, beside an action that is not there',
    'content-types',
    unless((req) => !req.is('json')),
    ({ actions = [] }) => ({
      actions: [{ name: 'gone', path: '/gone' }, ...actions],
    }),
  ),
  mistake(
    'a guard that leaves texts alone, and a handler that parses them',
    'content-types',
    behind((requireCode) => [
      express.text(),
      (req, res, next) => {
        if (typeof req.body !== 'string') return void requireCode(req, res, next)
        req.body = JSON.parse(req.body)
        next()
      },
    ]),
  ),
  mistake(
    'a guard of bodies, and a handler that reads the query',
    'content-types',
    behind((requireCode) => (req, res, next) => {
      if (req.body?.amount !== undefined) return void requireCode(req, res, next)
      req.body = { ...req.query }
      next()
    }),
  ),
  mistake(
    'bind that forgets the payee',
    'changed',
    bindTo((req) => ({ amount: req.body.amount })),
  ),
  mistake(
    'bind that forgets the amount',
    'changed',
    bindTo((req) => ({ payee: req.body.payee })),
  ),
  ...Object.keys(strictFields).map((forgotten) =>
    mistake(
      `strict fields, and bind that forgets ${forgotten}`,
      'changed',
      {
        ...bindTo(({ body }) => ({ ...body, [forgotten]: '' })),
        ...inFront((req, res, next) => {
          if (req.path === '/transfers') express.json()(req, res, () => strict(req, res, next))
          else next()
        }),
      },
      (bank) => withAction(bank, { body: strictFields, changed: {} }),
    ),
  ),
  mistake(
    'a guard without once, and keys against repeats that it refuses',
    'twice',
    behind(
      (requireCode) => [
        (req, res, next) => {
          if (req.get('idempotency-key') === undefined) next()
          else res.sendStatus(400)
        },
        requireCode,
      ],
      { once: false },
    ),
  ),
  mistake('a guard without once', 'twice', { guard: { ...rightWiring.guard, once: false } }),
  mistake(
    'once, made at home, with a gap between look and use',
    'twice',
    behind(
      (requireCode) => {
        const used = new Set<unknown>()
        const onlyOnce: RequestHandler = async (req, res, next) => {
          const id = req.twoFactor?.grant.verifiedAt
          if (used.has(id)) return void res.sendStatus(409)
          // Long enough for a second request, also on a busy machine.
          await new Promise((resolve) => setTimeout(resolve, 200))
          used.add(id)
          next()
        }
        return [requireCode, onlyOnce]
      },
      { once: false },
    ),
  ),
  mistake('a parser behind the guard', 'confirmed-action', {
    transfers: ({ app, tf }, guard) =>
      void app.post('/transfers', tf.requireTwoFactor(guard), parse, transfer),
  }),
  mistake('a session that keeps its cookie', 'session-renewal', { options: () => ({ session: ownId }) }),
  mistake('a proof that is noted for the account', 'other-session', {
    account: ({ app, tf }) => {
      const proven = new Set<unknown>()
      const ifKnown: RequestHandler = (req, res, next) => {
        if (proven.has(req.session.pendingUserId ?? req.session.userId)) showAccount(req, res, next)
        else next()
      }
      const note: RequestHandler = (req, _res, next) => next(void proven.add(req.session.userId))
      app.get('/account', ifKnown, tf.requireTwoFactor(), note, showAccount)
    },
  }),
  ...['destination', 'requirement'].map((name) =>
    mistake(`codes for any ${name}, whoever names it`, 'other-session', {
      front: ({ app }) => {
        app.post('/two-factor/start', parse, (req, res, next) => {
          if (req.body[name] === undefined || req.session.userId !== undefined) next()
          else res.status(201).json({ challenge: { id: 'sent' } })
        })
      },
    }),
  ),
  mistake('a code that is good for whoever types it', 'other-session', {
    front: ({ app, users, sandbox }) => {
      app.post('/two-factor/verify', parse, (req, res, next) => {
        const sent = sandbox.inbox.list().find(({ code }) => code === req.body.code)
        const { phone } = users.get(req.session.pendingUserId ?? req.session.userId ?? '') ?? {}
        if (sent === undefined || phone === undefined || sent.phone === phone) next()
        else res.json({ verified: true })
      })
    },
  }),
  mistake('limits for each session', 'guesses', {
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
  }),
  mistake('a subject from the body', 'named-by-request', {
    options: () => ({
      subject: (req) => req.body?.userId ?? req.session.pendingUserId ?? req.session.userId,
    }),
    front: ({ app }) => void app.use(parse),
  }),
  mistake('a number from the request', 'named-by-request', {
    options: ({ users }) => ({
      phone: (req, subject) =>
        typeof req.query.phone === 'string' ? req.query.phone : users.get(subject)?.phone,
    }),
  }),
  mistake('two sessions', 'sign-in', {
    routes: ({ app, tf }) => {
      const another = session({ name: 'second', secret: 'y', resave: false, saveUninitialized: true })
      const forgetful: RequestHandler = (req, res, next) =>
        another(Object.assign(req, { session: undefined }), res, next)
      app.use('/two-factor', forgetful, tf.routes())
    },
  }),
  mistake('a second sign-in that leaves the first person in place', 'same-browser', {
    options: () => ({ subject: (req) => req.session.userId ?? req.session.pendingUserId }),
  }),
  mistake(
    'CORS with credentials for every origin',
    'cross-site',
    cors(() => true),
  ),
  mistake(
    'every origin allowed to post',
    'cross-site',
    inFront((req, _res, next) => {
      delete req.headers.origin
      req.headers['sec-fetch-site'] = 'same-origin'
      next()
    }),
  ),
  mistake('trust proxy for all', 'warnings', { front: ({ app }) => void app.set('trust proxy', true) }),
  mistake('an open redirect after the password', 'return-to', {
    login: ({ app, users }) => {
      app.post('/login', parse, checkPassword(users), (req, res) => {
        res.redirect(303, String(req.body.next ?? '/two-factor'))
      })
    },
  }),
  mistake('a sign-out that only clears the cookie', 'sign-out', {
    signOut: ({ app }) =>
      void app.post('/logout', (_req, res) => void res.clearCookie('connect.sid').json({ signedOut: true })),
  }),
  mistake('a new password that leaves other sessions alone', 'password-change', {
    changePassword: async () => {},
  }),
  mistake('a sign-up without a proof', 'sign-up', {
    signUp: ({ app, users }) => {
      app.post('/signup', parse, freeName(users), (req, res) =>
        openAccount(users, req, res, req.body.phone ?? ''),
      )
    },
  }),
  mistake('a sign-up that takes the number from the form', 'sign-up', {
    signUp: ({ app, users }, { requireProof }) => {
      app.post('/signup', parse, freeName(users), requireProof(), (req, res) => {
        openAccount(users, req, res, req.body.phone ?? String(req.provenPhone?.phone))
      })
    },
  }),
  mistake('a sign-up under a name that is taken, with the password on file', 'taken-name', {
    signUp: ({ app, users }, { requireProof }) => {
      app.post('/signup', parse, requireProof(), (req, res) => {
        req.body.password = users.get(req.body.username)?.password ?? req.body.password
        openAccount(users, req, res, String(req.provenPhone?.phone))
      })
    },
  }),
  mistake('a sign-up under a name that is taken, with a password of its own', 'taken-name', {
    signUp: ({ app, users }, { requireProof }) => {
      app.post('/signup', parse, requireProof(), (req, res) => {
        openAccount(users, req, res, String(req.provenPhone?.phone))
      })
    },
  }),
  mistake('a session cookie that scripts can read', 'cookies', {
    cookie: { sameSite: 'lax', httpOnly: false },
  }),
  mistake('a session cookie for every site', 'cookies', { cookie: { sameSite: 'none' } }),
  mistake(
    'forms of every site, behind a session cookie for a front end on another one',
    'cookies',
    {
      ...frontEndElsewhere,
      transfers: ({ app, tf }) => void app.post('/transfers', parse, tf.requireTwoFactor(), transfer),
    },
    (bank) => withAction(bank, { stepUp: false }),
  ),
  mistake('an own code page that posts elsewhere', 'code-page', {
    options: () => ({
      pages: {
        render: () => '<form method="post" action="/own/code"><input name="code"><button>Go</button></form>',
      },
    }),
  }),
  mistake('pages of the signed-in for shared caches', 'headers', {
    account: ({ app, tf }) => {
      const cached: RequestHandler = (_req, res, next) => {
        res.set('Cache-Control', 'public, max-age=60')
        next()
      }
      app.get('/account', tf.requireTwoFactor(), cached, showAccount)
    },
  }),
  mistake('a log of bodies', 'secrets', {
    front: ({ app, log }) => {
      app.use(express.json(), express.urlencoded({ extended: false }), (req, _res, next) => {
        log.push(`${req.method} ${req.path} ${JSON.stringify(req.body)}`)
        next()
      })
    },
  }),
  mistake('a start that answers its code, as a help in development', 'secrets', {
    front: ({ app, users, sandbox }) => {
      app.use('/two-factor/start', (req, res, next) => {
        const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => Response
        res.writeHead = (...given: unknown[]) => {
          const { phone } = users.get(req.session.pendingUserId ?? req.session.userId ?? '') ?? {}
          if (res.statusCode === 201) res.setHeader('X-Debug-Code', sandbox.inbox.list(phone)[0]?.code ?? '')
          return writeHead(...given)
        }
        next()
      })
    },
  }),
  mistake('a page that shows the options', 'secrets', {
    account: ({ app, tf, options }) => {
      app.get('/account', tf.requireTwoFactor(), (req, res) => {
        res.json({ name: req.session.userId, key: 'sandbox-key', countries: options.countries })
      })
    },
  }),
  ...Object.entries({
    'every HTTP 200': (answer) => answer?.httpStatus === 200,
    silence: (answer, word) => answer === undefined || (answer.status === word && answer.error === undefined),
    'the word beside an error': (answer, word) => answer?.status === word,
    'a word of another': (answer, word) =>
      answer?.success === true || (answer?.status === word && answer?.error === undefined),
  } satisfies Record<string, Parameters<typeof approving>[0]>).map(([what, isYes]) =>
    mistake(`a provider of its own that takes ${what} for a yes`, 'provider-faults', approving(isYes)),
  ),
  mistake('signed in by the password, with a page that asks the session only', 'password-only', {
    account: ({ app }) => {
      app.get('/account', (req, res, next) => {
        if (req.session.pendingUserId === undefined && req.session.userId === undefined) res.sendStatus(401)
        else showAccount(req, res, next)
      })
    },
  }),
  mistake('account settings that store for everybody', 'account-of-another', {
    settings: (bank) => ({
      ...rightWiring.settings(bank),
      save(_subject, numbers) {
        for (const user of bank.users.values()) user.hasNoOffice = numbers.length < 2
      },
    }),
  }),
  ...Object.entries({
    nobody: ({ session }: express.Request) => (session.pendingUserId ?? session.userId) === undefined,
    'a password': ({ session }: express.Request) => session.pendingUserId !== undefined,
    'a session': ({ session, path }: express.Request) =>
      session.userId !== undefined && path === '/settings/app/remove',
    'a new passkey': ({ session, path }: express.Request) =>
      session.userId !== undefined && path === '/settings/passkeys',
  }).map(([whose, isFree]) =>
    mistake(`account settings that ${whose} changes`, 'account-without-code', settingsAtOnce(isFree)),
  ),
  mistake(
    'account settings of whoever is named',
    'account-of-another',
    settingsAtOnce((req) => req.query.subject !== undefined),
  ),
  ...Object.entries({ no: 422, every: 200 }).map(([which, status]) =>
    mistake(
      `a verify of its own that takes ${which} code, and a page that asks the session only`,
      'sign-in',
      {
        front: ({ app }) => void app.post('/two-factor/verify', (_req, res) => void res.sendStatus(status)),
        account: ({ app }) => void app.get('/account', showAccount),
      },
    ),
  ),
]
