import { describe, expect, it } from 'vitest'
import { base32Letters, codeOf, forgottenAfter, fromBase32, stepOf, toBase32 } from '../../src/lib/totp.js'

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
  it.each(vectors)('at %i are those of RFC 6238: %s', (seconds, code) => {
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
