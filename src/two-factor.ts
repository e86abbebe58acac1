import cluster from 'node:cluster'
import type { Request, RequestHandler, Router } from 'express'
import { createChallenges } from './challenge/challenges.js'
import type { BeforeSend, Numbers } from './challenge/commands.js'
import { createDevices } from './challenge/devices.js'
import { createEnrolments } from './challenge/enrolment.js'
import { createGrants } from './challenge/grants.js'
import { createKeys } from './challenge/keys.js'
import { createPurposes, type Purpose } from './challenge/purposes.js'
import { createSecrets } from './challenge/secrets.js'
import { type SelfTest, selfTest } from './challenge/self-test.js'
import { withStoreDeadline } from './challenge/store-access.js'
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
import { createGuard } from './express/guard.js'
import { type GuardOptions, settleGuard } from './express/guard-options.js'
import { createHandlers, type Flow } from './express/handlers.js'
import { createInspection } from './express/inspection.js'
import { createPageRenderer } from './express/page-renderer.js'
import { pageHeaders } from './express/pages/assets.js'
import {
  createEnrolFlow,
  createPhoneVerification,
  type PhoneVerification,
} from './express/phone-verification.js'
import { createRefusals } from './express/refusals.js'
import { createIdentify } from './express/requester.js'
import { createRequirements } from './express/requirement.js'
import { safePath } from './express/return-path.js'
import { bodyParsers, createRouter } from './express/routes.js'
import { createRenewal, expressSession, sessionId } from './express/session.js'
import { createSignIn } from './express/sign-in.js'
import { createDeviceCookies } from './express/trusted-device.js'
import { createViews, type Views } from './express/views.js'
import { createWarn, isCalledPerRequest, type Warn } from './express/warnings.js'
import { describeLimits } from './options/default-limits.js'
import { type Settings, settleOptions, type TwoFactorOptions } from './options.js'
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
  const domain = openDomain(settings, warn)
  const { appNames, challenges, devices, enrolments, grants, keys, now, numbers, purposes, secrets, store } =
    domain
  // Loads in the background, so that the first request finds it there.
  void loadPhoneData()

  const sessions = settings.session ?? expressSession()
  const identify = createIdentify(settings.subject, sessions)
  const requirements = createRequirements(secrets, now)
  const deviceCookies = settings.trustedDevices && createDeviceCookies({ devices, purposes, now })
  const answers = createAnswers(createPageRenderer(settings), pageHeaders)
  const endpoint = createEndpoint({
    answers,
    bodyParsers,
    allowedOrigins: settings.allowedOrigins,
    inspect: createInspection(warn),
  })

  // A signup that is under way when its session is renewed goes on; without signups nothing is asked.
  let enrolling = false
  const renew = createRenewal(sessions, async (before, after) => {
    if (enrolling) await enrolments.move(before, after)
  })
  const { beforeSend } = settings
  const forFlows = {
    sessions,
    renew,
    challenges,
    addressOf: (req: Request) => addressOf(req, warn),
    beforeSendOf: (req: Request): BeforeSend | undefined => beforeSend && ((send) => beforeSend(req, send)),
    demandOf: (req: Request, token: string) => requirements.read(token, sessionId(sessions, req)),
  }
  const signIn = createSignIn({
    ...forFlows,
    identify,
    phoneOf: settings.phone,
    purposes,
    grants,
    devices: deviceCookies,
    onVerified: settings.onVerified ?? (() => undefined),
  })
  const forViews = {
    find: challenges.find,
    purposes,
    codePattern,
    countries: settings.countries === 'any' ? [] : settings.countries,
    attemptsPerChallenge: limits.attemptsPerChallenge,
    now,
  }
  const views = createViews({
    ...forViews,
    lane: 'auth',
    basePathOf: () => path,
    actor: signIn.actor,
    defaultPurpose: 'login',
    demandOf: forFlows.demandOf,
    offersTrust: (purpose, demand) => deviceCookies?.serves(purpose) === true && demand?.byCode !== true,
  })
  const handlersOf = (flow: Flow, flowViews: Views) =>
    createHandlers({ ...forFlows, flow, views: flowViews, endpoint, codePattern })
  const handlers = handlersOf(signIn, views)

  const configured = new Map(settings.purposes.map((purpose) => [purpose.name, purpose]))
  const purposeOf = (name: string): Purpose =>
    configured.get(name) ?? {
      name,
      maxAgeMs: name === 'login' ? limits.loginMaxAgeMs : limits.maxAgeMs,
      once: false,
      channels: settings.channels,
      trustedDevice: false,
      startable: true,
    }
  for (const name of configured.keys()) appNames.claim('auth', name)

  function requireTwoFactor(guardOptions: GuardOptions = {}): RequestHandler {
    const guard = settleGuard(guardOptions, {
      purposes,
      purposeOf,
      longestMaxAgeMs: settings.longestMaxAgeMs,
    })
    appNames.claim('auth', guard.purpose)
    const refusals = createRefusals(guard, { requirements, views, answers, path })
    return createGuard(guard, { identify, grants, refusals })
  }

  function phoneVerification(given: PurposeChoice = {}): PhoneVerification {
    const purpose = chosenPurpose('phoneVerification', given) ?? 'signup'
    if (purposes.find(purpose)?.startable) {
      throw new TypeError(
        `phoneVerification: purpose ${purpose} is one of sign-in or step-up; take another name`,
      )
    }
    appNames.claim('enrol', purpose)
    configured.set(purpose, purposes.declare({ ...purposeOf(purpose), startable: false }))
    enrolling = true
    const flow = createEnrolFlow({ ...forFlows, purpose, subjectOf: settings.subject, enrolments })
    const flowViews = createViews({
      ...forViews,
      lane: 'enrol',
      basePathOf: (req) => safePath(req.baseUrl) ?? '',
      actor: flow.actor,
      defaultPurpose: purpose,
      demandOf: () => undefined,
      offersTrust: () => false,
    })
    const flowHandlers = handlersOf(flow, flowViews)
    const routes = () => createRouter(flowHandlers)
    return createPhoneVerification({ purpose, handlers: flowHandlers, routes, sessions, enrolments })
  }

  async function close(): Promise<void> {
    await Promise.all([provider.close(), settings.store === undefined && store.close?.()])
  }

  return {
    routes: made('routes', () => {
      return createRouter(handlers, (req) => {
        if (req.baseUrl.toLowerCase() !== path.toLowerCase()) warn('TWO_FACTOR_PATH_DIFFERS')
      })
    }),
    start: made('start', (given: PurposeChoice = {}) => handlers.start(chosenPurpose('start', given))),
    resend: made('resend', () => handlers.resend),
    verify: made('verify', () => handlers.verify),
    cancel: made('cancel', () => handlers.cancel),
    status: made('status', () => handlers.status),
    requireTwoFactor: made('requireTwoFactor', requireTwoFactor),
    phoneVerification: made('phoneVerification', phoneVerification),
    challenges: createChallengesFacade(challenges, codePattern),
    grants: createGrantsFacade({ grants, identify, purposes, purposeOf }),
    numbers,
    trustedDevices: createTrustedDevicesFacade(devices, deviceCookies, identify),
    describeLimits: () => describeLimits(limits),
    selfTest: () =>
      selfTest({
        balance: () => provider.balance(),
        store,
        inspect: () => settings.store?.inspect?.(),
        keys,
        now,
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The parts that know no HTTP. */
function openDomain(settings: Settings, warn: Warn) {
  const { limits } = settings
  const now = settings.now ?? Date.now
  const emit = createEmit(settings.onEvent)
  const opened = settings.store ?? openMemoryStore(settings.now, emit, warn)
  const store = withStoreDeadline(opened, limits.storeTimeoutMs, emit)
  const secrets = createSecrets(settings.secret)
  const keys = createKeys(settings.namespace, secrets)
  const purposes = createPurposes(settings.purposes)
  const appNames = createAppNames(settings.appName)
  const parts = { store, keys, secrets, purposes, limits, now, emit }
  const { numbers, ...challenges } = createChallenges({
    ...parts,
    codes: createCodeService(settings.provider, { ...settings, ...limits }),
    countries: settings.countries,
    appNameOf: appNames.of,
  })
  return {
    ...parts,
    appNames,
    numbers,
    challenges,
    grants: createGrants(parts),
    enrolments: createEnrolments(parts),
    devices: createDevices({ ...parts, maxAgeMs: settings.trustedDevices?.maxAgeMs ?? 0 }),
  }
}

function openMemoryStore(now: (() => number) | undefined, emit: Emit, warn: Warn): Store {
  const isWorker = cluster.isWorker || process.env.NODE_APP_INSTANCE !== undefined
  if (isWorker) warn('TWO_FACTOR_SEVERAL_WORKERS')
  if (process.env.NODE_ENV === 'production') warn('TWO_FACTOR_MEMORY_STORE')
  return memoryStore({ ...(now && { now }), onPressure: (kind) => emit({ type: 'store.pressure', kind }) })
}

/** Express calls a middleware with three arguments: whoever gets them was not called by the host. */
function made<Args extends readonly unknown[], Made>(
  name: string,
  make: (...args: Args) => Made,
): (...args: Args) => Made {
  return (...args) => {
    if (args.length > 1)
      throw new TypeError(`${name} was handed over uncalled: write ${name}() instead of ${name}`)
    return make(...args)
  }
}

interface PurposeChoice {
  readonly purpose?: string
}

/** A misspelt name would leave the choice to the browser. */
function chosenPurpose(where: string, given: PurposeChoice): string | undefined {
  const { purpose, ...others } = given
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`${where}: ${unknown} is no option; it takes purpose`)
  if (purpose !== undefined && (typeof purpose !== 'string' || purpose === '')) {
    throw new TypeError(`${where}: purpose must be a text that is not empty`)
  }
  return purpose
}
