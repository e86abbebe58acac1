import type { Emit } from '../../events.js'
import { type Awaitable, andThen, ignoreRejection } from '../../lib/awaitable.js'
import type { Entry, Store } from '../../store/store.js'
import { hashId, type Keys } from '../keys.js'
import type { Limits } from '../limits.js'
import type { Purposes } from '../purposes.js'
import { createUpdater, newCommandId, type Update, update } from '../updater.js'
import type { GrantDemand, GrantMethod, StoredGrant } from './stored-grant.js'
import {
  confirm,
  countRecoveryTry,
  earlierIds,
  emptySubject,
  epochOf,
  fitting,
  forgetRecoveryTries,
  grant,
  isRevokedSince,
  move,
  type RecoveryTry,
  revocationLifetimeMs,
  revoke,
  type SubjectRecord,
  take,
  takeBack,
} from './subject-record.js'

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
}

/** Whose grants. `session` is the host's session id. */
type Holder = { readonly subject: string; readonly session: string }

/** What a guard asks for. `bound` is the hash of the bound fields. */
export type RequiredGrant = Holder & GrantDemand

export interface NewGrant {
  readonly session: string
  readonly purpose: string
  readonly bound?: string | undefined
  readonly method: GrantMethod
  /** By which its code may have come, when by more than one: a guard that asks for methods has to take each. */
  readonly channels?: readonly GrantMethod[] | undefined
  /** The id that the session had before it was renewed: its grants move along. */
  readonly previousSession?: string | undefined
  /** Admits nothing until it is confirmed: for a session whose id the caller knows whatever the response is. */
  readonly provisional?: boolean
}

/** One grant in the hands of the request that wrote it. */
export interface WrittenGrant {
  readonly grant: Grant
  /**
   * Takes the grants of its session along to another id. This one admits nothing there until it is
   * confirmed: a request that fails afterwards may be unable to take it back.
   */
  moveTo(session: string): Promise<void>
  /** Makes a provisional grant admit. Called once a successful response is certain. */
  confirm(): Promise<void>
  /** Removes this grant and no other, whatever the clock says and whichever id its session has by now. */
  takeBack(): Promise<void>
}

/** The record of a subject in the hands of one request: read once as it begins, and changed by swaps from there on. */
export interface OpenSubject {
  /** The last revocation of this subject in this session; undefined when there was none recently. */
  readonly epoch: Awaitable<string | undefined>
  /** Whether a revocation has come since. One store read. */
  isRevoked(): Promise<boolean>
  /** Undefined, and nothing written, when grants were revoked since the record was read. */
  write(grant: NewGrant): Promise<WrittenGrant | undefined>
  /** Counts a recovery code before it is judged. */
  countRecoveryTry(): Promise<RecoveryTry>
}

export interface Grants {
  /** The grant that fits and is younger than `maxAgeMs`. One store read, and no promise when the store needs none. */
  read(required: RequiredGrant): Awaitable<Grant | undefined>
  /** As `read`, and removes it: of two parallel requests one gets it. */
  take(required: RequiredGrant): Promise<Grant | undefined>
  /** Reads the record of a subject together with what else a request needs. */
  open(who: Holder): OpenSubject
  /** Whether a revocation of this subject or session came after `epoch`. `earlier`: tags of the ids that it had before. */
  isRevokedSince(
    epoch: string | undefined,
    who: Holder & { readonly earlier?: readonly string[] | undefined },
  ): Promise<boolean>
  /** Tags of the ids that this session had before its grants moved to it. */
  earlierSessions(who: Holder): Promise<readonly string[]>
  /** Takes the grants of a session along when its id is renewed. The old id is invalid then. */
  move(subject: string, from: string, to: string): Promise<void>
  /** Ends all grants of this session, and the challenges, checks and unredeemed proofs of numbers that began in it before. */
  revoke(who: Holder): Promise<void>
  /** Ends all grants of this subject in every session, and the challenges and checks that began before. */
  revokeSubject(subject: string): Promise<void>
  /** Forgets the recovery codes that were tried in the day that runs. */
  forgetRecoveryTries(subject: string): Promise<void>
}

type Decide<Outcome> = (record: SubjectRecord, now: number) => Update<SubjectRecord, Outcome>

export function createGrants(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly purposes: Purposes
  readonly limits: Pick<Limits, 'codeLifetimeMs'>
  readonly now: () => number
  readonly emit: Emit
}): Grants {
  const { store, keys, purposes, limits, now, emit } = parts

  const deciding =
    <Outcome>(decide: Decide<Outcome>) =>
    (record: SubjectRecord = emptySubject) =>
      decide(record, now())

  const change = <Outcome>(subject: string, decide: Decide<Outcome>): Promise<Outcome> =>
    update(store, keys.grants(subject), deciding(decide))

  async function recordOf(subject: string): Promise<SubjectRecord> {
    return recordIn(await store.read(keys.grants(subject)))
  }

  function admitted(entry: Entry | undefined, required: RequiredGrant): Grant | undefined {
    const found = fitting(recordIn(entry), hashId(required.session), required, now())
    return found && grantOf(required.subject, found)
  }

  async function end(subject: string, session?: string): Promise<void> {
    await change(subject, (record, time) => {
      const expiresAt = time + revocationLifetimeMs(limits.codeLifetimeMs)
      return revoke(record, { id: newCommandId(), session, expiresAt }, time)
    })
    emit({ type: 'grant.revoked', subject })
  }

  const grants: Grants = {
    read(required) {
      return andThen(store.read(keys.grants(required.subject)), (entry) => admitted(entry, required))
    },

    async take(required) {
      const session = hashId(required.session)
      const taken = await change(required.subject, (record, time) => take(record, session, required, time))
      return taken && grantOf(required.subject, taken)
    },

    open(who) {
      const { subject } = who
      const updater = createUpdater<SubjectRecord>(store, keys.grants(subject))
      const epoch = andThen(updater.prefetch(), (found = emptySubject) =>
        epochOf(found, [hashId(who.session)], now()),
      )
      ignoreRejection(epoch)
      const changeOpen = async <Outcome>(decide: Decide<Outcome>) => updater.update(deciding(decide))

      return {
        epoch,
        isRevoked: async () => grants.isRevokedSince(await epoch, who),
        countRecoveryTry: () => changeOpen(countRecoveryTry),

        async write(proven) {
          const { purpose, bound, method, channels, previousSession, provisional = false } = proven
          const session = hashId(proven.session)
          const previous = previousSession === undefined ? session : hashId(previousSession)
          const begunIn = await epoch
          const id = newCommandId()
          let verifiedAt = 0
          const isWritten = await changeOpen((record, time) => {
            verifiedAt = time
            const added: StoredGrant = {
              id,
              session,
              earlier: previous === session ? [] : [previous],
              purpose,
              bound,
              verifiedAt,
              method,
              channels,
              expiresAt: time + purposes.grantLifetimeMs(purpose),
              provisional: provisional || undefined,
            }
            return grant(record, added, previous, begunIn, time)
          })
          if (!isWritten) return undefined
          let isProvisional = provisional
          return {
            grant: grantOf(subject, { purpose, verifiedAt, method }),
            moveTo(next) {
              isProvisional = true
              return changeOpen((record, time) => move(record, session, hashId(next), time, id))
            },
            async confirm() {
              if (isProvisional) await changeOpen((record, time) => confirm(record, id, time))
            },
            takeBack: () => changeOpen((record, time) => takeBack(record, id, time)),
          }
        },
      }
    },

    async isRevokedSince(epoch, { subject, session, earlier = [] }) {
      return isRevokedSince(epoch, await recordOf(subject), [hashId(session), ...earlier], now())
    },
    earlierSessions: async ({ subject, session }) => earlierIds(await recordOf(subject), hashId(session)),
    move: (subject, from, to) =>
      change(subject, (record, time) => move(record, hashId(from), hashId(to), time)),
    revoke: ({ subject, session }) => end(subject, hashId(session)),
    revokeSubject: (subject) => end(subject),
    forgetRecoveryTries: (subject) => change(subject, forgetRecoveryTries),
  }
  return grants
}

function recordIn(entry: Entry | undefined): SubjectRecord {
  return (entry?.value as SubjectRecord | undefined) ?? emptySubject
}

function grantOf(subject: string, proven: Pick<StoredGrant, 'purpose' | 'verifiedAt' | 'method'>): Grant {
  const { purpose, verifiedAt, method } = proven
  return { subject, purpose, verifiedAt, method }
}
