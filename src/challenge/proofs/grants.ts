import { type Awaitable, andThen } from '../../lib/promises.js'
import type { Fact, Requester } from '../commands.js'
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

/** What success leaves behind. */
export interface Grant {
  /** The account, as the option `subject` returned it. */
  readonly subject: string
  /** What was proven, such as `login`. */
  readonly purpose: string
  /** When the code was approved, in milliseconds since 1970. */
  readonly verifiedAt: number
  /** What proved it. */
  readonly method: GrantMethod
  /** How the last code travelled; absent where none was sent. */
  readonly channel?: Channel
}

/** Where a grant is written: the ids of its session. */
interface NewIds {
  /** The id that the session had before it was renewed: its grants move along. */
  readonly before: string
  readonly after: string
  /** Admits nothing until it is confirmed: for a session whose id the caller knows whatever the response is. */
  readonly provisional: boolean
}

export type Grants = ReturnType<typeof createGrants>

type DecideRecord<Outcome> = (record: SubjectRecord, now: number) => Update<SubjectRecord, Outcome>

interface GrantParts extends DomainServices {
  readonly purposes: Purposes
  readonly limits: Pick<Limits, 'codeLifetimeMs'>
  /** Longer than that no device cookie lives. */
  readonly deviceLifetimeMs: number
}

/** The grants of all subjects, each with its own record. */
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
    /** The grant that fits and is younger than `maxAgeMs`. One store read, and no promise when the store needs none. */
    read: (required: GrantQuery) =>
      look(required.subject, (record) => grantOf(required.subject, fitting(record, required, now()))),
    /** As `read`, and removes it: of two parallel requests one gets it. */
    async take(required: GrantQuery): Promise<Grant | undefined> {
      const taken = await change(required.subject, (record, time) => take(record, required, time))
      return grantOf(required.subject, taken)
    },
    /** Reads the record of a subject together with what else a request needs. */
    open: (requester: Requester) => new OpenSubject(parts, requester),
    /** Whether a revocation of this subject or session came after `revocationId`. `earlier`: tags of the ids that it had before. */
    isRevokedSince: async (
      revocationId: string | undefined,
      { subject, session, earlier = [] }: Requester & { readonly earlier?: readonly string[] | undefined },
    ) =>
      look(subject, (record) => isRevokedSince(revocationId, record, [hashId(session), ...earlier], now())),
    /** Tags of the ids that this session had before its grants moved to it. */
    earlierSessions: async ({ subject, session }: Requester) =>
      look(subject, (record) => earlierIds(record, hashId(session))),
    /** Takes the grants of a session along when its id is renewed. The old id is invalid then. */
    move: (subject: string, from: string, to: string) =>
      change(subject, (record, time) => move(record, hashId(from), hashId(to), time)),
    /** Ends all grants of this session, and the challenges, checks and unredeemed proofs of numbers that began in it before. */
    revoke: ({ subject, session }: Requester) =>
      end(subject, (record, time) => revoke(record, newRevocation(time, hashId(session)), time)),
    /** Ends all grants of this subject in every session, and the challenges and checks that began before. */
    revokeSubject: (subject: string) =>
      end(subject, (record, time) => revoke(record, newRevocation(time), time)),
    /** The same, and the device cookies with it: at one moment, so that none stands in for a code between the two. */
    revokeEverything: (subject: string) =>
      end(subject, (record, time) => revokeEverything(record, newRevocation(time), deviceLifetimeMs, time)),
    /** Ends the device cookies that were set until now. */
    endDevices: (subject: string) =>
      change(subject, (record, time) => endDevices(record, deviceLifetimeMs, time)),
    /** Device cookies that were set until then are worth nothing. */
    devicesEndedAt: (subject: string) => look(subject, devicesEndedAt),
    /** What an operator sees of the record: its sessions with a proof that is valid, and the recovery codes tried. */
    look: async (subject: string) => look(subject, (record) => reportSubject(record, now())),
    /** Forgets the recovery codes that were tried in the day that runs. */
    forgetRecoveryTries: (subject: string) => change(subject, forgetRecoveryTries),
  }
}

/**
 * The record of a subject in the hands of one request, which reads its epoch once and writes one grant at most. A class,
 * since each closure of a factory would be made anew for every request.
 */
export class OpenSubject implements Fact<string | undefined> {
  private readonly entry: Updater<SubjectRecord>
  private record: Awaitable<SubjectRecord> | undefined
  private revocationId: { readonly last: Awaitable<string | undefined> } | undefined
  private written: StoredGrant | undefined

  constructor(
    private readonly parts: GrantParts,
    private readonly requester: Requester,
  ) {
    this.entry = createUpdater(parts.store, parts.keys.grants(requester.subject))
  }

  /** The last revocation of this subject in this session; undefined when there was none recently. */
  read(): Awaitable<string | undefined> {
    this.revocationId ??= {
      last: andThen(this.readOnce(), (record) =>
        findRevocationId(record, [hashId(this.requester.session)], this.parts.now()),
      ),
    }
    return this.revocationId.last
  }

  /** Device cookies that were set until then are worth nothing. */
  devicesEndedAt(): Awaitable<number> {
    return andThen(this.readOnce(), devicesEndedAt)
  }

  /** Whether a revocation has come since. One store read. */
  async isRevoked(): Promise<boolean> {
    const revocationId = await this.read()
    // Not by `entry`: a read that fails would stand in the way of `takeBack`.
    const { store, keys, now } = this.parts
    const entry = await store.read(keys.grants(this.requester.subject))
    const record = (entry?.value as SubjectRecord | undefined) ?? emptySubject
    return isRevokedSince(revocationId, record, [hashId(this.requester.session)], now())
  }

  /** Undefined, and nothing written, when grants were revoked since the record was read. */
  async write({ purpose, bound, method, channel }: ProvenFacts, ids: NewIds): Promise<Grant | undefined> {
    const revocationId = await this.read()
    const [previous, session] = [hashId(ids.before), hashId(ids.after)]
    const id = newCommandId()
    this.written = await this.change((record, time) => {
      const added: StoredGrant = {
        id,
        session,
        earlier: previous === session ? [] : [previous],
        purpose,
        bound,
        verifiedAt: time,
        method,
        channel,
        expiresAt: time + this.parts.purposes.grantLifetimeMs(purpose),
        provisional: ids.provisional || undefined,
      }
      return grant(record, added, previous, revocationId, time)
    })
    return grantOf(this.requester.subject, this.written)
  }

  /**
   * Takes the grants of the session along to another id. What was written admits nothing there until it is
   * confirmed: a request that fails afterwards may be unable to take it back.
   */
  async moveTo(session: string): Promise<void> {
    const { written } = this
    if (written === undefined) return
    this.written = { ...written, provisional: true }
    await this.change((record, time) => move(record, written.session, hashId(session), time, written.id))
  }

  /** Makes a provisional grant admit. Called once a successful response is certain. */
  async confirm(): Promise<void> {
    const { written } = this
    if (written?.provisional) await this.change((record, time) => confirm(record, written.id, time))
  }

  /** Removes the grant and no other, whatever the clock says and whichever id its session has by now. */
  async takeBack(): Promise<void> {
    const { written } = this
    if (written !== undefined) await this.change((record, time) => takeBackGrant(record, written.id, time))
  }

  /** Counts a recovery code before it is judged. */
  async countRecoveryTry(): Promise<RecoveryTry> {
    return this.change(countRecoveryTry)
  }

  private readOnce(): Awaitable<SubjectRecord> {
    this.record ??= andThen(this.entry.prefetch(), (record = emptySubject) => record)
    return this.record
  }

  private async change<Outcome>(decide: DecideRecord<Outcome>): Promise<Outcome> {
    return this.entry.update((record = emptySubject) => decide(record, this.parts.now()))
  }
}

function grantOf(subject: string, stored: StoredGrant | undefined): Grant | undefined {
  if (stored === undefined) return undefined
  const { purpose, verifiedAt, method, channel } = stored
  return { subject, purpose, verifiedAt, method, ...(channel && { channel }) }
}
