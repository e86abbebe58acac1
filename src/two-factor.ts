import type { RequestHandler, Router } from 'express'
import { openDomain } from './challenge/domain.js'
import { createHealth } from './challenge/operator/health.js'
import { inspectStore } from './challenge/operator/self-test.js'
import type { SignatureFactor } from './challenge/reach/signer.js'
import { type Authenticators, createAuthenticators } from './express/flows/authenticators.js'
import { createOwnRoute, type OwnRoute } from './express/flows/own-route.js'
import {
  createPhoneVerification,
  type PhoneVerification,
  type PhoneVerificationOptions,
  verificationChecks,
} from './express/flows/phone-verification.js'
import { createRoutes } from './express/flows/routes.js'
import { createSignIn } from './express/flows/sign-in.js'
import { subjectsNamedBy } from './express/guard/coverage.js'
import { createGuard } from './express/guard/guard.js'
import { type GuardOptions, guardChecks, resolveGuard } from './express/guard/guard-options.js'
import { hostClock } from './express/host/boundary.js'
import { type ChallengesFacade, createChallengesFacade } from './express/host/challenges-facade.js'
import {
  createGrantsFacade,
  createRecoveryCodesFacade,
  createTrustedDevicesFacade,
  type GrantsFacade,
  hostRecoveryCodes,
  type RecoveryCodesFacade,
  type TrustedDevicesFacade,
} from './express/host/facades.js'
import { createOperator, type Operator } from './express/host/operator.js'
import { createEmit, createWarnings } from './express/host/warnings.js'
import { offerPath } from './express/http/passkey-offer.js'
import {
  createRouter,
  factory,
  type RoutesOptions,
  routesChecks,
  type StartOptions,
  startChecks,
} from './express/http/routes.js'
import { openHttp } from './express/http-parts.js'
import { passkeyOfferOf } from './lib/passkey-offer.js'
import { createBackground, ignoreRejection } from './lib/promises.js'
import { minuteMs, secondMs } from './lib/time.js'
import { describeLimits, resolveOptions, settingFindings } from './options/resolve.js'
import type { TwoFactorOptions } from './options.js'
import { loadPhoneData } from './phone-number.js'
import { transportLoaded } from './provider/send.js'
import { openDefaultStore } from './store/memory-store.js'

/** Two-factor authentication of one app. */
export interface TwoFactor extends Operator {
  /** Returns all routes. Mount them at the option `path`. */
  routes(options?: RoutesOptions): Router
  /** Starts a challenge like `POST /start`, after your sign-in form. Without `purpose`, the request body names the purpose. */
  start(options?: StartOptions): RequestHandler
  /**
   * Creates a guard. It lets a request pass if a fresh grant for its purpose exists, and sets `req.twoFactor`.
   *
   * @example
   * app.post('/transfers', express.json(), tf.requireTwoFactor({
   *   purpose: 'transfer',
   *   once: true,
   *   bind: (req) => ({ amount: req.body.amount, payee: req.body.payee }),
   * }), transfer)
   */
  requireTwoFactor(options?: GuardOptions): RequestHandler
  /** Creates routes that verify a number that is not on file yet. Default of `purpose`: `signup`. */
  phoneVerification(options?: PhoneVerificationOptions): PhoneVerification
  /**
   * Creates your own route, with the checks, look and language of the package's routes. Users must be signed in or
   * signing in. The route accepts one method, rejects other sites, parses the body and reports refusals.
   *
   * @example
   * app.get('/sessions', tf.requireTwoFactor(), tf.ownRoute('GET', async ({ subject }) => {
   *   const sessions = await sessionsOf(subject)
   *   return { title: 'Your sessions', content: listOf(sessions), body: { sessions } }
   * }))
   */
  readonly ownRoute: OwnRoute
  /** Challenges without a request, for GraphQL, websockets and jobs. */
  readonly challenges: ChallengesFacade
  /** Reads and revokes the grants that a success leaves behind, and writes one for your own factor. */
  readonly grants: GrantsFacade
  /** Lists and revokes browsers that replace the code at sign-in. */
  readonly trustedDevices: TrustedDevicesFacade
  /** Generates codes for users who lost the phone. The option `recoveryCodes` accepts them. */
  readonly recoveryCodes: RecoveryCodesFacade
  /** Adds an authenticator app. The option `authenticator` accepts its codes. */
  readonly authenticators: Authenticators
  /** Value of the option `passkeys`. */
  readonly passkeys: SignatureFactor | undefined
  /** Returns the limits in force as a Markdown table. */
  describeLimits(): string
  /**
   * Loads everything that the first sign-in needs. Await it before `listen`.
   *
   * It loads the numbering plans and the HTTP client. Rejects if a package cannot be loaded.
   *
   * @example
   * await tf.ready()
   * app.listen(3000)
   */
  ready(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates the two-factor authentication of an app. Call it once per app.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
 * @example
 * const tf = twoFactor({
 *   provider: providerCodes({ client: createClient({ baseUrl, client, key }), approvedStatuses: ['verified'] }),
 *   appName: 'Acme',
 *   secret: process.env.TWO_FACTOR_SECRET,
 *   countries: ['CO', 'MX'],
 *   subject: (req) => req.session.pendingUserId ?? req.session.userId,
 *   phone: (req, subject) => users.phoneOf(subject),
 *   onVerified: (req, res, grant) => { req.session.userId = grant.subject },
 * })
 * app.use('/two-factor', tf.routes())
 * app.use('/account', tf.requireTwoFactor(), account)
 */
export function twoFactor(options: TwoFactorOptions): TwoFactor {
  const settings = resolveOptions(options)
  const { limits, knownBrowsers } = settings
  const warnings = createWarnings()
  const { warn, hint } = warnings
  // Loads in the background, so that the first request does not wait for it.
  ignoreRejection(loadPhoneData())

  const clock = settings.now && hostClock(settings.now)
  const now = clock ?? Date.now
  const health = createHealth(now)
  const emit = health.over(createEmit(settings.onEvent, now, hint))
  const background = createBackground()
  const store = settings.store ?? openDefaultStore(clock, warn)

  const domain = openDomain({
    ...settings,
    background,
    store,
    now,
    emit,
    onUnlisted: (country = 'no country of a listed calling code') =>
      hint('TWO_FACTOR_COUNTRY_NOT_LISTED', country),
    knownMaxAgeMs: knownBrowsers === false ? 0 : knownBrowsers.maxAgeMs,
    trustedMaxAgeMs: settings.trustedDevices?.maxAgeMs ?? 0,
    recoveryCodes: settings.recoveryCodes && hostRecoveryCodes(settings.recoveryCodes),
  })
  const http = openHttp(settings, domain, warnings, background)
  const { pages, successPaths, passkeyOffer, mountCheck } = http
  const routes = createRoutes(http, createSignIn(http))
  const { handlers } = routes

  const operator = createOperator(domain, settings, {
    background,
    health: () => health.read(domain),
    findings: () => [...settingFindings(settings), ...health.findings(), ...warnings.findings()],
  })

  // Delayed, because the app's store may still be connecting. No other process reads a default store.
  const keepDeploymentRecord = (write: () => Promise<void>): Promise<void> =>
    write()
      .then(() => domain.restoreDeploymentRecord)
      .catch(() => write)
      .then((next) => background.after(minuteMs / 2, () => keepDeploymentRecord(next)))
  if (settings.store !== undefined) {
    background.after(secondMs, () => keepDeploymentRecord(domain.saveDeploymentRecord))
  }

  // Delayed for the reason above.
  background.after(minuteMs, async () => {
    const found = (await inspectStore(domain)).filter(({ code }) => code === 'store_evicts')
    // An attacker who fills a store that evicts live entries makes it forget a lock (brute force).
    if (found.length > 0) hint('TWO_FACTOR_STORE_EVICTS', found.map(({ message }) => message).join(' '))
  })

  const app: TwoFactor = {
    routes: factory('routes', routesChecks, ({ successPath }) => {
      successPaths.add('routes', undefined, successPath)
      const router = createRouter(handlers, pages, mountCheck.reached).get(offerPath, passkeyOffer.handler)
      mountCheck.made(router)
      return router
    }),
    start: factory('start', startChecks, ({ purpose, successPath }) => {
      if (purpose !== undefined) domain.purposes.checkStart(purpose)
      successPaths.add('start', purpose, successPath)
      return handlers.start(purpose)
    }),
    requireTwoFactor: factory('requireTwoFactor', guardChecks, (given) =>
      createGuard(http, routes, resolveGuard(given, domain.purposes, settings)),
    ),
    phoneVerification: factory('phoneVerification', verificationChecks, (given) =>
      createPhoneVerification(http, given),
    ),
    ownRoute: createOwnRoute(http, routes),
    challenges: createChallengesFacade(http),
    grants: createGrantsFacade(http),
    trustedDevices: createTrustedDevicesFacade(http),
    recoveryCodes: createRecoveryCodesFacade(domain),
    authenticators: createAuthenticators(http, routes),
    passkeys: settings.passkeys,
    describeLimits: () => describeLimits(limits),
    ...operator,
    async ready() {
      await Promise.all([loadPhoneData(), transportLoaded()])
    },
    [Symbol.asyncDispose]: operator.close,
  }
  subjectsNamedBy.set(app, http.subjectOf)
  mountCheck.offered(app.routes)
  passkeyOfferOf.set(app, passkeyOffer.set)
  return app
}
