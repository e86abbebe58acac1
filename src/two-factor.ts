import type { Request, RequestHandler, Router } from 'express'
import type { CodeProvider } from './challenge/code-provider.js'
import { openDomain } from './challenge/domain.js'
import { firstPurpose } from './challenge/purposes.js'
import { createHealth } from './challenge/watch/health.js'
import { createEmit } from './events.js'
import { createDeviceCookies } from './express/flows/device-cookies.js'
import { createLane } from './express/flows/handlers.js'
import { openPhoneLane } from './express/flows/phone-lane.js'
import type { PhoneVerification } from './express/flows/phone-verification.js'
import { createFindGrant } from './express/flows/proven.js'
import { createMoves, createRenewal } from './express/flows/renewal.js'
import { createSignIn } from './express/flows/sign-in.js'
import { nameSubjects } from './express/guard/coverage.js'
import { createShownChecks } from './express/guard/described.js'
import { createGuard } from './express/guard/guard.js'
import { type GuardOptions, resolveGuard } from './express/guard/guard-options.js'
import { createRefusals } from './express/guard/refusals.js'
import { createRequirements } from './express/guard/requirement.js'
import { createResumption } from './express/guard/resumption.js'
import { createAppNames } from './express/host/app-names.js'
import { hostClock, hostFunction } from './express/host/boundary.js'
import { createChallengesFacade } from './express/host/challenges-facade.js'
import { createGrantsFacade, createTrustedDevicesFacade } from './express/host/facades.js'
import { factory, plainFactory, singleHandlers } from './express/host/factory.js'
import {
  checkPurposeOptions,
  checkRoutesOptions,
  type PhoneVerificationOptions,
  type RoutesOptions,
  type StartOptions,
} from './express/host/factory-options.js'
import { createOperator } from './express/host/operator.js'
import { hostRecoveryCodes, recoveryCodesFacade } from './express/host/recovery-codes.js'
import { readSubject } from './express/host/requester.js'
import type { TwoFactor } from './express/host/two-factor.js'
import { createWarnings } from './express/host/warnings.js'
import { createWiring } from './express/host/wiring.js'
import { createAddressOf } from './express/http/address.js'
import { createEndpoint } from './express/http/endpoint.js'
import { createResponder } from './express/http/responder.js'
import { createSuccessPaths } from './express/http/return-path.js'
import { bodyParsers, createRouter } from './express/http/routes.js'
import { createFormFields } from './express/pages/form-fields.js'
import { createLanguageOf } from './express/pages/language.js'
import { createLinks } from './express/pages/links.js'
import { createPages } from './express/pages/pages.js'
import { createBackground } from './lib/background.js'
import { describeLimits } from './options/limits.js'
import { isCodeProvider } from './options/provider-option.js'
import { resolveOptions, type Settings } from './options/resolve.js'
import { settingFindings, statusFix } from './options/setting-findings.js'
import type { TwoFactorOptions } from './options.js'
import { loadPhoneData } from './phone-number.js'
import { providerCodes } from './provider/code-adapter.js'
import { openDefaultStore } from './store/default-store.js'

/**
 * Puts the parts together, once per app.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
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
  const settings = resolveOptions(options)
  const { allowedOrigins, codePattern, limits } = settings
  const provider = codeProviderOf(settings)
  const warnings = createWarnings()
  const { warn } = warnings
  if (settings.signupGuard.mode === 'enforce' && settings.beforeSend === undefined) {
    warn('TWO_FACTOR_ENFORCE_WITHOUT_BEFORE_SEND')
  }
  // Preloads in the background, so that the first request does not wait for it.
  void loadPhoneData()

  const clock = settings.now && hostClock(settings.now)
  const now = clock ?? Date.now
  const health = createHealth({ now, fixOf: (status) => statusFix(settings.approvedStatuses, status) })
  const emit = health.over(createEmit({ onEvent: settings.onEvent, now, warn }))
  const appNames = createAppNames(settings.appName)
  const background = createBackground()
  const wiring = createWiring(settings, warnings)
  const { subjectOf, sessions, identify, identifyLater, path, mounts, inFlight, hostTimeoutMs } = wiring
  // A client with a bearer token keeps no cookies.
  const knownBrowsers = !sessions.bearer && settings.knownBrowsers
  const domain = openDomain({
    ...settings,
    background,
    store: settings.store ?? openDefaultStore({ now: clock, emit, warn }),
    now,
    emit,
    // The shorter timeout ends a check, and the number is free soon after.
    limits: { ...limits, verifyTimeoutMs: Math.min(limits.verifyTimeoutMs, provider.timeoutMs ?? Infinity) },
    provider,
    appNameOf: appNames.of,
    knownMaxAgeMs: knownBrowsers === false ? 0 : knownBrowsers.maxAgeMs,
    trustedMaxAgeMs: settings.trustedDevices?.maxAgeMs ?? 0,
    recoveryCodes: settings.recoveryCodes && hostRecoveryCodes(settings.recoveryCodes, limits.hostTimeoutMs),
  })
  const { challenges, devices, enrolments, grants, hashBound, purposes, secrets } = domain

  const within = (name: string) => ({ name, timeoutMs: hostTimeoutMs })
  const requestOf = (req: Request) => req
  const requirements = createRequirements({
    secrets,
    namespace: settings.namespace,
    sessionOf: sessions.find,
    codeLifetimeMs: limits.codeLifetimeMs,
    now,
  })
  const keepsDevices = knownBrowsers !== false || (!sessions.bearer && settings.trustedDevices !== undefined)
  const deviceCookies = keepsDevices
    ? createDeviceCookies({ devices, purposes, namespace: settings.namespace, now })
    : undefined
  const languageOf = createLanguageOf({ ...settings, warn })
  const countries = settings.countries === 'any' ? [] : settings.countries
  const pages = createPages({ ...settings, languageOf, ...limits, countries, now })
  const responder = createResponder(pages)
  const endpoint = createEndpoint({ responder, bodyParsers, allowedOrigins, sessions, inFlight, warn })

  const { wantsPage } = responder
  const shownChecks = createShownChecks(warn)
  const addressOf = createAddressOf(warn)
  const resumption = createResumption({ ...domain, identify, wantsPage, bodyParsers, addressOf })

  const moves = createMoves({ ...wiring, ...settings, grants })
  const renewal = createRenewal({ ...wiring, emit, storeTimeoutMs: limits.storeTimeoutMs, moves })
  const forFlows = {
    sessions,
    renewal,
    grants,
    challenges,
    addressOf,
  }
  const forLanes = {
    ...forFlows,
    endpoint,
    languageOf,
    beforeSend:
      settings.beforeSend && hostFunction(settings.beforeSend, { ...within('beforeSend'), requestOf }),
    hostTimeoutMs,
    purposes,
    codePattern,
    countries,
    attemptsPerChallenge: limits.attemptsPerChallenge,
    codeLetters: settings.codeLetters,
    trustForMs: settings.trustedDevices?.maxAgeMs,
    linksOf: createLinks(settings.links),
    formFieldsOf: createFormFields(settings.formFields),
    wantsScreen: responder.wantsScreen,
    probesCookies: !sessions.bearer,
    codeLifetimeMs: limits.codeLifetimeMs,
    now,
  }
  const successPaths = createSuccessPaths()
  const { handlers, views } = createLane({
    ...forLanes,
    lane: 'auth',
    requirements,
    flow: createSignIn({
      ...forFlows,
      requirements,
      identify,
      phoneOf: hostFunction(settings.phone, { ...within('phone'), requestOf }),
      purposes,
      devices: deviceCookies,
      onVerified: settings.onVerified && hostFunction(settings.onVerified, within('onVerified')),
      successPaths,
      recover: domain.recover,
    }),
    findProven: createFindGrant({ ...forLanes, identify, requirements, successPaths }),
    basePathOf: path.of,
    defaultPurpose: firstPurpose,
    openForm: resumption.open,
    offersTrust: (purpose, demand) => deviceCookies?.serves(purpose) === true && demand?.requireCode !== true,
  })

  function requireTwoFactor(guardOptions: GuardOptions = {}): RequestHandler {
    const guard = resolveGuard(guardOptions, { ...settings, purposes })
    appNames.checkApart(purposes.all())
    shownChecks.guard(guard)
    if (guard.resume) moves.takeAlong(resumption.move)
    const forRefusals = { requirements, resumption, views, responder, languageOf, shownChecks }
    const refusals = createRefusals(guard, { ...wiring, ...forRefusals })
    return createGuard(guard, { ...wiring, grants, hashBound, refusals, resumption })
  }

  function routes(given: RoutesOptions = {}): Router {
    checkRoutesOptions(given)
    successPaths.add('routes', undefined, given.successPath)
    mounts.made('page')
    return createRouter(handlers, pages, mounts.checkHere)
  }

  function start(given: StartOptions = {}): RequestHandler {
    checkPurposeOptions('start', given)
    successPaths.add('start', given.purpose, given.successPath)
    mounts.made('start')
    return handlers.start(given.purpose)
  }

  function phoneVerification(given: PhoneVerificationOptions = {}): PhoneVerification {
    checkPurposeOptions('phoneVerification', given)
    const { purpose = 'signup', successPath } = given
    purposes.forEnrolment(purpose)
    appNames.checkApart(purposes.all())
    moves.takeAlong(enrolments.move)
    return openPhoneLane({ ...forLanes, purpose, successPath, subjectOf, enrolments, pages, responder })
  }

  const operator = createOperator({
    ...domain,
    health: () => health.read(domain),
    background,
    provider,
    ownsStore: settings.store === undefined,
    inspect: async () => settings.store?.inspect?.() ?? [],
    settings: () => [...settingFindings(settings, health.unapproved()), ...warnings.findings()],
  })

  async function close(): Promise<void> {
    moves.leave()
    await operator.close()
  }

  const app: TwoFactor = {
    routes: factory('routes', routes),
    start: factory('start', start),
    ...singleHandlers(handlers),
    status: plainFactory('status', () => {
      mounts.made('page')
      return handlers.status
    }),
    requireTwoFactor: factory('requireTwoFactor', requireTwoFactor),
    phoneVerification: factory('phoneVerification', phoneVerification),
    challenges: createChallengesFacade(challenges, { grants, hashBound, codePattern, requirements }),
    grants: createGrantsFacade({ grants, hashBound, identify: identifyLater, purposes }),
    trustedDevices: createTrustedDevicesFacade(devices, deviceCookies, identifyLater),
    recoveryCodes: recoveryCodesFacade,
    describeLimits: () => describeLimits(limits),
    ...operator,
    close,
    [Symbol.asyncDispose]: close,
  }
  nameSubjects(app, (req) => readSubject(subjectOf, req))
  return app
}

function codeProviderOf({ provider, ...settings }: Settings): CodeProvider {
  if (isCodeProvider(provider)) return provider
  const { approvedStatuses, rejectedCodes, accountErrorCodes, voice, callRetries, countryCode } = settings
  const rules = { approvedStatuses, rejectedCodes, accountErrorCodes }
  return providerCodes({ client: provider, ...rules, voice, callRetries, countryCode })
}
