import { clockLeewayMs } from '../../lib/clock.js'
import { minuteMs } from '../../lib/time.js'

/** What proved it: `sms`, `call`, `trusted-device`, or a name of the host's, `host` by default. */
export type GrantMethod = string

/** One stored grant. The session is a tag; at `expiresAt` no guard accepts it any more. */
export type StoredGrant = {
  readonly session: string
  readonly purpose: string
  readonly bound?: string | undefined
  readonly verifiedAt: number
  readonly method: GrantMethod
  /** By which its code may have come, when by more than one. */
  readonly channels?: readonly GrantMethod[] | undefined
  readonly expiresAt: number
  /** The session's id before it was renewed: a logout that began under it reaches this grant, too. */
  readonly previous?: string | undefined
  /** The last ids that it has moved from since: a logout that began under one of them reaches it as well. */
  readonly earlier?: readonly string[] | undefined
  /** Id by which it is confirmed; until then it admits nothing. */
  readonly provisional?: string | undefined
}

/** Which methods are enough. */
interface AcceptedMethods {
  /** Whether a trusted device is not enough. */
  readonly requireCode?: boolean | undefined
  /** Whether a recovery code is enough; not by default, since it proves no phone. */
  readonly recoveryCode?: boolean | undefined
  /** The accepted methods; any when absent. */
  readonly methods?: readonly string[] | undefined
}

/** A revocation, remembered while there may be something that it ends. Without `session`: of all. */
export type Revocation = {
  readonly id: string
  readonly session?: string | undefined
  readonly expiresAt: number
}

/** All grants of one subject: one entry, so that one read admits and one swap revokes. */
export type StoredGrants = {
  readonly grants: readonly StoredGrant[]
  readonly revocations?: readonly Revocation[] | undefined
}

/** What an entry that is not there amounts to. */
export const noGrants = { grants: [] } as const satisfies StoredGrants

/** How long a proven number may be redeemed. */
export const proofLifetimeMs = 30 * minuteMs
/** How long a check may outlive its code, or a clock be behind. */
const checkMarginMs = minuteMs

/** How long a revocation is remembered: a code that was sent before may be typed, a number redeemed. */
export const revocationLifetimeMs = (codeLifetimeMs: number): number =>
  Math.max(codeLifetimeMs, proofLifetimeMs) + checkMarginMs

const maxSessions = 20
/** One by our renewal, one by the host's. */
const maxEarlier = 2

/** The last ids of a session that is renewed once more. */
export const withEarlier = (earlier: readonly string[] = [], previous: string): readonly string[] =>
  [...earlier, previous].slice(-maxEarlier)

/** With more logouts within minutes the earliest is forgotten; its grants are gone all the same. */
const maxRevocations = 20

/** The entry without what has expired, kept until the last of it expires. */
export function putLive(
  grants: readonly StoredGrant[],
  revocations: readonly Revocation[] | undefined,
  time: number,
): { readonly value: StoredGrants; readonly ttlMs: number } {
  const isLive = ({ expiresAt }: { readonly expiresAt: number }) => time < expiresAt
  const live = grants.filter(isLive)
  const remembered = newest(revocations?.filter(isLive) ?? [])
  const ends = [...live, ...remembered].map(({ expiresAt }) => expiresAt - time)
  return {
    value: { grants: live, revocations: remembered.length === 0 ? undefined : remembered },
    ttlMs: Math.max(1, ...ends),
  }
}

/** A revocation of all sessions stays, whatever is revoked later: many logouts must not undo a password reset. */
function newest(revocations: readonly Revocation[]): readonly Revocation[] {
  const [first, ...later] = revocations
  if (first === undefined || first.session !== undefined) return revocations.slice(-maxRevocations)
  return [first, ...later.slice(-maxRevocations)]
}

/** The last revocation that reaches a session under one of these ids. */
export function epochOf(
  stored: StoredGrants | undefined,
  ids: readonly string[],
  time: number,
): string | undefined {
  const reaches = ({ session }: Revocation) => session === undefined || ids.includes(session)
  return stored?.revocations?.findLast((one) => reaches(one) && time < one.expiresAt)?.id
}

/** Whether a revocation came after `epoch`. One that expired since does not count as new. */
export function isRevokedSince(
  epoch: string | undefined,
  stored: StoredGrants | undefined,
  ids: readonly string[],
  time: number,
): boolean {
  const last = epochOf(stored, ids, time)
  return last !== undefined && last !== epoch
}

/** What a guard asks of a stored grant. */
export interface GrantDemand extends AcceptedMethods {
  readonly purpose: string
  readonly bound?: string | undefined
  readonly maxAgeMs: number
}

export function fits(grant: StoredGrant, required: GrantDemand, session: string, time: number): boolean {
  return (
    grant.session === session &&
    grant.purpose === required.purpose &&
    // Absence included: a grant for one payment admits no request that binds nothing.
    grant.bound === required.bound &&
    // Its request may have been refused: a frozen store can write late.
    grant.provisional === undefined &&
    isEnough(grant, required) &&
    isFresh(grant, required.maxAgeMs, time)
  )
}

/** Whether what proved it will do. */
function isEnough({ method, channels = [method] }: StoredGrant, accepted: AcceptedMethods): boolean {
  if (accepted.requireCode && method === 'trusted-device') return false
  // Written down once and kept for years: a way back into an account (NIST SP 800-63B-4, 4.2), no step-up.
  if (accepted.recoveryCode !== true && method === 'recovery-code') return false
  const { methods } = accepted
  // Whoever reads the texts of a number, but not its calls, may have typed the code.
  return methods === undefined || channels.every((channel) => methods.includes(channel))
}

/** The age of a grant never slides. A grant from the future was written with a wrong clock. */
function isFresh(grant: StoredGrant, maxAgeMs: number, time: number): boolean {
  const age = time - grant.verifiedAt
  return age < maxAgeMs && time < grant.expiresAt && age >= -clockLeewayMs
}

/** A newer proof replaces one of its kind. A code does not replace the passkey that another guard requires. */
export function replaces(grant: StoredGrant, other: StoredGrant): boolean {
  return (
    other.session === grant.session &&
    other.purpose === grant.purpose &&
    other.bound === grant.bound &&
    (other.method === grant.method || (isCode(other) && isCode(grant)))
  )
}

function isCode({ method }: StoredGrant): boolean {
  return method === 'sms' || method === 'call'
}

/** Moves the grants to the new session id: the old one is invalid from here on (session fixation). */
export function movedTo(
  session: string,
  previous: string,
  grants: readonly StoredGrant[],
): readonly StoredGrant[] {
  return grants.map((grant) => {
    if (grant.session !== previous) return grant
    return { ...grant, session, earlier: withEarlier(grant.earlier, previous) }
  })
}

/** Something of a session, under whichever of its last ids. */
export type InSession = { readonly session?: string | undefined } & Partial<
  Pick<StoredGrant, 'previous' | 'earlier'>
>

export function isIn({ session, previous, earlier }: InSession, id: string): boolean {
  return session === id || previous === id || earlier?.includes(id) === true
}

/** Whether it is this very grant, under whichever of the last ids of its session. */
export function isSame(grant: StoredGrant, other: StoredGrant): boolean {
  return (
    isIn(other, grant.session) &&
    other.purpose === grant.purpose &&
    other.bound === grant.bound &&
    other.method === grant.method &&
    other.verifiedAt === grant.verifiedAt
  )
}

/** The grants after the one that was written as provisional is known to count. */
export function confirmed(grants: readonly StoredGrant[], provisional: string): readonly StoredGrant[] {
  return grants.map((grant) =>
    grant.provisional === provisional ? { ...grant, provisional: undefined } : grant,
  )
}

/** The tags that this session had when its grants were proven. */
export function earlierTags({ grants }: StoredGrants, session: string): readonly string[] {
  const own = grants.filter((grant) => grant.session === session)
  return own.flatMap(({ previous }) => previous ?? [])
}

/** Oldest sessions out: one subject signs in from a handful of browsers. */
export function ofNewestSessions(grants: readonly StoredGrant[]): readonly StoredGrant[] {
  const newest = [...new Set(grants.map((grant) => grant.session).reverse())].slice(0, maxSessions)
  return grants.filter((grant) => newest.includes(grant.session))
}
