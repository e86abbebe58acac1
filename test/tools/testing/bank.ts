import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import session, { type CookieOptions } from 'express-session'
import {
  createClient,
  type GuardOptions,
  memoryStore,
  providerCodes,
  type Store,
  type TwoFactor,
  type TwoFactorOptions,
  twoFactor,
} from 'express-two-factor'
import { type AccountPagesOptions, accountPages } from 'express-two-factor/account'
import type { Sandbox } from 'express-two-factor/sandbox'
import { guardCoverage, type RehearsalAction, type RehearsalOptions } from 'express-two-factor/testing'
import { onTestFinished } from 'vitest'

declare module 'express-session' {
  interface SessionData {
    pendingUserId?: string
    userId?: string
    sid?: string
    approved?: string | undefined
  }
}

export interface User {
  readonly name: string
  password: string
  phone: string
  hasNoOffice?: boolean
}

/** What routes are made of. */
export interface Bank {
  readonly app: Express
  readonly tf: TwoFactor
  readonly users: Map<string, User>
  readonly sandbox: Sandbox
  readonly options: TwoFactorOptions
  /** What the app has printed. */
  readonly log: string[]
}

/** How one bank is wired up. Each mistake replaces one of these. */
export const rightWiring = {
  options: (_bank: Pick<Bank, 'users' | 'sandbox'>): Partial<TwoFactorOptions> => ({}),
  create: (options: TwoFactorOptions): TwoFactor => twoFactor(options),
  cookie: { sameSite: 'lax' } as CookieOptions,
  /** In front of everything but the session. */
  front: (_bank: Bank): void => {},
  routes: ({ app, tf }: Bank): void => void app.use('/two-factor', tf.routes()),
  login: ({ app, tf, users }: Bank): void => {
    app.post('/login', parse, checkPassword(users), tf.start({ purpose: 'login', successPath: '/account' }))
  },
  account: ({ app, tf }: Bank): void => {
    app.get('/account', tf.requireTwoFactor(), showAccount)
  },
  settings: ({ users }: Bank): AccountPagesOptions['numbers'] => ({
    list: (subject) => numbersOf(users.get(subject)),
    save(subject, numbers) {
      const user = users.get(subject)
      if (user !== undefined) user.hasNoOffice = numbers.length < 2
    },
  }),
  guard: {
    purpose: 'transfer',
    once: true,
    bind: (req) => ({ amount: req.body.amount, payee: req.body.payee }),
  } as GuardOptions,
  transfers: ({ app, tf }: Bank, guard: GuardOptions): void => {
    app.post('/transfers', parse, tf.requireTwoFactor(guard), transfer)
  },
  signOut: ({ app, tf }: Bank): void => {
    app.post('/logout', async (req, res) => {
      await tf.grants.revoke(req)
      req.session.destroy(() => res.json({ signedOut: true }))
    })
  },
  passwordGuard: ({ tf }: Bank): RequestHandler => tf.requireTwoFactor({ purpose: 'password' }),
  changePassword: ({ tf }: Bank, subject: string): Promise<unknown> => tf.subjects.revokeEverything(subject),
  signUp: ({ app, users }: Bank, { requireProof }: ReturnType<TwoFactor['phoneVerification']>): void => {
    app.post('/signup', parse, freeName(users), requireProof(), (req, res) => {
      openAccount(users, req, res, String(req.provenPhone?.phone))
    })
  },
}

export type Wiring = typeof rightWiring

/** The office of each has a number of its own. */
export function numbersOf(user: User | undefined): readonly string[] {
  if (user === undefined) return []
  const office = user.phone.replace('+5730', '+5731')
  return user.hasNoOffice ? [user.phone] : [user.phone, office]
}

export const parse: RequestHandler = express
  .Router()
  .use(express.json(), express.urlencoded({ extended: false }))

export const showAccount: RequestHandler = (req, res) => {
  res.json({ name: req.session.userId ?? req.session.pendingUserId })
}

/** What was sent, by the name of the sender. Each bank has people of its own, and a rehearsal looks at changes only. */
export const transfers = new Map<string, { amount: unknown; payee: unknown }[]>()

/** Sends money of the person whose session it is. */
export function sendMoney({ session, body }: Pick<Request, 'session' | 'body'>): void {
  const name = session.userId ?? session.pendingUserId ?? 'nobody'
  transfers.set(name, [...(transfers.get(name) ?? []), { amount: body?.amount, payee: body?.payee }])
}

export const transfer: RequestHandler = (req, res) => {
  sendMoney(req)
  res.json({ sent: req.body.amount, to: req.body.payee })
}

export const freeName =
  (users: ReadonlyMap<string, User>): RequestHandler =>
  (req, res, next) => {
    if (users.has(req.body.username)) res.status(409).json({ taken: req.body.username })
    else next()
  }

export function openAccount(users: Map<string, User>, req: Request, res: Response, phone: string): void {
  const { username: name, password } = req.body
  users.set(name, { name, password, phone })
  res.status(201).json({ name })
}

export const checkPassword =
  (users: ReadonlyMap<string, User>): RequestHandler =>
  (req, res, next) => {
    const { name, password } = req.body ?? {}
    if (password === undefined || users.get(name)?.password !== password) return void res.sendStatus(401)
    req.session.pendingUserId = name
    next()
  }

/** The plan of a bank whose transfer looks otherwise. */
export const withAction = (
  bank: RehearsalOptions<User>,
  action: Partial<RehearsalAction<User>>,
): RehearsalOptions<User> => ({
  ...bank,
  actions: (bank.actions ?? []).map((one) => ({ ...one, ...action })),
})

/** What `rehearse` has to know of a bank with this wiring. It ends with the test. */
export function createBank(
  sandbox: Sandbox,
  changes: Partial<Wiring> = {},
  store: Store = memoryStore(),
): RehearsalOptions<User> {
  const wiring = { ...rightWiring, ...changes }
  const users = new Map<string, User>()
  const options: TwoFactorOptions = {
    provider: providerCodes({
      // A silent provider must not make the tests slow.
      client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials, timeoutMs: 1_000 }),
      approvedStatuses: sandbox.approvedStatuses,
    }),
    appName: {
      login: 'Acme',
      signup: 'Acme signup',
      'new-number': 'Acme new number',
      account: 'Acme account',
      transfer: 'Acme transfer',
    },
    secret: 'a secret of thirty-two bytes or more',
    countries: ['CO'],
    subject: (req) => req.session.pendingUserId ?? req.session.userId,
    phone: (_req, subject) => numbersOf(users.get(subject)),
    onVerified: (req, _res, grant) => {
      req.session.userId = grant.subject
      delete req.session.pendingUserId
    },
    store,
    ...wiring.options({ users, sandbox }),
  }
  const tf = wiring.create(options)
  onTestFinished(() => tf.close())
  const app = express()
  const bank: Bank = { app, tf, users, sandbox, options, log: [] }
  app.use(
    session({ secret: 'session secret', resave: false, saveUninitialized: false, cookie: wiring.cookie }),
  )
  wiring.front(bank)
  const coverage = guardCoverage(tf)
  app.use(coverage.middleware)
  wiring.routes(bank)
  wiring.login(bank)
  wiring.account(bank)
  const settings = accountPages(tf, {
    path: '/settings',
    numbers: wiring.settings(bank),
    // Whatever was used, it has just been.
    lastUsed: (subject) => ({ [users.get(subject)?.phone ?? '']: new Date() }),
  })
  app.use('/settings', tf.requireTwoFactor(), settings)
  wiring.transfers(bank, wiring.guard)
  wiring.signOut(bank)
  app.post('/password', parse, wiring.passwordGuard(bank), (req, res, next) => {
    const user = users.get(req.session.userId ?? '')
    if (user === undefined) return void res.sendStatus(401)
    user.password = req.body.password
    wiring.changePassword(bank, user.name).then(() => res.json({ changed: true }), next)
  })
  const signup = tf.phoneVerification({ purpose: 'signup' })
  app.use('/signup/phone', signup.routes())
  wiring.signUp(bank, signup)
  app.use((error: Error, _req: Request, res: Response, _next: NextFunction) => {
    res.status(500).json({ failed: error.name })
  })

  const newUser = (index: number, kind: string): User => ({
    name: `${kind}-${index}`,
    password: `sesame-${index}`,
    phone: `+5730${kind === 'person' ? 1 : 2}${String(index).padStart(7, '0')}`,
  })
  return {
    app,
    sandbox,
    person(index) {
      const user = newUser(index, 'person')
      users.set(user.name, user)
      return user
    },
    signIn: (agent, { name, password }) => agent.post('/login', { name, password }),
    pages: ['/account'],
    account: '/settings',
    origins: ['https://app.acme.example'],
    actions: [
      {
        name: 'transfer',
        path: '/transfers',
        body: { amount: 5, payee: 'Luis' },
        changed: { amount: 999, payee: 'Eve' },
      },
    ],
    signOut: { name: 'sign-out', path: '/logout' },
    changePassword: { name: 'new password', path: '/password', body: { password: 'another' } },
    signUp: {
      path: '/signup/phone',
      account: {
        name: 'account',
        path: '/signup',
        body: ({ name, password }) => ({ username: name, password }),
      },
      newcomer: (index) => newUser(index, 'newcomer'),
      nameField: 'username',
    },
    logs: () => bank.log.join('\n'),
    all: true,
    state: ({ name }) => transfers.get(name) ?? [],
  }
}
