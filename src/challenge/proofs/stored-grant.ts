import { clockLeewayMs } from '../../lib/time.js'
import type { Demand } from '../purposes.js'

/**
 * What proved it: `sms`, `call` or another method of the provider, `app`, `trusted-device`, `recovery-code`, or a name of
 * the host's, `host` by default.
 */
export type GrantMethod = string

/** What was proven, and by what. */
export type Proven = {
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
  readonly method: GrantMethod
  /** By which its code may have come; absent where none was sent. A guard that asks for methods has to take each. */
  readonly channels?: readonly GrantMethod[] | undefined
}

/** One stored grant. Sessions are tags; at `expiresAt` no guard accepts it any more. */
export type StoredGrant = Proven & {
  readonly id: string
  readonly session: string
  /** The last ids that the session had before: a logout that began under one of them reaches this grant, too. */
  readonly earlier: readonly string[]
  readonly verifiedAt: number
  readonly expiresAt: number
  /** Not confirmed yet: it admits nothing. */
  readonly provisional?: true | undefined
}

/** What a guard asks of a stored grant. A recovery code is not enough by default, since it proves no phone. */
export interface GrantDemand extends Demand {
  readonly maxAgeMs: number
}

/** The same of one subject in one session, by the host's ids. */
export interface RequiredGrant extends GrantDemand {
  readonly subject: string
  readonly session: string
}

/** Whether it is what a guard asks for, whoever may use it. */
export function meets(grant: StoredGrant, demand: GrantDemand, now: number): boolean {
  return (
    grant.purpose === demand.purpose &&
    // Absence included: a grant for one payment admits no request that binds nothing.
    grant.bound === demand.bound &&
    // Its request may have been refused: a frozen store can write late.
    grant.provisional === undefined &&
    isEnough(grant, demand) &&
    isFresh(grant, demand.maxAgeMs, now)
  )
}

/** Whether what proved it will do. */
function isEnough({ method, channels = [method] }: StoredGrant, accepted: Demand): boolean {
  if (accepted.requireCode && method === 'trusted-device') return false
  // Written down once and kept for years: a way back into an account (NIST SP 800-63B-4, 4.2), no step-up.
  if (accepted.recoveryCode !== true && method === 'recovery-code') return false
  const { methods } = accepted
  // Whoever reads the texts of a number, but not its calls, may have typed the code.
  return methods === undefined || channels.every((channel) => methods.includes(channel))
}

/** The age of a grant never slides. A grant from the future was written with a wrong clock. */
function isFresh(grant: StoredGrant, maxAgeMs: number, now: number): boolean {
  const age = now - grant.verifiedAt
  return age < maxAgeMs && now < grant.expiresAt && age >= -clockLeewayMs
}

/** A newer proof replaces one of its kind. A code does not replace the passkey that another guard requires. */
export function replaces(added: StoredGrant, other: StoredGrant): boolean {
  return (
    other.session === added.session &&
    other.purpose === added.purpose &&
    other.bound === added.bound &&
    (other.method === added.method || (isCode(other) && isCode(added)))
  )
}

const isCode = ({ channels }: StoredGrant) => channels !== undefined
