import { TwoFactorError } from '../../errors.js'
import { type DomainServices, hashId } from '../keys.js'
import { createSealed, createUpdater, newCommandId, type Sealed, unchanged } from '../updater.js'
import type { Grants } from './grants.js'
import { proofLifetimeMs, withEarlier } from './subject-record.js'

/** The number that a session is verifying or has verified. */
export interface StoredVerification {
  readonly purpose: string
  /** As typed until the code is approved, then in E.164. */
  readonly phone: string
  /** ISO 3166 code that the user chose. */
  readonly country?: string | undefined
  /** Owner of the challenge until its approval. It stays the same when the session is renewed. */
  readonly visitor?: string
  /** Account that was signed in at the start or at the approval. Undefined at a sign-up. */
  readonly subject?: string | undefined
  /** Id of that account's last revocation at the approval. */
  readonly revocationId?: string | undefined
  /** Earlier ids of the session. A logout that started under one of them ends this verification, too. */
  readonly earlier?: readonly string[] | undefined
  /** Time of the approval, in milliseconds since 1970. */
  readonly verifiedAt?: number
  /** If true, the verification counts only after it is confirmed. */
  readonly provisional?: boolean
  readonly expiresAt: number
}

/** The number as typed, and the account that typed it. */
type StartedVerification = Pick<StoredVerification, 'purpose' | 'phone' | 'country' | 'subject'>
/** The verified number and its account. */
type ProvenNumber = Pick<StoredVerification, 'purpose' | 'phone' | 'subject' | 'revocationId' | 'provisional'>

/** A sign-in that renews the session. */
export interface SignIn {
  readonly subject: string
}

/** A number that the user of this session has just verified. */
export interface ProvenPhone {
  /** E.164. */
  readonly phone: string
  /** Milliseconds since 1970. */
  readonly verifiedAt: number
}

/** A verification that was redeemed. */
export interface Taken {
  readonly proof: ProvenPhone
  /** Restores the verification, unless the session has started one for another number. */
  giveBack(): Promise<void>
}

export function createPhoneVerifications(
  parts: DomainServices & { readonly grants: Pick<Grants, 'isRevokedSince'> },
) {
  const { store, keys, grants, now } = parts
  const entries = createSealed<StoredVerification>('enrolment', parts)

  const find = (session: string) => entries.read(keys.enrolment(session))

  /**
   * Returns the verification unless it was revoked. Without an account there is nothing to read: an anonymous one
   * cannot be revoked.
   */
  async function unrevoked(
    kept: StoredVerification | undefined,
    session: string,
  ): Promise<StoredVerification | undefined> {
    if (kept?.subject === undefined) return kept
    // A number that a hijacked session verified must not be saved after the account was recovered (ASVS 5.0, 7.4.1).
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
    // Removed first: a revocation that cannot be read counts as one.
    const taken = await entries.change(key, (kept) => {
      const proof = proofIn(kept, purpose, subject)
      return proof !== undefined && fits(proof) ? { outcome: kept, isEmptied: true } : unchanged
    })
    const proof = proofIn(await unrevoked(taken, session), purpose, subject)
    return (
      proof && {
        proof,
        // With everything that a revocation needs, and no longer than its original lifetime.
        giveBack: () =>
          entries.change(key, (kept) =>
            kept === undefined && taken !== undefined ? { outcome: undefined, put: taken } : unchanged,
          ),
      }
    )
  }

  return {
    find,

    /** Opens the record of a session for a request that may start a new verification. */
    open(session: string) {
      const key = keys.enrolment(session)
      const entry = createUpdater<Sealed>(store, key)
      async function findVisitor(): Promise<string> {
        const stored = await entry.prefetch()
        // The session itself, so that two parallel starts agree. After the record has moved it is a new id: the
        // holder of the old session id would otherwise own the challenge (session fixation).
        const fresh = stored === undefined ? hashId(session) : newCommandId()
        return entries.open(key, stored)?.visitor ?? fresh
      }
      let visitor: Promise<string> | undefined
      const read = () => {
        visitor ??= findVisitor()
        return visitor
      }
      return {
        /** Returns the owner of the session's next challenge. */
        read,
        /** Stores the number and replaces an earlier one of this session. */
        async begin(started: StartedVerification): Promise<void> {
          const put = { ...started, visitor: await read(), expiresAt: now() + proofLifetimeMs }
          await entries.change(key, () => ({ outcome: undefined, put }), entry)
        },
      }
    },

    /** Marks the number as verified. Returns undefined if the session has started no verification. */
    async prove(session: string, proven: ProvenNumber) {
      const key = keys.enrolment(session)
      const entry = createUpdater<Sealed>(store, key)
      const prove = (started: StoredVerification | undefined) => {
        // Without the start, the owner of the verification is unknown (IDOR).
        if (started === undefined) return unchanged
        const verifiedAt = now()
        // Started before a sign-in and verified after it, the number belongs to the signed-in account (IDOR).
        const subject = started.subject ?? proven.subject
        const { earlier } = started
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
         * Makes a provisional verification valid. Called when a successful response is certain. It uses the written
         * entry: a frozen store may execute the swap later, but nothing that follows a read.
         */
        confirm: () => entries.change(key, confirmed, entry),
      }
    },

    /**
     * Moves the record when the session id is renewed. The old id becomes invalid. A `signIn` moves the verification of
     * its own account only, and nothing if the store is full: the user then verifies the number again.
     */
    async move(from: string, to: string, signIn?: SignIn): Promise<void> {
      const kept = await entries.change(keys.enrolment(from), (kept) => ({ outcome: kept, isEmptied: true }))
      if (kept === undefined || (signIn && !staysAt(kept, signIn))) return
      const put = { ...kept, earlier: withEarlier(kept.earlier, hashId(from)) }
      const moved = entries.change(keys.enrolment(to), () => ({ outcome: undefined, put }))
      await moved.catch((error: unknown) => {
        // An attacker who fills the entries of sign-ups must not make sign-ins fail after a correct code.
        if (signIn === undefined || !isFull(error)) throw error
      })
    },

    /** Returns what `redeem` would return, without redeeming it. */
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
     * Redeems the verified number. Of two parallel requests one receives it. A verification of a signed-in account is
     * valid for that `subject` only, until it is revoked; an anonymous one is valid for the account that signs up with
     * it. A verification that does not match stays stored.
     */
    take,

    /** Like `take`, for callers that never restore it. */
    redeem: async (...proof: Parameters<typeof take>) => (await take(...proof))?.proof,
  }
}

const isFull = (error: unknown): boolean => error instanceof TwoFactorError && error.code === 'capacity'

/** Returns whether a record survives a sign-in: one of this account, or a number that is not verified yet. */
function staysAt({ subject, verifiedAt }: StoredVerification, signIn: SignIn): boolean {
  // An attacker who planted the session verified a number of their own in it, and it would reach the account that signs
  // in (session fixation).
  if (subject === undefined) return verifiedAt === undefined
  return subject === signIn.subject
}

function proofIn(
  kept: StoredVerification | undefined,
  purpose: string,
  subject: string | undefined,
): ProvenPhone | undefined {
  if (kept?.verifiedAt === undefined || kept.purpose !== purpose) return undefined
  // The request may have been refused: a frozen store can write late.
  if (kept.provisional === true) return undefined
  // A verification of one account is invalid for another one in the same session (IDOR).
  if (kept.subject !== undefined && kept.subject !== subject) return undefined
  return { phone: kept.phone, verifiedAt: kept.verifiedAt }
}
