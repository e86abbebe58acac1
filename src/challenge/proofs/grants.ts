import type { Emit } from '../../events.js'
import type { Awaitable, Entry, Store } from '../../store/store.js'
import { hashId, type Keys } from '../keys.js'
import type { Limits } from '../limits.js'
import type { Purposes } from '../purposes.js'
import { createUpdater, newCommandId, type Update, type Updater, unchanged, update } from '../updater.js'
import {
  confirmed,
  earlierTags,
  epochOf,
  fits,
  type GrantDemand,
  type GrantMethod,
  type InSession,
  isIn,
  isRevokedSince,
  isSame,
  movedTo,
  noGrants,
  ofNewestSessions,
  putLive,
  type Revocation,
  replaces,
  revocationLifetimeMs,
  type StoredGrant,
  type StoredGrants,
} from './stored-grants.js'

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

/** Whose grant, for what. `session` is the host's session id, `bound` the hash of the bound fields. */
export interface GrantQuery {
  readonly subject: string
  readonly session: string
  readonly purpose: string
  readonly bound?: string | undefined
}

/** What a guard asks for. */
export type RequiredGrant = GrantQuery & GrantDemand

export interface NewGrant extends GrantQuery {
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

/** The grants as a request found them. */
export interface Standing {
  /** The last revocation of this subject in this session; undefined when there was none recently. */
  readonly epoch: Promise<string | undefined>
  readonly updater: Updater<StoredGrants>
  /** Whether a revocation has come since. */
  isRevoked(): Promise<boolean>
}

export interface Grants {
  /** The grant that fits and is younger than `maxAgeMs`. One store read, and no promise when the store needs none. */
  read(required: RequiredGrant): Awaitable<Grant | undefined>
  /** As `read`, and removes it: of two parallel requests one gets it. */
  take(required: RequiredGrant): Promise<Grant | undefined>
  /** Reads the entry while a request begins; `write` then changes it, unless a revocation came between. */
  prefetch(who: Holder): Standing
  /** Whether a revocation of this subject or session came after `epoch`. One store read. */
  isRevokedSince(epoch: string | undefined, who: FormerHolder): Promise<boolean>
  /** Tags of the ids that this session had before its grants renewed it. */
  earlierSessions(who: Holder): Promise<readonly string[]>
  /** Undefined, and nothing written, when grants were revoked since `standing` was read. */
  write(grant: NewGrant, standing?: Standing): Promise<WrittenGrant | undefined>
  /** Takes the grants of a session along when its id is renewed. The old id is invalid then. */
  move(subject: string, from: string, to: string): Promise<void>
  /** Ends all grants of this session, and the challenges and checks that began in it before. */
  revoke(who: Holder): Promise<void>
  /** Ends all grants of this subject in every session, and the challenges and checks that began before. */
  revokeSubject(subject: string): Promise<void>
}

type Holder = Pick<GrantQuery, 'subject' | 'session'>

/** With tags of the ids that the session had before. */
type FormerHolder = Holder & { readonly earlier?: readonly string[] | undefined }

export function createGrants(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly purposes: Purposes
  readonly limits: Pick<Limits, 'codeLifetimeMs'>
  readonly now: () => number
  readonly emit: Emit
}): Grants {
  const { store, keys, purposes, limits, now, emit } = parts

  function fitting(stored: StoredGrants | undefined, required: RequiredGrant) {
    const session = hashId(required.session)
    const time = now()
    return stored?.grants.findLast((grant) => fits(grant, required, session, time))
  }

  function admitted(entry: Entry | undefined, required: RequiredGrant): Grant | undefined {
    const grant = fitting(entry?.value as StoredGrants | undefined, required)
    return grant === undefined ? undefined : grantOf(required.subject, grant)
  }

  const put = (grants: readonly StoredGrant[], revocations?: readonly Revocation[]) =>
    putLive(grants, revocations, now())

  async function revokedSince(epoch: Awaitable<string | undefined>, who: FormerHolder) {
    const entry = await store.read(keys.grants(who.subject))
    const ids = [hashId(who.session), ...(who.earlier ?? [])]
    return isRevokedSince(await epoch, entry?.value as StoredGrants | undefined, ids, now())
  }

  function prefetch(who: Holder): Standing {
    const updater = createUpdater<StoredGrants>(store, keys.grants(who.subject))
    const epoch = updater.prefetch().then((found) => epochOf(found, [hashId(who.session)], now()))
    // It may never be awaited: an unhandled rejection would end the process.
    epoch.catch(() => undefined)
    return { epoch, updater, isRevoked: () => revokedSince(epoch, who) }
  }

  async function end(subject: string, session?: string): Promise<void> {
    const reaches = (one: InSession) => session === undefined || isIn(one, session)
    await update(store, keys.grants(subject), (stored: StoredGrants = noGrants) => {
      const expiresAt = now() + revocationLifetimeMs(limits.codeLifetimeMs)
      const revocation = { id: newCommandId(), session, expiresAt }
      const others = stored.grants.filter((grant) => !reaches(grant))
      const earlier = (stored.revocations ?? []).filter((one) => !reaches(one))
      return { outcome: undefined, put: put(others, [...earlier, revocation]) }
    })
    emit({ type: 'grant.revoked', subject })
  }

  return {
    read(required) {
      const entry = store.read(keys.grants(required.subject))
      return entry instanceof Promise
        ? entry.then((found) => admitted(found, required))
        : admitted(entry, required)
    },

    take: (required) =>
      update(store, keys.grants(required.subject), (stored: StoredGrants = noGrants) => {
        const grant = fitting(stored, required)
        if (grant === undefined) return unchanged
        const others = stored.grants.filter((other) => other !== grant)
        return { outcome: grantOf(required.subject, grant), put: put(others, stored.revocations) }
      }),

    prefetch,
    isRevokedSince: revokedSince,

    async earlierSessions({ subject, session }) {
      const entry = await store.read(keys.grants(subject))
      return earlierTags((entry?.value as StoredGrants | undefined) ?? noGrants, hashId(session))
    },

    async write(grant, standing = prefetch(grant)) {
      const session = hashId(grant.session)
      const previous = grant.previousSession === undefined ? session : hashId(grant.previousSession)
      const id = newCommandId()
      let provisional = grant.provisional === true ? id : undefined
      const begunIn = await standing.epoch
      const written = await standing.updater.update(
        (stored = noGrants): Update<StoredGrants, StoredGrant | undefined> => {
          const time = now()
          // ASVS 5.0, 7.4.1: a logout or a password reset while the code was being checked must not be undone by it.
          if (isRevokedSince(begunIn, stored, [previous], time)) return unchanged
          const added: StoredGrant = {
            session,
            purpose: grant.purpose,
            bound: grant.bound,
            verifiedAt: time,
            method: grant.method,
            channels: grant.channels,
            expiresAt: time + purposes.grantLifetimeMs(grant.purpose),
            previous: previous === session ? undefined : previous,
            provisional,
          }
          const moved = movedTo(session, previous, stored.grants)
          const others = moved.filter((other) => !replaces(added, other))
          return { outcome: added, put: put(ofNewestSessions([...others, added]), stored.revocations) }
        },
      )
      if (written === undefined) return undefined
      const change = (changed: (grants: readonly StoredGrant[]) => readonly StoredGrant[]): Promise<void> =>
        standing.updater.update((stored = noGrants) => ({
          outcome: undefined,
          put: put(changed(stored.grants), stored.revocations),
        }))
      return {
        grant: grantOf(grant.subject, written),
        moveTo(next) {
          provisional = id
          const unconfirmed = (other: StoredGrant) =>
            isSame(written, other) ? { ...other, provisional: id } : other
          return change((grants) => movedTo(hashId(next), session, grants.map(unconfirmed)))
        },
        async confirm() {
          if (provisional !== undefined) await change((grants) => confirmed(grants, id))
        },
        takeBack: () => change((grants) => grants.filter((other) => !isSame(written, other))),
      }
    },

    move: (subject, from, to) =>
      update(store, keys.grants(subject), (stored: StoredGrants = noGrants) => {
        const previous = hashId(from)
        if (!stored.grants.some(({ session }) => session === previous)) return unchanged
        return {
          outcome: undefined,
          put: put(movedTo(hashId(to), previous, stored.grants), stored.revocations),
        }
      }),

    revoke: ({ subject, session }) => end(subject, hashId(session)),
    revokeSubject: (subject) => end(subject),
  }
}

function grantOf(subject: string, { purpose, verifiedAt, method }: StoredGrant): Grant {
  return { subject, purpose, verifiedAt, method }
}
