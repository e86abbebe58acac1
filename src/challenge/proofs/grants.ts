import { type Awaitable, andThen } from '../../lib/promises.js'
import type { Requester, Revocations } from '../commands.js'
import type { Channel } from '../exchange/code-provider.js'
import { type DomainServices, hashId } from '../keys.js'
import type { Limits } from '../limits.js'
import type { Purposes } from '../purposes.js'
import { createUpdater, newCommandId, type Update, type Updater, update } from '../updater.js'
import type { GrantMethod, GrantQuery, ProvenFacts, StoredGrant } from './stored-grant.js'
import {
  confirm,
  countRecoveryTry,
  devicesEndedAt,
  earlierIds,
  emptySubject,
  endDevices,
  findRevocationId,
  fitting,
  forgetRecoveryTries,
  grant,
  isRevokedSince,
  move,
  type RecoveryTry,
  revocationLifetimeMs,
  revoke,
  revokeEverything,
  type SubjectRecord,
  take,
  takeBackGrant,
} from './subject-record.js'
import { reportSubject } from './subject-report.js'

/** A record that this session verified a second factor, for one purpose, at one time. (It is not an OAuth grant.) */
export interface Grant {
  /** Account id, as your option `subject` returned it. */
  readonly subject: string
  /** Purpose of the verification, such as `login`. */
  readonly purpose: string
  /** Time of the approval, in milliseconds since 1970. */
  readonly verifiedAt: number
  /** Kind of factor that was verified. */
  readonly method: GrantMethod
  /** Method by which the last code was sent. Absent if none was sent. */
  readonly channel?: Channel
  /**
   * `known` if the account signed in with this browser before. Only in the grant passed to `onVerified`, and absent if
   * browsers are not tracked.
   */
  readonly browser?: 'known' | 'new'
}

/** Time of a verification that is past. Without it, the grant counts from the time at which it is written. */
interface ProvenBefore {
  readonly verifiedAt?: number | undefined
}

/** The session ids before and after its renewal. */
interface NewIds {
  /** Session id before the renewal. Its grants move along. */
  readonly before: string
  readonly after: string
  /**
   * If true, the grant admits nothing until it is confirmed, because the client knows the session id whatever the
   * response is.
   */
  readonly provisional: boolean
}

export type Grants = ReturnType<typeof createGrants>

type DecideRecord<Outcome> = (record: SubjectRecord, now: number) => Update<SubjectRecord, Outcome>

interface GrantParts extends DomainServices {
  readonly purposes: Purposes
  readonly limits: Pick<Limits, 'codeLifetimeMs'>
  /** Maximum lifetime of a device cookie. */
  readonly deviceLifetimeMs: number
}

/** Creates access to the grants of all accounts. Each account has one record. */
export function createGrants(parts: GrantParts) {
  const { store, keys, limits, deviceLifetimeMs, now, emit } = parts

  const look = <Result>(subject: string, judge: (record: SubjectRecord) => Result): Awaitable<Result> =>
    andThen(store.read(keys.grants(subject)), (entry) =>
      judge((entry?.value as SubjectRecord | undefined) ?? emptySubject),
    )

  const change = <Outcome>(subject: string, decide: DecideRecord<Outcome>): Promise<Outcome> =>
    update(store, keys.grants(subject), (record: SubjectRecord = emptySubject) => decide(record, now()))

  const newRevocation = (now: number, session?: string) => ({
    id: newCommandId(),
    session,
    expiresAt: now + revocationLifetimeMs(limits.codeLifetimeMs),
  })

  async function end(subject: string, decide: DecideRecord<undefined>): Promise<void> {
    await change(subject, decide)
    emit({ type: 'grant.revoked', subject })
  }

  return {
    /**
     * Returns the matching grant that is younger than `maxAgeMs`. It needs one store read, and no promise if the store
     * needs none.
     */
    read: (required: GrantQuery) =>
      look(required.subject, (record) => grantOf(required.subject, fitting(record, required, now()))),
    /** Like `read`, but removes the grant. Of two parallel requests one receives it. */
    async take(required: GrantQuery): Promise<Grant | undefined> {
      const taken = await change(required.subject, (record, time) => take(record, required, time))
      return grantOf(required.subject, taken)
    },
    /** Opens the record of an account for one request. */
    open: (requester: Requester) => new OpenSubject(parts, requester),
    /**
     * Returns whether a revocation of this account or session came after `revocationId`. `earlier` contains tags of
     * earlier session ids.
     */
    isRevokedSince: async (
      revocationId: string | undefined,
      { subject, session, earlier = [] }: Requester & { readonly earlier?: readonly string[] | undefined },
    ) =>
      look(subject, (record) => isRevokedSince(revocationId, record, [hashId(session), ...earlier], now())),
    /** Returns tags of the ids that this session had before its grants moved. */
    earlierSessions: async ({ subject, session }: Requester) =>
      look(subject, (record) => earlierIds(record, hashId(session))),
    /** Moves the grants of a session to its new id. The old id becomes invalid. */
    move: (subject: string, from: string, to: string) =>
      change(subject, (record, time) => move(record, { from: hashId(from), to: hashId(to) }, time)),
    /**
     * Revokes all grants of this session, and the challenges, checks and unredeemed phone verifications that started in
     * it.
     */
    revoke: ({ subject, session }: Requester) =>
      end(subject, (record, time) => revoke(record, newRevocation(time, hashId(session)), time)),
    /** Revokes all grants of this account in every session, and the challenges and checks that started before. */
    revokeSubject: (subject: string) =>
      end(subject, (record, time) => revoke(record, newRevocation(time), time)),
    /** Like `revokeSubject`, and ends the device cookies in one write, so that none replaces a code in between. */
    revokeEverything: (subject: string) =>
      end(subject, (record, time) => revokeEverything(record, newRevocation(time), deviceLifetimeMs, time)),
    /** Ends the device cookies that were set until now. */
    endDevices: (subject: string) =>
      change(subject, (record, time) => endDevices(record, deviceLifetimeMs, time)),
    /** Returns the time until which device cookies are invalid. */
    devicesEndedAt: async (subject: string) => look(subject, devicesEndedAt),
    /** Reports to an operator how many sessions have a valid grant, and how many recovery codes were tried. */
    look: async (subject: string) => look(subject, (record) => reportSubject(record, now())),
    /** Resets the count of tried recovery codes of the current day. */
    forgetRecoveryTries: (subject: string) => change(subject, forgetRecoveryTries),
  }
}

/**
 * The record of an account during one request. It reads the last revocation once and writes at most one grant. It is a
 * class, because a factory would create its closures for every request.
 */
export class OpenSubject implements Revocations {
  private readonly entry: Updater<SubjectRecord>
  private record: Promise<SubjectRecord> | undefined
  private revocationId: Promise<string | undefined> | undefined
  private written: StoredGrant | undefined

  constructor(
    private readonly parts: GrantParts,
    private readonly requester: Requester,
  ) {
    this.entry = createUpdater(parts.store, parts.keys.grants(requester.subject))
  }

  /** Returns the id of the last revocation of this account in this session, or undefined if there was none recently. */
  readRevocationId(): Promise<string | undefined> {
    this.revocationId ??= this.findLastRevocation()
    return this.revocationId
  }

  /** Returns the time until which device cookies are invalid. */
  async devicesEndedAt(): Promise<number> {
    return devicesEndedAt(await this.readOnce())
  }

  /** Returns whether a revocation has come since. It needs one store read. */
  async isRevoked(): Promise<boolean> {
    const revocationId = await this.readRevocationId()
    // Not through `entry`: a failed read would prevent `takeBack`.
    const { store, keys, now } = this.parts
    const entry = await store.read(keys.grants(this.requester.subject))
    const record = (entry?.value as SubjectRecord | undefined) ?? emptySubject
    return isRevokedSince(revocationId, record, [hashId(this.requester.session)], now())
  }

  /** Writes a grant. Returns undefined and writes nothing if grants were revoked after the record was read. */
  async write(proven: ProvenFacts & ProvenBefore, ids: NewIds): Promise<Grant | undefined> {
    const { purpose, bound, method, channel } = proven
    const revocationId = await this.readRevocationId()
    const [previous, session] = [hashId(ids.before), hashId(ids.after)]
    const id = newCommandId()
    this.written = await this.change((record, time) => {
      const verifiedAt = Math.min(time, proven.verifiedAt ?? time)
      const added: StoredGrant = {
        id,
        session,
        earlier: previous === session ? [] : [previous],
        purpose,
        bound,
        verifiedAt,
        method,
        channel,
        expiresAt: verifiedAt + this.parts.purposes.grantLifetimeMs(purpose),
        provisional: ids.provisional || undefined,
      }
      return grant(record, { added, previous, revocationId }, time)
    })
    return grantOf(this.requester.subject, this.written)
  }

  /**
   * Moves the grants of the session to another id. The new grant admits nothing there until it is confirmed, because a
   * request that fails afterwards may be unable to remove it.
   */
  async moveTo(session: string): Promise<void> {
    const { written } = this
    if (written === undefined) return
    this.written = { ...written, provisional: true }
    const change = { from: written.session, to: hashId(session), provisional: written.id }
    await this.change((record, time) => move(record, change, time))
  }

  /** Makes a provisional grant valid. Called when a successful response is certain. */
  async confirm(): Promise<void> {
    const { written } = this
    if (written?.provisional) await this.change((record, time) => confirm(record, written.id, time))
  }

  /** Removes this grant and no other, whatever the time and the current session id. */
  async takeBack(): Promise<void> {
    const { written } = this
    if (written !== undefined) await this.change((record, time) => takeBackGrant(record, written.id, time))
  }

  /** Counts a recovery code before it is checked. */
  async countRecoveryTry(): Promise<RecoveryTry> {
    return this.change(countRecoveryTry)
  }

  private async findLastRevocation(): Promise<string | undefined> {
    return findRevocationId(await this.readOnce(), [hashId(this.requester.session)], this.parts.now())
  }

  private readOnce(): Promise<SubjectRecord> {
    this.record ??= this.entry.prefetch().then((record = emptySubject) => record)
    return this.record
  }

  private change<Outcome>(decide: DecideRecord<Outcome>): Promise<Outcome> {
    return this.entry.update((record = emptySubject) => decide(record, this.parts.now()))
  }
}

function grantOf(subject: string, stored: StoredGrant | undefined): Grant | undefined {
  if (stored === undefined) return undefined
  const { purpose, verifiedAt, method, channel } = stored
  return { subject, purpose, verifiedAt, method, ...(channel && { channel }) }
}
