import { TwoFactorError } from '../../errors.js'
import { type Awaitable, andThen, ignoreRejection } from '../../lib/awaitable.js'
import type { Store } from '../../store/store.js'
import { hashId, type Keys } from '../keys.js'
import type { Secrets } from '../secrets.js'
import { createUpdater, newCommandId, type Update, unchanged, update } from '../updater.js'
import type { Grants } from './grants.js'
import { proofLifetimeMs, withEarlier } from './subject-record.js'

/** The number that a session is about to prove, or has proven. */
export interface Enrolment {
  readonly purpose: string
  /** As typed until it is proven, then E.164. */
  readonly phone: string
  /** ISO 3166 code that it was typed with. */
  readonly country?: string | undefined
  /** The owner of the challenge: the record keeps it when the session is renewed. */
  readonly visitor?: string
  /** Who was signed in when it was begun or proven; undefined at a signup. */
  readonly subject?: string | undefined
  /** The last revocation of that subject when it was proven. */
  readonly epoch?: string | undefined
  /** The last ids of the session before: a logout that began under one of them reaches this, too. */
  readonly earlier?: readonly string[] | undefined
  /** When the code was approved, in milliseconds since 1970. */
  readonly verifiedAt?: number
}

/** The record of a session in the hands of the request that may begin a new one. */
export interface Beginning {
  /** The owner of the next challenge of this session. */
  readonly visitor: Awaitable<string>
  /** Remembers the number; an earlier one of this session is forgotten. */
  begin(enrolment: Enrolment): Promise<void>
}

/** What a code has proven, by whom. */
export interface NewProof extends Pick<Enrolment, 'purpose' | 'phone' | 'subject' | 'epoch'> {
  /** Worth nothing until it is confirmed. */
  readonly provisional: boolean
}

/** A sign-in that renews the session. No `subject`: that of another app, to one that sees nobody in it. */
export interface SignIn {
  readonly subject: string | undefined
}

/** One proof in the hands of the request that wrote it. */
export interface WrittenProof {
  readonly verifiedAt: number
  /** Makes a provisional proof valid. Called once a successful response is certain. */
  confirm(): Promise<void>
}

export interface Enrolments {
  find(session: string): Promise<Enrolment | undefined>
  /** Reads the record of a session together with what else a start needs. */
  open(session: string): Beginning
  /** Marks it as proven; undefined when nothing was begun. */
  prove(session: string, proven: NewProof): Promise<WrittenProof | undefined>
  /**
   * Takes the record along when the session id is renewed. The old id is invalid then. A `signIn` takes along
   * what its own subject began, or nothing where there is no room: a number that is lost is proven again.
   */
  move(from: string, to: string, signIn?: SignIn): Promise<void>
  /** What `redeem` would hand out, left in place. */
  peek(session: string, purpose: string, subject: string | undefined): Promise<Proof | undefined>
  /**
   * The proven number, once: of two parallel requests one gets it. A proof of a signed-in subject is for that
   * `subject` only, until it is revoked; an anonymous one is for the account that signs up with it. One that does not
   * fit stays.
   */
  redeem(
    session: string,
    purpose: string,
    subject: string | undefined,
    fits?: (proof: Proof) => boolean,
  ): Promise<Proof | undefined>
}

/** A proven number. */
type Proof = Pick<Required<Enrolment>, 'phone' | 'verifiedAt'>

/** Sealed, because a store must hold no readable number. Without `sealed` nothing is left in it. */
type Stored = { readonly sealed?: string }
type Kept = Enrolment & { readonly expiresAt: number; readonly provisional?: boolean }

export function createEnrolments(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly grants: Pick<Grants, 'isRevokedSince'>
  readonly now: () => number
}): Enrolments {
  const { store, keys, secrets, grants, now } = parts

  /** Namespace and session are associated data: a record copied to another one does not open. */
  function opened(stored: Stored | undefined, session: string): Kept | undefined {
    if (stored?.sealed === undefined) return undefined
    const json = secrets.open('enrolment', stored.sealed, keys.enrolment(session))
    const kept = json === undefined ? undefined : (JSON.parse(json) as Kept)
    return kept !== undefined && now() < kept.expiresAt ? kept : undefined
  }

  function seal(session: string, kept: Kept) {
    const sealed = secrets.seal('enrolment', JSON.stringify(kept), keys.enrolment(session))
    return { value: { sealed }, ttlMs: Math.max(1, kept.expiresAt - now()) }
  }

  async function read(session: string): Promise<Stored | undefined> {
    return (await store.read(keys.enrolment(session)))?.value as Stored | undefined
  }

  const put = (session: string, kept: Kept): Promise<void> =>
    update(store, keys.enrolment(session), () => ({ outcome: undefined, put: seal(session, kept) }))

  /** Empties the record. It stays until it expires, so that a command sent twice recognizes itself. */
  function empty(session: string, fits: (kept: Kept) => boolean): Promise<Kept | undefined> {
    return update(store, keys.enrolment(session), (stored: Stored | undefined) => {
      const kept = opened(stored, session)
      if (kept === undefined || !fits(kept)) return unchanged
      return { outcome: kept, put: { value: {}, ttlMs: Math.max(1, kept.expiresAt - now()) } }
    })
  }

  async function move(from: string, to: string, signIn?: SignIn): Promise<void> {
    const kept = await empty(from, () => true)
    if (kept === undefined || (signIn && !staysAt(kept, signIn))) return
    await put(to, { ...kept, earlier: withEarlier(kept.earlier, hashId(from)) }).catch((error: unknown) => {
      // Whoever fills the lane of sign-ups must not have sign-ins refused after the right code.
      if (signIn === undefined || !isFull(error)) throw error
    })
  }

  /** Without a subject there is nothing to read: an anonymous proof cannot be revoked. */
  async function unrevoked(kept: Kept | undefined, session: string): Promise<Kept | undefined> {
    if (kept?.subject === undefined) return kept
    // ASVS 5.0, 7.4.1: what a hijacked session proved must not be put on file after the account was taken back.
    const { subject, epoch, earlier } = kept
    return (await grants.isRevokedSince(epoch, { subject, session, earlier })) ? undefined : kept
  }

  return {
    find: async (session) => opened(await read(session), session),
    open(session) {
      const updater = createUpdater<Stored>(store, keys.enrolment(session))
      const visitor = andThen(updater.prefetch(), (stored) => {
        // The session itself, so that two starts at once agree; but not after its record has moved, since
        // the holder of the old id would own the challenge that moved along (session fixation).
        const fresh = stored === undefined ? hashId(session) : newCommandId()
        return opened(stored, session)?.visitor ?? fresh
      })
      ignoreRejection(visitor)
      return {
        visitor,
        begin: async (enrolment) =>
          updater.update(() => {
            const kept = { ...enrolment, expiresAt: now() + proofLifetimeMs }
            return { outcome: undefined, put: seal(session, kept) }
          }),
      }
    },

    async prove(session, proven) {
      const updater = createUpdater<Stored>(store, keys.enrolment(session))
      const verifiedAt = await updater.update((stored): Update<Stored, number | undefined> => {
        const begun = opened(stored, session)
        // IDOR: without its beginning the owner of the proof is unknown.
        if (begun === undefined) return unchanged
        const time = now()
        // IDOR: begun before a sign-in and proven after it, it is of whoever signed in.
        const subject = begun.subject ?? proven.subject
        const { earlier } = begun
        const kept = { ...proven, subject, earlier, verifiedAt: time, expiresAt: time + proofLifetimeMs }
        return { outcome: time, put: seal(session, kept) }
      })
      if (verifiedAt === undefined) return undefined
      return {
        verifiedAt,
        async confirm() {
          if (!proven.provisional) return
          await updater.update((stored) => {
            const kept = opened(stored, session)
            if (kept?.verifiedAt !== verifiedAt) return unchanged
            return { outcome: undefined, put: seal(session, { ...kept, provisional: false }) }
          })
        },
      }
    },

    move,

    async peek(session, purpose, subject) {
      const kept = opened(await read(session), session)
      if (proofIn(kept, purpose, subject) === undefined) return undefined
      return proofIn(await unrevoked(kept, session), purpose, subject)
    },

    async redeem(session, purpose, subject, fits = () => true) {
      const isProof = (kept: Kept) => {
        const proof = proofIn(kept, purpose, subject)
        return proof !== undefined && fits(proof)
      }
      // Emptied first: what cannot be read about a revocation counts as one.
      return proofIn(await unrevoked(await empty(session, isProof), session), purpose, subject)
    },
  }
}

const isFull = (error: unknown): boolean => error instanceof TwoFactorError && error.code === 'capacity'

/** What is the subject's own is good after a sign-in, and a number that is still to be proven by it. */
function staysAt({ subject, verifiedAt }: Kept, signIn: SignIn): boolean {
  // Session fixation: whoever planted the session proved a number of their own in it, for the account of whoever
  // signs in by it.
  if (subject === undefined) return verifiedAt === undefined
  return subject === signIn.subject
}

function proofIn(kept: Kept | undefined, purpose: string, subject: string | undefined): Proof | undefined {
  if (kept?.verifiedAt === undefined || kept.purpose !== purpose) return undefined
  // Its request may have been refused: a frozen store can write late.
  if (kept.provisional === true) return undefined
  // IDOR: the proof of one account is not valid for another one in the same session.
  if (kept.subject !== undefined && kept.subject !== subject) return undefined
  return { phone: kept.phone, verifiedAt: kept.verifiedAt }
}
