import {
  type Actor,
  type Challenges,
  type ChallengeView,
  type ResendCommand,
  refused,
  type SendCommand,
  type StartCommand,
  type StartOutcome,
  type VerifyCommand,
  type VerifyOutcome,
} from '../../challenge/commands.js'
import type { BoundFields, HashBound } from '../../challenge/proofs/bound.js'
import type { Grants } from '../../challenge/proofs/grants.js'
import { readCode } from '../http/request-body.js'
import { type SubjectName, subjectText } from './requester.js'

/** The fields themselves, or their hash as an approved outcome carries it. */
export type Bound = BoundFields | string
type Named<Command> = Omit<
  Command,
  'subject' | 'lane' | 'visitor' | 'epoch' | 'knownBrowser' | 'anonymous' | 'proxied' | 'onPassed'
> & {
  readonly subject: SubjectName
}
type NamedStart = Omit<Named<StartCommand>, 'bound'> & { readonly bound?: Bound | undefined }

/** The same rules and outcomes as the routes, for GraphQL, websockets and jobs. */
export interface ChallengesFacade {
  /**
   * Sends a code.
   *
   * @example
   * const started = await tf.challenges.start({ subject, phone, session: sessionId, purpose: 'login' })
   * if (started.outcome === 'refused') return { error: started.code, retryAfterMs: started.retryAfterMs }
   */
  start(command: NamedStart): Promise<StartOutcome>
  /** Sends another code for the live challenge. Its attempts stay counted. */
  resend(command: Named<ResendCommand>): Promise<StartOutcome>
  /**
   * Judges a code. `approved` leaves no grant: write one with `tf.grants.write`.
   *
   * @example
   * const verified = await tf.challenges.verify({ subject, phone, session: sessionId, code })
   * if (verified.outcome === 'approved') await tf.grants.write({ subject, session: sessionId, purpose: 'login' })
   */
  verify(command: Named<VerifyCommand>): Promise<VerifyOutcome>
  /** Ends the live challenge. Sends, failures and locks stay counted. */
  cancel(actor: Named<Actor>): Promise<void>
  /** The live challenge of this subject in this session, or undefined. Never sends. */
  find(actor: Named<Actor>): Promise<ChallengeView | undefined>
}

export function createChallengesFacade(
  challenges: Challenges,
  parts: { readonly grants: Grants; readonly hashBound: HashBound; readonly codePattern: RegExp },
): ChallengesFacade {
  const { grants, hashBound, codePattern } = parts

  const standingOf = ({ subject, session }: Named<Actor>) =>
    grants.prefetch({ subject: subjectText(subject), session })

  // Member by member: a command made of a request's body must not choose lane, visitor or budget (mass assignment).
  const actorOf = (actor: Named<Actor>, { epoch } = standingOf(actor)): Actor => ({
    lane: 'auth',
    subject: subjectText(actor.subject),
    session: actor.session,
    phone: actor.phone,
    country: actor.country,
    address: actor.address,
    epoch,
  })
  const sendOf = (command: Named<SendCommand>): SendCommand => {
    const { channel, locale, details, beforeSend } = command
    return { ...actorOf(command), channel, locale, details, beforeSend }
  }

  return {
    async start(command) {
      const { purpose, bound } = command
      return challenges.start({ ...sendOf(command), purpose, bound: boundTag(bound, hashBound) })
    },
    resend: async (command) => challenges.resend(sendOf(command)),
    async verify(command) {
      const code = typeof command.code === 'string' ? readCode(command.code, codePattern) : undefined
      // As over HTTP: a malformed code costs no attempt.
      if (code === undefined) return refused('invalid_request')
      const standing = standingOf(command)
      const outcome = await challenges.verify({ ...actorOf(command, standing), code })
      // ASVS 5.0, 7.4.1: what the caller does next must not undo a revocation made during the check.
      if (outcome.outcome === 'approved' && (await standing.isRevoked())) {
        return refused('challenge_gone')
      }
      return outcome
    },
    cancel: async (actor) => challenges.cancel(actorOf(actor)),
    find: async (actor) => challenges.find(actorOf(actor)),
  }
}

/** An approved outcome carries the hash already. */
export function boundTag(bound: Bound | undefined, hashBound: HashBound): string | undefined {
  return bound === undefined || typeof bound === 'string' ? bound : hashBound(bound)
}
