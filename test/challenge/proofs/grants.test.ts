import { describe, expect } from 'vitest'
import { hashId } from '../../../src/challenge/keys.js'
import { hour, minute } from '../kit.js'
import { createService, it } from '../service.js'

const ana = { subject: 'ana', session: 's1', purpose: 'login' }
const byCode = { ...ana, method: 'code' }
const fresh = { maxAgeMs: 5 * minute }

type Grants = ReturnType<typeof createService>['grants']

/** Whether a guard lets Ana in, who comes and is asked for what is usual here unless it says otherwise. */
const admits = (grants: Grants, more: object = {}) => grants.read({ ...ana, ...fresh, ...more }) !== undefined

describe('a grant that is taken back', () => {
  it.each([
    ['another purpose', { purpose: 'transfer' }, 0],
    ['other bound fields', { bound: 'hash' }, 0],
    ['another method', { method: 'passkey' }, 0],
    ['another session', { session: 's2' }, 0],
    ['a newer code', {}, 1],
  ])('is removed wherever its session has moved, and %s stays', async (_, other, laterMs) => {
    const { grants, wait } = createService()
    const written = await grants.write(byCode)
    await written?.moveTo('s3')
    await written?.confirm()
    wait(laterMs)
    const kept = { ...byCode, session: 's3', ...other }
    await grants.write(kept)
    await written?.takeBack()
    expect(grants.read({ ...kept, ...fresh })).toMatchObject({ method: kept.method })
    expect(admits(grants, { session: 's3', methods: ['code'] })).toBe(laterMs > 0)
  })
})

describe('a grant', () => {
  it('that was never written is not moved, confirmed or taken back', async ({ grants }) => {
    await grants.write(byCode)
    const refused = grants.open(ana)
    await refused.moveTo('s9')
    await refused.confirm()
    await refused.takeBack()
    expect(admits(grants)).toBe(true)
  })

  it('contains time and method of the verification', async ({ grants, now }) => {
    await grants.write(byCode)
    expect(grants.read({ ...ana, ...fresh })).toEqual({
      subject: 'ana',
      purpose: 'login',
      verifiedAt: now(),
      method: 'code',
    })
  })

  it('fits the subject, session, purpose and bound fields that it was given to, and no others', async ({
    grants,
  }) => {
    await grants.write({ ...byCode, bound: 'hash' })
    expect(admits(grants, { bound: 'hash' })).toBe(true)
    for (const other of [
      { subject: 'bob' },
      { session: 's2' },
      { purpose: 'transfer' },
      { bound: 'other' },
    ]) {
      expect(admits(grants, { bound: 'hash', ...other })).toBe(false)
    }
    expect(admits(grants)).toBe(false)
    await grants.write({ ...byCode, bound: 'second' })
    await grants.write(byCode)
    for (const bound of ['hash', 'second', undefined]) expect(admits(grants, { bound })).toBe(true)
  })

  it('of a trusted device satisfies a guard for any verification, but none that requires a code, and is not used up', async ({
    grants,
  }) => {
    await grants.write({ ...ana, method: 'trusted-device' })
    expect(await grants.take({ ...ana, ...fresh, requireCode: true })).toBeUndefined()
    expect(admits(grants)).toBe(true)
    await grants.write(byCode)
    expect(admits(grants, { requireCode: true })).toBe(true)
  })

  it('by a recovery code satisfies only a guard that accepts it', async ({ grants }) => {
    await grants.write({ ...ana, method: 'recovery-code' })
    expect(admits(grants)).toBe(false)
    expect(admits(grants, { recoveryCode: true })).toBe(true)
  })

  it('by a code keeps the passkey grant that another guard requires, and a newer passkey grant replaces it', async ({
    grants,
    store,
    keys,
    now,
    wait,
  }) => {
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
    const asked = { ...ana, ...fresh }
    expect(grants.read({ ...asked, methods: ['code'] })).toMatchObject({ verifiedAt, channel: 'call' })
    expect(grants.read({ ...asked, methods: ['passkey'] })).toMatchObject({ verifiedAt: verifiedAt - minute })
    expect(admits(grants, { methods: ['app'] })).toBe(false)
    expect(store.read(keys.grants('ana'))).toHaveProperty('value.grants.length', 2)
  })

  it('ages from the proof on, however often it is used, and ends exactly at its age', async ({
    grants,
    wait,
  }) => {
    await grants.write(byCode)
    wait(5 * minute - 1)
    expect(admits(grants)).toBe(true)
    wait(1)
    expect(admits(grants)).toBe(false)
    expect(admits(grants, { maxAgeMs: hour })).toBe(true)
  })

  it('ends with the maximum age of its purpose, for any age of a guard and of further grants', async ({
    grants,
    wait,
  }) => {
    await grants.write(byCode)
    await grants.write({ ...byCode, purpose: 'transfer' })
    // Of a purpose that nobody knows.
    await grants.write({ ...byCode, purpose: 'unknown' })
    expect(admits(grants, { purpose: 'unknown' })).toBe(false)
    wait(5 * minute)
    expect(admits(grants, { purpose: 'transfer', maxAgeMs: 24 * hour })).toBe(false)
  })

  it('is written after an earlier read, even if a different grant came between', async ({ grants }) => {
    await grants.write({ ...byCode, session: 's2' })
    const record = grants.open(ana)
    await grants.write({ ...byCode, purpose: 'transfer' })
    await grants.write(byCode, record)
    for (const kept of [{}, { purpose: 'transfer' }, { session: 's2' }]) {
      expect(admits(grants, kept)).toBe(true)
    }
  })

  it('that follows the session to another id admits nothing there until it is confirmed', async ({
    grants,
  }) => {
    await grants.write({ ...byCode, purpose: 'transfer' })
    const written = await grants.write(byCode)
    await written?.moveTo('s2')
    expect(admits(grants)).toBe(false)
    expect(admits(grants, { session: 's2' })).toBe(false)
    // What the session had before comes along as it is.
    expect(admits(grants, { session: 's2', purpose: 'transfer' })).toBe(true)
    await written?.confirm()
    expect(admits(grants, { session: 's2' })).toBe(true)
  })

  it('from the future was written under a wrong clock, but for a few seconds', async ({ grants, wait }) => {
    await grants.write(byCode)
    wait(-5_000)
    expect(admits(grants)).toBe(true)
    wait(-1)
    expect(admits(grants)).toBe(false)
  })
})

describe('the renewal of a session', () => {
  it('moves the grants of the old id to the new one and leaves the old id without any', async ({
    grants,
  }) => {
    await grants.write({ ...byCode, session: 'laptop' })
    await grants.write(byCode)
    await grants.write({ ...byCode, session: 's2', previousSession: 's1', purpose: 'transfer' })
    expect(admits(grants)).toBe(false)
    expect(admits(grants, { session: 's2' })).toBe(true)
    expect(admits(grants, { session: 's2', purpose: 'transfer' })).toBe(true)
    expect(admits(grants, { session: 'laptop' })).toBe(true)
  })

  it('takes the grants along without a new one', async ({ grants }) => {
    await grants.write(byCode)
    await grants.move('ana', 's1', 's2')
    await grants.move('ana', 's1', 's3')
    expect(admits(grants)).toBe(false)
    expect(admits(grants, { session: 's2' })).toBe(true)
  })
})

describe('the earlier ids of a session', () => {
  it('are the last four that its own grants had before', async ({ grants }) => {
    const earlier = async (subject: string, session: string) => grants.earlierSessions({ subject, session })
    await grants.write(byCode)
    expect(await earlier('ana', 's1')).toEqual([])
    await grants.write({ ...byCode, purpose: 'transfer', session: 's2', previousSession: 's1' })
    await grants.write({ ...byCode, session: 's8', previousSession: 's7' })
    expect(await earlier('ana', 's2')).toEqual([hashId('s1')])
    expect(await earlier('ana', 's8')).toEqual([hashId('s7')])
    expect(await earlier('bob', 's2')).toEqual([])
    for (const session of [2, 3, 4, 5]) await grants.move('ana', `s${session}`, `s${session + 1}`)
    expect(await earlier('ana', 's6')).toEqual(['s2', 's3', 's4', 's5'].map(hashId))
  })
})

describe('a provisional grant', () => {
  const provisional = { ...byCode, provisional: true }

  it('admits nothing until it is confirmed', async ({ grants }) => {
    await grants.write({ ...byCode, purpose: 'transfer' })
    const written = await grants.write(provisional)
    expect(admits(grants)).toBe(false)
    expect(await grants.take({ ...ana, ...fresh })).toBeUndefined()
    await written?.confirm()
    expect(admits(grants)).toBe(true)
    expect(admits(grants, { purpose: 'transfer' })).toBe(true)
  })

  it('is not confirmed by a different one', async ({ grants }) => {
    const first = await grants.write(provisional)
    await grants.write({ ...provisional, session: 's2' })
    await first?.confirm()
    expect(admits(grants)).toBe(true)
    expect(admits(grants, { session: 's2' })).toBe(false)
  })

  it('is not brought back by its confirmation after a revocation, nor once the store has let it go', async ({
    grants,
    wait,
  }) => {
    const revoked = await grants.write(provisional)
    await grants.revoke(ana)
    await revoked?.confirm()
    expect(admits(grants)).toBe(false)
    const lapsed = await grants.write(provisional)
    wait(13 * hour)
    await lapsed?.confirm()
    expect(admits(grants)).toBe(false)
  })
})

describe('a grant that admits once', () => {
  it('is received by one of 200 parallel requests, and all further grants stay', async ({ grants }) => {
    await grants.write(byCode)
    await grants.write({ ...byCode, purpose: 'transfer' })
    const taken = await Promise.all(Array.from({ length: 200 }, () => grants.take({ ...ana, ...fresh })))
    expect(taken.filter((grant) => grant !== undefined)).toHaveLength(1)
    expect(admits(grants)).toBe(false)
    expect(admits(grants, { purpose: 'transfer' })).toBe(true)
  })
})

describe('revoking', () => {
  it('removes the grants of one session or of all, and emits an event', async ({ grants, events }) => {
    await grants.write(byCode)
    await grants.write({ ...byCode, session: 's2' })
    await grants.write({ ...byCode, session: 's4', previousSession: 's3' })
    await grants.revoke(ana)
    expect(admits(grants)).toBe(false)
    expect(admits(grants, { session: 's2' })).toBe(true)
    await grants.revokeSubject('ana')
    for (const session of ['s2', 's4']) expect(admits(grants, { session })).toBe(false)
    expect(events).toEqual(Array(2).fill({ type: 'grant.revoked', subject: 'ana' }))
  })

  it('of one session keeps grants that started in a different one', async ({ grants }) => {
    const here = grants.open(ana)
    const there = grants.open({ ...ana, session: 's2' })
    for (const record of [here, there]) await record.readRevocationId()
    await grants.revoke(ana)
    expect(await here.isRevoked()).toBe(true)
    expect(await there.isRevoked()).toBe(false)
    expect(await grants.write(byCode, here)).toBeUndefined()
    expect(await grants.write({ ...byCode, session: 's2' }, there)).toBeDefined()
    expect(admits(grants)).toBe(false)
  })

  it('keeps later grants, even of the current millisecond', async ({ grants }) => {
    await grants.revokeSubject('ana')
    await grants.revoke(ana)
    const record = grants.open(ana)
    expect(await grants.write(byCode, record)).toBeDefined()
    expect(await record.isRevoked()).toBe(false)
  })

  it('reaches a grant whose session was renewed by its own request', async ({ grants }) => {
    const record = grants.open(ana)
    await record.readRevocationId()
    await grants.revoke(ana)
    const renewed = { ...byCode, session: 's2', previousSession: 's1' }
    expect(await grants.write(renewed, record)).toBeUndefined()
  })

  it('reaches a session under each of its earlier ids, also when its grant only moved along', async ({
    grants,
  }) => {
    await grants.write(byCode)
    const stepUp = { ...byCode, purpose: 'transfer', session: 's2', previousSession: 's1' }
    await (await grants.write(stepUp))?.moveTo('s3')
    expect(admits(grants, { session: 's3' })).toBe(true)
    await grants.revoke({ subject: 'ana', session: 's1' })
    expect(admits(grants, { session: 's3' })).toBe(false)
  })

  it('of all is not undone by its own end, nor by many other logouts', async ({ grants, wait }) => {
    await grants.revokeSubject('ana')
    const early = grants.open({ ...ana, session: 'mine' })
    expect(await early.readRevocationId()).toBeDefined()
    for (let session = 0; session < 30; session += 1) await grants.revoke({ ...ana, session: `s${session}` })
    expect(await grants.open({ ...ana, session: 'mine' }).readRevocationId()).toBe(
      await early.readRevocationId(),
    )
    wait(31 * minute)
    expect(await grants.open({ ...ana, session: 'mine' }).readRevocationId()).toBeUndefined()
    expect(await early.isRevoked()).toBe(false)
  })

  it('is kept for the last twenty single sessions, each counted once', async ({ grants }) => {
    const sessions = Array.from({ length: 30 }, (_, index) => ({ subject: 'ana', session: `s${index}` }))
    const records = sessions.map((who) => grants.open(who))
    await Promise.all(records.map((record) => record.readRevocationId()))
    for (const who of sessions) await grants.revoke(who)
    for (let times = 0; times < 30; times += 1) await grants.revoke({ subject: 'ana', session: 's29' })
    const revoked = await Promise.all(records.map((record) => record.isRevoked()))
    expect(revoked).toEqual([...Array(10).fill(false), ...Array(20).fill(true)])
  })

  it('is forgotten exactly once no code and no proven number lives from before', async ({
    grants,
    store,
    keys,
    wait,
  }) => {
    await grants.write(byCode)
    await grants.revokeSubject('ana')
    wait(31 * minute - 1)
    expect(store.read(keys.grants('ana'))).toHaveProperty('value.grants', [])
    wait(1)
    expect(store.read(keys.grants('ana'))).toBeUndefined()
    // By our clock as well, while others keep the entry.
    await grants.revokeSubject('ana')
    await grants.write(byCode)
    wait(31 * minute - 1)
    expect(await grants.open(ana).readRevocationId()).toBeDefined()
    wait(1)
    expect(await grants.open(ana).readRevocationId()).toBeUndefined()
  })
})

describe('the grants of a subject', () => {
  it('live in the twenty newest sessions', async ({ grants }) => {
    for (let session = 0; session < 21; session += 1) {
      await grants.write({ ...byCode, session: `s${session}` })
    }
    expect(admits(grants, { session: 's0' })).toBe(false)
    expect(admits(grants, { session: 's1' })).toBe(true)
    expect(admits(grants, { session: 's20' })).toBe(true)
  })

  it('are forgotten once no guard accepts them', async ({ grants, store, keys, wait }) => {
    await grants.write({ ...byCode, purpose: 'transfer' })
    wait(5 * minute)
    expect(store.read(keys.grants('ana'))).toBeUndefined()
    await grants.write(byCode)
    await grants.write({ ...byCode, purpose: 'transfer' })
    wait(5 * minute)
    await grants.write({ ...byCode, session: 's2' })
    expect(store.read(keys.grants('ana'))).toHaveProperty('value.grants.length', 2)
  })
})
