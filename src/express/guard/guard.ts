import type { Request, RequestHandler, Response } from 'express'
import type { Details } from '../../challenge/exchange/code-provider.js'
import type { Grant } from '../../challenge/proofs/grants.js'
import type { GrantQuery } from '../../challenge/proofs/stored-grant.js'
import { hostFunction } from '../../lib/host-function.js'
import { carriesPrototype } from '../../lib/json.js'
import { optionError } from '../../lib/options.js'
import { ignoreRejection, isThenable } from '../../lib/promises.js'
import { isTypeError } from '../../lib/realms.js'
import type { Routes } from '../flows/routes.js'
import { isOurs, middleware } from '../host/boundary.js'
import { carriesBearer } from '../host/session.js'
import { isOwnForm } from '../http/origin.js'
import { type Problem, problemOf, tooManyAtOnce } from '../http/problems.js'
import { type Body, hasBody, invalid, parseBytesLeft, wasParsed } from '../http/request-body.js'
import { isRepeatable } from '../http/site-paths.js'
import type { HttpParts } from '../http-parts.js'
import { pageUrl, signInUrl } from '../pages/links.js'
import { createBodyErrors } from './body-errors.js'
import { noteGuarded } from './coverage.js'
import { readDetails } from './details.js'
import type { GuardSettings } from './guard-options.js'
import { refuseMissingBody } from './missing-body.js'

/** A request that reached the guard. */
interface GuardRequest {
  readonly req: Request
  readonly res: Response
  readonly grantQuery: GrantQuery
  /** Id of the saved form that it posts again. */
  readonly formId: string | undefined
}

/** Creates the guard of one route. With a synchronous store it needs no promise. After any failure it refuses. */
export function createGuard(http: HttpParts, routes: Routes, settings: GuardSettings): RequestHandler {
  const { sessions } = http
  const stepUp = createGuardDecision(http, routes, settings)
  const signIn = settings.signIn && createGuardDecision(http, routes, settings.signIn)
  const unless = settings.unless && hostFunction(settings.unless)

  /** After the guard, a parser may find fields that `unless` has not seen, and a copy of the body may inherit them. */
  const isUnread = (req: Request) =>
    carriesPrototype(req.body) || (settings.bind !== undefined && hasBody(req) && !wasParsed(req))

  function decide(req: Request, res: Response): boolean | Promise<boolean> {
    const isSpared = signIn !== undefined && unless !== undefined && !isUnread(req) && isSparedBy(unless, req)
    return isSpared ? signIn(req, res) : stepUp(req, res)
  }

  return middleware(function requireTwoFactor(req, res) {
    const opened = sessions.open(req)
    return opened === undefined ? decide(req, res) : opened.then(() => decide(req, res))
  })
}

/** Returns whether a request needs no step-up. Only `true` counts, so that a mistake requires the code. */
function isSparedBy(unless: (req: Request) => unknown, req: Request): boolean {
  let isSpared: unknown
  try {
    isSpared = unless(req)
  } catch (error) {
    // A field of a body that is missing, or that no parser has read.
    if (isTypeError(error) && !wasParsed(req)) return false
    throw error
  }
  if (isThenable(isSpared)) {
    ignoreRejection(isSpared)
    throw optionError(
      'requireTwoFactor: unless returned a promise; it must return true or false synchronously',
    )
  }
  return isSpared === true
}

/** Creates the decision of a guard about one request. */
function createGuardDecision(
  http: HttpParts,
  routes: Routes,
  settings: GuardSettings,
): (req: Request, res: Response) => boolean | Promise<boolean> {
  const { sessions, identified, requirements, resumption, responder, path, mountCheck, warn, hint } = http
  const { fromApp, toBrowser, returnPathOf, pageBefore } = http.sitePaths
  const { grants, hashBoundFields } = http.domain
  const { requirement, once, formPath, isStepUp, resume, sendAtOnce } = settings
  const { maxAgeMs, ...proof } = requirement
  const { purpose, requireCode, recoveryCode, methods } = proof
  const bind = settings.bind && hostFunction(settings.bind)
  const exempt = settings.exempt && hostFunction(settings.exempt)
  const describe = settings.describe && hostFunction(settings.describe)
  const continueAt = settings.continueAt && hostFunction(settings.continueAt)
  const explainBodyError = createBodyErrors({ hint, warn }, bind)
  const isAsked = typeof sendAtOnce === 'function' ? hostFunction(sendAtOnce) : () => false
  const formPathOf = typeof formPath === 'function' ? hostFunction(formPath) : () => formPath
  const readOrTakeGrant = once ? grants.take : grants.read

  function boundTo(req: Request): string | undefined {
    if (bind === undefined) return undefined
    // The app could read an inherited amount, although a copy of the fields in `bind` does not contain it.
    if (carriesPrototype(req.body)) throw invalid('A field must not be named "__proto__".')
    try {
      return hashBoundFields(bind(req))
    } catch (error) {
      // Adapters of serverless platforms leave bytes that the app's parser skips.
      if (!isTypeError(error) || !parseBytesLeft(req))
        throw refuseMissingBody(req, error, () => bind(req)) ?? explainBodyError(req, error)
    }
    try {
      return hashBoundFields(bind(req))
    } catch (error) {
      throw explainBodyError(req, error)
    }
  }

  function applyGrant(visit: GuardRequest, grant: Grant | undefined): boolean | Promise<boolean> {
    if (grant === undefined) return refuse(visit)
    const { req, grantQuery, formId } = visit
    req[noteGuarded]?.()
    req.twoFactor = { grant }
    return formId === undefined || resumption.admitted(grantQuery, formId).then(() => true)
  }

  async function refuse(visit: GuardRequest): Promise<boolean> {
    const { req, res, grantQuery, formId } = visit
    const leave = sessions.enter(grantQuery.session, res)
    if (leave === undefined) return respond(req, res, tooManyAtOnce)
    try {
      // An account with a factor must sign in with it, whatever the app returns.
      const mayBeExempt = exempt !== undefined && !(await http.hasFactor(req, grantQuery.subject))
      if (mayBeExempt && (await exempt(req, grantQuery.subject)) === true) {
        req[noteGuarded]?.()
        return true
      }
      // The requirement is valid for this session only, so the next request must have its id.
      await sessions.save(req, res)
      const isSent = formId !== undefined && (await resumption.forget(grantQuery, formId))
      // After a second click or a reload, no other code is paid for. Its page shows the state.
      if (isSent && responder.wantsPage(req)) {
        responder.redirect(res, pageUrl(path, { formId, returnTo: fromApp(formPathOf(req)) }))
        return false
      }
      return await demandProof(visit)
    } catch (error) {
      return await fail(req, res, error)
    } finally {
      leave()
    }
  }

  /** Responds with the requirement, or redirects to the page. */
  async function demandProof({ req, res, grantQuery }: GuardRequest): Promise<false> {
    const wantsPage = responder.wantsPage(req)
    const toPage = isRepeatable(req) && wantsPage
    const startUrl = `${path}/start`
    refuseCircle(toBrowser(req.baseUrl + req.path), toPage ? path : startUrl)
    const details = await detailsOf(req, grantQuery)
    const formPage = formPathOf(req)
    const next = wantsPage ? fromApp(continueAt?.(req)) : undefined
    const returnTo = next ?? returnPathOf(req, formPage)
    const pageLeft = isRepeatable(req) ? pageBefore(req, path) : returnPathOf(req, formPage)
    const cameFrom = next === undefined ? pageLeft : (fromApp(formPage) ?? pageLeft)
    const formId = resume ? await resumption.keep(req, grantQuery, details) : undefined
    const { subject, bound } = grantQuery
    const completes = next === undefined ? undefined : true
    const remembered = { formId, details, returnTo, completes, ...(isStepUp && { cameFrom }) }
    const wanted = { ...proof, subject, bound, isStepUp, ...remembered }
    const issuedToken = requirements.issue(req, wanted)
    const fields = { requirement: issuedToken }
    const sends = wantsPage && sendAtOnce !== false && (isOwnForm(req) || isAsked(req) === true)
    const started = sends ? await routes.startUnasked({ req, res, fields }) : undefined
    const requirementToken = started === undefined ? issuedToken : requirements.reissue(req, wanted)
    if (toPage) {
      mountCheck.sent(req)
      responder.redirect(res, pageUrl(path, { requirement: requirementToken, ...started }))
      return false
    }
    const destinations = wantsPage ? undefined : await routes.views.destinationsFor(req, wanted)
    const problem: Problem = {
      code: 'second_factor_required',
      purpose,
      maxAgeMs,
      requirement: requirementToken,
      startUrl,
      methods,
      destinations,
      details,
      ...(carriesBearer(req) && stepUpChallenge(maxAgeMs)),
    }
    return respond(req, res, problem, { requirement: requirementToken, ...started })
  }

  async function detailsOf(req: Request, grantQuery: GrantQuery): Promise<Details | undefined> {
    if (describe === undefined) return undefined
    const { locale } = http.languageOf(req)
    try {
      const details = readDetails(await describe(req, { locale }))
      http.checkShown({ ...grantQuery, locale }, details)
      return details
    } catch (error) {
      throw refuseMissingBody(req, error, () => describe(req, { locale })) ?? explainBodyError(req, error)
    }
  }

  /** Responds with the requirement. A page without one would offer a code for a sign-in. */
  async function respond(req: Request, res: Response, problem: Problem, fields?: Body): Promise<false> {
    const view = (final: Problem) => {
      if (fields !== undefined) return routes.views.of({ req, res, fields }, final)
      // A function is not called: it may read the body that is refused.
      const formPage = typeof formPath === 'string' ? formPath : undefined
      return routes.views.formless({ req, res, fields: { returnTo: returnPathOf(req, formPage) } }, final)
    }
    await responder.send(req, res, { reply: 'problem', problem }, view)
    return false
  }

  async function fail(req: Request, res: Response, error: unknown): Promise<false> {
    if (!isOurs(error)) throw error
    const problem = problemOf(error)
    const signIn = problem.code === 'not_identified' ? signInFor(req) : undefined
    if (signIn === undefined) return respond(req, res, problem)
    responder.redirect(res, signIn)
    return false
  }

  /** Returns the sign-in page for a browser, with the return path. Undefined if the app has no such page. */
  function signInFor(req: Request): string | undefined {
    if (!isRepeatable(req) || !responder.wantsPage(req)) return undefined
    const { signIn } = http.linksOf(req)
    if (signIn === undefined) return undefined
    // A guard in front of the sign-in page would redirect forever, whatever the origin is.
    const { pathname } = new URL(signIn, 'http://localhost')
    return pathname === toBrowser(req.baseUrl + req.path) ? undefined : signInUrl(signIn, returnPathOf(req))
  }

  return function decideRequest(req, res) {
    try {
      const formId = resume ? resumption.claim(req) : undefined
      // The requester is identified first, because `bind` may rely on it.
      const { subject, session } = identified(req)
      const bound = boundTo(req)
      // Named one by one: a spread would cost half as much as the rest of a pass (Node 20).
      const grantQuery: Required<GrantQuery> = {
        subject,
        session,
        purpose,
        bound,
        maxAgeMs,
        requireCode,
        recoveryCode,
        methods,
      }
      const visit = { req, res, grantQuery, formId }
      // Express runs the GET handler for HEAD. A HEAD would either use up the grant that the GET needs, or run the
      // handler any number of times.
      const found = once && req.method === 'HEAD' ? undefined : readOrTakeGrant(grantQuery)
      if (!(found instanceof Promise)) return applyGrant(visit, found)
      return found.then(
        (grant) => applyGrant(visit, grant),
        (error) => fail(req, res, error),
      )
    } catch (error) {
      return fail(req, res, error)
    }
  }
}

/** Throws if the guard protects the page to which it redirects, which would be an endless redirect. */
function refuseCircle(requested: string, target: string): void {
  const given = requested.replace(/\/$/, '')
  if (given.toLowerCase() !== target.toLowerCase()) return
  throw optionError(
    `requireTwoFactor() guards its own routes at ${target}: mount tf.routes() before the guard`,
  )
}

/** Returns the challenge for a client whose token is too old or too weak (RFC 9470). */
function stepUpChallenge(maxAgeMs: number): Pick<Problem, 'status' | 'headers'> {
  const challenge =
    'Bearer error="insufficient_user_authentication", ' +
    'error_description="A fresh second factor is required", ' +
    `max_age="${Math.floor(maxAgeMs / 1_000)}"`
  return { status: 401, headers: { 'WWW-Authenticate': challenge } }
}
