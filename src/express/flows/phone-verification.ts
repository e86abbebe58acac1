import type { Request, RequestHandler, Router } from 'express'
import type { Actor, BeforeSend, Challenges } from '../../challenge/commands.js'
import { hashId } from '../../challenge/keys.js'
import type { Enrolments } from '../../challenge/proofs/enrolment.js'
import { TwoFactorError } from '../../errors.js'
import { plainFactory, singleHandlers } from '../host/factory.js'
import { type SessionAdapter, sessionId } from '../host/session.js'
import { readSubject, type SubjectOf } from '../host/subject.js'
import { invalid, readChannel, text } from '../http/request-body.js'
import type { Flow, Handlers } from './handlers.js'
import type { Renew } from './renewal.js'

/** A number that the person in this session has just proven to hold. */
export interface ProvenPhone {
  /** E.164. */
  readonly phone: string
  /** Milliseconds since 1970. */
  readonly verifiedAt: number
}

/** Routes by which somebody proves a number that is not on file yet: at signup, at a change of number. */
export interface PhoneVerification {
  /**
   * All routes, to be mounted at a path of your choice.
   *
   * @example
   * app.use('/signup/phone', signup.routes())
   */
  routes(): Router
  start(): RequestHandler
  resend(): RequestHandler
  verify(): RequestHandler
  cancel(): RequestHandler
  status(): RequestHandler
  /**
   * Hands out the proven number, once, in the session that proved it. Rejects with a TwoFactorError
   * `second_factor_required` when there is none.
   *
   * @example
   * app.post('/signup', async (req, res) => {
   *   const { phone } = await signup.redeem(req)
   *   await users.create({ email: req.body.email, phone })
   *   res.redirect('/welcome')
   * })
   */
  redeem(req: Request): Promise<ProvenPhone>
}

/** The enrol lane: the number comes from the body of start and is remembered under the session. */
export function createEnrolFlow(parts: {
  readonly purpose: string
  readonly subjectOf: SubjectOf
  readonly addressOf: (req: Request) => string | undefined
  readonly sessions: SessionAdapter
  readonly renew: Renew
  readonly challenges: Challenges
  readonly enrolments: Enrolments
  readonly beforeSendOf: (req: Request) => BeforeSend | undefined
}): Flow {
  const { purpose, subjectOf, addressOf, sessions, renew, challenges, enrolments, beforeSendOf } = parts

  function requester(req: Request): Omit<Actor, 'phone'> {
    const session = sessionId(sessions, req)
    // Nobody is signed in at a signup: the session stands in for the subject.
    const subject = readSubject(subjectOf, req) ?? `visitor ${hashId(session)}`
    return { lane: 'enrol', subject, session, address: addressOf(req) }
  }

  return {
    async actor(req) {
      const who = requester(req)
      const enrolment = await enrolments.find(who.session)
      if (enrolment?.purpose !== purpose || enrolment.verifiedAt !== undefined) return undefined
      const { phone, country, visitor } = enrolment
      return { ...who, phone, country, visitor }
    },

    async start({ req, fields }) {
      const who = requester(req)
      const channel = readChannel(fields)
      const phone = text(fields, 'phone')
      if (phone === undefined) throw invalid('phone is missing.')
      const country = text(fields, 'country')?.toUpperCase()
      sessions.keep?.(req)
      const enrolment = { purpose, phone, country, visitor: await enrolments.visitor(who.session) }
      const outcome = await challenges.start({ ...who, ...enrolment, channel, beforeSend: beforeSendOf(req) })
      if (outcome.outcome !== 'refused') await enrolments.begin(who.session, enrolment)
      return outcome
    },

    approval:
      ({ req, res }) =>
      async ({ phone }) => {
        const { after, moved } = await renew(req, res)
        await moved
        const verifiedAt = await enrolments.prove(after, { purpose, phone })
        return { outcome: 'verified', purpose, verifiedAt }
      },
  }
}

export function createPhoneVerification(parts: {
  readonly purpose: string
  readonly handlers: Handlers
  readonly routes: () => Router
  readonly sessions: SessionAdapter
  readonly enrolments: Enrolments
}): PhoneVerification {
  const { purpose, handlers, routes, sessions, enrolments } = parts
  return {
    routes: plainFactory('routes', routes),
    start: plainFactory('start', () => handlers.start()),
    ...singleHandlers(handlers),
    async redeem(req) {
      const proven = await enrolments.redeem(sessionId(sessions, req), purpose)
      if (proven === undefined) throw new TwoFactorError('second_factor_required')
      return { phone: proven.phone, verifiedAt: proven.verifiedAt }
    },
  }
}
