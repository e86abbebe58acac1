import type { Request, RequestHandler, Response, Router } from 'express'
import { type Actor, type Challenges, refused } from '../../challenge/commands.js'
import { hashId } from '../../challenge/keys.js'
import type { Enrolments } from '../../challenge/proofs/enrolment.js'
import type { Grants, OpenSubject } from '../../challenge/proofs/grants.js'
import { TwoFactorError } from '../../errors.js'
import { isOurs, middleware } from '../host/boundary.js'
import { plainFactory, singleHandlers } from '../host/factory.js'
import { readSubject, type Sessions, type SubjectOf } from '../host/requester.js'
import type { AddressOf } from '../http/address.js'
import { type Problem, problemOf } from '../http/problems.js'
import { invalid, readChannel, text } from '../http/request-body.js'
import type { Flow, Handlers } from './handlers.js'
import type { ProvenPhone } from './proven.js'
import type { Renewal } from './renewal.js'

/** Routes that prove a number not on file yet: at signup, at a change of number. */
export interface PhoneVerification {
  /**
   * All routes, to be mounted at a path of your choice.
   *
   * @example
   * app.use('/signup/phone', signup.routes())
   */
  routes(): Router
  /** `POST /start` as a single handler: sends a code to the number in the body. */
  start(): RequestHandler
  /** `POST /resend` as a single handler. */
  resend(): RequestHandler
  /** `POST /verify` as a single handler. Success makes the number redeemable in this session. */
  verify(): RequestHandler
  /** `POST /cancel` as a single handler. */
  cancel(): RequestHandler
  /** `GET /` as a single handler: the live challenge or the page. Never sends. */
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
  /**
   * The proven number without redeeming it, by the same rules; undefined when there is none. For a guard that asks for
   * a code before the number is used: `bind` and `describe` are called with `req`, so put it there first. What this
   * request redeems afterwards is this very number, or nothing.
   *
   * @example
   * const readNumber: RequestHandler = (req, res, next) => {
   *   newNumber.proven(req).then((proven) => {
   *     req.provenPhone = proven
   *     proven === undefined ? res.redirect('/number/code') : next()
   *   }, next)
   * }
   */
  proven(req: Request): Promise<ProvenPhone | undefined>
  /**
   * `redeem` as a middleware: sets `req.provenPhone`, and responds with 403 `second_factor_required` itself, as
   * a page where a browser asks for one.
   *
   * @example
   * app.post('/signup', signup.requireProof(), async (req, res) => {
   *   await users.create({ email: req.body.email, phone: req.provenPhone?.phone })
   *   res.redirect('/welcome')
   * })
   */
  requireProof(): RequestHandler
}

declare global {
  namespace Express {
    interface Request {
      /** Set by `requireProof`. */
      provenPhone?: ProvenPhone | undefined
    }
  }
}

/** The enrol lane: the number comes from the body of start and is remembered under the session. */
export function createEnrolFlow(parts: {
  readonly purpose: string
  readonly successPath: string | undefined
  readonly subjectOf: SubjectOf
  readonly addressOf: AddressOf
  readonly sessions: Sessions
  readonly renewal: Renewal
  readonly grants: Grants
  readonly challenges: Challenges
  readonly enrolments: Enrolments
}): Flow {
  const { purpose, successPath, subjectOf, addressOf, sessions, renewal, challenges, grants, enrolments } =
    parts

  interface Enrollee {
    readonly session: string
    /** Undefined at an anonymous signup. */
    readonly signedIn: string | undefined
  }

  const enrolleeOf = (req: Request): Enrollee => ({
    session: sessions.idOf(req),
    signedIn: readSubject(subjectOf, req),
  })

  /** Only what a signed-in subject began can be revoked. */
  const recordOf = ({ session, signedIn }: Enrollee) =>
    signedIn === undefined ? undefined : grants.open({ subject: signedIn, session })

  async function actorOf(
    req: Request,
    enrollee: Enrollee,
    record: OpenSubject | undefined,
  ): Promise<Actor | undefined> {
    const { session, signedIn } = enrollee
    const enrolment = await enrolments.find(session)
    if (enrolment?.purpose !== purpose || enrolment.verifiedAt !== undefined) return undefined
    // IDOR: begun by another account that was signed in here before.
    if (enrolment.subject !== undefined && enrolment.subject !== signedIn) return undefined
    const { phone, country, visitor } = enrolment
    return { ...requester(req, enrollee), phone, country, visitor, epoch: record?.epoch }
  }

  function requester(req: Request, { session, signedIn }: Enrollee): Omit<Actor, 'phone'> {
    // Anonymous at a signup: the session stands for the subject.
    const subject = signedIn ?? `visitor ${hashId(session)}`
    return { lane: 'enrol', subject, anonymous: signedIn === undefined, session, ...addressOf(req) }
  }

  return {
    async actor(req) {
      const enrollee = enrolleeOf(req)
      return actorOf(req, enrollee, recordOf(enrollee))
    },

    async start({ req, res, fields }, hostSays) {
      const enrollee = enrolleeOf(req)
      const { session, signedIn } = enrollee
      const channel = readChannel(fields)
      const phone = text(fields, 'phone')
      if (phone === undefined) throw invalid('phone is missing.')
      const country = text(fields, 'country')?.toUpperCase()
      const { visitor, begin } = enrolments.open(session)
      const outcome = await challenges.start({
        ...requester(req, enrollee),
        ...hostSays,
        onPassed: () => sessions.keep(req, res),
        channel,
        phone,
        country,
        visitor,
        purpose,
        epoch: recordOf(enrollee)?.epoch,
      })
      if (outcome.outcome !== 'refused') {
        await begin({ purpose, phone, country, visitor: await visitor, subject: signedIn })
      }
      return outcome
    },

    async shown({ fields }) {
      // A guard requires none of these proofs.
      if (text(fields, 'requirement') !== undefined) throw invalid('requirement is invalid.')
      return { challenge: text(fields, 'challenge'), purpose: text(fields, 'purpose') ?? purpose }
    },

    async submission({ req, res }) {
      const enrollee = enrolleeOf(req)
      const record = recordOf(enrollee)
      const actor = await actorOf(req, enrollee, record)
      if (actor === undefined) return undefined
      return {
        actor,
        async approve({ phone }) {
          if (await record?.isRevoked()) return refused('challenge_gone')
          const { before, after, provisional, moved } = await renewal.renew(req, res)
          try {
            await moved
            // A subject that proves another number stays signed in.
            if (enrollee.signedIn !== undefined && !provisional) {
              await grants.move(enrollee.signedIn, before, after)
            }
            const epoch = await record?.epoch
            const proof = await enrolments.prove(after, {
              purpose,
              phone,
              provisional,
              subject: enrollee.signedIn,
              epoch,
            })
            if (proof === undefined) return refused('challenge_gone')
            // A revocation that came while the session was renewed must not leave a proof behind.
            if (await record?.isRevoked()) {
              await enrolments.redeem(after, purpose, enrollee.signedIn)
              return refused('challenge_gone')
            }
            // The response is a success either way; the next request shall find the proof.
            await proof.confirm().catch(() => undefined)
            return { outcome: 'verified', purpose, verifiedAt: proof.verifiedAt, successPath }
          } catch (error) {
            await renewal.abandon(req, res)
            throw error
          }
        },
      }
    },
  }
}

export function createPhoneVerification(parts: {
  readonly purpose: string
  readonly handlers: Handlers
  readonly routes: () => Router
  readonly subjectOf: SubjectOf
  readonly sessions: Sessions
  readonly enrolments: Enrolments
  /** Responds to a request without a proof. */
  readonly refuse: (req: Request, res: Response, problem: Problem) => Promise<void>
}): PhoneVerification {
  const { purpose, handlers, routes, subjectOf, sessions, enrolments, refuse } = parts
  const shown = new WeakMap<Request, ProvenPhone | undefined>()

  async function proven(req: Request): Promise<ProvenPhone | undefined> {
    await sessions.open(req)
    const session = sessions.find(req)
    const subject = readSubject(subjectOf, req)
    const proof = session === undefined ? undefined : await enrolments.peek(session, purpose, subject)
    shown.set(req, proof)
    return proof
  }

  /** Race: another number could be proven between the guard that asked about one and its use. */
  function isShown(req: Request, { phone, verifiedAt }: ProvenPhone): boolean {
    const before = shown.get(req)
    return !shown.has(req) || (before?.phone === phone && before.verifiedAt === verifiedAt)
  }

  async function redeem(req: Request): Promise<ProvenPhone> {
    await sessions.open(req)
    const subject = readSubject(subjectOf, req)
    const fits = (proof: ProvenPhone) => isShown(req, proof)
    const proven = await enrolments.redeem(sessions.idOf(req), purpose, subject, fits)
    if (proven === undefined) throw new TwoFactorError('second_factor_required')
    return proven
  }

  return {
    routes: plainFactory('routes', routes),
    start: plainFactory('start', () => handlers.start()),
    ...singleHandlers(handlers),
    proven,
    redeem,
    requireProof: plainFactory('requireProof', () =>
      middleware(async (req, res) => {
        try {
          req.provenPhone = await redeem(req)
          return true
        } catch (error) {
          if (!isOurs(error)) throw error
          await refuse(req, res, problemOf(error))
          return false
        }
      }),
    ),
  }
}
