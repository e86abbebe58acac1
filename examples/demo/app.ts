import { randomBytes } from 'node:crypto'
import express, { type Express, type RequestHandler } from 'express'
import session from 'express-session'
import { createClient, ownCodes, type TwoFactor, twoFactor } from 'express-two-factor'
import type { Sandbox } from 'express-two-factor/sandbox'
import { createAccounts, textOf } from './accounts.js'
import { bankRoutes } from './bank.js'
import { createPages } from './pages.js'
import { signupRoutes } from './signup.js'

declare module 'express-session' {
  interface SessionData {
    /** Known by password alone. */
    pendingUserId?: string
    /** Known by password and code. */
    userId?: string
  }
}

export interface Demo {
  readonly app: Express
  close(): Promise<void>
}

export interface DemoOptions {
  /** Whether the bank makes its codes itself and sends them as plain texts and calls. */
  readonly makesCodes: boolean
  /** Sees each request behind the session and in front of every route, as guard coverage has to. */
  readonly inFront?: (tf: TwoFactor) => RequestHandler
}

/** A small bank: sign-in with password and code, step-ups, and accounts for proven numbers. */
export function createDemo(
  { baseUrl, credentials, approvedStatuses, inboxUrl, clock }: Sandbox,
  { makesCodes, inFront }: DemoOptions = { makesCodes: false },
): Demo {
  const accounts = createAccounts()
  const pages = createPages(inboxUrl)

  const client = createClient({ baseUrl, ...credentials })
  const tf = twoFactor({
    ...(makesCodes
      ? { provider: ownCodes({ client, secret: secretOfThisRun(), origin: 'localhost' }) }
      : { provider: client, approvedStatuses }),
    appName: { login: 'Demo bank', signup: 'Demo bank signup' },
    secret: secretOfThisRun(),
    countries: ['BR', 'CO', 'ES', 'MX'],
    subject: (req) => req.session.pendingUserId ?? req.session.userId,
    phone: (_req, subject) => accounts.find(subject)?.phone,
    onVerified: (req, _res, { subject }) => {
      req.session.userId = subject
      delete req.session.pendingUserId
    },
    // The clock of the inbox page moves this app too, so that nobody needs to wait a cooldown out.
    now: () => clock.now(),
  })

  const checkPassword: RequestHandler = (req, res, next) => {
    const account = accounts.find(textOf(req.body, 'name'))
    if (account === undefined || account.password !== textOf(req.body, 'password')) {
      res.status(401).send(pages.login('That name and password do not belong together.'))
      return
    }
    req.session.pendingUserId = account.name
    next()
  }

  const app = express()
  app.use(
    session({
      secret: secretOfThisRun(),
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' },
    }),
  )
  if (inFront !== undefined) app.use(inFront(tf))
  app.use(express.json(), express.urlencoded({ extended: false }))
  app.use('/two-factor', tf.routes())

  app.get('/', (req, res) => {
    res.send(pages.home(req.session.userId))
  })
  app.get('/login', (_req, res) => {
    res.send(pages.login())
  })
  app.post('/login', checkPassword, tf.start({ purpose: 'login' }))
  // For programs, which start the challenge on their own.
  app.post('/password', checkPassword, (_req, res) => {
    res.json({ next: '/two-factor/start' })
  })
  app.post('/logout', async (req, res) => {
    await tf.grants.revoke(req)
    req.session.destroy(() => res.redirect(303, '/'))
  })

  app.use(bankRoutes(tf, accounts, pages))
  app.use('/signup', signupRoutes(tf, accounts, pages))
  return { app, close: () => tf.close() }
}

/** The accounts end with this run too. */
function secretOfThisRun(): string {
  return randomBytes(32).toString('base64')
}
