import { hash, randomBytes } from 'node:crypto'
import { toBase32 } from '../../lib/base32.js'
import { separators } from '../../phone-number.js'

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
  const plain = typed.normalize('NFKC').replaceAll(separators, '').replaceAll(/[\s_]/g, '').toUpperCase()
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
