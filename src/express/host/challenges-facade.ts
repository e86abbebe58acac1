import {
  type Actor,
  type ChallengeView,
  type ResendCommand,
  refused,
  type SendCommand,
  type Shown,
  type StartCommand,
  type StartOutcome,
  type VerifyCommand,
  type VerifyOutcome,
} from '../../challenge/commands.js'
import type { BoundFields, HashBound } from '../../challenge/proofs/bound.js'
import { readCode } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import { type SubjectName, subjectText } from './requester.js'

/** The fields themselves, or their hash as an approved outcome carries it. */
export type Bound = BoundFields | string
type Named<Command> = Omit<
  Command,
  'subject' | 'lane' | 'visitor' | 'epoch' | 'knownBrowser' | 'anonymous' | 'proxied' | 'onPassed'
> & {
  readonly subject: SubjectName
}
/**
 * What the person was shown with the code: the challenge by its `id`, or the `requirement` of a guard's refusal, or the
 * purpose and the fields that it was started for. Without any it is for a sign-in.
 */
interface ShownByName {
  /** Id of the challenge. */
  readonly challenge?: string | undefined
  /** From the refusal of a guard in this session. An expired one still says what was shown. */
  readonly requirement?: string | undefined
  /** What the challenge was started for. */
  readonly purpose?: string | undefined
  /** The bound fields that it was started with. */
  readonly bound?: Bound | undefined
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
  resend(command: Named<Omit<ResendCommand, 'shown'>> & ShownByName): Promise<StartOutcome>
  /**
   * Judges a code. `approved` leaves no grant: write one with `tf.grants.write`, for what was approved and nothing else.
   *
   * @example
   * const verified = await tf.challenges.verify({ subject, phone, session: sessionId, code, challenge: id })
   * if (verified.outcome === 'approved') {
   *   const { purpose, bound } = verified
   *   await tf.grants.write({ subject, session: sessionId, purpose, bound })
   * }
   */
  verify(command: Named<Omit<VerifyCommand, 'shown'>> & ShownByName): Promise<VerifyOutcome>
  /** Ends the live challenge. Sends, failures and locks stay counted. */
  cancel(actor: Named<Actor>): Promise<void>
  /** The live challenge of this subject in this session, or undefined. Never sends. */
  find(actor: Named<Actor>): Promise<ChallengeView | undefined>
}

export function createChallengesFacade({ settings, domain, requirements }: HttpParts): ChallengesFacade {
  const { challenges, grants, hashBound } = domain
  const { codePattern } = settings

  const recordOf = ({ subject, session }: Named<Actor>) =>
    grants.open({ subject: subjectText(subject), session })

  // Member by member: a command made of a request's body must not choose lane, visitor or budget (mass assignment).
  const actorOf = (actor: Named<Actor>, { epoch } = recordOf(actor)): Actor => ({
    lane: 'auth',
    subject: subjectText(actor.subject),
    session: actor.session,
    phone: actor.phone,
    country: actor.country,
    address: actor.address,
    epoch,
  })
  const sendOf = (command: Named<Omit<SendCommand, 'details'>>) => {
    const { channel, locale, beforeSend } = command
    return { ...actorOf(command), channel, locale, beforeSend }
  }

  /** Undefined where it cannot be read. */
  function shownIn(command: Named<Actor> & ShownByName): Shown | undefined {
    const { session, challenge, requirement, purpose, bound } = command
    const names = [challenge, requirement, purpose]
    if (names.some((name) => name !== undefined && typeof name !== 'string')) return undefined
    if (requirement === undefined) return { challenge, purpose, bound: boundTag(bound, hashBound) }
    const issued = requirements.readIn(session, requirement)
    return issued && { challenge, purpose: issued.purpose, bound: issued.bound }
  }

  return {
    async start(command) {
      const { purpose, bound, details } = command
      return challenges.start({ ...sendOf(command), purpose, bound: boundTag(bound, hashBound), details })
    },
    async resend(command) {
      const shown = shownIn(command)
      return shown === undefined
        ? refused('invalid_request')
        : challenges.resend({ ...sendOf(command), shown })
    },
    async verify(command) {
      const code = typeof command.code === 'string' ? readCode(command.code, codePattern) : undefined
      const shown = shownIn(command)
      // As over HTTP: what is malformed costs no attempt.
      if (code === undefined || shown === undefined) return refused('invalid_request')
      const record = recordOf(command)
      const outcome = await challenges.verify({ ...actorOf(command, record), code, shown })
      // ASVS 5.0, 7.4.1: what the caller does next must not undo a revocation made during the check.
      if (outcome.outcome === 'approved' && (await record.isRevoked())) {
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
