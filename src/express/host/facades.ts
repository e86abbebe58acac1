import type { Request } from 'express'
import type { Domain } from '../../challenge/domain.js'
import { isMethodName, methodNameRule, proofKinds } from '../../challenge/exchange/code-provider.js'
import type { TrustedDevice } from '../../challenge/proofs/devices.js'
import type { Grant } from '../../challenge/proofs/grants.js'
import { takesRecoveryCode } from '../../challenge/purposes.js'
import {
  generateRecoveryCodes,
  type RecoveryCodeStore,
  type RecoveryCodes,
} from '../../challenge/recovery.js'
import { TwoFactorError } from '../../errors.js'
import { hostFunction } from '../../lib/host-function.js'
import type { HttpParts } from '../http-parts.js'
import { type Bound, boundTag, isEmptyTextError } from './challenges-facade.js'
import { requesterOf, type SubjectName, subjectText } from './requester.js'

/**
 * Reads, writes and revokes grants without a challenge, also for a factor that your app checks itself.
 *
 * @example
 * app.post('/logout', async (req, res) => {
 *   await tf.grants.revoke(req) // while the session is still there
 *   req.session.destroy(() => res.redirect('/'))
 * })
 */
export interface GrantsFacade {
  /** Returns the grant that a guard for this purpose would accept now, for the fields in `bound` or for none. */
  read(req: Request, purpose: string, bound?: Bound): Promise<Grant | undefined>
  /**
   * Records that your app verified a factor, such as a client certificate.
   *
   * @example
   * await tf.grants.write({ subject: user.id, session: req.session.id, purpose: 'transfer', method: 'certificate' })
   */
  write(grant: {
    readonly subject: SubjectName
    readonly session: string
    readonly purpose: string
    readonly bound?: Bound | undefined
    /** Your name for the factor, for a guard's option `methods`. Default: `host`. The option `passkeys` reserves `passkey`. */
    readonly method?: string
    /** Time of the verification, in milliseconds since 1970, if it is past. Default: now. */
    readonly verifiedAt?: number | undefined
  }): Promise<Grant>
  /**
   * Logs out: revokes the grants, live challenges and verified numbers of this session. Trusted browsers stay trusted.
   */
  revoke(req: Request): Promise<void>
  /**
   * Like `revoke`, for all sessions of the account. After a new password or number, use `subjects.revokeEverything`.
   */
  revokeSubject(subject: SubjectName): Promise<void>
}

/**
 * Trusted browsers, which replace the code at sign-in.
 *
 * @example
 * const devices = await tf.trustedDevices.list(user.id, req)
 * for (const { id, isThis } of devices) if (!isThis) await tf.trustedDevices.revoke(user.id, id)
 */
export interface TrustedDevicesFacade {
  /** Returns whether the user who is signing in or signed in trusts this browser. */
  has(req: Request): Promise<boolean>
  /**
   * Lists the trusted browsers as `[{ id, label?, trustedAt, usedAt, endsAt, isThis? }]`. With a request, `isThis`
   * marks its browser.
   */
  list(subject: SubjectName, req?: Request): Promise<readonly TrustedDevice[]>
  /** Ends the trust in one browser, by its `id` from `list`. It stays a known browser. */
  revoke(subject: SubjectName, id: string): Promise<void>
  /** Makes all trusted and known browsers of an account unknown. */
  revokeSubject(subject: SubjectName): Promise<void>
}

export function createGrantsFacade({ domain, settings, identifyLater: identify }: HttpParts): GrantsFacade {
  const { grants, hashBoundFields, purposes } = domain
  // A guard must not confuse a claim of the app with a factor that this package verified.
  const reserved = new Set<string>([...proofKinds, ...settings.methods.map(({ name }) => name)])

  function checkMethod(method: unknown): void {
    if (!isMethodName(method)) {
      throw new TypeError(`grants.write: method ${methodNameRule}`)
    }
    if (reserved.has(method)) {
      throw new TypeError(
        `grants.write: method "${method}" is reserved for factors that this package verifies`,
      )
    }
  }

  function checkTime(verifiedAt: unknown): void {
    if (verifiedAt === undefined || (Number.isSafeInteger(verifiedAt) && Number(verifiedAt) > 0)) return
    throw new TypeError('grants.write: verifiedAt must be a time in milliseconds since 1970')
  }

  /** Refuses an unknown purpose, whose grant would expire immediately. */
  function checkPurpose(name: string): void {
    if (purposes.find(name)?.browserStartable !== true)
      throw new TypeError(`grants: unknown purpose "${name}"`)
  }

  return {
    async read(req, purpose, bound) {
      const requester = await identify(req)
      checkPurpose(purpose)
      // As long as any guard accepts it.
      const maxAgeMs = purposes.grantLifetimeMs(purpose)
      const recoveryCode = takesRecoveryCode(purposes.find(purpose), undefined)
      try {
        const tag = boundTag(bound, hashBoundFields)
        return requester && grants.read({ ...requester, purpose, bound: tag, maxAgeMs, recoveryCode })
      } catch (error) {
        if (isEmptyTextError(error)) return undefined
        throw error
      }
    },
    async write({ subject, session, purpose, bound, method = 'host', verifiedAt }) {
      checkPurpose(purpose)
      checkMethod(method)
      checkTime(verifiedAt)
      const record = grants.open(requesterOf({ subject, session }))
      // The caller keeps the session id in any case, so only a confirmed grant counts.
      const ids = { before: session, after: session, provisional: true }
      const proven = { purpose, bound: boundTag(bound, hashBoundFields), method, verifiedAt }
      const grant = await record.write(proven, ids)
      if (grant === undefined) throw new TwoFactorError('challenge_gone')
      // A failed write may still arrive, and a grant that was reported as failed must admit nothing.
      await record.confirm().catch(() => undefined)
      return grant
    },
    async revoke(req) {
      const requester = await identify(req)
      if (requester !== undefined) await grants.revoke(requester)
    },
    revokeSubject: async (subject) => grants.revokeSubject(subjectText(subject)),
  }
}

export function createTrustedDevicesFacade(http: HttpParts): TrustedDevicesFacade {
  const { devices } = http.domain
  const cookies = http.devices
  return {
    async has(req) {
      const requester = await http.identifyLater(req)
      if (requester === undefined) return false
      return (await cookies?.open(req, requester.subject).trusted()) !== undefined
    },
    async list(name, req) {
      const subject = subjectText(name)
      return devices.list(subject, req && cookies?.open(req, subject))
    },
    revoke: async (subject, id) => devices.revoke(subjectText(subject), id),
    revokeSubject: async (subject) => devices.revokeSubject(subjectText(subject)),
  }
}

/** Generates recovery codes for users who lose the phone. */
export interface RecoveryCodesFacade {
  /** True if the option `recoveryCodes`, which accepts the codes, is present. */
  readonly isOffered: boolean
  /**
   * Generates ten codes as `{ codes, hashes }`. Show the codes once, and store the hashes in place of all earlier ones.
   *
   * A code has 120 random bits, so it needs no slow hash and no salt.
   *
   * @example
   * const { codes, hashes } = tf.recoveryCodes.generate(user.id)
   * await recoveryCodes.replace(user.id, hashes)
   * res.render('recovery-codes', { codes })
   */
  generate(subject: SubjectName): RecoveryCodes
}

export function createRecoveryCodesFacade({
  emit,
  recover,
}: Pick<Domain, 'emit' | 'recover'>): RecoveryCodesFacade {
  return {
    isOffered: recover !== undefined,
    generate(name) {
      const subject = subjectText(name)
      emit({ type: 'factor.changed', kind: 'recovery-codes', subject })
      return generateRecoveryCodes(subject)
    },
  }
}

/** Wraps the functions of the app, so that their errors reach its own error handler. */
export function hostRecoveryCodes(codes: RecoveryCodeStore): RecoveryCodeStore {
  const { remaining } = codes
  return {
    consume: hostFunction((subject: string, hash: string) => codes.consume(subject, hash)),
    ...(remaining && {
      remaining: hostFunction((subject: string) => remaining.call(codes, subject)),
    }),
  }
}
