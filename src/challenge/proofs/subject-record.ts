import { dayMs, minuteMs } from '../../lib/time.js'
import { hashId } from '../keys.js'
import { type Update, unchanged } from '../updater.js'
import { type GrantQuery, meets, replaces, type StoredGrant } from './stored-grant.js'

/** A revocation, remembered while there may be something that it ends. Without `session`: of all. */
type Revocation = { readonly id: string; readonly session?: string | undefined; readonly expiresAt: number }

/** The recovery codes that were tried in the day that runs, right ones included. */
type RecoveryTries = { readonly count: number; readonly expiresAt: number }

/** When its device cookies were ended, remembered while one from before may live. */
type DevicesEnded = { readonly at: number; readonly expiresAt: number }

/** All that sessions share about one subject: one entry, so that one read admits and one swap revokes. */
export type SubjectRecord = {
  readonly grants: readonly StoredGrant[]
  readonly revocations?: readonly Revocation[] | undefined
  readonly recoveryTries?: RecoveryTries | undefined
  readonly devicesEnded?: DevicesEnded | undefined
}

/** What an entry that is not there amounts to. */
export const emptySubject: SubjectRecord = { grants: [] }

type RecordChange<Outcome> = Update<SubjectRecord, Outcome>

const maxSessions = 20
/** One by our renewal and one by the host's, of the last sign-in and of the step-up after it. */
const maxEarlier = 4
/** With more logouts within minutes the earliest is forgotten; its grants are gone all the same. */
const maxRevocations = 20
/** Of a day. A budget of its own: wrong codes by phone use up none of it, nor the other way round (lockout). */
export const maxRecoveryTries = 10

/** How long a proven number may be redeemed. */
export const proofLifetimeMs = 30 * minuteMs
/** How long a check may outlive its code, or a clock be behind. */
const checkMarginMs = minuteMs

/** How long a revocation is remembered: a code that was sent before may be typed, a number redeemed. */
export const revocationLifetimeMs = (codeLifetimeMs: number): number =>
  Math.max(codeLifetimeMs, proofLifetimeMs) + checkMarginMs

/** The last ids of a session that is renewed once more. */
export const withEarlier = (earlier: readonly string[] = [], previous: string): readonly string[] =>
  [...earlier, previous].slice(-maxEarlier)

/** Puts the record without what has expired, kept until the last of it expires. */
function putRecord<Outcome>(record: SubjectRecord, now: number, outcome: Outcome): RecordChange<Outcome> {
  const isLive = ({ expiresAt }: { readonly expiresAt: number }) => now < expiresAt
  const grants = record.grants.filter(isLive)
  const revocations = record.revocations?.filter(isLive) ?? []
  const ifLive = <One extends { readonly expiresAt: number }>(one: One | undefined) =>
    one && isLive(one) ? one : undefined
  const recoveryTries = ifLive(record.recoveryTries)
  const devicesEnded = ifLive(record.devicesEnded)
  const others = [recoveryTries, devicesEnded].filter((one) => one !== undefined)
  const ends = [...grants, ...revocations, ...others].map(({ expiresAt }) => expiresAt - now)
  const value = {
    grants,
    revocations: revocations.length === 0 ? undefined : revocations,
    recoveryTries,
    devicesEnded,
  }
  return { outcome, put: { value, ttlMs: Math.max(1, ...ends) } }
}

// ── grants ───────────────────────────────────────────────────────────────────────────────────────

/** The newest grant that admits a request. */
export function fitting(
  { grants }: SubjectRecord,
  required: GrantQuery,
  now: number,
): StoredGrant | undefined {
  const session = hashId(required.session)
  return grants.findLast((grant) => grant.session === session && meets(grant, required, now))
}

/** Removes the grant that admits a request: of two one gets it. */
export function take(
  record: SubjectRecord,
  required: GrantQuery,
  now: number,
): RecordChange<StoredGrant | undefined> {
  const grant = fitting(record, required, now)
  return grant === undefined ? unchanged : putRecord(withoutGrant(record, grant.id), now, grant)
}

/** Adds a grant, to which those of its session move along; undefined where a revocation came after `revocationId`. */
export function grant(
  record: SubjectRecord,
  added: StoredGrant,
  previous: string,
  revocationId: string | undefined,
  now: number,
): RecordChange<StoredGrant | undefined> {
  // ASVS 5.0, 7.4.1: a logout or a password reset while the code was being checked must not be undone by it.
  if (isRevokedSince(revocationId, record, [previous], now)) return unchanged
  const others = moved(record, previous, added.session).grants.filter((other) => !replaces(added, other))
  return putRecord({ ...record, grants: ofNewestSessions([...others, added]) }, now, added)
}

/** Oldest sessions out: one subject signs in from a handful of browsers. */
function ofNewestSessions(grants: readonly StoredGrant[]): readonly StoredGrant[] {
  const newest = [...new Set(grants.map(({ session }) => session).reverse())].slice(0, maxSessions)
  return grants.filter(({ session }) => newest.includes(session))
}

/** Removes the grant of this id, whatever the clock says and whichever id its session has by now. */
export function takeBackGrant(record: SubjectRecord, id: string, now: number): RecordChange<undefined> {
  return putRecord(withoutGrant(record, id), now, undefined)
}

function withoutGrant(record: SubjectRecord, id: string): SubjectRecord {
  return { ...record, grants: record.grants.filter((grant) => grant.id !== id) }
}

/** Makes a provisional grant admit. */
export function confirm(record: SubjectRecord, id: string, now: number): RecordChange<undefined> {
  const admits = (grant: StoredGrant) => (grant.id === id ? { ...grant, provisional: undefined } : grant)
  return putRecord({ ...record, grants: record.grants.map(admits) }, now, undefined)
}

/** Takes the grants of a session along to its new id. The one of `provisional` admits nothing until it is confirmed. */
export function move(
  record: SubjectRecord,
  from: string,
  to: string,
  now: number,
  provisional?: string,
): RecordChange<undefined> {
  if (!record.grants.some(({ session }) => session === from)) return unchanged
  return putRecord(moved(record, from, to, provisional), now, undefined)
}

/** The old id is invalid from here on (session fixation). */
function moved(record: SubjectRecord, from: string, to: string, provisional?: string): SubjectRecord {
  if (from === to) return record
  const grants = record.grants.map((grant) => {
    if (grant.session !== from) return grant
    const along = { ...grant, session: to, earlier: withEarlier(grant.earlier, from) }
    return grant.id === provisional ? { ...along, provisional: true as const } : along
  })
  return { ...record, grants }
}

/** The ids that this session had before its grants moved to it. */
export function earlierIds({ grants }: SubjectRecord, session: string): readonly string[] {
  return [...new Set(grants.flatMap((grant) => (grant.session === session ? grant.earlier : [])))]
}

// ── revocations ──────────────────────────────────────────────────────────────────────────────────

/** Ends the grants of one session, under whichever of its last ids, or of all. */
export function revoke(record: SubjectRecord, revocation: Revocation, now: number): RecordChange<undefined> {
  const { session } = revocation
  const grants = record.grants.filter(
    (one) => session !== undefined && one.session !== session && !one.earlier.includes(session),
  )
  const earlier = record.revocations?.filter((one) => session !== undefined && one.session !== session) ?? []
  return putRecord({ ...record, grants, revocations: newest([...earlier, revocation]) }, now, undefined)
}

/** A revocation of all sessions stays, whatever is revoked later: many logouts must not undo a password reset. */
function newest(revocations: readonly Revocation[]): readonly Revocation[] {
  const ofSessions = revocations.filter(({ session }) => session !== undefined).slice(-maxRevocations)
  return [...revocations.filter(({ session }) => session === undefined), ...ofSessions]
}

/** The last revocation that reaches a session under one of these ids. */
export function findRevocationId(
  { revocations }: SubjectRecord,
  ids: readonly string[],
  now: number,
): string | undefined {
  return revocations?.findLast(
    ({ session, expiresAt }) => now < expiresAt && (session === undefined || ids.includes(session)),
  )?.id
}

/** Whether a revocation came after `revocationId`. One that expired since does not count as new. */
export function isRevokedSince(
  revocationId: string | undefined,
  record: SubjectRecord,
  ids: readonly string[],
  now: number,
): boolean {
  const last = findRevocationId(record, ids, now)
  return last !== undefined && last !== revocationId
}

// ── device cookies ───────────────────────────────────────────────────────────────────────────────

/** Ends the device cookies that were set until now, which live for so long at most. */
export function endDevices(record: SubjectRecord, lifetimeMs: number, now: number): RecordChange<undefined> {
  return putRecord(withDevicesEnded(record, lifetimeMs, now), now, undefined)
}

/** Ends them together with the grants, challenges and checks of all sessions. */
export function revokeEverything(
  record: SubjectRecord,
  revocation: Revocation,
  lifetimeMs: number,
  now: number,
): RecordChange<undefined> {
  return revoke(withDevicesEnded(record, lifetimeMs, now), revocation, now)
}

const withDevicesEnded = (record: SubjectRecord, lifetimeMs: number, now: number): SubjectRecord => ({
  ...record,
  devicesEnded: { at: now, expiresAt: now + lifetimeMs },
})

/** Device cookies that were set until then are worth nothing; 0 when all count. */
export const devicesEndedAt = ({ devicesEnded }: SubjectRecord): number => devicesEnded?.at ?? 0

// ── recovery codes ───────────────────────────────────────────────────────────────────────────────

/** How the tries of the day are after one more: a refused one is not counted. */
export interface RecoveryTry {
  readonly isRefused: boolean
  readonly remaining: number
  /** Until the day ends. */
  readonly resetInMs: number
}

/** Counts one try, unless the day has had all of its. */
export function countRecoveryTry(record: SubjectRecord, now: number): RecordChange<RecoveryTry> {
  const running = record.recoveryTries
  const { count, expiresAt } =
    running && now < running.expiresAt ? running : { count: 0, expiresAt: now + dayMs }
  const tried = { remaining: Math.max(0, maxRecoveryTries - count - 1), resetInMs: expiresAt - now }
  if (count >= maxRecoveryTries) return { outcome: { ...tried, isRefused: true } }
  const counted = { ...record, recoveryTries: { count: count + 1, expiresAt } }
  return putRecord(counted, now, { ...tried, isRefused: false })
}

/** Forgets the tries of the day. */
export function forgetRecoveryTries(record: SubjectRecord, now: number): RecordChange<undefined> {
  return record.recoveryTries ? putRecord({ ...record, recoveryTries: undefined }, now, undefined) : unchanged
}
