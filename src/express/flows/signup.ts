import type { Request } from 'express'
import { type RequesterContext, refused } from '../../challenge/commands.js'
import { hashId } from '../../challenge/keys.js'
import type { OpenSubject } from '../../challenge/proofs/grants.js'
import { whenGone } from '../../lib/when-gone.js'
import { safePath } from '../http/origin.js'
import { invalid, readChannel, text } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import type { Flow } from './flow.js'

/** Who wants to prove a number. */
interface SignupRequester extends Omit<RequesterContext, 'phone'> {
  /** Undefined at an anonymous signup. */
  readonly signedIn: string | undefined
  /** Only what a signed-in subject began can be revoked. */
  readonly record: OpenSubject | undefined
}

type SignupContext = RequesterContext & SignupRequester

/** What a number is proven for, and where its pages lead. */
interface SignupNumber {
  readonly purpose: string
  readonly successPath: string | undefined
  readonly backPath: string | undefined
}

/** A phone verification: the number comes from the body of start and is remembered under the session. */
export function createSignup(
  http: HttpParts,
  { purpose, successPath, backPath }: SignupNumber,
): Flow<SignupContext> {
  const { subjectOf, addressOf, sessions, renewal } = http
  const { challenges, grants, phoneVerifications } = http.domain

  function findRequester(req: Request): SignupRequester {
    const session = sessions.idOf(req)
    const signedIn = subjectOf(req)
    const record = signedIn === undefined ? undefined : grants.open({ subject: signedIn, session })
    // Anonymous at a signup: the session stands for the subject.
    const subject = signedIn ?? `visitor ${hashId(session)}`
    const onGone = whenGone(req)
    return { lane: 'enrol', subject, signedIn, session, record, onGone, ...addressOf(req) }
  }

  async function actorOf(requester: SignupRequester): Promise<SignupContext | undefined> {
    const enrolment = await phoneVerifications.find(requester.session)
    if (enrolment?.purpose !== purpose || enrolment.verifiedAt !== undefined) return undefined
    // IDOR: begun by another account that was signed in here before.
    if (enrolment.subject !== undefined && enrolment.subject !== requester.signedIn) return undefined
    const { phone, country, visitor = requester.session } = enrolment
    return { phone, country, visitor: { read: () => visitor }, ...requester }
  }

  return {
    name: 'enrol',
    defaultPurpose: purpose,
    basePathOf: (req) => safePath(req.baseUrl) ?? '',
    offersTrust: () => false,
    isSignIn: () => false,
    wayOut: () => undefined,
    actor: async (req) => actorOf(findRequester(req)),

    async start({ req, res, fields }, _intent, hostSays) {
      const requester = findRequester(req)
      const channel = readChannel(fields, http.settings.methods)
      const phone = text(fields, 'phone')
      if (phone === undefined) throw invalid('phone is missing.')
      const country = text(fields, 'country')?.toUpperCase()
      const visitor = phoneVerifications.open(requester.session)
      const onPassed = () => sessions.save(req, res)
      const who = { phone, country, visitor, ...requester }
      const outcome = await challenges.start({ onPassed, channel, purpose, ...hostSays, ...who })
      if (outcome.outcome !== 'refused') {
        await visitor.begin({ purpose, phone, country, subject: requester.signedIn })
      }
      return outcome
    },

    async shown({ fields }) {
      // A guard requires none of these proofs.
      if (text(fields, 'requirement') !== undefined) throw invalid('requirement is invalid.')
      return { challenge: text(fields, 'challenge'), purpose: text(fields, 'purpose') ?? purpose }
    },

    async approve({ req, res }, { signedIn: subject, record }, { phone = '' }) {
      if (await record?.isRevoked()) return refused('challenge_gone')
      const { before, after, provisional, moved } = await renewal.renew(req, res)
      try {
        await moved
        // A subject that proves another number stays signed in.
        if (subject !== undefined && !provisional) await grants.move(subject, before, after)
        const revocationId = await record?.read()
        const proven = { purpose, phone, provisional, subject, revocationId }
        const proof = await phoneVerifications.prove(after, proven)
        if (proof === undefined) return refused('challenge_gone')
        // A revocation that came while the session was renewed must not leave a proof behind.
        if (await record?.isRevoked()) {
          await phoneVerifications.redeem(after, purpose, subject)
          return refused('challenge_gone')
        }
        // The response is a success either way; the next request shall find the proof.
        if (provisional) await proof.confirm().catch(() => undefined)
        return { outcome: 'verified', purpose, verifiedAt: proof.verifiedAt }
      } catch (error) {
        await phoneVerifications.redeem(after, purpose, subject).catch(() => undefined)
        await renewal.abandon(req, res)
        throw error
      }
    },

    /** A proof that was not redeemed yet. */
    async proven({ req }, _intent, since) {
      const proof = await phoneVerifications.peek(sessions.idOf(req), purpose, subjectOf(req))
      return proof !== undefined && proof.verifiedAt >= since ? { purpose } : undefined
    },
    successPathOf: () => successPath,
    backPath,
  }
}
