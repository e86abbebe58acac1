import cluster from 'node:cluster'
import type { Request, RequestHandler, Router } from 'express'
import type { BeforeSend } from './challenge/commands.js'
import { openDomain } from './challenge/domain.js'
import type { Numbers } from './challenge/numbers.js'
import { type SelfTest, selfTest } from './challenge/self-test.js'
import { createEmit, type Emit } from './events.js'
import { addressOf } from './express/address.js'
import { createAnswers } from './express/answers.js'
import { createAppNames } from './express/app-names.js'
import { createEndpoint } from './express/endpoint.js'
import {
  type ChallengesFacade,
  createChallengesFacade,
  createGrantsFacade,
  createTrustedDevicesFacade,
  type GrantsFacade,
  type TrustedDevicesFacade,
} from './express/facades.js'
import { factory, plainFactory, singleHandlers } from './express/factory.js'
import { chosenPurpose, type PurposeChoice } from './express/factory-options.js'
import { createGuard } from './express/guard.js'
import { type GuardOptions, settleGuard } from './express/guard-options.js'
import { hostFunction } from './express/host-function.js'
import { createInspection } from './express/inspection.js'
import { createLane } from './express/lane.js'
import { createPageRenderer } from './express/page-renderer.js'
import { pageHeaders } from './express/pages/assets.js'
import {
  createEnrolFlow,
  createPhoneVerification,
  type PhoneVerification,
} from './express/phone-verification.js'
import { createRefusals } from './express/refusals.js'
import { createRenewal } from './express/renewal.js'
import { createIdentify } from './express/requester.js'
import { createRequirements } from './express/requirement.js'
import { safePath } from './express/return-path.js'
import { bodyParsers, createRouter } from './express/routes.js'
import { expressSession, sessionId } from './express/session.js'
import { createSignIn } from './express/sign-in.js'
import { createDeviceCookies } from './express/trusted-device.js'
import { createWarn, isCalledPerRequest, type Warn } from './express/warnings.js'
import { describeLimits } from './options/default-limits.js'
import { settleOptions, type TwoFactorOptions } from './options.js'
import { loadPhoneData } from './phone-number.js'
import { createCodeService } from './provider/code-adapter.js'
import { memoryStore } from './store/memory-store.js'
import type { Store } from './store/store.js'

/** Two-factor authentication for one app. */
export interface TwoFactor {
  /** All routes, to be mounted at the option `path`. */
  routes(): Router
  /** Starts a challenge; `purpose` fixes what for, else the body names it. */
  start(options?: PurposeChoice): RequestHandler
  resend(): RequestHandler
  verify(): RequestHandler
  cancel(): RequestHandler
  status(): RequestHandler
  /**
   * Lets a request pass that has a fresh grant for this purpose, and sets `req.twoFactor`.
   *
   * @example
   * app.post('/transfers', express.json(), tf.requireTwoFactor({
   *   purpose: 'transfer',
   *   once: true,
   *   bind: (req) => ({ amount: req.body.amount, payee: req.body.payee }),
   * }), transfer)
   */
  requireTwoFactor(options?: GuardOptions): RequestHandler
  /** Routes by which a number is proven that is not on file yet. `purpose` defaults to `signup`. */
  phoneVerification(options?: PurposeChoice): PhoneVerification
  readonly challenges: ChallengesFacade
  readonly grants: GrantsFacade
  readonly numbers: Numbers
  readonly trustedDevices: TrustedDevicesFacade
  /** The limits in force, as a Markdown table. */
  describeLimits(): string
  /**
   * Asks provider, store and clock whether codes can travel. Sends none.
   *
   * @example
   * const { ok, findings } = await tf.selfTest()
   * if (!ok) console.error(findings)
   */
  selfTest(): Promise<SelfTest>
  /** Closes the provider client, and the store when it is the default one. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Puts the parts together, once per app. Throws a TypeError that names the option and the fix.
 *
 * @example
 * const tf = twoFactor({
 *   provider: createClient({ baseUrl, client, key }),
 *   appName: 'Acme',
 *   approvedStatuses: ['verified'],
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
  const settings = settleOptions(options)
  const { codePattern, limits, path, provider } = settings
  const warn = createWarn()
  if (isCalledPerRequest()) warn('TWO_FACTOR_MADE_PER_REQUEST')
  // Loads in the background, so that the first request finds it there.
  void loadPhoneData()

  const emit = createEmit(settings.onEvent)
  const appNames = createAppNames(settings.appName)
  const domain = openDomain({
    ...settings,
    store: settings.store ?? openMemoryStore(settings.now, emit, warn),
    now: settings.now ?? Date.now,
    emit,
    // A check ends with the shorter of both, and the number is free soon after.
    limits: { ...limits, verifyTimeoutMs: Math.min(limits.verifyTimeoutMs, provider.timeoutMs) },
    codes: createCodeService(provider, { ...settings, ...limits }),
    appNameOf: appNames.of,
    deviceMaxAgeMs: settings.trustedDevices?.maxAgeMs ?? 0,
  })
  const { challenges, devices, enrolments, grants, keys, now, numbers, purposes, secrets, store } = domain

  const subjectOf = hostFunction(settings.subject)
  const phoneOf = hostFunction(settings.phone)
  const onVerified = hostFunction(settings.onVerified ?? (() => undefined))
  const beforeSend = settings.beforeSend && hostFunction(settings.beforeSend)
  const sessions = settings.session ?? expressSession()
  const identify = createIdentify(subjectOf, sessions)
  const requirements = createRequirements({
    secrets,
    sessionOf: (req) => sessionId(sessions, req),
    codeLifetimeMs: limits.codeLifetimeMs,
    now,
  })
  const deviceCookies = settings.trustedDevices && createDeviceCookies({ devices, purposes, now })
  const answers = createAnswers(createPageRenderer(settings), pageHeaders)
  const inspect = createInspection(warn)
  const { allowedOrigins } = settings
  const endpoint = createEndpoint({ answers, bodyParsers, allowedOrigins, inspect })

  // A signup that is under way when its session is renewed goes on; without signups nothing is asked.
  let enrolling = false
  const renew = createRenewal({
    sessions,
    emit,
    move: async (before, after) => {
      if (enrolling) await enrolments.move(before, after)
    },
  })
  const forFlows = {
    sessions,
    renew,
    challenges,
    addressOf: (req: Request) => addressOf(req, warn),
    beforeSendOf: (req: Request): BeforeSend | undefined => beforeSend && ((send) => beforeSend(req, send)),
  }
  const forLanes = {
    ...forFlows,
    endpoint,
    purposes,
    codePattern,
    countries: settings.countries === 'any' ? [] : settings.countries,
    attemptsPerChallenge: limits.attemptsPerChallenge,
    now,
  }
  const { handlers, views } = createLane({
    ...forLanes,
    lane: 'auth',
    requirements,
    flow: createSignIn({
      ...forFlows,
      requirements,
      identify,
      phoneOf,
      purposes,
      grants,
      devices: deviceCookies,
      onVerified,
    }),
    basePathOf: () => path,
    defaultPurpose: 'login',
    offersTrust: (purpose, demand) => deviceCookies?.serves(purpose) === true && demand?.byCode !== true,
  })

  function requireTwoFactor(guardOptions: GuardOptions = {}): RequestHandler {
    const guard = settleGuard(guardOptions, { purposes, longestMaxAgeMs: settings.longestMaxAgeMs })
    appNames.checkApart(purposes.all())
    const refusals = createRefusals(guard, { requirements, views, answers, path })
    return createGuard(guard, { identify, grants, refusals })
  }

  function phoneVerification(given: PurposeChoice = {}): PhoneVerification {
    const purpose = chosenPurpose('phoneVerification', given) ?? 'signup'
    purposes.forEnrolment(purpose)
    appNames.checkApart(purposes.all())
    enrolling = true
    const lane = createLane({
      ...forLanes,
      lane: 'enrol',
      flow: createEnrolFlow({ ...forFlows, purpose, subjectOf, enrolments }),
      basePathOf: (req) => safePath(req.baseUrl) ?? '',
      defaultPurpose: purpose,
      offersTrust: () => false,
    })
    const routes = () => createRouter(lane.handlers)
    return createPhoneVerification({ purpose, handlers: lane.handlers, routes, sessions, enrolments })
  }

  async function close(): Promise<void> {
    await Promise.all([provider.close(), settings.store === undefined && store.close?.()])
  }

  return {
    routes: plainFactory('routes', () =>
      createRouter(handlers, (req) => {
        if (req.baseUrl.toLowerCase() !== path.toLowerCase()) warn('TWO_FACTOR_PATH_DIFFERS')
      }),
    ),
    start: factory('start', (given: PurposeChoice = {}) => handlers.start(chosenPurpose('start', given))),
    ...singleHandlers(handlers),
    requireTwoFactor: factory('requireTwoFactor', requireTwoFactor),
    phoneVerification: factory('phoneVerification', phoneVerification),
    challenges: createChallengesFacade(challenges, codePattern),
    grants: createGrantsFacade({ grants, identify, purposes }),
    numbers,
    trustedDevices: createTrustedDevicesFacade(devices, deviceCookies, identify),
    describeLimits: () => describeLimits(limits),
    selfTest: () =>
      selfTest({
        balance: () => provider.balance(),
        store,
        inspect: async () => settings.store?.inspect?.() ?? [],
        keys,
        now,
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function openMemoryStore(now: (() => number) | undefined, emit: Emit, warn: Warn): Store {
  const isWorker = cluster.isWorker || process.env.NODE_APP_INSTANCE !== undefined
  if (isWorker) warn('TWO_FACTOR_SEVERAL_WORKERS')
  if (process.env.NODE_ENV === 'production') warn('TWO_FACTOR_MEMORY_STORE')
  return memoryStore({ ...(now && { now }), onPressure: (kind) => emit({ type: 'store.pressure', kind }) })
}
