import { describe, expect, it } from 'vitest'
import {
  base32Letters,
  codeOf,
  forgottenAfter,
  fromBase32,
  readTotpSecret,
  stepOf,
  toBase32,
} from '../../src/lib/totp.js'

const secret = Buffer.from('12345678901234567890')

/** RFC 6238, appendix B: seconds since 1970, and the code with SHA-1, of which apps show the last six digits. */
const vectors = [
  [59, '94287082'],
  [1_111_111_111, '14050471'],
  [20_000_000_000, '65353130'],
] as const

/** RFC 4648, 10. */
const inBase32 = [
  ['f', 'MY======'],
  ['fo', 'MZXQ===='],
  ['foo', 'MZXW6==='],
  ['foobar', 'MZXW6YTBOI======'],
] as const

describe('the codes of an authenticator app', () => {
  it.each(vectors)('at %i match RFC 6238: %s', (seconds, code) => {
    expect(codeOf(Math.floor(seconds / 30), secret)).toBe(code.slice(-6))
    expect(stepOf(code.slice(-6), secret, seconds * 1_000)).toBe(Math.floor(seconds / 30))
  })

  it('are taken one step before and after', () => {
    const now = 1_800_000_000_000
    const step = now / 30_000
    const told = [-2, -1, 0, 1, 2].map((away) => stepOf(codeOf(step + away, secret), secret, now))
    expect(told).toEqual([undefined, step - 1, step, step + 1, undefined])
  })

  it('are forgotten once they are not taken any more', () => {
    const step = 60_000_000
    const code = codeOf(step, secret)
    expect(stepOf(code, secret, forgottenAfter(step) - 1)).toBe(step)
    expect(stepOf(code, secret, forgottenAfter(step))).toBeUndefined()
  })
})

describe('a secret in base32', () => {
  it.each(inBase32)('of %s is read from %s, in any spelling', (text, written) => {
    const spellings = [
      written,
      written.toLowerCase(),
      written.replace(/=/g, ''),
      written.replace(/(.{2})/g, '$1 '),
    ]
    expect(spellings.map((one) => Buffer.from(fromBase32(one) ?? '').toString())).toEqual(Array(4).fill(text))
  })

  it('is written as it is read', () => {
    expect(toBase32(Buffer.from('fooba'), base32Letters)).toBe('MZXW6YTB')
    expect(fromBase32(toBase32(secret, base32Letters))).toEqual(new Uint8Array(secret))
  })

  it.each(['', '0189', 'MZXW6YT!', 'MZ=XW6YT', 'é'])('is none: %s', (text) => {
    expect(fromBase32(text)).toBeUndefined()
  })
})

describe('a secret of another system', () => {
  // RFC 6238, appendix B: the keys of 32 and 64 bytes, in base32.
  const keys = {
    20: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    32: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====',
    64: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA=',
  } as const
  const read = (bytes: keyof typeof keys, more = '') => {
    const secret = readTotpSecret(`otpauth://totp/Acme:ana?secret=${keys[bytes]}&issuer=Acme${more}`)
    if (secret === undefined) throw new Error('The URI was not read.')
    return secret
  }

  it.each([
    ['SHA1', 20, 59, '94287082'],
    ['SHA256', 32, 59, '46119246'],
    ['SHA512', 64, 59, '90693936'],
    ['SHA256', 32, 20_000_000_000, '77737706'],
    ['SHA512', 64, 20_000_000_000, '47863826'],
  ] as const)(
    'makes the codes of RFC 6238 with %s and %i bytes at %i s',
    (algorithm, bytes, seconds, code) => {
      const secret = read(bytes, `&algorithm=${algorithm}&digits=8`)
      expect(stepOf(code, secret.key, seconds * 1_000, secret)).toBe(Math.floor(seconds / 30))
    },
  )

  it('has the usual form by default, in base32 and in a URI', () => {
    const usual = { algorithm: 'sha1', digits: 6, periodMs: 30_000 }
    expect(read(20)).toMatchObject(usual)
    expect(readTotpSecret(keys[20])).toEqual(read(20))
  })

  it.each([10, 60, 120])('of %i s has steps that grow and end with their codes', (period) => {
    const secret = read(32, `&algorithm=SHA256&period=${period}`)
    const stepAt = (ms: number) => {
      const middle = Math.floor(ms / secret.periodMs)
      return ((middle + 2) * secret.periodMs) / 30_000 - 2
    }
    const now = 1_800_000_000_000
    const [step, next] = [stepAt(now), stepAt(now + secret.periodMs)]
    expect(next).toBeGreaterThan(step)
    const code = codeOf(step, secret.key, secret)
    expect(stepOf(code, secret.key, now + 2 * secret.periodMs - 1, secret)).toBe(step)
    expect(stepOf(code, secret.key, now + 2 * secret.periodMs, secret)).toBeUndefined()
    expect(forgottenAfter(step)).toBe(now + 2 * secret.periodMs)
  })

  it.each([
    `otpauth://hotp/ana?secret=${keys[20]}`,
    `otpauth://totp/ana?secret=${keys[20]}&algorithm=MD5`,
    `otpauth://totp/ana?secret=${keys[20]}&digits=7`,
    `otpauth://totp/ana?secret=${keys[20]}&period=0`,
    `otpauth://totp/ana?secret=${keys[20]}&period=1.5`,
    'otpauth://totp/ana',
    'otpauth:',
    'https://example.com/?secret=GEZDGNBV',
  ])('is refused where its codes cannot be checked: %s', (text) => {
    expect(readTotpSecret(text)).toBeUndefined()
  })
})
