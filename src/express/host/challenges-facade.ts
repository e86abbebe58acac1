import {
  type ChallengeRef,
  type ChallengeView,
  type Refusal,
  type RequesterContext,
  type ResendCommand,
  refused,
  type SendCommand,
  type StartCommand,
  type StartOutcome,
  type VerifyCommand,
  type VerifyOutcome,
} from '../../challenge/commands.js'
import { hashId } from '../../challenge/keys.js'
import { type BoundFields, EmptyField, type HashBound } from '../../challenge/proofs/stored-grant.js'
import { readCodes } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import { type PhoneOf, readSecret, requesterOf, type SubjectName } from './requester.js'

/** Bound fields, or their hash from an approved outcome. */
export type Bound = BoundFields | string
type Named<Command> = Omit<Command, keyof RequesterContext | 'onPassed' | 'unasked'> &
  Pick<RequesterContext, 'session' | 'country' | 'address'> & {
    readonly subject: SubjectName
    /** The number on file, or several, as your option `phone` returns them. */
    readonly phone?: Awaited<ReturnType<PhoneOf>>
    /**
     * Secret of the app, as `authenticator.secretOf` returns it. Never take it from a request: a client that chooses it
     * needs no app.
     */
    readonly secret?: string | null | undefined
  }
/**
 * The displayed challenge: its `id`, the `requirement` of a guard's refusal, or the purpose and the fields of its
 * start. Without any of these it is a sign-in.
 */
interface ShownByName {
  /** Id of the challenge. */
  readonly challenge?: string | undefined
  /**
   * Requirement from a guard's refusal of this account in this session. An expired one still identifies the challenge.
   */
  readonly requirement?: string | undefined
  /** Purpose of the start. */
  readonly purpose?: string | undefined
  /** Bound fields of the start. */
  readonly bound?: Bound | undefined
}
type NamedStart = Omit<Named<StartCommand>, 'bound'> & { readonly bound?: Bound | undefined }

/** Challenges with the rules and outcomes of the routes, for GraphQL, websockets and jobs. */
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
  resend(command: Named<Omit<ResendCommand, 'displayed'>> & ShownByName): Promise<StartOutcome>
  /**
   * Checks a code. `approved` writes no grant: write one with `tf.grants.write`, for the approved purpose and fields
   * only.
   *
   * @example
   * const verified = await tf.challenges.verify({ subject, phone, session: sessionId, code, challenge: id })
   * if (verified.outcome === 'approved') {
   *   const { purpose, bound } = verified
   *   await tf.grants.write({ subject, session: sessionId, purpose, bound })
   * }
   */
  verify(
    command: Named<Omit<VerifyCommand, 'displayed' | 'code' | 'appCode'>> &
      ShownByName & { readonly code: string },
  ): Promise<VerifyOutcome>
  /** Cancels the live challenge. Sends, failures and locks stay counted. */
  cancel(actor: Named<RequesterContext>): Promise<void>
  /**
   * Returns the live challenge of this account in this session. Returns undefined if no code is accepted before the next
   * one is sent. Never sends a code.
   */
  find(actor: Named<RequesterContext>): Promise<ChallengeView | undefined>
}

export function createChallengesFacade(http: HttpParts): ChallengesFacade {
  const { settings, domain, requirements, numbersIn } = http
  const { challenges, grants, hashBoundFields } = domain

  const recordOf = (actor: Named<RequesterContext>) => grants.open(requesterOf(actor))

  // Copied member by member: a command from a request body must not choose lane, visitor or limits (mass assignment).
  const actorOf = (actor: Named<RequesterContext>, record = recordOf(actor)): RequesterContext => ({
    lane: 'auth',
    ...requesterOf(actor),
    country: actor.country,
    ...numbersIn(actor.phone),
    secret: readSecret(actor.secret),
    address: actor.address,
    record,
  })
  const sendOf = (command: Named<Omit<SendCommand, 'details'>>) => {
    const { channel, methods, locale, beforeSend } = command
    return { ...actorOf(command), channel, methods, locale, beforeSend }
  }

  /** Returns undefined if it is unreadable. */
  function shownIn(command: Named<RequesterContext> & ShownByName): ChallengeRef | undefined {
    const { subject, session } = requesterOf(command)
    const { challenge, requirement, purpose, bound } = command
    const names = [challenge, requirement, purpose]
    if (names.some((name) => name !== undefined && typeof name !== 'string')) return undefined
    if (requirement === undefined) return { challenge, purpose, bound: boundTag(bound, hashBoundFields) }
    const claims = requirements.readIssuedFor(subject, [hashId(session)], requirement)
    return claims && { challenge, purpose: claims.purpose, bound: claims.bound }
  }

  return {
    start: refusingText(async (command) => {
      const { purpose, destination, bound: fields, details } = command
      const bound = boundTag(fields, hashBoundFields)
      if (domain.purposes.find(purpose) !== undefined) domain.purposes.bind(purpose, bound !== undefined)
      return challenges.start({ ...sendOf(command), purpose, destination, bound, details })
    }),
    resend: refusingText(async (command) => {
      const displayed = shownIn(command)
      return displayed === undefined
        ? refused('invalid_request')
        : challenges.resend({ ...sendOf(command), displayed })
    }),
    verify: refusingText(async (command) => {
      const typed = typeof command.code === 'string' ? readCodes(command.code, settings) : undefined
      const displayed = shownIn(command)
      // Malformed input uses no attempt, as over HTTP.
      if (typed === undefined || displayed === undefined) return refused('invalid_request')
      const record = recordOf(command)
      const outcome = await challenges.verify({ ...actorOf(command, record), ...typed, displayed })
      // The caller's next step must not undo a revocation during the check (ASVS 5.0, 7.4.1).
      if (outcome.outcome === 'approved' && (await record.isRevoked())) {
        return refused('challenge_gone')
      }
      return outcome
    }),
    async cancel(actor) {
      await challenges.cancel(actorOf(actor))
    },
    find: async (actor) => challenges.find(actorOf(actor)),
  }
}

/** Returns whether bound fields have a text that counts as no value. A client may have written it. */
export const isEmptyTextError = (error: unknown): error is EmptyField =>
  error instanceof EmptyField && error.isText

/** Turns such a text into a refusal, because a client must not cause errors of the app. */
function refusingText<Command, Outcome>(
  run: (command: Command) => Promise<Outcome>,
): (command: Command) => Promise<Outcome | Refusal> {
  return (command) =>
    run(command).catch((error: unknown) => {
      if (isEmptyTextError(error)) return { ...refused('invalid_request'), detail: error.complaint }
      throw error
    })
}

/** Returns the hash of bound fields. An approved outcome already contains it. */
export function boundTag(bound: Bound | undefined, hashBoundFields: HashBound): string | undefined {
  return bound === undefined || typeof bound === 'string' ? bound : hashBoundFields(bound)
}
