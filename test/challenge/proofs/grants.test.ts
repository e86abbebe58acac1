import { describe, expect, vi } from 'vitest'
import { hashId } from '../../../src/challenge/keys.js'
import type { SubjectRecord } from '../../../src/challenge/proofs/subject-record.js'
import { hour, minute } from '../kit.js'
import { createService, it } from '../service.js'

const ana = { subject: 'ana', session: 's1', purpose: 'login' }
const fresh = { maxAgeMs: 5 * minute }

describe('a grant that is taken back', () => {
  it.each([
    ['another purpose', { purpose: 'transfer' }, 0],
    ['other bound fields', { bound: 'hash' }, 0],
    ['another method', { method: 'passkey' }, 0],
    ['another session', { session: 's2' }, 0],
    ['a newer code', {}, 1],
  ])('is gone wherever its session has moved, and one of %s stays', async (_, other, laterMs) => {
    const { grants, wait } = createService()
    const written = await grants.write({ ...ana, method: 'code' })
    await written?.moveTo('s3')
    await written?.confirm()
    wait(laterMs)
    const kept = { ...ana, session: 's3', method: 'code', ...other }
    await grants.write(kept)
    await written?.takeBack()
    expect(grants.read({ ...kept, ...fresh })).toMatchObject({ method: kept.method })
    const own = { ...ana, session: 's3', ...fresh, methods: ['code'] }
    expect(grants.read(own) !== undefined).toBe(laterMs > 0)
  })
})

describe('a grant', () => {
  it('that was never written is not moved, confirmed or taken back', async ({ grants }) => {
    await grants.write({ ...ana, method: 'code' })
    const refused = grants.open(ana)
    await refused.moveTo('s9')
    await refused.confirm()
    await refused.takeBack()
    expect(grants.read({ ...ana, ...fresh })).toMatchObject({ method: 'code' })
  })

  it('fits the subject, session and purpose it was given to', async ({ grants, now }) => {
    await grants.write({ ...ana, method: 'code' })
    expect(grants.read({ ...ana, ...fresh })).toEqual({
      subject: 'ana',
      purpose: 'login',
      verifiedAt: now(),
      method: 'code',
    })
  })

  it.each([
    ['another subject', { subject: 'bob' }],
    ['another session', { session: 's2' }],
    ['another purpose', { purpose: 'transfer' }],
    ['bound fields it was not given for', { bound: 'hash' }],
  ])('fits no %s', async (_, other) => {
    const { grants } = createService()
    await grants.write({ ...ana, method: 'code' })
    expect(grants.read({ ...ana, ...other, ...fresh })).toBeUndefined()
  })

  it('of a trusted device fits where any proof will do, and not where only a code will, nor is it used up', async () => {
    const { grants } = createService()
    await grants.write({ ...ana, method: 'trusted-device' })
    expect(await grants.take({ ...ana, ...fresh, requireCode: true })).toBeUndefined()
    expect(grants.read({ ...ana, ...fresh, requireCode: false })).toMatchObject({ method: 'trusted-device' })
    await grants.write({ ...ana, method: 'code' })
    expect(grants.read({ ...ana, ...fresh, requireCode: true })).toMatchObject({ method: 'code' })
  })

  it('by a code does not replace the passkey that another guard requires, but a newer one of its kind does', async () => {
    const { grants, store, keys, now, wait } = createService()
    for (const proven of [
      { method: 'passkey' },
      { method: 'code', channel: 'sms' },
      { method: 'passkey' },
      { method: 'code', channel: 'call' },
    ]) {
      wait(minute)
      await grants.write({ ...ana, ...proven })
    }
    const verifiedAt = now()
    expect(grants.read({ ...ana, ...fresh, methods: ['code'] })).toMatchObject({
      verifiedAt,
      channel: 'call',
    })
    expect(grants.read({ ...ana, ...fresh, methods: ['passkey'] })).toEqual({
      subject: 'ana',
      purpose: 'login',
      method: 'passkey',
      verifiedAt: verifiedAt - minute,
    })
    expect(grants.read({ ...ana, ...fresh, methods: ['app'] })).toBeUndefined()
    expect(store.read(keys.grants('ana'))).toHaveProperty('value.grants.length', 2)
  })

  it('for bound fields fits exactly those, and no request without any', async ({ grants }) => {
    await grants.write({ ...ana, bound: 'hash', method: 'code' })
    expect(grants.read({ ...ana, bound: 'hash', ...fresh })).toBeDefined()
    expect(grants.read({ ...ana, bound: 'other', ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
  })

  it('ages from the proof on, however often it is used, and ends exactly at its age', async () => {
    const { grants, wait } = createService()
    await grants.write({ ...ana, method: 'code' })
    wait(5 * minute - 1)
    expect(grants.read({ ...ana, ...fresh })).toBeDefined()
    wait(1)
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, maxAgeMs: hour })).toBeDefined()
  })

  it('ends with the longest age of its purpose, whatever a guard asks and however long others stay', async () => {
    const { grants, wait } = createService()
    await grants.write({ ...ana, method: 'code' })
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    wait(5 * minute)
    expect(grants.read({ ...ana, purpose: 'transfer', maxAgeMs: 24 * hour })).toBeUndefined()
  })

  it('is written on what was read ahead, also when another one came between', async ({ grants }) => {
    await grants.write({ ...ana, session: 's2', method: 'code' })
    const record = grants.open(ana)
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    await grants.write({ ...ana, method: 'app' }, record)
    expect(grants.read({ ...ana, ...fresh })).toMatchObject({ method: 'app' })
    expect(grants.read({ ...ana, purpose: 'transfer', ...fresh })).toBeDefined()
    expect(grants.read({ ...ana, session: 's2', ...fresh })).toBeDefined()
  })

  it('that follows the session to another id admits nothing there until it is confirmed', async () => {
    const { grants } = createService()
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    const written = await grants.write({ ...ana, method: 'code' })
    await written?.moveTo('s2')
    const moved = { ...ana, session: 's2', ...fresh }
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
    expect(grants.read(moved)).toBeUndefined()
    // What the session had before comes along as it is.
    expect(grants.read({ ...moved, purpose: 'transfer' })).toBeDefined()
    await written?.confirm()
    expect(grants.read(moved)).toBeDefined()
  })

  it('of a purpose that nobody knows is worth nothing', async ({ grants }) => {
    await grants.write({ ...ana, purpose: 'unknown', method: 'host' })
    expect(grants.read({ ...ana, purpose: 'unknown', maxAgeMs: hour })).toBeUndefined()
  })

  it('from the future was written under a wrong clock, but for a few seconds', async ({ grants, wait }) => {
    await grants.write({ ...ana, method: 'code' })
    wait(-5_000)
    expect(grants.read({ ...ana, ...fresh })).toBeDefined()
    wait(-1)
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
  })

  it('stands beside one for other bound fields', async ({ grants }) => {
    for (const bound of ['first', 'second']) await grants.write({ ...ana, bound, method: 'code' })
    await grants.write({ ...ana, method: 'code' })
    for (const bound of [{ bound: 'first' }, { bound: 'second' }, {}]) {
      expect(grants.read({ ...ana, ...bound, ...fresh })).toBeDefined()
    }
  })

  it('is replaced by a newer one for the same', async ({ grants, now, wait }) => {
    await grants.write({ ...ana, method: 'code', channel: 'sms' })
    wait(minute)
    await grants.write({ ...ana, method: 'code', channel: 'call' })
    expect(grants.read({ ...ana, ...fresh })).toMatchObject({ verifiedAt: now(), channel: 'call' })
    await grants.take({ ...ana, ...fresh })
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
  })
})

describe('the renewal of a session', () => {
  it('moves the grants of the old id to the new one, which alone is worth something', async ({ grants }) => {
    await grants.write({ ...ana, method: 'code' })
    await grants.write({ ...ana, session: 's2', previousSession: 's1', purpose: 'transfer', method: 'code' })
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, session: 's2', ...fresh })).toBeDefined()
    expect(grants.read({ ...ana, session: 's2', purpose: 'transfer', ...fresh })).toBeDefined()
  })

  it('takes the grants along without a new one, and writes nothing where there are none', async () => {
    const { grants, store } = createService()
    await grants.write({ ...ana, method: 'code' })
    await grants.move('ana', 's1', 's2')
    await grants.move('ana', 'no such session', 's3')
    await grants.move('nobody', 's1', 's2')
    const swaps = vi.spyOn(store, 'swap')
    await grants.move('ana', 's1', 's3')
    expect(swaps).not.toHaveBeenCalled()
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, session: 's2', ...fresh })).toBeDefined()
  })

  it('leaves other sessions alone', async ({ grants }) => {
    await grants.write({ ...ana, session: 'laptop', method: 'code' })
    await grants.write({ ...ana, session: 's2', previousSession: 's1', method: 'code' })
    expect(grants.read({ ...ana, session: 'laptop', ...fresh })).toBeDefined()
  })
})

describe('the earlier ids of a session', () => {
  it('are those that its own grants had before', async ({ grants }) => {
    expect(await grants.earlierSessions(ana)).toEqual([])
    await grants.write({ ...ana, method: 'code' })
    expect(await grants.earlierSessions(ana)).toEqual([])
    await grants.write({ ...ana, purpose: 'transfer', session: 's2', previousSession: 's1', method: 'code' })
    await grants.write({ ...ana, session: 's4', previousSession: 's3', method: 'code' })
    expect(await grants.earlierSessions({ subject: 'ana', session: 's2' })).toEqual([hashId('s1')])
    expect(await grants.earlierSessions({ subject: 'ana', session: 's4' })).toEqual([hashId('s3')])
    expect(await grants.earlierSessions({ subject: 'bob', session: 's2' })).toEqual([])
    await grants.move('ana', 's2', 's5')
    const earlier = [hashId('s1'), hashId('s2')]
    expect(await grants.earlierSessions({ subject: 'ana', session: 's5' })).toEqual(earlier)
  })

  it('are the last four, however often it is renewed', async ({ grants, store, keys }) => {
    await grants.write({ ...ana, method: 'code' })
    const earlier = async (session: string) => {
      await grants.move('ana', session, `${session}'`)
      const entry = await store.read(keys.grants('ana'))
      return (entry?.value as SubjectRecord | undefined)?.grants[0]?.earlier
    }
    expect(await earlier('s1')).toEqual([hashId('s1')])
    for (const session of ["s1'", "s1''", "s1'''"]) await earlier(session)
    expect(await earlier("s1''''")).toEqual(["s1'", "s1''", "s1'''", "s1''''"].map(hashId))
  })
})

describe('a provisional grant', () => {
  it('admits nothing until it is confirmed', async ({ grants }) => {
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    const written = await grants.write({ ...ana, method: 'code', provisional: true })
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
    expect(await grants.take({ ...ana, ...fresh })).toBeUndefined()
    await written?.confirm()
    expect(grants.read({ ...ana, ...fresh })).toBeDefined()
    expect(grants.read({ ...ana, purpose: 'transfer', ...fresh })).toBeDefined()
  })

  it('is not confirmed by another one', async ({ grants }) => {
    const first = await grants.write({ ...ana, method: 'code', provisional: true })
    await grants.write({ ...ana, session: 's2', method: 'code', provisional: true })
    await first?.confirm()
    expect(grants.read({ ...ana, ...fresh })).toBeDefined()
    expect(grants.read({ ...ana, session: 's2', ...fresh })).toBeUndefined()
  })

  it('alone has something to confirm', async ({ grants, store }) => {
    const swaps = vi.spyOn(store, 'swap')
    const written = await grants.write({ ...ana, method: 'code' })
    expect(grants.read({ ...ana, ...fresh })).toBeDefined()
    await written?.confirm()
    expect(swaps).toHaveBeenCalledTimes(1)
  })

  it('is not brought back by its confirmation after a revocation', async ({ grants }) => {
    const written = await grants.write({ ...ana, method: 'code', provisional: true })
    await grants.revoke(ana)
    await written?.confirm()
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
  })

  it('that has lapsed from the store is confirmed for nobody', async ({ grants, wait }) => {
    const written = await grants.write({ ...ana, method: 'code', provisional: true })
    wait(13 * hour)
    await written?.confirm()
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
  })
})

describe('a grant that admits once', () => {
  it('is taken by one of 200 parallel requests', async ({ grants }) => {
    await grants.write({ ...ana, method: 'code' })
    const taken = await Promise.all(Array.from({ length: 200 }, () => grants.take({ ...ana, ...fresh })))
    expect(taken.filter((grant) => grant !== undefined)).toHaveLength(1)
  })

  it('leaves the others where they are', async ({ grants }) => {
    await grants.write({ ...ana, method: 'code' })
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    expect(await grants.take({ ...ana, purpose: 'transfer', ...fresh })).toBeDefined()
    expect(grants.read({ ...ana, ...fresh })).toBeDefined()
  })
})

describe('revoking', () => {
  it('ends the grants of one session', async ({ grants }) => {
    await grants.write({ ...ana, method: 'code' })
    await grants.write({ ...ana, session: 's2', method: 'code' })
    await grants.revoke(ana)
    await grants.revoke(ana)
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, session: 's2', ...fresh })).toBeDefined()
  })

  it('ends the grants of a subject in every session', async ({ grants, eventTypes }) => {
    await grants.write({ ...ana, method: 'code' })
    await grants.write({ ...ana, session: 's2', method: 'code' })
    await grants.write({ ...ana, session: 's4', previousSession: 's3', method: 'code' })
    await grants.revokeSubject('ana')
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, session: 's2', ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, session: 's4', ...fresh })).toBeUndefined()
    expect(eventTypes()).toContain('grant.revoked')
  })

  it('of one session leaves what began in another one alone', async ({ grants }) => {
    const here = grants.open(ana)
    const there = grants.open({ ...ana, session: 's2' })
    for (const record of [here, there]) await record.read()
    await grants.revoke(ana)
    expect(await here.isRevoked()).toBe(true)
    expect(await there.isRevoked()).toBe(false)
    expect(await grants.write({ ...ana, method: 'code' }, here)).toBeUndefined()
    expect(await grants.write({ ...ana, session: 's2', method: 'code' }, there)).toBeDefined()
    expect(grants.read({ ...ana, ...fresh })).toBeUndefined()
  })

  it('leaves what begins after it alone, in the same millisecond too', async ({ grants }) => {
    await grants.revokeSubject('ana')
    await grants.revoke(ana)
    const record = grants.open(ana)
    expect(await grants.write({ ...ana, method: 'code' }, record)).toBeDefined()
    expect(await record.isRevoked()).toBe(false)
  })

  it('reaches a grant whose session was renewed by its own request', async ({ grants }) => {
    const record = grants.open(ana)
    await record.read()
    await grants.revoke(ana)
    const renewed = { ...ana, session: 's2', previousSession: 's1', method: 'code' } as const
    expect(await grants.write(renewed, record)).toBeUndefined()
  })

  it('is not undone by its own end, nor by many other logouts', async ({ grants, wait }) => {
    await grants.revokeSubject('ana')
    const early = grants.open({ ...ana, session: 'mine' })
    expect(await early.read()).toBeDefined()
    for (let session = 0; session < 30; session += 1) await grants.revoke({ ...ana, session: `s${session}` })
    expect(await grants.open({ ...ana, session: 'mine' }).read()).toBe(await early.read())
    wait(31 * minute)
    expect(await grants.open({ ...ana, session: 'mine' }).read()).toBeUndefined()
    expect(await early.isRevoked()).toBe(false)
  })

  it.each([
    ['of single sessions', false],
    ['of single sessions, besides the one of all', true],
  ])('is one of the last twenty %s', async (_, all) => {
    const { grants } = createService()
    if (all) await grants.revokeSubject('ana')
    const sessions = Array.from({ length: 30 }, (_, index) => ({ subject: 'ana', session: `s${index}` }))
    const records = sessions.map((who) => grants.open(who))
    await Promise.all(records.map((record) => record.read()))
    for (const who of sessions) await grants.revoke(who)
    const revoked = await Promise.all(records.map((record) => record.isRevoked()))
    expect(revoked).toEqual([...Array(10).fill(false), ...Array(20).fill(true)])
  })

  it('is not forgotten because another session is logged out again and again', async ({ grants }) => {
    const record = grants.open(ana)
    await record.read()
    await grants.revoke(ana)
    for (let times = 0; times < 30; times += 1) await grants.revoke({ subject: 'ana', session: 's2' })
    expect(await record.isRevoked()).toBe(true)
  })

  it('ends by our clock, exactly, while others keep the entry, and is gone with the next proof', async () => {
    const { grants, store, keys, wait } = createService()
    await grants.revokeSubject('ana')
    await grants.write({ ...ana, method: 'code' })
    wait(31 * minute - 1)
    expect(await grants.open(ana).read()).toBeDefined()
    wait(1)
    expect(await grants.open(ana).read()).toBeUndefined()
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    const entry = await store.read(keys.grants('ana'))
    expect(entry).toHaveProperty('value.grants.length', 2)
    expect((entry?.value as SubjectRecord | undefined)?.revocations).toBeUndefined()
  })

  it('is forgotten once no code and no proven number lives from before, and then leaves nothing in the store', async () => {
    const { grants, store, keys, wait } = createService()
    await grants.write({ ...ana, method: 'code' })
    await grants.revokeSubject('ana')
    wait(31 * minute - 1)
    expect(store.read(keys.grants('ana'))).toHaveProperty('value.grants', [])
    wait(1)
    expect(store.read(keys.grants('ana'))).toBeUndefined()
  })

  it('is told, of one session or of all', async ({ grants, events }) => {
    await grants.revoke(ana)
    await grants.revokeSubject('bob')
    expect(events).toEqual([
      { type: 'grant.revoked', subject: 'ana' },
      { type: 'grant.revoked', subject: 'bob' },
    ])
  })
})

describe('the grants of a subject', () => {
  it('live in the twenty newest sessions', async ({ grants }) => {
    for (let session = 0; session < 21; session += 1) {
      await grants.write({ ...ana, session: `s${session}`, method: 'code' })
    }
    expect(grants.read({ ...ana, session: 's0', ...fresh })).toBeUndefined()
    expect(grants.read({ ...ana, session: 's1', ...fresh })).toBeDefined()
    expect(grants.read({ ...ana, session: 's20', ...fresh })).toBeDefined()
  })

  it('end with a logout that began under an earlier id, also when they only moved along, by two renewals', async () => {
    const { grants } = createService()
    await grants.write({ ...ana, method: 'code' })
    const stepUp = { ...ana, purpose: 'transfer', session: 's2', previousSession: 's1', method: 'code' }
    await (await grants.write(stepUp))?.moveTo('s3')
    expect(grants.read({ ...ana, session: 's3', ...fresh })).toBeDefined()
    await grants.revoke({ subject: 'ana', session: 's1' })
    expect(grants.read({ ...ana, session: 's3', ...fresh })).toBeUndefined()
  })

  it('are forgotten once no guard accepts them', async ({ grants, store, keys, wait }) => {
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    wait(5 * minute)
    expect(store.read(keys.grants('ana'))).toBeUndefined()
    await grants.write({ ...ana, method: 'code' })
    await grants.write({ ...ana, purpose: 'transfer', method: 'code' })
    wait(5 * minute)
    await grants.write({ ...ana, session: 's2', method: 'code' })
    expect(store.read(keys.grants('ana'))).toHaveProperty('value.grants.length', 2)
  })

  it('are read with a promise only when the store needs one', async ({ grants, store }) => {
    const slow = createService({ store: () => ({ ...store, read: async (key) => store.read(key) }) })
    await grants.write({ ...ana, method: 'code' })
    expect(grants.read({ ...ana, ...fresh })).not.toBeInstanceOf(Promise)
    const asked = slow.grants.read({ ...ana, ...fresh })
    expect(asked).toBeInstanceOf(Promise)
    expect(await asked).toMatchObject({ subject: 'ana' })
  })
})
