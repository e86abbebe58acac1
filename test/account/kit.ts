import type { Express, Request, RequestHandler } from 'express'
import { type AccountChange, type AccountPagesOptions, accountPages } from '../../src/account/index.js'
import type { TwoFactorOptions } from '../../src/index.js'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import type { Answer, Browser } from '../express/browser.js'
import { type Host, type HostOptions, phones, startHost, usualRoutes } from '../express/kit.js'

export const path = '/account/security'

/** What is on file of one account. */
export interface Filed {
  numbers: string[]
  app: string | undefined
  hashes: string[]
}

export interface AccountHost extends Host {
  /** What is on file, by account: Ana has one number, Eve nothing. */
  readonly filed: Record<string, Filed>
  /** What `onChanged` was told. */
  readonly told: AccountChange[]
}

export interface AccountHostOptions extends Omit<HostOptions, 'routes' | 'options'> {
  readonly options?: Partial<TwoFactorOptions>
  readonly pages?: Partial<AccountPagesOptions>
  /** Whether the pages are mounted behind the password alone. */
  readonly isBehindPassword?: true
  /** What Ana has: one number by default. */
  readonly numbers?: string[]
  readonly app?: boolean
  readonly hashes?: string[]
}

/** The secret of Ana's app. */
export const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

export const otherNumber = '+573007654321'
export const newNumber = '+573009876543'

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const anybody: RequestHandler = (_req, _res, next) => next()

/** A host whose accounts keep numbers, an app and recovery codes, with the pages behind its sign-in. */
export async function startAccounts(given: AccountHostOptions = {}): Promise<AccountHost> {
  const { pages, options, numbers = [String(phones.ana)], app: hasApp, hashes = [], ...more } = given
  const filed: Record<string, Filed> = {
    ana: { numbers, app: hasApp ? secret : undefined, hashes },
    eve: { numbers: [], app: undefined, hashes: [] },
  }
  const told: AccountChange[] = []
  const of = (subject: string) => filed[subject] as Filed
  const hasNone = (subject: string) => of(subject).numbers.length === 0 && of(subject).app === undefined
  const settings: Partial<TwoFactorOptions> = {
    appName: { login: 'Acme', 'new-number': 'Acme new number' },
    phone: (_req, subject) => of(subject).numbers,
    authenticator: { secretOf: (_req, subject) => of(subject).app, issuer: 'Acme' },
    recoveryCodes: {
      consume(subject, hash) {
        const found = of(subject).hashes.includes(hash)
        of(subject).hashes = of(subject).hashes.filter((one) => one !== hash)
        return found
      },
    },
    ...(options?.session?.bearer !== true && { trustedDevices: { maxAgeMs: 30 * 86_400_000 } }),
    ...options,
  }
  const host = await startHost({
    listens: true,
    ...more,
    options: settings,
    routes(app: Express, tf) {
      usualRoutes(app, tf)
      const signedIn = tf.requireTwoFactor({ exempt: (_req, subject) => hasNone(subject) })
      const recent = tf.requireTwoFactor({ maxAgeMs: 30 * 60_000 })
      app.get('/recent', recent, (_req, res) => void res.json({ recent: true }))
      app.get('/home', signedIn, (_req, res) => void res.json({ home: true }))
      app.use(
        path,
        given.isBehindPassword ? anybody : signedIn,
        accountPages(tf, {
          path,
          numbers: {
            list: (subject) => of(subject).numbers,
            save(subject, numbers, from) {
              const { numbers: now, app } = of(subject)
              if (!same(from, now) || (numbers.length === 0 && app === undefined)) return false
              of(subject).numbers = [...numbers]
              return true
            },
          },
          authenticator: {
            has: (subject) => of(subject).app !== undefined,
            save(subject, made) {
              of(subject).app = made
            },
            remove(subject) {
              if (of(subject).numbers.length === 0) return false
              of(subject).app = undefined
              return true
            },
          },
          recoveryCodes: {
            remaining: (subject) => of(subject).hashes.length,
            save(subject, hashes) {
              of(subject).hashes = [...hashes]
            },
          },
          onChanged: (_req: Request, change) => void told.push(change),
          ...pages,
        }),
      )
    },
  })
  return Object.assign(host, { filed, told })
}

/** A browser of Ana's that has given her password and a code by text. */
export async function signIn(host: AccountHost, verify: object = {}): Promise<Browser> {
  host.clock.now += 5 * 60_000
  const browser = await host.login()
  await host.confirm(browser, { channel: 'sms' }, verify)
  return browser
}

/** Asks for a change and gives the code for it, as a client that draws its own pages does. */
export async function confirmed(
  host: AccountHost,
  browser: Browser,
  factor: string,
  fields: object = {},
): Promise<Answer> {
  const refused = await browser.post(path + factor, fields)
  if (refused.status !== 403) return refused
  await prove(host, browser, refused.json.requirement)
  return browser.post(path + factor, fields)
}

/** Gives the code that a requirement asks for, from the number. */
export async function prove(host: AccountHost, browser: Browser, requirement: string): Promise<Answer> {
  // Codes of one number have a wait between them.
  host.clock.now += 5 * 60_000
  await browser.post('/two-factor/start', { requirement, channel: 'sms' })
  return browser.post('/two-factor/verify', { requirement, code: host.stub.rightCode })
}

/** The same by Ana's app, which costs no text. */
export async function proveByApp(host: AccountHost, browser: Browser, requirement: string): Promise<Answer> {
  host.clock.now += 30_000
  await browser.post('/two-factor/start', { requirement, channel: 'app' })
  return browser.post('/two-factor/verify', { requirement, code: shownByApp(host) })
}

/** What an app with this secret shows: Ana's by default. */
export const shownByApp = ({ clock }: AccountHost, of = secret): string =>
  codeOf(Math.floor(clock.now / 30_000), fromBase32(of) ?? Buffer.of())

/** Proves a new number, without adding it. */
export async function proveNumber(host: AccountHost, browser: Browser, phone = newNumber): Promise<void> {
  await browser.post(`${path}/number/start`, { phone })
  await browser.post(`${path}/number/verify`, { code: host.stub.rightCode })
}

/** What a screen reader reads of a page, line by line, with the paths under the pages that links and forms lead to. */
export const linesOf = ({ text }: Answer): readonly string[] =>
  (/<h1.*<\/main>/s.exec(text)?.[0] ?? '')
    .replaceAll('&#39;', "'")
    .replaceAll(`"${path}`, '"')
    .replaceAll(/<(?:a|form) [^>]*?(?:href|action)="([^"]*)"[^>]*>/g, '<a>[$1] ')
    .replaceAll(/<span aria-hidden="true".*?<\/span>/g, '')
    .replaceAll(/<\/?(span|bdi|button|input)[^>]*>/g, '')
    .split(/<[^>]*>/)
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')

/** The name of a number on file. */
export const idOf = async (browser: Browser, index: number): Promise<string> =>
  (await browser.get(path)).json.numbers[index].id
