import { hash, randomBytes } from 'node:crypto'
import type { Emit } from '../events.js'
import type { Awaitable } from '../lib/promises.js'
import { toBase32 } from '../lib/totp.js'
import { plainCharacters, separators } from '../lib/typed.js'
import { type Refusal, type Rejection, type Requester, refused } from './commands.js'
import type { OpenSubject } from './proofs/grants.js'

/** New recovery codes of one account. The user keeps the codes, your app stores the hashes only. */
export interface RecoveryCodes {
  /** Shown once, to be written down: `7K2Q-X9MR-TV4B-…`, 24 characters with 120 random bits. */
  readonly codes: readonly string[]
  /** Hashes in the order of the codes. `consume` receives one of them. */
  readonly hashes: readonly string[]
}

const codeCount = 10
/** 120 bits: far beyond guessing, so that a plain hash protects the code (NIST SP 800-63B-4, 3.1.2.2). */
const codeBytes = 15
const length = (codeBytes * 8) / 5

/** Crockford's base32: no I, L, O and U, which are mistaken for 1, 0 and V in handwriting. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const canonicalCode = new RegExp(`^[${alphabet}]{${length}}$`)

const maxTypedLength = 200

/** Generates ten codes. Your app must remove the hashes of earlier codes. */
export function generateRecoveryCodes(subject: string): RecoveryCodes {
  const fresh = Array.from({ length: codeCount }, () => toBase32(randomBytes(codeBytes), alphabet))
  return {
    codes: fresh.map((code) => code.replaceAll(/.{4}(?=.)/g, '$&-')),
    hashes: fresh.map((code) => hashRecoveryCode(subject, code)),
  }
}

/** Reads a typed code, without separators and in capitals. Returns undefined if it cannot be one. */
export function readRecoveryCode(typed: string): string | undefined {
  if (typed.length > maxTypedLength) return undefined
  const plain = plainCharacters(typed).replaceAll(separators, '').replaceAll('_', '').toUpperCase()
  const code = plain.replaceAll(/[IL]/g, '1').replaceAll('O', '0').replaceAll('U', 'V')
  return canonicalCode.test(code) ? code : undefined
}

/**
 * Hashes account and code with SHA-256: a hash that is moved to another account is invalid there. It is not keyed, so
 * that a rotation of the secret ends no code.
 */
export function hashRecoveryCode(subject: string, code: string): string {
  return hash('sha256', `recovery-code ${code} ${subject}`, 'base64url')
}

/** Your storage of the hashes of recovery codes. */
export interface RecoveryCodeStore {
  /**
   * Removes the hash in one atomic step and returns whether it existed. One of several parallel uses then succeeds. Any
   * result but `true` refuses. If it rejects, it must have removed nothing.
   *
   * @example
   * consume: async (subject, hash) =>
   *   (await db.query('DELETE FROM recovery_codes WHERE subject = $1 AND hash = $2', [subject, hash])).rowCount === 1
   */
  consume(subject: string, hash: string): Awaitable<boolean>
  /**
   * Returns how many codes the account has left, for the event `recovery.used`. With 0, no page offers a recovery code.
   * Without this function, every page that accepts one offers it.
   */
  remaining?(subject: string): Awaitable<number>
}

/** The account of a code, with the record that counts the attempt. */
type RecoveryRequester = Pick<Requester, 'subject'> & {
  readonly record: Pick<OpenSubject, 'countRecoveryTry'>
}

/** An accepted code is used up, whatever happens afterwards. */
type RecoveryOutcome = { readonly outcome: 'accepted' } | Rejection | Refusal

/** Checks one recovery code from `readRecoveryCode`. */
export type Recover = (owner: RecoveryRequester, code: string) => Promise<RecoveryOutcome>

export function createRecover(parts: { readonly codes: RecoveryCodeStore; readonly emit: Emit }): Recover {
  const { codes, emit } = parts

  /** Not awaited: the remaining count does not affect the sign-in. */
  async function reportUse(subject: string): Promise<void> {
    const ask = async () => codes.remaining?.(subject)
    const remaining = await ask().catch(() => undefined)
    emit({ type: 'recovery.used', subject, ...(typeof remaining === 'number' && { remaining }) })
  }

  return async function recover({ subject, record }, code) {
    // Counted before the app is called, so that parallel attempts cannot share one (ASVS 5.0, 15.4.2).
    const { isRefused, remaining, resetInMs } = await record.countRecoveryTry()
    if (isRefused) {
      const refusal = { ...refused('attempts_exhausted', resetInMs), limit: 'subject' } as const
      const { code: problem, limit } = refusal
      emit({ type: 'request.refused', command: 'verify', code: problem, lane: 'auth', subject, limit })
      return refusal
    }
    // Only `true` accepts: a count of rows or a text does not (ASVS 5.0, 16.5.3).
    const consumed: unknown = await codes.consume(subject, hashRecoveryCode(subject, code))
    if (consumed === true) {
      void reportUse(subject)
      return { outcome: 'accepted' }
    }
    emit({ type: 'recovery.failed', subject })
    const wait = remaining === 0 ? { retryAfterMs: resetInMs } : {}
    return { outcome: 'rejected', attemptsRemaining: remaining, ...wait }
  }
}

/** Creates the check whether the app counts no code of an account. False if the app cannot count, or fails to. */
export const createNoCodeCheck =
  (codes: Pick<RecoveryCodeStore, 'remaining'> | undefined) =>
  async (subject: string): Promise<boolean> => {
    try {
      return (await codes?.remaining?.(subject)) === 0
    } catch {
      return false
    }
  }
