import type { Store } from '../../store/store.js'
import { hashId, type Keys } from '../keys.js'
import type { Secrets } from '../secrets.js'
import { newCommandId, update } from '../updater.js'

/** The number that a session is about to prove, or has proven. */
export interface Enrolment {
  readonly purpose: string
  /** As typed until it is proven, then E.164. */
  readonly phone: string
  /** ISO 3166 code that it was typed with. */
  readonly country?: string | undefined
  /** Whom the challenge belongs to: the record takes it along when the session is renewed. */
  readonly visitor?: string
  /** When the code was approved, in milliseconds since 1970. */
  readonly verifiedAt?: number
}

export interface Enrolments {
  find(session: string): Promise<Enrolment | undefined>
  /** Whom the next challenge of this session is to belong to. */
  visitor(session: string): Promise<string>
  /** Remembers the number; an earlier one of this session is forgotten. */
  begin(session: string, enrolment: Enrolment): Promise<void>
  /** Marks it as proven and answers when. */
  prove(session: string, proven: { readonly purpose: string; readonly phone: string }): Promise<number>
  /** Takes the record along when the session id is renewed. The old id is worth nothing then. */
  move(from: string, to: string): Promise<void>
  /** The proven number, once: of two parallel requests one gets it. */
  redeem(
    session: string,
    purpose: string,
  ): Promise<Required<Omit<Enrolment, 'country' | 'visitor'>> | undefined>
}

/** Sealed, because a store must createUpdater no readable number. Without `sealed` nothing is left in it. */
type Stored = { readonly sealed?: string }
type Kept = Enrolment & { readonly end: number }

const lifetimeMs = 30 * 60_000

export function createEnrolments(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly now: () => number
}): Enrolments {
  const { store, keys, secrets, now } = parts

  /** The session is associated data: a record copied to another session does not open. */
  function open(stored: Stored | undefined, session: string): Kept | undefined {
    if (stored?.sealed === undefined) return undefined
    const text = secrets.open('enrolment', stored.sealed, hashId(session))
    const kept = text === undefined ? undefined : (JSON.parse(text) as Kept)
    return kept !== undefined && now() < kept.end ? kept : undefined
  }

  async function read(session: string): Promise<Stored | undefined> {
    return (await store.read(keys.enrolment(session)))?.value as Stored | undefined
  }

  async function put(session: string, kept: Kept): Promise<void> {
    const sealed = secrets.seal('enrolment', JSON.stringify(kept), hashId(session))
    const ttlMs = Math.max(1, kept.end - now())
    await update(store, keys.enrolment(session), () => ({
      outcome: undefined,
      put: { value: { sealed }, ttlMs },
    }))
  }

  /** Empties the record. The empty one stays until its end, so that a command sent twice finds itself. */
  function empty(session: string, fits: (kept: Kept) => boolean): Promise<Kept | undefined> {
    return update(store, keys.enrolment(session), (stored: Stored | undefined) => {
      const kept = open(stored, session)
      if (kept === undefined || !fits(kept)) return { outcome: undefined }
      return { outcome: kept, put: { value: {}, ttlMs: Math.max(1, kept.end - now()) } }
    })
  }

  return {
    find: async (session) => open(await read(session), session),
    async visitor(session) {
      const stored = await read(session)
      // The session itself, so that two starts at once agree; but not after its record has moved, since
      // who still has the old id would createUpdater the challenge that moved along.
      const fresh = stored === undefined ? hashId(session) : newCommandId()
      return open(stored, session)?.visitor ?? fresh
    },
    begin: (session, enrolment) => put(session, { ...enrolment, end: now() + lifetimeMs }),
    async prove(session, proven) {
      const verifiedAt = now()
      await put(session, { ...proven, verifiedAt, end: verifiedAt + lifetimeMs })
      return verifiedAt
    },
    async move(from, to) {
      const kept = await empty(from, () => true)
      if (kept !== undefined) await put(to, kept)
    },
    async redeem(session, purpose) {
      const isProven = (kept: Kept) => kept.purpose === purpose && kept.verifiedAt !== undefined
      const proven = await empty(session, isProven)
      return proven?.verifiedAt === undefined
        ? undefined
        : { purpose, phone: proven.phone, verifiedAt: proven.verifiedAt }
    },
  }
}
