import { TwoFactorError } from '../../errors.js'
import { type Awaitable, andThen } from '../../lib/promises.js'
import { type DomainServices, hashId } from '../keys.js'
import { createSealed, createUpdater, newCommandId, type Sealed, unchanged } from '../updater.js'
import type { Grants } from './grants.js'
import { proofLifetimeMs, withEarlier } from './subject-record.js'

/** The number that a session is about to prove, or has proven. */
export interface StoredVerification {
  readonly purpose: string
  /** As typed until it is proven, then E.164. */
  readonly phone: string
  /** ISO 3166 code that it was typed with. */
  readonly country?: string | undefined
  /** The owner of the challenge, until that is approved: it stays the same when the session is renewed. */
  readonly visitor?: string
  /** Who was signed in when it was begun or proven; undefined at a signup. */
  readonly subject?: string | undefined
  /** The last revocation of that subject when it was proven. */
  readonly revocationId?: string | undefined
  /** The last ids of the session before: a logout that began under one of them reaches this, too. */
  readonly earlier?: readonly string[] | undefined
  /** When the code was approved, in milliseconds since 1970. */
  readonly verifiedAt?: number
  /** Worth nothing until it is confirmed. */
  readonly provisional?: boolean
  readonly expiresAt: number
}

/** What was typed, by whom. */
type StartedVerification = Pick<StoredVerification, 'purpose' | 'phone' | 'country' | 'subject'>
/** What a code has proven, by whom. */
type ProvenNumber = Pick<StoredVerification, 'purpose' | 'phone' | 'subject' | 'revocationId' | 'provisional'>

/** A sign-in that renews the session. */
export interface SignIn {
  readonly subject: string
}

/** A number that the person in this session has just proven to own. */
export interface ProvenPhone {
  /** E.164. */
  readonly phone: string
  /** Milliseconds since 1970. */
  readonly verifiedAt: number
}

/** A proof that was handed out. */
export interface Taken {
  readonly proof: ProvenPhone
  /** Puts it back where it was, unless another number was begun there meanwhile. */
  giveBack(): Promise<void>
}

export function createPhoneVerifications(
  parts: DomainServices & { readonly grants: Pick<Grants, 'isRevokedSince'> },
) {
  const { store, keys, grants, now } = parts
  const entries = createSealed<StoredVerification>('enrolment', parts)

  const find = (session: string) => entries.read(keys.enrolment(session))

  /** Without a subject there is nothing to read: an anonymous proof cannot be revoked. */
  async function unrevoked(
    kept: StoredVerification | undefined,
    session: string,
  ): Promise<StoredVerification | undefined> {
    if (kept?.subject === undefined) return kept
    // ASVS 5.0, 7.4.1: what a hijacked session proved must not be put on file after the account was taken back.
    const { subject, revocationId, earlier } = kept
    return (await grants.isRevokedSince(revocationId, { subject, session, earlier })) ? undefined : kept
  }

  async function take(
    session: string,
    purpose: string,
    subject: string | undefined,
    fits: (proof: ProvenPhone) => boolean = () => true,
  ): Promise<Taken | undefined> {
    const key = keys.enrolment(session)
    // Emptied first: what cannot be read about a revocation counts as one.
    const taken = await entries.change(key, (kept) => {
      const proof = proofIn(kept, purpose, subject)
      return proof !== undefined && fits(proof) ? { outcome: kept, isEmptied: true } : unchanged
    })
    const proof = proofIn(await unrevoked(taken, session), purpose, subject)
    return (
      proof && {
        proof,
        // With all that a revocation goes by, and no longer than it would have lived.
        giveBack: () =>
          entries.change(key, (kept) =>
            kept === undefined && taken !== undefined ? { outcome: undefined, put: taken } : unchanged,
          ),
      }
    )
  }

  return {
    find,

    /** The record of a session in the hands of the request that may begin a new one. */
    open(session: string) {
      const key = keys.enrolment(session)
      const entry = createUpdater<Sealed>(store, key)
      let visitor: Awaitable<string> | undefined
      const read = () => {
        visitor ??= andThen(entry.prefetch(), (stored) => {
          // The session itself, so that two starts at once agree; but not after its record has moved, since
          // the holder of the old id would own the challenge that moved along (session fixation).
          const fresh = stored === undefined ? hashId(session) : newCommandId()
          return entries.open(key, stored)?.visitor ?? fresh
        })
        return visitor
      }
      return {
        /** The owner of the next challenge of this session. */
        read,
        /** Remembers the number; an earlier one of this session is forgotten. */
        async begin(begun: StartedVerification): Promise<void> {
          const put = { ...begun, visitor: await read(), expiresAt: now() + proofLifetimeMs }
          await entries.change(key, () => ({ outcome: undefined, put }), entry)
        },
      }
    },

    /** Marks it as proven; undefined when nothing was begun. */
    async prove(session: string, proven: ProvenNumber) {
      const key = keys.enrolment(session)
      const entry = createUpdater<Sealed>(store, key)
      const prove = (begun: StoredVerification | undefined) => {
        // IDOR: without its beginning the owner of the proof is unknown.
        if (begun === undefined) return unchanged
        const verifiedAt = now()
        // IDOR: begun before a sign-in and proven after it, it is of whoever signed in.
        const subject = begun.subject ?? proven.subject
        const { earlier } = begun
        const put = { ...proven, subject, earlier, verifiedAt, expiresAt: verifiedAt + proofLifetimeMs }
        return { outcome: verifiedAt, put }
      }
      const verifiedAt = await entries.change<number | undefined>(key, prove, entry)
      if (verifiedAt === undefined) return undefined
      const confirmed = (kept: StoredVerification | undefined) => {
        if (kept?.verifiedAt !== verifiedAt) return unchanged
        return { outcome: undefined, put: { ...kept, provisional: false } }
      }
      return {
        verifiedAt,
        /**
         * Makes a provisional proof valid. Called once a successful response is certain. On what was written: a store that
         * freezes now may still carry out the swap, and nothing after a read.
         */
        confirm: () => entries.change(key, confirmed, entry),
      }
    },

    /**
     * Takes the record along when the session id is renewed. The old id is invalid then. A `signIn` takes along
     * what its own subject began, or nothing where there is no room: a number that is lost is proven again.
     */
    async move(from: string, to: string, signIn?: SignIn): Promise<void> {
      const kept = await entries.change(keys.enrolment(from), (kept) => ({ outcome: kept, isEmptied: true }))
      if (kept === undefined || (signIn && !staysAt(kept, signIn))) return
      const put = { ...kept, earlier: withEarlier(kept.earlier, hashId(from)) }
      const moved = entries.change(keys.enrolment(to), () => ({ outcome: undefined, put }))
      await moved.catch((error: unknown) => {
        // Whoever fills the lane of sign-ups must not have sign-ins refused after the right code.
        if (signIn === undefined || !isFull(error)) throw error
      })
    },

    /** What `redeem` would hand out, left in place. */
    async peek(
      session: string,
      purpose: string,
      subject: string | undefined,
    ): Promise<ProvenPhone | undefined> {
      const kept = await find(session)
      if (proofIn(kept, purpose, subject) === undefined) return undefined
      return proofIn(await unrevoked(kept, session), purpose, subject)
    },

    /**
     * The proven number, once: of two parallel requests one gets it. A proof of a signed-in subject is for that
     * `subject` only, until it is revoked; an anonymous one is for the account that signs up with it. One that does not
     * fit stays.
     */
    take,

    /** The same for whoever never gives it back. */
    redeem: async (...proof: Parameters<typeof take>) => (await take(...proof))?.proof,
  }
}

const isFull = (error: unknown): boolean => error instanceof TwoFactorError && error.code === 'capacity'

/** What is the subject's own is good after a sign-in, and a number that is still to be proven by it. */
function staysAt({ subject, verifiedAt }: StoredVerification, signIn: SignIn): boolean {
  // Session fixation: whoever planted the session proved a number of their own in it, for the account of whoever
  // signs in by it.
  if (subject === undefined) return verifiedAt === undefined
  return subject === signIn.subject
}

function proofIn(
  kept: StoredVerification | undefined,
  purpose: string,
  subject: string | undefined,
): ProvenPhone | undefined {
  if (kept?.verifiedAt === undefined || kept.purpose !== purpose) return undefined
  // Its request may have been refused: a frozen store can write late.
  if (kept.provisional === true) return undefined
  // IDOR: the proof of one account is not valid for another one in the same session.
  if (kept.subject !== undefined && kept.subject !== subject) return undefined
  return { phone: kept.phone, verifiedAt: kept.verifiedAt }
}
