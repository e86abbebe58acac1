import { createHmac } from 'node:crypto'
import { secondMs } from './time.js'

/** Time for which an app shows one code (RFC 6238, 5.2). */
const stepMs = 30 * secondMs
const digits = 6
/** Steps by which the two clocks may differ, or a code may be late (RFC 6238, 5.2). */
const accepted = 1

const stepAt = (now: number): number => Math.floor(now / stepMs)

/**
 * Returns the code of one step, with SHA-1. Many apps support no other hash, whatever the URI contains (RFC 4226, 5.3).
 */
export function codeOf(step: number, secret: Uint8Array): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const truncated = mac.readUInt32BE(offset) & 0x7fffffff
  return String(truncated % 10 ** digits).padStart(digits, '0')
}

/** Returns the step of a code among the steps that an app may show now, or undefined. */
export function stepOf(code: string, secret: Uint8Array, now: number): number | undefined {
  const steps = Array.from({ length: 2 * accepted + 1 }, (_, index) => stepAt(now) - accepted + index)
  return steps.find((step) => codeOf(step, secret) === code)
}

/** Returns the time after which no code of this step is accepted. */
export const forgottenAfter = (step: number): number => (step + accepted + 1) * stepMs

/** Alphabet of RFC 4648, section 6, in which authenticator apps read a secret. */
export const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes bytes in an alphabet of 32 characters. Their number must be a multiple of five. */
export function toBase32(bytes: Uint8Array, alphabet: string): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => alphabet.charAt(Number.parseInt(five, 2)))
}

/** Decodes a text of {@link base32Letters} as people write it down. Returns undefined for any other text. */
export function fromBase32(text: string): Uint8Array | undefined {
  const letters = text.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()
  if (!/^[A-Z2-7]+$/.test(letters)) return undefined
  const bits = letters.replaceAll(/./g, (letter) =>
    base32Letters.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.match(/.{8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
}
