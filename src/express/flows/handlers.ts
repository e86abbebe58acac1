import type { Request, RequestHandler } from 'express'
import type {
  Actor,
  BeforeSend,
  Challenges,
  Refusal,
  SendCommand,
  Shown,
  StartOutcome,
  VerifyOutcome,
} from '../../challenge/commands.js'
import type { RecoveryOutcome } from '../../challenge/recovery.js'
import { httpStatusOf } from '../../errors.js'
import { acceptedChannel, challengeFor } from '../guard/accepted.js'
import type { Requirements } from '../guard/requirement.js'
import type { Resumption } from '../guard/resumption.js'
import type { Endpoint } from '../http/endpoint.js'
import { type Problem, rateLimitHeaders } from '../http/problems.js'
import {
  blocksCookies,
  flag,
  invalid,
  type RequestContext,
  readChannel,
  readCode,
  text,
} from '../http/request-body.js'
import { challengeDocument, isoTime, type Reply } from '../http/responder.js'
import type { Language } from '../pages/language.js'
import { createViews, type ViewParts, type Views } from '../pages/views.js'
import { createIntents } from './intent.js'

/** What was proven, when. */
export interface Verified {
  readonly outcome: 'verified'
  readonly purpose: string
  readonly verifiedAt: number
  /** Where this success leads when the request does not say so. */
  readonly successPath?: string | undefined
}

export type Approved = Extract<VerifyOutcome, { outcome: 'approved' }>

/** What the host has to say about a message that is to be sent. */
type HostSays = Pick<SendCommand, 'locale' | 'beforeSend'>

/** What sign-in and step-up on the one hand, and phone verification on the other, do in their own way. */
export interface Flow {
  /** Who acts on which number; undefined while no number is known. */
  actor(req: Request): Promise<Actor | undefined>
  start(context: RequestContext, hostSays: HostSays): Promise<StartOutcome | Verified>
  /** What the person was shown with the code that a request brings. */
  shown(context: RequestContext): Promise<Shown>
  /** Called before a code is verified; undefined while no number is known. */
  submission(context: RequestContext): Promise<Submission | undefined>
  /** Takes a recovery code in place of one by phone; absent where there are none. */
  recover?(context: RequestContext): Promise<Verified | Rejected | Refusal>
}

type Rejected = Extract<RecoveryOutcome, { outcome: 'rejected' }>

/** One code that is about to be verified. */
export interface Submission {
  readonly actor: Actor
  /** Records under a renewed session what was proven; refuses when a revocation came meanwhile. */
  approve(approved: Approved, trustDevice: boolean): Promise<Verified | Refusal>
}

export interface Handlers {
  start(purpose?: string): RequestHandler
  readonly resend: RequestHandler
  readonly verify: RequestHandler
  readonly cancel: RequestHandler
  readonly status: RequestHandler
}

export interface LaneParts extends Omit<ViewParts, 'actor' | 'intents'> {
  readonly flow: Flow
  readonly challenges: Challenges
  /** In the auth lane alone. */
  readonly requirements?: Requirements | undefined
  readonly endpoint: Endpoint
  readonly codePattern: RegExp
  /** The interrupted form that a page was opened for; in the auth lane alone. */
  readonly openForm?: Resumption['open'] | undefined
  readonly languageOf: (req: Request) => Language
  readonly beforeSend:
    | ((req: Request, ...asked: Parameters<BeforeSend>) => ReturnType<BeforeSend>)
    | undefined
}

/** Handlers and pages of one lane: sign-in and step-up, or one phone verification. */
export function createLane(parts: LaneParts): { readonly handlers: Handlers; readonly views: Views } {
  const { flow, challenges, endpoint, basePathOf, codePattern, languageOf, beforeSend, now } = parts
  const intents = createIntents(parts)
  const views = createViews({ ...parts, intents, actor: flow.actor })
  const shown = { page: intents.page, of: views.of }

  const hostSays = (req: Request): HostSays => ({
    locale: languageOf(req).locale,
    beforeSend: beforeSend && ((send) => beforeSend(req, send)),
  })

  function startReply(outcome: StartOutcome, status: number, context: RequestContext): Reply {
    if (outcome.outcome === 'refused') return refusal(outcome)
    const challenge = challengeFor(intents.of(context).demand, outcome.challenge)
    const resendInSeconds = Math.max(0, Math.ceil((challenge.resendAt - now()) / 1_000))
    const sent = (httpStatus: number, further: object): Reply => ({
      reply: 'done',
      status: httpStatus,
      headers: rateLimitHeaders('resend_too_soon', resendInSeconds),
      body: { challenge: challengeDocument(challenge, basePathOf(context.req), now()), ...further },
      location: () => intents.codePage(context),
    })
    if (outcome.outcome === 'already-sent') return sent(200, { alreadySent: true })
    return outcome.delivery === 'unconfirmed' ? sent(202, { delivery: 'unconfirmed' }) : sent(status, {})
  }

  async function begin(context: RequestContext): Promise<Reply> {
    if (blocksCookies(context)) return problem({ code: 'session_unavailable' })
    const back = intents.back(context)
    const outcome = await flow.start(context, hostSays(context.req))
    if (outcome.outcome === 'verified') return verifiedReply(outcome, back)
    return startReply(outcome, 201, context)
  }

  /** The button of a page whose code ran out meanwhile sends a new one for the same, unless the proof was given. */
  async function beginAnew(context: RequestContext, { phone, country }: Actor): Promise<Reply> {
    const gone: Problem = { code: 'challenge_gone' }
    if (!parts.wantsScreen(context.req)) return problem(gone)
    const { page } = await views.of(context, gone)
    if (page !== 'start' && page !== 'phone') return problem(gone)
    return begin({ ...context, fields: { ...context.fields, phone, ...(country && { country }) } })
  }

  async function recover(context: RequestContext): Promise<Reply> {
    if (flow.recover === undefined) throw invalid('Recovery codes are not enabled here.')
    if (text(context.fields, 'code') !== undefined) throw invalid('Send code or recoveryCode, not both.')
    const back = intents.back(context)
    const outcome = await flow.recover(context)
    if (outcome.outcome === 'refused') return refusal(outcome, 'recovery')
    return outcome.outcome === 'rejected' ? rejection(outcome, 'recovery') : verifiedReply(outcome, back)
  }

  const handlers: Handlers = {
    start(purpose) {
      // As if it had been asked for: a purpose that the app fixed goes before what the browser sends.
      function named(context: RequestContext): RequestContext {
        if (purpose === undefined) return context
        const { purpose: _asked, ...fields } = context.fields
        return { ...context, fields: purpose === parts.defaultPurpose ? fields : { ...fields, purpose } }
      }
      const shownForIt = {
        page: (context: RequestContext) => intents.page(named(context)),
        of: (context: RequestContext, problem?: Problem) => views.of(named(context), problem),
      }
      return endpoint('POST', shownForIt, (context) => begin(named(context)))
    },

    resend: endpoint('POST', shown, async (context) => {
      const { req, fields } = context
      const given = readChannel(fields)
      const actor = await flow.actor(req)
      const wasShown = await flow.shown(context)
      if (actor === undefined) return problem({ code: 'challenge_gone' })
      const asked = intents.of(context).demand
      const accepted = given === undefined ? undefined : acceptedChannel(given, [given], asked)
      if (accepted?.outcome === 'refused') return refusal(accepted)
      const outcome = await challenges.resend({
        ...actor,
        shown: wasShown,
        channel: accepted?.channel,
        ...hostSays(req),
      })
      const isGone = outcome.outcome === 'refused' && outcome.code === 'challenge_gone'
      return isGone ? beginAnew(context, actor) : startReply(outcome, 200, context)
    }),

    verify: endpoint('POST', shown, async (context) => {
      const { fields } = context
      if (Object.hasOwn(fields, 'recoveryCode')) return recover(context)
      const code = readCode(text(fields, 'code') ?? '', codePattern)
      if (code === undefined) throw invalid('code does not match the expected format.')
      const trustDevice = flag(fields, 'trustDevice')
      const submission = await flow.submission(context)
      const wasShown = await flow.shown(context)
      if (submission === undefined) return problem({ code: 'challenge_gone' })
      const back = intents.back(context)
      const outcome = await challenges.verify({ ...submission.actor, code, shown: wasShown })
      if (outcome.outcome === 'refused') return refusal(outcome)
      if (outcome.outcome === 'rejected') return rejection(outcome)
      const verified = await submission.approve(outcome, trustDevice)
      return verified.outcome === 'refused' ? refusal(verified) : verifiedReply(verified, back)
    }),

    cancel: endpoint('POST', shown, async (context) => {
      const actor = await flow.actor(context.req)
      if (actor !== undefined) await challenges.cancel(actor)
      return { reply: 'done', status: 204, location: () => intents.page(context) }
    }),

    status: endpoint('GET', shown, async (context) => {
      const resumed = await parts.openForm?.(context)
      if (resumed === undefined) return { reply: 'page', view: await views.of(context) }
      const status = resumed.form === undefined ? httpStatusOf.challenge_gone : 200
      return { reply: 'page', view: views.resume(context, resumed), status }
    }),
  }

  return { handlers, views }
}

function verifiedReply({ purpose, verifiedAt, successPath }: Verified, back: string | undefined): Reply {
  const returnTo = back ?? successPath
  const body = { verified: true, purpose, verifiedAt: isoTime(verifiedAt), ...(returnTo && { returnTo }) }
  return { reply: 'done', status: 200, body, location: () => returnTo ?? '/' }
}

function rejection({ attemptsRemaining, retryAfterMs }: Rejected, page?: Problem['page']): Reply {
  return problem({ code: 'code_not_accepted', attemptsRemaining, retryAfterMs, page })
}

function refusal(
  { code, retryAfterMs, reason, limit, detail, methods }: Refusal,
  page?: Problem['page'],
): Reply {
  return problem({ code, retryAfterMs, reason, limit, detail, page, ...(methods && { methods }) })
}

function problem(given: Problem): Reply {
  return { reply: 'problem', problem: given }
}
