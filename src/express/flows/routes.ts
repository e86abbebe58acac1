import type { Request } from 'express'
import type { Refusal, Rejection, RequesterContext, StartOutcome } from '../../challenge/commands.js'
import { appMethod, type Channel, kindOf, passkeyMethod } from '../../challenge/exchange/code-provider.js'
import { choicesOf } from '../../challenge/reach/destinations.js'
import { httpStatusOf } from '../../errors.js'
import { hostFunction } from '../../lib/host-function.js'
import { challengeFor, type PageIntent, readIntent, saysMoreThanPurpose } from '../guard/requirement.js'
import { isOurs } from '../host/boundary.js'
import { blocksCookies } from '../http/cookies.js'
import { type Problem, rateLimitHeaders } from '../http/problems.js'
import {
  type Body,
  invalid,
  type RequestContext,
  readChannel,
  readCodes,
  readField,
  readFlagField,
  readPasskey,
} from '../http/request-body.js'
import { challengeDocument, type HandlerResult, isoTime } from '../http/responder.js'
import type { Handlers } from '../http/routes.js'
import type { HttpParts } from '../http-parts.js'
import { type PageLink, pageUrl } from '../pages/links.js'
import { createViews } from '../pages/views.js'
import type { Flow, HostSays, Verified } from './flow.js'

/** The routes of one flow with the parts that guards need. */
export type Routes = ReturnType<typeof createRoutes>

/**
 * Creates the routes of one flow, each from its first step to its response. Before these steps, `endpoint` has checked
 * method, origin (CSRF) and body, and refused sessions with too many requests.
 */
export function createRoutes<Context extends RequesterContext>(http: HttpParts, flow: Flow<Context>) {
  const { domain, endpoint, languageOf, passkeyOffer, responder, settings } = http
  const { challenges, purposes, now } = domain
  const beforeSend = settings.beforeSend && hostFunction(settings.beforeSend)
  const onCancelled = settings.onCancelled && hostFunction(settings.onCancelled)
  const views = createViews(http, flow)
  const { fromBrowser, toBrowser } = http.sitePaths

  const requests = {
    async start(context: RequestContext): Promise<HandlerResult> {
      if (blocksCookies(context)) return problem({ code: 'session_unavailable' })
      const intent = intentOf(context)
      const outcome = await flow.start(context, intent, hostSays(context.req))
      return outcome.outcome === 'verified'
        ? success(outcome, context, intent)
        : sent(outcome, 201, context, intent)
    },

    async resend(context: RequestContext): Promise<HandlerResult> {
      const intent = intentOf(context)
      const channel = readChannel(context.fields, settings.methods)
      const actor = await flow.actor(context.req)
      const displayed = await flow.readDisplayed(context, intent)
      if (actor === undefined) return problem({ code: 'challenge_gone' })
      const methods = intent.requirement?.methods
      const outcome = await challenges.resend({
        displayed,
        channel,
        methods,
        ...hostSays(context.req),
        ...actor,
      })
      const isGone = outcome.outcome === 'refused' && outcome.code === 'challenge_gone'
      return isGone ? startAnew(context, actor) : sent(outcome, 200, context, intent)
    },

    async verify(context: RequestContext): Promise<HandlerResult> {
      if (Object.hasOwn(context.fields, 'recoveryCode')) return requests.recover(context)
      const intent = intentOf(context)
      const signature = settings.passkeys && readPasskey(context.fields)
      const typed = signature
        ? { code: undefined, signature }
        : readCodes(readField(context.fields, 'code') ?? '', settings)
      if (typed === undefined) throw invalid('code does not match the expected format.')
      const trustDevice = readFlagField(context.fields, 'trustDevice')
      const actor = await flow.actor(context.req)
      const displayed = await flow.readDisplayed(context, intent)
      if (actor === undefined) return problem({ code: 'challenge_gone' })
      const outcome = await challenges.verify({ displayed, ...typed, ...actor })
      if (outcome.outcome !== 'approved') return failure(outcome)
      const verified = await flow.approve(context, actor, outcome, trustDevice)
      if (verified.outcome !== 'verified') return failure(verified)
      const done = success(verified, context, intent)
      const hasOnlyNumbers = kindOf(outcome.channel) === 'code' && !actor.signer && !actor.secret
      // A saved form comes first.
      const isSignIn = flow.isSignIn({ ...intent, purpose: verified.purpose }) && !intent.requirement?.formId
      return isSignIn && hasOnlyNumbers && passkeyOffer.isDue(context) ? offering(done, context) : done
    },

    async recover(context: RequestContext): Promise<HandlerResult> {
      if (flow.recover === undefined) throw invalid('Recovery codes are not enabled here.')
      if (readField(context.fields, 'code') !== undefined)
        throw invalid('Send code or recoveryCode, not both.')
      const intent = intentOf(context)
      const outcome = await flow.recover(context, intent)
      return outcome.outcome === 'verified' ? success(outcome, context, intent) : failure(outcome, 'recovery')
    },

    async cancel(context: RequestContext): Promise<HandlerResult> {
      const { req, res } = context
      const intent = intentOf(context)
      const left = { ...intent, purpose: await endOf(context, intent) }
      if (flow.isSignIn(left)) await onCancelled?.(req, res)
      return {
        reply: 'done',
        status: 204,
        location: () => flow.wayOut(req, left) ?? pageOf(context, left),
      }
    },

    async status(context: RequestContext): Promise<HandlerResult> {
      const resumed = await flow.openForm?.(context)
      if (resumed === undefined) return { reply: 'page', view: await views.of(context) }
      const status = resumed.form === undefined ? httpStatusOf.challenge_gone : 200
      return { reply: 'page', view: views.resume(context, resumed), status }
    },
  }

  /** Cancels the displayed challenge, or any challenge if none is named. Returns its purpose. */
  async function endOf(context: RequestContext, intent: PageIntent): Promise<string | undefined> {
    const { challenge, purpose, issuedRequirement } = intent
    const isNamed = challenge !== undefined || purpose !== undefined
    try {
      const actor = await flow.actor(context.req)
      const displayed = isNamed ? { challenge, purpose, bound: issuedRequirement?.bound } : undefined
      const cancelled = actor && (await challenges.cancel(actor, displayed))
      return purpose ?? cancelled
    } catch (error) {
      // A user may always leave the page. A challenge that is not cancelled expires.
      const isStuck = !isOurs(error) || error.code === 'not_identified' || !responder.wantsPage(context.req)
      if (isStuck) throw error
      return purpose
    }
  }

  /**
   * Handles "Send a new code" on a page whose code expired: sends a new one for the same purpose, unless it was
   * verified.
   */
  async function startAnew(context: RequestContext, actor: RequesterContext): Promise<HandlerResult> {
    const gone: Problem = { code: 'challenge_gone' }
    // The destination of the expired code is not known any more, and with several it might differ from the page's.
    if (!responder.wantsScreen(context.req) || choicesOf(actor) > 1) return problem(gone)
    const { phone, country } = actor
    const { page } = await views.of(context, gone)
    if (page !== 'start' && page !== 'phone') return problem(gone)
    return requests.start({ ...context, fields: { ...context.fields, phone, ...(country && { country }) } })
  }

  const intentOf = (context: RequestContext): PageIntent =>
    readIntent(context, { requirements: flow.requirements, fromBrowser }, purposes)

  const hostSays = (req: Request): HostSays => ({
    locale: languageOf(req).locale,
    beforeSend: beforeSend && ((send) => beforeSend(req, send)),
  })

  function sent(
    outcome: StartOutcome,
    status: number,
    context: RequestContext,
    intent: PageIntent,
  ): HandlerResult {
    if (outcome.outcome === 'refused') return failure(outcome)
    const isAlreadySent = outcome.outcome === 'already-sent'
    const delivery = isAlreadySent ? outcome.challenge.delivery : outcome.delivery
    const unconfirmed = delivery !== 'sent'
    const challenge = challengeFor(intent.requirement, outcome.challenge)
    if (flow.name === 'auth') http.mountCheck.started(context.req)
    const resendInSeconds = Math.max(0, Math.ceil((challenge.resendAt - now()) / 1_000))
    return {
      reply: 'done',
      status: isAlreadySent ? 200 : unconfirmed ? 202 : status,
      headers: rateLimitHeaders('resend_too_soon', resendInSeconds),
      body: {
        challenge: challengeDocument(challenge, flow.basePathOf(context.req), now()),
        ...(challenge.publicKey && { publicKey: challenge.publicKey }),
        ...(isAlreadySent && { alreadySent: true }),
        ...(unconfirmed && { delivery: 'unconfirmed' }),
      },
      location() {
        if (flow.name === 'auth') http.mountCheck.sent(context.req)
        return codePage(context.req, intent, challenge.channel)
      },
    }
  }

  function success(
    verified: Verified,
    { req }: RequestContext,
    { requirement, returnTo: way }: PageIntent,
  ): Done {
    const { purpose, verifiedAt } = verified
    const formId = requirement?.formId
    const back = formId === undefined ? way : pageUrl(flow.basePathOf(req), { formId, returnTo: way })
    const returnTo = back ?? flow.successPathOf(purpose)
    const body = { verified: true, purpose, verifiedAt: isoTime(verifiedAt), ...(returnTo && { returnTo }) }
    return { reply: 'done', status: 200, body, location: () => returnTo ?? toBrowser('/') }
  }

  /** Leads a success through the page that offers a passkey. In JSON nothing changes. */
  const offering = (done: Done, context: RequestContext): HandlerResult => ({
    ...done,
    location: () => passkeyOffer.urlOf(context, flow.basePathOf(context.req), done.location()),
  })

  /** Returns the URL of the page with the current parameters. */
  function pageOf({ req }: RequestContext, { requirementToken, purpose, returnTo }: PageIntent): string {
    return pageUrl(flow.basePathOf(req), { requirement: requirementToken, purpose, returnTo })
  }

  /** Returns the URL of the page of a code that was just sent. */
  function codePage(req: Request, { requirement, purpose, returnTo }: PageIntent, channel: Channel): string {
    // If the purpose is enough, the URL never expires.
    const saysMore = requirement && saysMoreThanPurpose(requirement, purposes.find(requirement.purpose))
    const requirementToken = saysMore ? flow.requirements?.reissue(req, requirement) : undefined
    const method = pageMethodOf(channel)
    return pageUrl(flow.basePathOf(req), { requirement: requirementToken, purpose, returnTo, method })
  }

  /** Sends the code that a guard requires and returns its page, or undefined if the user must choose first. */
  async function startUnasked(context: RequestContext): Promise<Pick<PageLink, 'method'> | undefined> {
    try {
      const says = { isAutomatic: true, ...hostSays(context.req) } as const
      const outcome = await flow.start(context, intentOf(context), says)
      return outcome.outcome === 'started' ? { method: pageMethodOf(outcome.challenge.channel) } : undefined
    } catch (error) {
      if (!isOurs(error)) throw error
      return undefined
    }
  }

  /** A purpose that the app fixed overrides that of the browser. */
  const fixing = (purpose: string | undefined) => (fields: Body) => {
    if (purpose === undefined) return fields
    const { purpose: _given, ...others } = fields
    return purpose === flow.defaultPurpose ? others : { ...others, purpose }
  }

  const urlOf = (context: RequestContext) => pageOf(context, intentOf(context))
  const page = { of: views.of, urlOf }
  const handlers: Handlers = {
    start: (purpose) => endpoint('POST', page, requests.start, fixing(purpose)),
    resend: endpoint('POST', page, requests.resend),
    verify: endpoint('POST', page, requests.verify),
    cancel: endpoint('POST', page, requests.cancel),
    status: endpoint('GET', page, requests.status),
  }
  return { handlers, views, startUnasked }
}

type Done = Extract<HandlerResult, { readonly reply: 'done' }>

/** A challenge for which nothing is sent has its own page. */
const pageMethodOf = (channel: Channel): PageLink['method'] =>
  channel === appMethod ? 'app' : channel === passkeyMethod ? 'any' : undefined

function failure(outcome: Refusal | Rejection, page?: Problem['page']): HandlerResult {
  if (outcome.outcome === 'rejected') {
    const { outcome: _, ...facts } = outcome
    return problem({ code: 'code_not_accepted', ...facts, page })
  }
  const { code, retryAfterMs, reason, limit, detail, methods, delivery } = outcome
  return problem({ code, retryAfterMs, reason, limit, detail, page, methods, delivery })
}

function problem(given: Problem): HandlerResult {
  return { reply: 'problem', problem: given }
}
