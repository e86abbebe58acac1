import { dayMs, minuteMs } from '../../lib/time.js'
import { hashId } from '../keys.js'
import { type Update, unchanged } from '../updater.js'
import { type GrantQuery, meets, replaces, type StoredGrant } from './stored-grant.js'

/** A revocation, stored while anything exists that it ends. Without `session` it concerns all sessions. */
type Revocation = { readonly id: string; readonly session?: string | undefined; readonly expiresAt: number }

/** Recovery codes tried in the current day, including correct ones. */
type RecoveryTries = { readonly count: number; readonly expiresAt: number }

/** Time at which the device cookies were revoked, stored while an older cookie may exist. */
type DevicesEnded = { readonly at: number; readonly expiresAt: number }

/** Everything that the sessions of an account share. It is one entry, so that one read admits and one swap revokes. */
export type SubjectRecord = {
  readonly grants: readonly StoredGrant[]
  readonly revocations?: readonly Revocation[] | undefined
  readonly recoveryTries?: RecoveryTries | undefined
  readonly devicesEnded?: DevicesEnded | undefined
}

/** Value of an absent entry. */
export const emptySubject: SubjectRecord = { grants: [] }

type RecordChange<Outcome> = Update<SubjectRecord, Outcome>

const maxSessions = 20
/** The package and the app each renew the session once, for the last sign-in and for the step-up after it. */
const maxEarlier = 4
/** With more logouts within minutes the oldest revocation is dropped. Its grants are already removed. */
const maxRevocations = 20
/** Per day. This limit is separate from that of codes by phone, so neither uses up the other (lockout). */
export const maxRecoveryTries = 10

/** How long a verified number can be redeemed. */
export const proofLifetimeMs = 30 * minuteMs
/** Time by which a check may outlive its code, or a clock may be slow. */
const checkMarginMs = minuteMs

/** Returns how long a revocation is stored: as long as an earlier code may be submitted, or a number redeemed. */
export const revocationLifetimeMs = (codeLifetimeMs: number): number =>
  Math.max(codeLifetimeMs, proofLifetimeMs) + checkMarginMs

/** Returns the earlier ids of a session after one more renewal. */
export const withEarlier = (earlier: readonly string[] = [], previous: string): readonly string[] =>
  [...earlier, previous].slice(-maxEarlier)

/** Stores the record without its expired parts, until the last part expires. */
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

/** Finds the newest grant that satisfies a query. */
export function fitting(
  { grants }: SubjectRecord,
  required: GrantQuery,
  now: number,
): StoredGrant | undefined {
  const session = hashId(required.session)
  return grants.findLast((grant) => grant.session === session && meets(grant, required, now))
}

/** Removes the grant that satisfies a query. Of two parallel requests one receives it. */
export function take(
  record: SubjectRecord,
  required: GrantQuery,
  now: number,
): RecordChange<StoredGrant | undefined> {
  const grant = fitting(record, required, now)
  return grant === undefined ? unchanged : putRecord(withoutGrant(record, grant.id), now, grant)
}

/** A grant, the id that its session had before, and the last revocation that its request read. */
interface NewGrant {
  readonly added: StoredGrant
  readonly previous: string
  readonly revocationId: string | undefined
}

/** Adds a grant and moves those of its session. Returns undefined if a revocation came after `revocationId`. */
export function grant(
  record: SubjectRecord,
  { added, previous, revocationId }: NewGrant,
  now: number,
): RecordChange<StoredGrant | undefined> {
  // A code that was being checked must not undo a logout or a password reset (ASVS 5.0, 7.4.1).
  if (isRevokedSince(revocationId, record, [previous], now)) return unchanged
  const others = moved(record, { from: previous, to: added.session }).grants.filter(
    (other) => !replaces(added, other),
  )
  return putRecord({ ...record, grants: ofNewestSessions([...others, added]) }, now, added)
}

/** Drops the oldest sessions, because an account signs in from few browsers. */
function ofNewestSessions(grants: readonly StoredGrant[]): readonly StoredGrant[] {
  const newest = [...new Set(grants.map(({ session }) => session).reverse())].slice(0, maxSessions)
  return grants.filter(({ session }) => newest.includes(session))
}

/** Removes the grant with this id, whatever the time and the current id of its session. */
export function takeBackGrant(record: SubjectRecord, id: string, now: number): RecordChange<undefined> {
  return putRecord(withoutGrant(record, id), now, undefined)
}

function withoutGrant(record: SubjectRecord, id: string): SubjectRecord {
  return { ...record, grants: record.grants.filter((grant) => grant.id !== id) }
}

/** Makes a provisional grant valid. */
export function confirm(record: SubjectRecord, id: string, now: number): RecordChange<undefined> {
  const admits = (grant: StoredGrant) => (grant.id === id ? { ...grant, provisional: undefined } : grant)
  return putRecord({ ...record, grants: record.grants.map(admits) }, now, undefined)
}

/** A session whose id changes, with the id of a grant that is not confirmed yet. */
interface SessionMove {
  readonly from: string
  readonly to: string
  readonly provisional?: string
}

/** Moves the grants of a session to its new id. The grant `provisional` admits nothing until it is confirmed. */
export function move(record: SubjectRecord, change: SessionMove, now: number): RecordChange<undefined> {
  if (!record.grants.some(({ session }) => session === change.from)) return unchanged
  return putRecord(moved(record, change), now, undefined)
}

/** Invalidates the old id (session fixation). */
function moved(record: SubjectRecord, { from, to, provisional }: SessionMove): SubjectRecord {
  if (from === to) return record
  const grants = record.grants.map((grant) => {
    if (grant.session !== from) return grant
    const along = { ...grant, session: to, earlier: withEarlier(grant.earlier, from) }
    return grant.id === provisional ? { ...along, provisional: true as const } : along
  })
  return { ...record, grants }
}

/** Returns the ids that this session had before its grants moved. */
export function earlierIds({ grants }: SubjectRecord, session: string): readonly string[] {
  return [...new Set(grants.flatMap((grant) => (grant.session === session ? grant.earlier : [])))]
}

// ── revocations ──────────────────────────────────────────────────────────────────────────────────

/** Revokes the grants of one session, under any of its recent ids, or of all sessions. */
export function revoke(record: SubjectRecord, revocation: Revocation, now: number): RecordChange<undefined> {
  const { session } = revocation
  const grants = record.grants.filter(
    (one) => session !== undefined && one.session !== session && !one.earlier.includes(session),
  )
  const earlier = record.revocations?.filter((one) => session !== undefined && one.session !== session) ?? []
  return putRecord({ ...record, grants, revocations: newest([...earlier, revocation]) }, now, undefined)
}

/** Keeps a revocation of all sessions, whatever is revoked later: many logouts must not undo a password reset. */
function newest(revocations: readonly Revocation[]): readonly Revocation[] {
  const ofSessions = revocations.filter(({ session }) => session !== undefined).slice(-maxRevocations)
  return [...revocations.filter(({ session }) => session === undefined), ...ofSessions]
}

/** Finds the last revocation that concerns a session under one of these ids. */
export function findRevocationId(
  { revocations }: SubjectRecord,
  ids: readonly string[],
  now: number,
): string | undefined {
  return revocations?.findLast(
    ({ session, expiresAt }) => now < expiresAt && (session === undefined || ids.includes(session)),
  )?.id
}

/** Returns whether a revocation came after `revocationId`. An expired revocation does not count. */
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

/** Revokes the device cookies that were set until now. `lifetimeMs` is their maximum lifetime. */
export function endDevices(record: SubjectRecord, lifetimeMs: number, now: number): RecordChange<undefined> {
  return putRecord(withDevicesEnded(record, lifetimeMs, now), now, undefined)
}

/** Revokes the device cookies, and the grants, challenges and checks of all sessions. */
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

/** Returns the time until which device cookies are invalid. 0 if all are valid. */
export const devicesEndedAt = ({ devicesEnded }: SubjectRecord): number => devicesEnded?.at ?? 0

// ── recovery codes ───────────────────────────────────────────────────────────────────────────────

/** The recovery attempts of the day after one more. A refused one is not counted. */
export interface RecoveryTry {
  readonly isRefused: boolean
  readonly remaining: number
  /** Milliseconds until the day ends. */
  readonly resetInMs: number
}

/** Counts one attempt, unless the day has none left. */
export function countRecoveryTry(record: SubjectRecord, now: number): RecordChange<RecoveryTry> {
  const running = record.recoveryTries
  const { count, expiresAt } =
    running && now < running.expiresAt ? running : { count: 0, expiresAt: now + dayMs }
  const tried = { remaining: Math.max(0, maxRecoveryTries - count - 1), resetInMs: expiresAt - now }
  if (count >= maxRecoveryTries) return { outcome: { ...tried, isRefused: true } }
  const counted = { ...record, recoveryTries: { count: count + 1, expiresAt } }
  return putRecord(counted, now, { ...tried, isRefused: false })
}

/** Resets the attempts of the day. */
export function forgetRecoveryTries(record: SubjectRecord, now: number): RecordChange<undefined> {
  return record.recoveryTries ? putRecord({ ...record, recoveryTries: undefined }, now, undefined) : unchanged
}
