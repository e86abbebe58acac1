import { createHmac } from 'node:crypto'
import { secondMs } from './time.js'

/** Time for which an app usually shows one code (RFC 6238, 5.2). */
const unitMs = 30 * secondMs
/** Longest period of an app from another system. */
const maxPeriodMs = 120 * secondMs
/** Steps by which the two clocks may differ, or a code may be late (RFC 6238, 5.2). */
const accepted = 1

/** How an app makes its codes. */
export interface TotpForm {
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly digits: 6 | 8
  readonly periodMs: number
}

/** SHA-1, because many apps support no other hash, whatever the URI contains (RFC 4226, 5.3). */
export const usualForm: TotpForm = { algorithm: 'sha1', digits: 6, periodMs: unitMs }

/** A secret on file and the form of its codes. */
export interface TotpSecret extends TotpForm {
  readonly key: Uint8Array
}

// A step counts usual periods, whatever the period of the app is, so that the ledger compares steps of several apps. Both
// end when the code is no longer accepted.
const stepIn = (period: number, periodMs: number): number =>
  ((period + accepted + 1) * periodMs) / unitMs - accepted - 1
const periodOf = (step: number, periodMs: number): number =>
  ((step + accepted + 1) * unitMs) / periodMs - accepted - 1

/** Returns the code of one step. */
export function codeOf(step: number, key: Uint8Array, form: TotpForm = usualForm): string {
  const { algorithm, digits, periodMs } = form
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.round(periodOf(step, periodMs))))
  const mac = createHmac(algorithm, key).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const truncated = mac.readUInt32BE(offset) & 0x7fffffff
  return String(truncated % 10 ** digits).padStart(digits, '0')
}

/** Returns the step of a code among the steps that an app may show now, or undefined. */
export function stepOf(
  code: string,
  key: Uint8Array,
  now: number,
  form: TotpForm = usualForm,
): number | undefined {
  const { periodMs } = form
  const first = Math.floor(now / periodMs) - accepted
  const steps = Array.from({ length: 2 * accepted + 1 }, (_, index) => stepIn(first + index, periodMs))
  return steps.find((step) => codeOf(step, key, form) === code)
}

/** Returns the time after which no code of this step is accepted. */
export const forgottenAfter = (step: number): number => (step + accepted + 1) * unitMs

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

/**
 * Reads a secret in base32, or an `otpauth://totp/` URI of another system, whose defaults are those of the format: SHA1,
 * 6 digits, 30 s. Returns undefined for anything else.
 */
export function readTotpSecret(text: string): TotpSecret | undefined {
  const isUri = /^otpauth:/i.test(text)
  const uri = isUri && URL.canParse(text) ? new URL(text) : undefined
  if (isUri && uri?.host.toLowerCase() !== 'totp') return undefined
  const asked = uri?.searchParams ?? new URLSearchParams()
  const key = fromBase32(isUri ? (asked.get('secret') ?? '') : text)
  const algorithm = algorithms.get((asked.get('algorithm') ?? 'SHA1').toUpperCase().replace('-', ''))
  const digits = digitCounts.get(asked.get('digits') ?? '6')
  const periodMs = Number(asked.get('period') ?? 30) * secondMs
  const isUsable =
    Number.isInteger(periodMs / secondMs) && periodMs >= 10 * secondMs && periodMs <= maxPeriodMs
  if (key === undefined || algorithm === undefined || digits === undefined || !isUsable) return undefined
  return { key, algorithm, digits, periodMs }
}

const digitCounts: ReadonlyMap<string, TotpForm['digits']> = new Map([
  ['6', 6],
  ['8', 8],
])

const algorithms: ReadonlyMap<string, TotpForm['algorithm']> = new Map([
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
])
