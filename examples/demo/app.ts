import { randomBytes } from 'node:crypto'
import express, { type Express, type RequestHandler } from 'express'
import session from 'express-session'
import { createClient, ownCodes, providerCodes, type TwoFactor, twoFactor } from 'express-two-factor'
import type { Sandbox } from 'express-two-factor/sandbox'
import { type Accounts, createAccounts, textOf } from './accounts.js'
import { createActivityLog } from './activity.js'
import { assetRoutes, isAsset } from './assets.js'
import { bankRoutes } from './bank.js'
import { guessRoutes } from './guesses.js'
import { createLayout } from './layout.js'
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
  readonly accounts: Accounts
  close(): Promise<void>
}

export interface DemoOptions {
  /** Whether the bank makes its codes itself and sends them as plain texts and calls. */
  readonly makesCodes: boolean
  /** Sees each request behind the session and in front of every route, as guard coverage has to. */
  readonly inFront?: (tf: TwoFactor) => RequestHandler
}

/**
 * A small bank: sign-in with password and code, step-ups, trusted browsers, and accounts for proven numbers. A panel
 * beside each page shows what happens behind it.
 */
export function createDemo(
  { baseUrl, credentials, approvedStatuses, inboxUrl, inbox, clock }: Sandbox,
  { makesCodes, inFront }: DemoOptions = { makesCodes: false },
): Demo {
  const accounts = createAccounts()
  const activity = createActivityLog(isAsset)
  const layout = createLayout(inboxUrl, activity.list)
  const pages = createPages(layout, makesCodes ? 'the check of the bank' : 'the provider')

  const client = createClient({ baseUrl, ...credentials })
  const tf = twoFactor({
    provider: makesCodes
      ? ownCodes({ client, secret: secretOfThisRun(), origin: 'localhost' })
      : providerCodes({ client, approvedStatuses }),
    appName: { login: 'Demo bank', signup: 'Demo bank signup' },
    secret: secretOfThisRun(),
    countries: ['BR', 'CO', 'ES', 'MX'],
    subject: (req) => req.session.pendingUserId ?? req.session.userId,
    phone: (_req, subject) => accounts.find(subject)?.phone,
    onVerified: (req, _res, { subject }) => {
      req.session.userId = subject
      delete req.session.pendingUserId
    },
    trustedDevices: { maxAgeMs: 30 * 24 * 60 * 60_000 },
    pages: {
      brand: { name: 'Demo bank', logoUrl: '/logo.svg', accent: '#0b6e4f' },
      links: { signIn: '/login', home: '/' },
      render: (_view, { html, res }) => {
        // The panel asks for what is new.
        res.set('Content-Security-Policy', `${res.get('Content-Security-Policy')}; connect-src 'self'`)
        return layout.around(html)
      },
    },
    onEvent: activity.onEvent,
    // The clock of the inbox page moves this app too, so that nobody needs to wait a cooldown out.
    now: () => clock.now(),
  })

  const checkPassword: RequestHandler = (req, res, next) => {
    const account = accounts.find(textOf(req.body, 'name'))
    if (account === undefined || account.password !== textOf(req.body, 'password')) {
      res
        .status(401)
        .send(pages.login(textOf(req.body, 'returnTo'), 'That name and password do not belong together.'))
      return
    }
    req.session.pendingUserId = account.name
    next()
  }

  const app = express()
  app.use(assetRoutes(), activity.middleware)
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
  app.get('/login', (req, res) => {
    res.send(pages.login(textOf(req.query, 'returnTo')))
  })
  app.post('/login', checkPassword, tf.start({ purpose: 'login', successPath: '/account' }))
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
  app.use('/guesses', guessRoutes(accounts, pages, { inbox, checks: activity.checks }))
  app.get('/activity', (req, res) => {
    const revision = activity.revision()
    if (req.query.revision === String(revision)) res.status(204).end()
    else res.json({ revision, html: layout.entries() })
  })

  async function close(): Promise<void> {
    activity.close()
    await tf.close()
  }
  return { app, accounts, close }
}

/** The accounts end with this run too. */
function secretOfThisRun(): string {
  return randomBytes(32).toString('base64')
}
