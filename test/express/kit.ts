import { randomUUID } from 'node:crypto'
import cookieSession from 'cookie-session'
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import session, { type Store as SessionStore } from 'express-session'
import { beforeEach, onTestFinished } from 'vitest'
import {
  type CodeProvider,
  createClient,
  expressSession,
  memoryStore,
  type OwnAct,
  type ProviderCodesOptions,
  providerCodes,
  type SessionAdapter,
  type Store,
  type TwoFactor,
  type TwoFactorEvent,
  type TwoFactorOptions,
  tokenSession,
  twoFactor,
} from '../../src/index.js'
import { listening } from '../listening.js'
import { type ProviderStub, startProviderStub } from '../provider-stub.js'
import { type Answer, Browser } from './browser.js'

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
  /** What happened, at a host that listens. */
  readonly events: TwoFactorEvent[]
  readonly clock: { now: number }
  /** A browser with no cookie yet, or a client that sends these headers with every request. */
  browser(always?: Readonly<Record<string, string>>): Browser
  /** A browser that has given a password. */
  login(user?: string): Promise<Browser>
  /** A browser that has given a password and was sent a code. */
  challenged(user?: string): Promise<Browser>
  /** A browser that has given a password and a code. */
  signIn(user?: string): Promise<Browser>
  /** Asks for a code, types it, and returns what that is answered with. */
  confirm(browser: Browser, start?: object, verify?: object): Promise<Answer>
  /** Gives by forms the code that this requirement asks for. Returns where success leads. */
  ledBy(requirement: string | undefined, browser: Browser): Promise<string>
  /** From now on this happens while the provider checks a code. */
  whileChecked(happens: () => unknown): void
}

export interface HostOptions {
  /** In place of a client of the stub: codes are sent and checked by it. */
  readonly provider?: ((stub: ProviderStub) => CodeProvider) | undefined
  readonly options?: Partial<TwoFactorOptions>
  /** Without it, the host is warned of what it does not hear. */
  readonly listens?: true
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
    replacesCodes: true,
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
  // Its codes may be told apart by nothing but the app-name.
  const appName = { login: 'Acme', signup: 'Acme signup', transfer: 'Acme transfer' }
  const codes = given.provider && { provider: given.provider(stub), appName }
  const errors: unknown[] = []
  const events: TwoFactorEvent[] = []
  const listener = given.listens && { onEvent: (event: TwoFactorEvent) => void events.push(event) }
  const options = { ...baseOptions(stub, clock), ...codes, ...listener, ...given.options }
  const tf = twoFactor(options as TwoFactorOptions)

  const app = express()
  const addSession = given.addSession ?? ((host: Express) => host.use(expressSessions(given.sessionStore)))
  addSession(app)
  ;(given.routes ?? usualRoutes)(app, tf)
  given.mount?.(app, tf)
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    errors.push(error)
    if (res.headersSent) return
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
    events,
    clock,
    browser: (always) => new Browser(url, always),
    async login(user = 'ana') {
      const browser = host.browser()
      await browser.post('/login', { user })
      return browser
    },
    async challenged(user) {
      const browser = await host.login(user)
      await browser.start()
      return browser
    },
    async signIn(user) {
      const browser = await host.login(user)
      await host.confirm(browser)
      return browser
    },
    async confirm(browser, start, verify) {
      await browser.start(start)
      return browser.verify(stub.rightCode, verify)
    },
    async ledBy(requirement = '', browser) {
      await browser.submit('/two-factor/start', { requirement })
      const right = await browser.submit('/two-factor/verify', { requirement, code: stub.rightCode })
      return right.location
    },
    whileChecked(happens) {
      const { answerCheck } = stub
      stub.answerCheck = async (request) => {
        const answer = await answerCheck(request)
        await happens()
        return answer
      }
    },
  }
  return host
}

/** A host, and a browser in which Ana has come so far. */
const startWith = (come: 'login' | 'challenged' | 'signIn') => async (given?: HostOptions) => {
  const host = await startHost(given)
  return { host, ana: await host[come]() }
}

export const startLoggedIn = startWith('login')
export const startChallenged = startWith('challenged')
export const startSignedIn = startWith('signIn')

/** A host, and a browser with no cookie yet. */
export async function startVisit(given?: HostOptions) {
  const host = await startHost(given)
  return { host, visitor: host.browser() }
}

/** Sessions as the README mounts them. */
export function expressSessions(store?: SessionStore): RequestHandler {
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

/** The password was right, and it was Ana's. */
export const asAna: RequestHandler = (req, _res, next) => {
  req.session.pendingUserId = 'ana'
  next()
}

/** Responds, as what stands behind a guard. */
export const ok: RequestHandler = (_req, res) => void res.json({})

/** What a route of the host's own does behind a guard that it calls by hand. */
export const byHand =
  (guard: RequestHandler): OwnAct =>
  ({ req, res }) =>
    new Promise((resolve, reject) => {
      res.once('close', () => resolve(undefined))
      guard(req, res, (error) => (error ? reject(error) : resolve({ location: '/done', body: {} })))
    })

/** Routes that prove a number at this path, and a sign-up that takes the proof. */
export const signupAt =
  (path: string) =>
  (app: Express, tf: TwoFactor): void => {
    const signup = tf.phoneVerification()
    app.use(path, signup.routes())
    app.post('/signup', signup.requireProof(), (req, res) => void res.json(req.provenPhone))
  }

/** A host whose clients send a bearer token, and have no session that could be renewed. */
export const withTokens = (options: Partial<TwoFactorOptions> = {}) => ({
  addSession: () => undefined,
  options: {
    session: tokenSession((req: Request) => req.headers.authorization),
    subject: () => 'ana',
    onVerified: () => undefined,
    ...options,
  },
  routes(app: Express, tf: TwoFactor) {
    app.use('/two-factor', tf.routes())
    app.get('/account', tf.requireTwoFactor(), ok)
  },
})

/** What Ana's client sends with every request to such a host. */
export const anasToken = { authorization: 'Bearer ana' }

/** Whoever sends a request says in which session, as if every id that there ever was were known; a renewal gives "after". */
export const sessionByHeader: SessionAdapter = {
  id: (req) => req.get('x-session'),
  regenerate: (req) => {
    req.headers['x-session'] = 'after'
  },
}

/** Where a host with cookie-session keeps an id of its own. */
export const sidOf = (req: Request) => req.session as unknown as { sid?: string }

/** A host whose session is all in its cookie. */
export const withCookies = {
  addSession: (app: Express) => app.use(cookieSession({ name: 'cs', keys: ['a key'], sameSite: 'lax' })),
  options: {
    session: {
      id: (req) => sidOf(req)?.sid,
      regenerate(req) {
        sidOf(req).sid = randomUUID()
      },
      save(req) {
        sidOf(req).sid ??= randomUUID()
      },
    } satisfies SessionAdapter as SessionAdapter,
  },
}

/** express-session, whose renewal goes through a function that does it, or something else. */
export function renewedThrough(
  around: (renew: () => Promise<void>, res: Response) => unknown,
): SessionAdapter {
  const own = expressSession()
  return {
    ...own,
    async regenerate(req, res) {
      await around(async () => own.regenerate(req, res), res)
    },
  }
}

/** A store in memory whose every command goes through a function that does the work, or something else. */
export function storeThrough(
  around: (command: keyof Store, key: string, work: () => unknown, asked: readonly unknown[]) => unknown,
  well: Store = memoryStore(),
): Store {
  const through =
    (command: 'read' | 'swap' | 'increment') =>
    (...asked: readonly [key: string, ...unknown[]]) => {
      const work = () => (well[command] as (...all: readonly unknown[]) => unknown)(...asked)
      return around(command, asked[0], work, asked)
    }
  return {
    read: through('read'),
    swap: through('swap'),
    increment: through('increment'),
  } as Store
}

/** A store in memory, and what it was told, as text. */
export function recordingStore() {
  const told: string[] = []
  const store = storeThrough((_command, _key, work, asked) => {
    told.push(JSON.stringify(asked))
    return work()
  })
  return { store, told: () => told.join('\n') }
}

/** A store whose writes of one kind fail while it is armed. */
export function failingStore(kind: string) {
  let armed = false
  const store = storeThrough((command, key, work) => {
    if (armed && command === 'swap' && key.includes(`:${kind}:`)) throw new Error('down')
    return work()
  })
  return {
    store,
    arm(on = true) {
      armed = on
    },
  }
}

/** A promise, and what settles it. */
export function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** The id of the express-session that a browser is in. */
export const sessionIdOf = ({ cookies }: Browser): string =>
  /^s:([^.]+)/.exec(decodeURIComponent(cookies.get('connect.sid') ?? ''))?.[1] ?? ''

/** What a browser keeps to be recognized by, one cookie for each account. */
export const deviceCookies = ({
  cookies,
}: Pick<Browser, 'cookies'>): readonly [name: string, value: string][] =>
  [...cookies].filter(([name]) => name.startsWith('__Host-two-factor-device'))

/** Gives one browser what another is recognized by, or what that one kept earlier. */
export function bringDevice(to: Browser, from: Pick<Browser, 'cookies'>): Browser {
  for (const [name, value] of deviceCookies(from)) to.cookies.set(name, value)
  return to
}

/** A warning of this package, as the process is given it. */
interface Said extends Error {
  readonly code: string
  readonly detail: string
}

/** What each test of a file is warned of. */
export function hearWarnings() {
  const said: Said[] = []
  beforeEach(() => {
    said.length = 0
    const hear = (warning: Error) => void (warning.name === 'TwoFactorWarning' && said.push(warning as Said))
    process.on('warning', hear)
    return () => void process.off('warning', hear)
  })
  return {
    said,
    /** Waits for those that are on their way. */
    async codes() {
      await new Promise((resolve) => setImmediate(resolve))
      return said.map(({ code }) => code)
    },
  }
}
