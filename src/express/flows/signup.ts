import type { Request } from 'express'
import { type RequesterContext, refused } from '../../challenge/commands.js'
import { hashId } from '../../challenge/keys.js'
import type { OpenSubject } from '../../challenge/proofs/grants.js'
import { whenGone } from '../../lib/when-gone.js'
import { invalid, readChannel, readField } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import type { Flow } from './flow.js'

/** A requester of a phone verification. */
interface SignupRequester extends Omit<RequesterContext, 'phone'> {
  /** Undefined at an anonymous sign-up. */
  readonly signedIn: string | undefined
  /** Only a verification of a signed-in account can be revoked. */
  readonly record: OpenSubject | undefined
}

type SignupContext = RequesterContext & SignupRequester

/** Purpose and paths of a phone verification. */
interface SignupNumber {
  readonly purpose: string
  readonly successPath: string | undefined
  readonly backPath: string | undefined
}

/** Creates a phone verification. The number comes from the body of the start and is stored under the session. */
export function createSignup(
  http: HttpParts,
  { purpose, successPath, backPath }: SignupNumber,
): Flow<SignupContext> {
  const { subjectOf, addressOf, sessions, renewal, sitePaths } = http
  const { challenges, grants, phoneVerifications } = http.domain

  function findRequester(req: Request): SignupRequester {
    const session = sessions.idOf(req)
    const signedIn = subjectOf(req)
    const record = signedIn === undefined ? undefined : grants.open({ subject: signedIn, session })
    // At an anonymous sign-up the session replaces the account.
    const subject = signedIn ?? `visitor ${hashId(session)}`
    const onGone = whenGone(req)
    return { lane: 'enrol', subject, signedIn, session, record, onGone, ...addressOf(req) }
  }

  async function actorOf(requester: SignupRequester): Promise<SignupContext | undefined> {
    const enrolment = await phoneVerifications.find(requester.session)
    if (enrolment?.purpose !== purpose || enrolment.verifiedAt !== undefined) return undefined
    // Started by another account that was signed in here before (IDOR).
    if (enrolment.subject !== undefined && enrolment.subject !== requester.signedIn) return undefined
    const { phone, country, visitor = requester.session } = enrolment
    return { phone, country, visitor: { read: async () => visitor }, ...requester }
  }

  return {
    name: 'enrol',
    defaultPurpose: purpose,
    basePathOf: sitePaths.mountOf,
    offersTrust: () => false,
    isSignIn: () => false,
    wayOut: () => undefined,
    actor: async (req) => actorOf(findRequester(req)),

    async start({ req, res, fields }, _intent, hostSays) {
      const requester = findRequester(req)
      const channel = readChannel(fields, http.settings.methods)
      const phone = readField(fields, 'phone')
      if (phone === undefined) throw invalid('phone is missing.')
      const country = readField(fields, 'country')?.toUpperCase()
      const visitor = phoneVerifications.open(requester.session)
      const onPassed = () => sessions.save(req, res)
      const target = { phone, country, visitor, ...requester }
      const outcome = await challenges.start({ onPassed, channel, purpose, ...hostSays, ...target })
      if (outcome.outcome !== 'refused') {
        await visitor.begin({ purpose, phone, country, subject: requester.signedIn })
      }
      return outcome
    },

    async readDisplayed({ fields }) {
      // No guard requires a phone verification.
      if (readField(fields, 'requirement') !== undefined) throw invalid('requirement is invalid.')
      return { challenge: readField(fields, 'challenge'), purpose: readField(fields, 'purpose') ?? purpose }
    },

    async approve({ req, res }, { signedIn: subject, record }, { phone = '' }) {
      if (await record?.isRevoked()) return refused('challenge_gone')
      const { before, after, provisional, numberMoved } = await renewal.renew(req, res)
      try {
        await numberMoved
        // An account that verifies another number stays signed in.
        if (subject !== undefined && !provisional) await grants.move(subject, before, after)
        const revocationId = await record?.readRevocationId()
        const proven = { purpose, phone, provisional, subject, revocationId }
        const proof = await phoneVerifications.prove(after, proven)
        if (proof === undefined) return refused('challenge_gone')
        // A revocation during the renewal must not leave a verification behind.
        if (await record?.isRevoked()) {
          await phoneVerifications.redeem(after, purpose, subject)
          return refused('challenge_gone')
        }
        // The response is a success in any case. The next request should find the verification.
        if (provisional) await proof.confirm().catch(() => undefined)
        return { outcome: 'verified', purpose, verifiedAt: proof.verifiedAt }
      } catch (error) {
        await phoneVerifications.redeem(after, purpose, subject).catch(() => undefined)
        await renewal.abandon(req, res)
        throw error
      }
    },

    /** Finds a verification that was not redeemed yet. */
    async proven({ req }, _intent, since) {
      const proof = await phoneVerifications.peek(sessions.idOf(req), purpose, subjectOf(req))
      return proof !== undefined && proof.verifiedAt >= since ? { purpose } : undefined
    },
    successPathOf: () => sitePaths.fromApp(successPath),
    backPath: sitePaths.fromApp(backPath),
  }
}
