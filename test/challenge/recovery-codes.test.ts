import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { generateRecoveryCodes, hashRecoveryCode, readRecoveryCode } from '../../src/challenge/recovery.js'

describe('recovery codes', () => {
  it('are ten of 120 bits, in groups of five, without letters that are mistaken for others', () => {
    const { codes, hashes } = generateRecoveryCodes('ana')
    expect(codes).toHaveLength(10)
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(new Set(codes).size).toBe(10)
    expect(hashes).toEqual(codes.map((code) => hashRecoveryCode('ana', readRecoveryCode(code) ?? '')))
  })

  it('use every character of their alphabet at every place', () => {
    const seen = Array.from({ length: 24 }, () => new Set<string>())
    for (let round = 0; round < 100; round += 1) {
      for (const code of generateRecoveryCodes('ana').codes) {
        for (const [place, character] of [...code.replaceAll('-', '')].entries()) seen[place]?.add(character)
      }
    }
    expect(seen.map(({ size }) => size)).toEqual(seen.map(() => 32))
  })

  it('are hashed with SHA-256 together with their subject, and with no secret', () => {
    const code = '0123456789ABCDEFGHJKMNPQ'
    const sha256 = createHash('sha256').update(`recovery-code ${code} ana`).digest('base64url')
    expect(hashRecoveryCode('ana', code)).toBe(sha256)
    expect(hashRecoveryCode('ben', code)).not.toBe(sha256)
  })

  it.each([
    '01234-56789-ABCDE-FGHJK-MNPQ',
    '0123456789abcdefghjkmnpq',
    '01234–56789—ABCDE‑FGHJK MNPQ',
    'oi234-56789-abcde-fghjk-mnpq',
    '0L234-56789-ABCDE-FGHJK-MNPQ',
    '01234-56789-ABCDE-FGHJK-MNPQ'.padEnd(200),
    '０１２３４－５６７８９－ＡＢＣＤＥ－ＦＧＨＪＫ－ＭＮＰＱ',
    '٠١٢٣٤-٥٦٧٨٩-ABCDE-FGHJK-MNPQ',
  ])('are read however they are typed: %j', (typed) => {
    expect(readRecoveryCode(typed)).toBe('0123456789ABCDEFGHJKMNPQ')
  })

  it('take a U for the V that it looks like', () => {
    expect(readRecoveryCode('u'.repeat(24))).toBe('V'.repeat(24))
  })

  it.each([
    ['empty', ''],
    ['too short', '01234-56789-ABCDE-FGHJK-MNP'],
    ['too long', '01234-56789-ABCDE-FGHJK-MNPQR'],
    ['other characters', '01234-56789-ABCDE-FGHJK-MN$Q'],
    ['letters of another script', '01234-56789-АBCDE-FGHJK-MNPQ'],
    ['endless', '0123456789ABCDEFGHJKMNPQ'.padEnd(201)],
  ])('are not read out of what cannot be one: %s', (_name, typed) => {
    expect(readRecoveryCode(typed)).toBeUndefined()
  })
})
