import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import {
  generateRecoveryCodes,
  hashRecoveryCode,
  type RecoveryCodeStore,
  readRecoveryCode,
} from '../../src/challenge/recovery.js'
import type { EventBody } from '../../src/events.js'
import { day, minute } from './kit.js'
import { createService } from './service.js'

const { codes: written, hashes } = generateRecoveryCodes('ana')
const [right = '', another = ''] = written.map((code) => readRecoveryCode(code) ?? '')
const wrong = '0'.repeat(24)

/** A host that keeps Ana's codes. */
function setUp(host: Partial<RecoveryCodeStore> = {}) {
  const kept = new Set(hashes)
  const asked: string[] = []
  const recoveryCodes: RecoveryCodeStore = {
    consume(subject, hash) {
      asked.push(subject)
      return kept.delete(hash)
    },
    ...host,
  }
  const { recover: judge, grants, events, wait } = createService({ recoveryCodes })
  const recover = async (code: string, subject = 'ana') =>
    judge?.({ subject, record: grants.open({ subject, session: 's1' }) }, code)
  return { asked, events, wait, recover }
}

const told = (events: readonly EventBody[]) => vi.waitFor(() => expect(events).not.toEqual([]))

describe('a recovery code', () => {
  it.each<[string, Partial<RecoveryCodeStore>]>([
    ['does not count', {}],
    ['counts in words', { remaining: () => 'nine' as never }],
    ['cannot count', { remaining: () => Promise.reject(new Error('down')) }],
    [
      'throws',
      {
        remaining: () => {
          throw new Error('down')
        },
      },
    ],
  ])('lets its owner in where the host %s, and says nothing about the others', async (_, host) => {
    const { recover, events } = setUp(host)
    expect(await recover(right)).toMatchObject({ outcome: 'accepted' })
    await told(events)
    expect(events).toStrictEqual([{ type: 'recovery.used', subject: 'ana' }])
  })

  it('is limited to ten attempts a day, correct ones included, and the last refusal contains the wait', async () => {
    const { wait, recover, asked, events } = setUp()
    await recover(right)
    wait(minute)
    for (let tries = 8; tries > 0; tries -= 1) {
      expect(await recover(wrong)).toMatchObject({ attemptsRemaining: tries })
    }
    const retryAfterMs = day - minute
    expect(await recover(wrong)).toStrictEqual({
      outcome: 'rejected',
      attemptsRemaining: 0,
      retryAfterMs,
    })
    expect(await recover(another)).toMatchObject({
      outcome: 'refused',
      code: 'attempts_exhausted',
      limit: 'subject',
      retryAfterMs,
    })
    expect(asked).toHaveLength(10)
    expect(events.at(-1)).toStrictEqual({
      type: 'request.refused',
      command: 'verify',
      code: 'attempts_exhausted',
      lane: 'auth',
      subject: 'ana',
      limit: 'subject',
    })
    expect(await recover(wrong, 'ben')).toMatchObject({ attemptsRemaining: 9 })
    wait(retryAfterMs)
    expect(await recover(another)).toMatchObject({ outcome: 'accepted' })
  })

  it('shows no count below none when tries are judged side by side', async () => {
    const { recover, asked } = setUp()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => recover(wrong)))
    expect(asked).toHaveLength(10)
    const remaining = outcomes.flatMap((one) => (one?.outcome === 'rejected' ? one.attemptsRemaining : []))
    expect(remaining).toHaveLength(10)
    expect(Math.min(...remaining)).toBe(0)
  })

  it('can be submitted again if the app could not look it up', async () => {
    let isDown = true
    const { recover } = setUp({
      consume: () => {
        if (isDown) throw new Error('deadlock')
        return true
      },
    })
    await expect(recover(right)).rejects.toThrow('deadlock')
    isDown = false
    expect(await recover(right)).toMatchObject({ outcome: 'accepted' })
  })

  it.each([1, 'true', {}, undefined])('is refused unless the host returns true: %j', async (answer) => {
    const { recover } = setUp({ consume: () => answer as never })
    for (const attemptsRemaining of [9, 8]) {
      expect(await recover(right)).toMatchObject({ outcome: 'rejected', attemptsRemaining })
    }
  })
})

describe('recovery codes', () => {
  it('are ten of 120 bits, in groups of five, without letters that are mistaken for others', () => {
    const { codes, hashes } = generateRecoveryCodes('ana')
    expect(codes).toHaveLength(10)
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(new Set(codes).size).toBe(10)
    expect(hashes).toEqual(codes.map((code) => hashRecoveryCode('ana', readRecoveryCode(code) ?? '')))
  })

  it('use every character of their alphabet at every place', () => {
    const seen = Array.from({ length: 24 }, () => new Set<string>())
    for (let round = 0; round < 100; round += 1) {
      for (const code of generateRecoveryCodes('ana').codes) {
        for (const [factor, character] of [...code.replaceAll('-', '')].entries())
          seen[factor]?.add(character)
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
