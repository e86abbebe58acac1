import type { Emit } from '../../events.js'
import { clockLeewayMs } from '../../lib/clock.js'
import type { Awaitable, Entry, Store } from '../../store/store.js'
import type { Channel } from '../code-provider.js'
import { hashId, type Keys } from '../keys.js'
import type { Purposes } from '../purposes.js'
import { createUpdater, type Updater, update } from '../updater.js'

/** What success leaves behind. */
export interface Grant {
  readonly subject: string
  readonly purpose: string
  /** When the code was approved, in milliseconds since 1970. */
  readonly verifiedAt: number
  /** What proved it. */
  readonly method: Channel | 'trusted-device' | 'host'
}

/** Whose grant, for what. `session` is the host's session id, `bound` the hash of the bound fields. */
export interface GrantQuery {
  readonly subject: string
  readonly session: string
  readonly purpose: string
  readonly bound?: string | undefined
}

/** What a guard asks for. */
export interface RequiredGrant extends GrantQuery {
  readonly maxAgeMs: number
  /** Whether a trusted device will not do. */
  readonly requireCode?: boolean | undefined
}

export interface NewGrant extends GrantQuery {
  readonly method: Grant['method']
  /** The id that the session had before it was renewed: its grants move along. */
  readonly previousSession?: string | undefined
}

export interface Grants {
  /** The grant that fits and is younger than `maxAgeMs`. One store read, and no promise when the store needs none. */
  read(required: RequiredGrant): Awaitable<Grant | undefined>
  /** As `read`, and removes it: of two parallel requests one gets it. */
  take(required: RequiredGrant): Promise<Grant | undefined>
  /** Reads the grants of a subject while a code is being verified: what `write` then changes. */
  prefetch(subject: string): GrantsUpdater
  write(grant: NewGrant, updater?: GrantsUpdater): Promise<Grant>
  /** Ends all grants of this session. */
  revoke(query: { readonly subject: string; readonly session: string }): Promise<void>
  /** Ends all grants of this subject, in every session. */
  revokeSubject(subject: string): Promise<void>
}

/** One grant at rest. The session is a tag; `end` is when no guard accepts it any more. */
type StoredGrant = {
  readonly session: string
  readonly purpose: string
  readonly bound?: string | undefined
  readonly verifiedAt: number
  readonly method: Grant['method']
  readonly end: number
}

/** All grants of one subject: one entry, so that one read admits and one swap revokes. */
type StoredGrants = { readonly grants: readonly StoredGrant[] }

export type GrantsUpdater = Updater<StoredGrants>

const maxSessions = 20

export function createGrants(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly purposes: Purposes
  readonly now: () => number
  readonly emit: Emit
}): Grants {
  const { store, keys, purposes, now, emit } = parts

  function fitting(stored: StoredGrants | undefined, required: RequiredGrant) {
    const session = hashId(required.session)
    const time = now()
    return stored?.grants.findLast(
      (grant) =>
        grant.session === session &&
        grant.purpose === required.purpose &&
        // Absence included: a grant for one payment admits no request that binds nothing.
        grant.bound === required.bound &&
        !(required.requireCode && grant.method === 'trusted-device') &&
        isFresh(grant, required.maxAgeMs, time),
    )
  }

  function put(grants: readonly StoredGrant[], time: number) {
    const live = grants.filter((grant) => time < grant.end)
    return { value: { grants: live }, ttlMs: Math.max(1, ...live.map((grant) => grant.end - time)) }
  }

  return {
    read(required) {
      const admitted = (entry: Entry | undefined): Grant | undefined => {
        const grant = fitting(entry?.value as StoredGrants | undefined, required)
        return grant === undefined ? undefined : grantOf(required.subject, grant)
      }
      const entry = store.read(keys.grants(required.subject))
      return entry instanceof Promise ? entry.then(admitted) : admitted(entry)
    },

    take: (required) =>
      update(store, keys.grants(required.subject), (stored: StoredGrants | undefined) => {
        const grant = fitting(stored, required)
        if (stored === undefined || grant === undefined) return { outcome: undefined }
        const others = stored.grants.filter((other) => other !== grant)
        return { outcome: grantOf(required.subject, grant), put: put(others, now()) }
      }),

    prefetch(subject) {
      const updater = createUpdater<StoredGrants>(store, keys.grants(subject))
      updater.prefetch()
      return updater
    },

    write(grant, updater = createUpdater(store, keys.grants(grant.subject))) {
      const session = hashId(grant.session)
      const renewed = grant.previousSession === undefined ? undefined : hashId(grant.previousSession)
      return updater.update((stored) => {
        const time = now()
        const written: StoredGrant = {
          session,
          purpose: grant.purpose,
          bound: grant.bound,
          verifiedAt: time,
          method: grant.method,
          end: time + purposes.grantLifetimeMs(grant.purpose),
        }
        // The old session id is worth nothing from here on: what it held moves to the new one.
        const moved = (stored?.grants ?? []).map((other) =>
          other.session === renewed ? { ...other, session } : other,
        )
        const others = moved.filter((other) => !replaces(written, other))
        const kept = ofNewestSessions([...others, written])
        return { outcome: grantOf(grant.subject, written), put: put(kept, time) }
      })
    },

    async revoke({ subject, session }) {
      const tag = hashId(session)
      await update(store, keys.grants(subject), (stored: StoredGrants | undefined) => {
        const others = stored?.grants.filter((grant) => grant.session !== tag)
        if (others === undefined || others.length === stored?.grants.length) return { outcome: undefined }
        return { outcome: undefined, put: put(others, now()) }
      })
      emit({ type: 'grant.revoked', subject })
    },

    async revokeSubject(subject) {
      await update(store, keys.grants(subject), (stored: StoredGrants | undefined) =>
        stored === undefined ? { outcome: undefined } : { outcome: undefined, put: put([], now()) },
      )
      emit({ type: 'grant.revoked', subject })
    },
  }
}

/** The age of a grant never slides. A grant from the future was written under a wrong clock. */
function isFresh(grant: StoredGrant, maxAgeMs: number, time: number): boolean {
  const age = time - grant.verifiedAt
  return age < maxAgeMs && time < grant.end && age >= -clockLeewayMs
}

function replaces(grant: StoredGrant, other: StoredGrant): boolean {
  return other.session === grant.session && other.purpose === grant.purpose && other.bound === grant.bound
}

/** Oldest sessions out: one subject signs in from a handful of browsers. */
function ofNewestSessions(grants: readonly StoredGrant[]): readonly StoredGrant[] {
  const newest = [...new Set(grants.map((grant) => grant.session).reverse())].slice(0, maxSessions)
  return grants.filter((grant) => newest.includes(grant.session))
}

function grantOf(subject: string, { purpose, verifiedAt, method }: StoredGrant): Grant {
  return { subject, purpose, verifiedAt, method }
}
