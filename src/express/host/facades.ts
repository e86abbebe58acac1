import type { Request } from 'express'
import type {
  Actor,
  Challenges,
  ChallengeView,
  ResendCommand,
  SendCommand,
  StartCommand,
  StartOutcome,
  VerifyCommand,
  VerifyOutcome,
} from '../../challenge/commands.js'
import type { BoundFields, HashBound } from '../../challenge/proofs/bound.js'
import type { Devices, TrustedDevice } from '../../challenge/proofs/devices.js'
import type { Grant, Grants } from '../../challenge/proofs/grants.js'
import type { Purposes } from '../../challenge/purposes.js'
import type { SubjectState, Subjects } from '../../challenge/subjects.js'
import { TwoFactorError } from '../../errors.js'
import { isMethodName } from '../../lib/method-name.js'
import { readCode } from '../flows/code.js'
import type { DeviceCookies } from '../flows/device-cookies.js'
import type { IdentifyLater } from './requester.js'
import { type SubjectName, subjectText } from './subject.js'

/** The fields themselves, or their hash as an approved outcome carries it. */
type Bound = BoundFields | string
type Named<Command> = Omit<
  Command,
  'subject' | 'lane' | 'visitor' | 'epoch' | 'knownBrowser' | 'anonymous' | 'proxied'
> & {
  readonly subject: SubjectName
}
type NamedStart = Omit<Named<StartCommand>, 'bound'> & { readonly bound?: Bound | undefined }

/** The same rules and outcomes as the routes, for GraphQL, websockets and jobs. */
export interface ChallengesFacade {
  start(command: NamedStart): Promise<StartOutcome>
  resend(command: Named<ResendCommand>): Promise<StartOutcome>
  verify(command: Named<VerifyCommand>): Promise<VerifyOutcome>
  cancel(actor: Named<Actor>): Promise<void>
  find(actor: Named<Actor>): Promise<ChallengeView | undefined>
}

/**
 * Grants without a challenge of ours: for a factor that the host checks itself, and for their end.
 *
 * @example
 * app.post('/logout', async (req, res) => {
 *   await tf.grants.revoke(req) // while the session is still there
 *   req.session.destroy(() => res.redirect('/'))
 * })
 */
export interface GrantsFacade {
  /** The unbound grant that a guard for this purpose would accept now. */
  read(req: Request, purpose: string): Promise<Grant | undefined>
  write(grant: {
    readonly subject: SubjectName
    readonly session: string
    readonly purpose: string
    readonly bound?: Bound
    /** Your word for the factor, such as `passkey`, for the option `methods` of a guard. Default `host`. */
    readonly method?: string
  }): Promise<Grant>
  /** Ends all grants of the request's session: logout. */
  revoke(req: Request): Promise<void>
  /** Ends all grants of the subject in every session: password reset, change of number. */
  revokeSubject(subject: SubjectName): Promise<void>
}

export interface TrustedDevicesFacade {
  /** Whether this browser is trusted for the subject that is signing in or signed in. */
  has(req: Request): Promise<boolean>
  list(subject: SubjectName): Promise<readonly TrustedDevice[]>
  revoke(subject: SubjectName, id: string): Promise<void>
  revokeSubject(subject: SubjectName): Promise<void>
}

/** The operator's side of an account; of a number on file see `numbers`. */
export interface SubjectsFacade {
  state(subject: SubjectName): Promise<SubjectState>
  /** Resets the wrong codes of the day, so that the subject may submit codes again. */
  enable(subject: SubjectName): Promise<void>
  /**
   * Ends everything that a subject has: grants in every session, known browsers and trusted devices, live
   * challenges and checks under way. For a stolen account.
   *
   * @example
   * await tf.subjects.revokeEverything(user.id)
   */
  revokeEverything(subject: SubjectName): Promise<void>
}

export function createSubjectsFacade(parts: {
  readonly subjects: Subjects
  readonly grants: Grants
  readonly devices: Devices
}): SubjectsFacade {
  const { subjects, grants, devices } = parts
  return {
    state: async (subject) => subjects.state(subjectText(subject)),
    enable: async (subject) => subjects.enable(subjectText(subject)),
    async revokeEverything(name) {
      const subject = subjectText(name)
      // In this order: a device that is trusted meanwhile sees that grants were revoked, and is taken back.
      await grants.revokeSubject(subject)
      await devices.revokeSubject(subject)
    },
  }
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
      if (code === undefined) return { outcome: 'refused', code: 'invalid_request' }
      const standing = standingOf(command)
      const outcome = await challenges.verify({ ...actorOf(command, standing), code })
      // ASVS 5.0, 7.4.1: what the caller does next must not undo a revocation made during the check.
      if (outcome.outcome === 'approved' && (await standing.isRevoked())) {
        return { outcome: 'refused', code: 'challenge_gone' }
      }
      return outcome
    },
    cancel: async (actor) => challenges.cancel(actorOf(actor)),
    find: async (actor) => challenges.find(actorOf(actor)),
  }
}

export function createGrantsFacade(parts: {
  readonly grants: Grants
  readonly hashBound: HashBound
  readonly identify: IdentifyLater
  readonly purposes: Purposes
}): GrantsFacade {
  const { grants, hashBound, identify, purposes } = parts

  /** A grant for an unknown purpose would expire at once. */
  function checkPurpose(name: string): void {
    if (purposes.find(name)?.browserStartable !== true)
      throw new TypeError(`grants: unknown purpose "${name}"`)
  }

  return {
    async read(req, purpose) {
      const requester = await identify(req)
      checkPurpose(purpose)
      // As long as any guard accepts it.
      const maxAgeMs = purposes.grantLifetimeMs(purpose)
      return requester && grants.read({ ...requester, purpose, maxAgeMs })
    },
    async write({ subject, session, purpose, bound, method = 'host' }) {
      checkPurpose(purpose)
      checkMethod(method)
      const query = { subject: subjectText(subject), session, purpose, bound: boundTag(bound, hashBound) }
      // The caller keeps the session id whatever happens, so only a confirmed write admits.
      const written = await grants.write({ ...query, method, provisional: true })
      if (written === undefined) throw new TwoFactorError('challenge_gone')
      await written.confirm().catch(() => undefined)
      return written.grant
    },
    async revoke(req) {
      const requester = await identify(req)
      if (requester !== undefined) await grants.revoke(requester)
    },
    revokeSubject: async (subject) => grants.revokeSubject(subjectText(subject)),
  }
}

export function createTrustedDevicesFacade(
  devices: Devices,
  cookies: DeviceCookies | undefined,
  identify: IdentifyLater,
): TrustedDevicesFacade {
  return {
    async has(req) {
      const requester = await identify(req)
      return requester !== undefined && ((await cookies?.has(req, requester.subject)) ?? false)
    },
    list: async (subject) => devices.list(subjectText(subject)),
    revoke: async (subject, id) => devices.revoke(subjectText(subject), id),
    revokeSubject: async (subject) => devices.revokeSubject(subjectText(subject)),
  }
}

/** Set by this package only: a guard that requires a code must not accept a claim of the host. */
const reservedMethods = new Set(['sms', 'call', 'trusted-device', 'recovery-code'])

function checkMethod(method: unknown): void {
  if (!isMethodName(method)) {
    throw new TypeError(
      "grants.write: method must be 1 to 32 letters, digits, dots or hyphens, such as 'passkey'",
    )
  }
  if (reservedMethods.has(method)) {
    throw new TypeError(`grants.write: method "${method}" is reserved for what this package has verified`)
  }
}

/** An approved outcome carries the hash already. */
function boundTag(bound: Bound | undefined, hashBound: HashBound): string | undefined {
  return bound === undefined || typeof bound === 'string' ? bound : hashBound(bound)
}
