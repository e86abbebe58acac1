import type { Request } from 'express'
import type {
  Actor,
  Challenges,
  ChallengeView,
  ResendCommand,
  StartCommand,
  StartOutcome,
  VerifyCommand,
  VerifyOutcome,
} from '../../challenge/commands.js'
import { type BoundFields, hashBound } from '../../challenge/proofs/bound.js'
import type { Devices, TrustedDevice } from '../../challenge/proofs/devices.js'
import type { Grant, Grants } from '../../challenge/proofs/grants.js'
import type { Purposes } from '../../challenge/purposes.js'
import { readCode } from '../flows/code.js'
import type { DeviceCookies } from '../flows/device-cookies.js'
import type { Identify } from './requester.js'
import { type SubjectName, subjectText } from './subject.js'

/** The fields themselves, or their hash as an approved outcome carries it. */
type Bound = BoundFields | string
type Named<Command> = Omit<Command, 'subject' | 'lane' | 'visitor'> & { readonly subject: SubjectName }

/** The same rules and outcomes as the routes, for GraphQL, websockets and jobs. */
export interface ChallengesFacade {
  start(command: Omit<Named<StartCommand>, 'bound'> & { readonly bound?: Bound }): Promise<StartOutcome>
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
  }): Promise<Grant>
  /** Ends all grants of the request's session: logout. */
  revoke(req: Request): Promise<void>
  /** Ends all grants of the subject in every session: password reset, change of number. */
  revokeSubject(subject: SubjectName): Promise<void>
}

export interface TrustedDevicesFacade {
  /** Whether this browser is trusted for whoever is signing in or signed in. */
  has(req: Request): Promise<boolean>
  list(subject: SubjectName): Promise<readonly TrustedDevice[]>
  revoke(subject: SubjectName, id: string): Promise<void>
  revokeSubject(subject: SubjectName): Promise<void>
}

export function createChallengesFacade(challenges: Challenges, codePattern: RegExp): ChallengesFacade {
  const named = <Command extends { readonly subject: SubjectName }>(command: Command) => ({
    ...command,
    lane: 'auth' as const,
    subject: subjectText(command.subject),
  })
  return {
    async start({ bound, ...command }) {
      return challenges.start({ ...named(command), ...boundHash(bound) })
    },
    resend: async (command) => challenges.resend(named(command)),
    async verify(command) {
      const code = readCode(command.code, codePattern)
      // As over HTTP: what cannot be a code costs no attempt.
      if (code === undefined) return { outcome: 'refused', code: 'invalid_request' }
      return challenges.verify({ ...named(command), code })
    },
    cancel: async (actor) => challenges.cancel(named(actor)),
    find: async (actor) => challenges.find(named(actor)),
  }
}

export function createGrantsFacade(parts: {
  readonly grants: Grants
  readonly identify: Identify
  readonly purposes: Purposes
}): GrantsFacade {
  const { grants, identify, purposes } = parts

  /** A grant for a purpose that nothing here knows would end at once. */
  function checkPurpose(name: string): void {
    if (purposes.find(name)?.browserStartable !== true)
      throw new TypeError(`grants: purpose ${name} is not known`)
  }

  return {
    async read(req, purpose) {
      const requester = identify(req)
      checkPurpose(purpose)
      // As long as any guard accepts it.
      const maxAgeMs = purposes.grantLifetimeMs(purpose)
      return requester && grants.read({ ...requester, purpose, maxAgeMs })
    },
    async write({ subject, session, purpose, bound }) {
      checkPurpose(purpose)
      const query = { subject: subjectText(subject), session, purpose, ...boundHash(bound) }
      return grants.write({ ...query, method: 'host' })
    },
    async revoke(req) {
      const requester = identify(req)
      if (requester !== undefined) await grants.revoke(requester)
    },
    revokeSubject: async (subject) => grants.revokeSubject(subjectText(subject)),
  }
}

export function createTrustedDevicesFacade(
  devices: Devices,
  cookies: DeviceCookies | undefined,
  identify: Identify,
): TrustedDevicesFacade {
  return {
    async has(req) {
      const requester = identify(req)
      return requester !== undefined && ((await cookies?.has(req, requester.subject)) ?? false)
    },
    list: async (subject) => devices.list(subjectText(subject)),
    revoke: async (subject, id) => devices.revoke(subjectText(subject), id),
    revokeSubject: async (subject) => devices.revokeSubject(subjectText(subject)),
  }
}

function boundHash(bound: Bound | undefined): { readonly bound?: string } {
  if (bound === undefined) return {}
  return { bound: typeof bound === 'string' ? bound : hashBound(bound) }
}
