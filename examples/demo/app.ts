import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import express, { type Express, Router } from 'express'
import session from 'express-session'
import {
  type BrandOptions,
  createClient,
  memoryStore,
  ownCodes,
  providerCodes,
  type TwoFactor,
  type TwoFactorOptions,
  twoFactor,
} from 'express-two-factor'
import type { Sandbox } from 'express-two-factor/sandbox'
import { type Accounts, createAccounts } from './accounts.js'
import { createActivityLog } from './activity.js'
import { bankRoutes } from './bank.js'
import { createGuesses } from './guesses.js'
import { createPages, framed } from './pages.js'
import { securityRoutes } from './security.js'
import { signInRoutes } from './sign-in.js'
import { signupRoutes } from './signup.js'
import { stageRoutes, switchOf } from './stage.js'

declare module 'express-session' {
  interface SessionData {
    /** The password was verified, the code was not. */
    pendingUserId?: string
    /** Password and code were verified. */
    userId?: string
    /** Destination of the last code for each purpose. */
    sentTo?: Readonly<Record<string, string>>
  }
}

export interface Demo {
  readonly app: Express
  readonly accounts: Accounts
  close(): Promise<void>
}

export interface DemoOptions {
  /** If true, the bank generates its codes and sends them as plain texts and calls. */
  readonly makesCodes: boolean
}

const brands: Readonly<Record<string, BrandOptions>> = {
  meadow: { name: 'Demo bank', logoUrl: '/logo.svg', accent: '#0b6e4f' },
  dusk: { name: 'Demo bank', accent: '#7a2bbf', font: 'Georgia, serif', radius: 18 },
}

/**
 * Creates a small bank: sign-in with password and code, step-ups, trusted browsers, recovery codes, and sign-ups with a
 * verified number. The page at `/` shows it in a frame, beside the phone with the codes and the effects of each click.
 */
export function createDemo(
  { baseUrl, credentials, approvedStatuses, inboxUrl, inbox, clock }: Sandbox,
  { makesCodes }: DemoOptions = { makesCodes: false },
): Demo {
  const accounts = createAccounts()
  const activity = createActivityLog()
  const client = createClient({ baseUrl, ...credentials })
  const now = forward(clock)
  const store = memoryStore({ now })

  const options: TwoFactorOptions = {
    provider: makesCodes
      ? ownCodes({ client, secret: secretOfThisRun(), origin: 'localhost' })
      : providerCodes({ client, approvedStatuses }),
    appName: {
      login: 'Demo bank',
      signup: 'Demo bank signup',
      'new-number': 'Demo bank new number',
      account: 'Demo bank settings',
      transfer: 'Demo bank transfer',
    },
    secret: secretOfThisRun(),
    countries: ['CO', 'BR', 'ES', 'MX'],
    // One length, so that the page submits a code that the phone fills in.
    code: { pattern: /^\d{6}$/ },
    subject: (req) => req.session.pendingUserId ?? req.session.userId,
    phone(_req, subject) {
      const { numbers = [] } = accounts.find(subject) ?? {}
      // A list would show a choice, also with a single number.
      return numbers.length > 1 ? numbers : numbers[0]
    },
    authenticator: { secretOf: (_req, subject) => accounts.find(subject)?.app, issuer: 'Demo bank' },
    beforeSend(req, { purpose, destination }) {
      req.session.sentTo = { ...req.session.sentTo, [purpose]: destination }
      return true
    },
    onVerified: (req, _res, { subject, purpose, method, verifiedAt }) => {
      req.session.userId = subject
      delete req.session.pendingUserId
      const way = method === 'code' ? req.session.sentTo?.[purpose] : method
      if (way !== undefined) accounts.noteUse(subject, way, verifiedAt)
    },
    onCancelled: (req) => {
      delete req.session.pendingUserId
    },
    trustedDevices: { maxAgeMs: 30 * 24 * 60 * 60_000 },
    recoveryCodes: {
      consume: (subject, hash) => accounts.useRecoveryCode(subject, hash),
      remaining: (subject) => accounts.find(subject)?.recoveryHashes.size ?? 0,
    },
    onEvent: activity.onEvent,
    store: activity.watch(store),
    now,
  }

  /** Creates the bank with one brand. */
  function createBank(brand: BrandOptions): { readonly tf: TwoFactor; readonly router: Router } {
    const tf = twoFactor({
      ...options,
      pages: {
        brand,
        links: { signIn: '/login', home: '/bank' },
        locale: (req) => switchOf(req, 'language'),
        render: framed,
      },
    })
    const pages = createPages(brand)
    const router = Router()
    router.use('/two-factor', tf.routes())
    router.use(signInRoutes(tf, accounts, pages))
    router.use(bankRoutes(tf, accounts, pages))
    router.use(securityRoutes(tf, accounts))
    router.use('/signup', signupRoutes(tf, accounts, pages))
    router.use('/guesses', guesses.routes(pages))
    router.use((req, res) => void res.status(404).send(pages(req).notFound()))
    return { tf, router }
  }

  const guesses = createGuesses(accounts, { inbox, checks: activity.checks, changes: activity.changes })
  // All brands share store, secret and accounts, because the viewer may change the brand before entering a code.
  const banks = new Map(Object.entries(brands).map(([name, brand]) => [name, createBank(brand)]))
  const [first] = [...banks.values()] as [ReturnType<typeof createBank>]

  const app = express()
  app.use(express.static(publicFiles()))
  app.use(stageRoutes({ activity, inbox, inboxUrl, guesses, limits: first.tf.describeLimits() }))
  app.use(activity.middleware)
  app.use(
    session({
      secret: secretOfThisRun(),
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'lax' },
    }),
  )
  app.use(express.json(), express.urlencoded({ extended: false }))
  app.use((req, res, next) => {
    // After a sign-out, Back must not show the account again.
    res.set('Cache-Control', 'no-store')
    const { router } = banks.get(switchOf(req, 'brand') ?? '') ?? first
    router(req, res, next)
  })

  async function close(): Promise<void> {
    activity.close()
    for (const { tf } of banks.values()) await tf.close()
    await store.close?.()
  }
  return { app, accounts, close }
}

/**
 * Returns the time of the sandbox, so that the viewer can skip a cooldown. The time never goes back: after a reset of the
 * sandbox to the real time, a wait of a minute would otherwise last a day.
 */
function forward(clock: Sandbox['clock']): () => number {
  let seenMs = 0
  let aheadMs = 0
  return () => {
    const nowMs = clock.aheadMs()
    aheadMs += nowMs < seenMs ? nowMs : nowMs - seenMs
    seenMs = nowMs
    return Date.now() + aheadMs
  }
}

/** A random secret is enough, because the accounts end with this run, too. */
function secretOfThisRun(): string {
  return randomBytes(32).toString('base64')
}

/** Returns the folder in the source, because the built demo has no copy. */
function publicFiles(): string {
  const manifest = createRequire(import.meta.url).resolve('express-two-factor/package.json')
  return join(manifest, '../examples/demo/public')
}
