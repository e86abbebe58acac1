import { hash, randomBytes } from 'node:crypto'
import type { Emit } from '../events.js'
import type { Awaitable } from '../lib/promises.js'
import { toBase32 } from '../lib/totp.js'
import { plainCharacters, separators } from '../lib/typed.js'
import { type Refusal, type Rejection, type Requester, refused } from './commands.js'
import type { OpenSubject } from './proofs/grants.js'

/** New recovery codes of one subject: the person keeps the codes, the host only the hashes. */
export interface RecoveryCodes {
  /** Shown once, to be written down: `7K2QX-9MRTV-…`. */
  readonly codes: readonly string[]
  /** In the same order; what `consume` is asked for. */
  readonly hashes: readonly string[]
}

const count = 10
/** 120 bits: far beyond guessing, so that a plain hash protects the code (NIST SP 800-63B-4, 3.1.2.2). */
const bytes = 15
const length = (bytes * 8) / 5

/** Crockford's base32: no I, L, O and U, which are mistaken for 1, 0 and V in handwriting. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const canonical = new RegExp(`^[${alphabet}]{${length}}$`)

const maxTypedLength = 200

/** Makes ten, and replaces none: what the host keeps of the ones before is for it to remove. */
export function generateRecoveryCodes(subject: string): RecoveryCodes {
  const fresh = Array.from({ length: count }, () => toBase32(randomBytes(bytes), alphabet))
  return {
    codes: fresh.map((code) => code.replaceAll(/.{5}(?=.)/g, '$&-')),
    hashes: fresh.map((code) => hashRecoveryCode(subject, code)),
  }
}

/** The code that was typed, without separators and in capitals; undefined when it cannot be one. */
export function readRecoveryCode(typed: string): string | undefined {
  if (typed.length > maxTypedLength) return undefined
  const plain = plainCharacters(typed).replaceAll(separators, '').replaceAll('_', '').toUpperCase()
  const code = plain.replaceAll(/[IL]/g, '1').replaceAll('O', '0').replaceAll('U', 'V')
  return canonical.test(code) ? code : undefined
}

/**
 * SHA-256 over subject and code: a hash that is moved to another account is worth nothing there. Not keyed,
 * so that a rotation of the secret ends no code.
 */
export function hashRecoveryCode(subject: string, code: string): string {
  return hash('sha256', `recovery-code ${code} ${subject}`, 'base64url')
}

/** Where the host keeps the hashes of its subjects' recovery codes. */
export interface RecoveryCodeStore {
  /**
   * Removes the hash in one atomic step and returns whether it was there. So one of parallel uses succeeds.
   * Anything but `true` refuses. When it rejects, it must have removed nothing.
   *
   * @example
   * consume: async (subject, hash) =>
   *   (await db.query('DELETE FROM recovery_codes WHERE subject = $1 AND hash = $2', [subject, hash])).rowCount === 1
   */
  consume(subject: string, hash: string): Awaitable<boolean>
  /** How many codes the subject has left, for the event `recovery.used`. */
  remaining?(subject: string): Awaitable<number>
}

/** Whose code it is, with the record that counts the try. */
type RecoveryRequester = Pick<Requester, 'subject'> & {
  readonly record: Pick<OpenSubject, 'countRecoveryTry'>
}

/** Accepted, the code is used up, whatever becomes of the success. */
type RecoveryOutcome = { readonly outcome: 'accepted' } | Rejection | Refusal

/** Judges one recovery code, from `readRecoveryCode`. */
export type Recover = (owner: RecoveryRequester, code: string) => Promise<RecoveryOutcome>

export function createRecover(parts: { readonly codes: RecoveryCodeStore; readonly emit: Emit }): Recover {
  const { codes, emit } = parts

  /** Not awaited: how many are left changes nothing about who is let in. */
  async function reportUse(subject: string): Promise<void> {
    const ask = async () => codes.remaining?.(subject)
    const remaining = await ask().catch(() => undefined)
    emit({ type: 'recovery.used', subject, ...(typeof remaining === 'number' && { remaining }) })
  }

  return async function recover({ subject, record }, code) {
    // Counted before the host is asked, so that parallel guesses cannot share a try (ASVS 5.0, 15.4.2).
    const { isRefused, remaining, resetInMs } = await record.countRecoveryTry()
    if (isRefused) {
      const refusal = { ...refused('attempts_exhausted', resetInMs), limit: 'subject' } as const
      const { code: problem, limit } = refusal
      emit({ type: 'request.refused', command: 'verify', code: problem, lane: 'auth', subject, limit })
      return refusal
    }
    // Fail closed (ASVS 5.0, 16.5.3): a count of rows, or a string, is no yes.
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
