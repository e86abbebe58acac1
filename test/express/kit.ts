import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import session, { type Store as SessionStore } from 'express-session'
import { onTestFinished } from 'vitest'
import {
  type CodeProvider,
  createClient,
  type ProviderCodesOptions,
  providerCodes,
  type TwoFactor,
  type TwoFactorOptions,
  twoFactor,
} from '../../src/index.js'
import { listening } from '../listening.js'
import { type ProviderStub, startProviderStub } from '../provider-stub.js'
import { Browser } from './browser.js'

declare module 'express-session' {
  interface SessionData {
    pendingUserId?: string
    userId?: string
    basket?: string
  }
}

export const phones: Readonly<Record<string, string>> = {
  ana: '+573001234567',
  ben: '+573007654321',
  eva: '+573009876543',
  // The same telephone as Ana's.
  ana2: '+573001234567',
}

/** A host app on a free port with a stub for a provider. Both end with the test. */
export interface Host {
  readonly url: string
  readonly app: Express
  readonly tf: TwoFactor
  readonly stub: ProviderStub
  /** What reached the host's own error handler. */
  readonly errors: unknown[]
  readonly clock: { now: number }
  /** A browser with no cookie yet. */
  browser(): Browser
  /** A browser that has given a password. */
  login(user?: string): Promise<Browser>
  /** A browser that has given a password and was sent a code. */
  challenged(user?: string): Promise<Browser>
  /** A browser that has given a password and a code. */
  signIn(user?: string): Promise<Browser>
}

export interface HostOptions {
  /** In place of a client of the stub: codes are sent and checked by it. */
  readonly provider?: ((stub: ProviderStub) => CodeProvider) | undefined
  readonly options?: Partial<TwoFactorOptions>
  readonly sessionStore?: SessionStore
  /** Routes besides those of every host, mounted last. */
  readonly mount?: (app: Express, tf: TwoFactor) => void
  /** In place of the routes of every host. */
  readonly routes?: (app: Express, tf: TwoFactor) => void
  /** In place of express-session. */
  readonly addSession?: (app: Express) => void
}

/** Codes of the stub, through a client of its own. */
export const stubCodes = (stub: ProviderStub, more: Partial<ProviderCodesOptions> = {}) =>
  providerCodes({
    client: createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k-canary' }),
    approvedStatuses: ['verified'],
    ...more,
  })

export const baseOptions = (stub: ProviderStub, clock: { now: number }): TwoFactorOptions => ({
  provider: stubCodes(stub),
  appName: { login: 'Acme', signup: 'Acme signup' },
  secret: 'a secret of thirty-two bytes or more',
  countries: ['CO', 'MX'],
  subject: (req) => req.session?.pendingUserId ?? req.session?.userId,
  phone: (_req, subject) => phones[subject],
  onVerified: (req, _res, grant) => {
    req.session.userId = grant.subject
    delete req.session.pendingUserId
  },
  now: () => clock.now,
})

export async function startHost(given: HostOptions = {}): Promise<Host> {
  const stub = await startProviderStub()
  const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
  const codes = given.provider && { provider: given.provider(stub) }
  const tf = twoFactor({ ...baseOptions(stub, clock), ...codes, ...given.options } as TwoFactorOptions)
  const errors: unknown[] = []

  const app = express()
  const addSession = given.addSession ?? ((host: Express) => host.use(expressSessions(given.sessionStore)))
  addSession(app)
  ;(given.routes ?? usualRoutes)(app, tf)
  given.mount?.(app, tf)
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    errors.push(error)
    res.status(500).json({ host: error instanceof Error ? error.message : String(error) })
  })

  const { origin: url, close } = await listening(app)
  onTestFinished(async () => {
    await close()
    await tf.close()
    await stub.close()
  })

  const host: Host = {
    url,
    app,
    tf,
    stub,
    errors,
    clock,
    browser: () => new Browser(url),
    async login(user = 'ana') {
      const browser = host.browser()
      await browser.post('/login', { user })
      return browser
    },
    async challenged(user) {
      const browser = await host.login(user)
      await browser.post('/two-factor/start', {})
      return browser
    },
    async signIn(user) {
      const browser = await host.challenged(user)
      await browser.post('/two-factor/verify', { code: stub.rightCode })
      return browser
    },
  }
  return host
}

function expressSessions(store: SessionStore | undefined) {
  return session({
    secret: 'session secret',
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
    ...(store && { store }),
  })
}

export function usualRoutes(app: Express, tf: TwoFactor): void {
  app.post('/login', express.json(), (req, res) => {
    req.session.pendingUserId = req.body.user
    req.session.basket = 'three apples'
    res.json({ ok: true })
  })
  app.post('/logout', async (req, res) => {
    await tf.grants.revoke(req)
    req.session.destroy(() => res.json({ ok: true }))
  })
  app.use('/two-factor', tf.routes())
  app.get('/account', tf.requireTwoFactor(), (req, res) => {
    res.json({
      subject: req.twoFactor?.grant.subject,
      userId: req.session.userId,
      basket: req.session.basket,
    })
  })
  app.post(
    '/transfers',
    express.json(),
    express.urlencoded({ extended: false }),
    tf.requireTwoFactor({
      purpose: 'transfer',
      once: true,
      bind: (req) => ({ amount: req.body.amount, payee: req.body.payee }),
    }),
    (req, res) => {
      res.json({ sent: req.body.amount, by: req.twoFactor?.grant.method })
    },
  )
}
