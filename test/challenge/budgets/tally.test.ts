import { describe, expect } from 'vitest'
import type { Actor } from '../../../src/challenge/commands.js'
import { hashId } from '../../../src/challenge/keys.js'
import { day, hour } from '../kit.js'
import { ana, createService, it, purposeIn, rightCode } from '../service.js'

type Service = ReturnType<typeof createService>
type Lane = 'auth' | 'enrol'

/** One subject, a number and a session of its own per turn. */
const turnOf = (turn: number, lane: Lane = 'auth', anonymous = false): Actor => ({
  lane,
  anonymous,
  subject: 'ana',
  session: `session-${turn}`,
  phone: `+57300${1_000_000 + turn}`,
})

async function typed({ challenges }: Service, code: string, who: Actor & Kind) {
  await challenges.start({ ...who, purpose: purposeIn(who.lane ?? 'auth') })
  return challenges.verify({ ...who, code })
}

/** What tells one kind of guesser from another. */
interface Kind {
  readonly lane?: Lane | undefined
  readonly knownBrowser?: boolean
}
const signup: Kind = { lane: 'enrol' }
const stranger: Kind = { knownBrowser: false }
const known: Kind = { knownBrowser: true }

describe('the wrong codes of a subject', () => {
  it('stop at the limit of a day over all numbers, until a day after the first one', async () => {
    const service = createService({ limits: { failuresPerSubjectPerDay: 2 } })
    await typed(service, 'wrong1', turnOf(0))
    service.wait(hour)
    expect(await typed(service, 'wrong2', turnOf(1))).toMatchObject({ outcome: 'rejected' })
    expect(await typed(service, rightCode, turnOf(2))).toEqual({
      outcome: 'refused',
      code: 'attempts_exhausted',
      retryAfterMs: 23 * hour,
      limit: 'subject',
    })
    expect(service.provider.checks).toHaveLength(2)
    service.wait(23 * hour)
    expect(await typed(service, rightCode, turnOf(3))).toMatchObject({ outcome: 'approved' })
  })

  it('stop at the limit however many are typed at once, and refuse nobody below it', async () => {
    const service = createService({ limits: { failuresPerSubjectPerDay: 20 } })
    const turns = Array.from({ length: 60 }, (_, turn) => turnOf(turn))
    for (const turn of turns.slice(0, 50)) await service.challenges.start({ ...turn, purpose: 'login' })
    const outcomes = await Promise.all(
      turns.map((turn) => service.challenges.verify({ ...turn, code: 'wrong' })),
    )
    expect(service.provider.checks).toHaveLength(20)
    expect(outcomes.filter(({ outcome }) => outcome === 'rejected')).toHaveLength(20)
    expect(await service.challenges.subjects.state('ana')).toMatchObject({ failures: 20, locked: true })
  })

  it('are counted for each subject by itself', async () => {
    const service = createService({ limits: { failuresPerSubjectPerDay: 1 } })
    await typed(service, 'wrong', turnOf(0))
    expect(await typed(service, rightCode, { ...turnOf(1), subject: 'bob' })).toMatchObject({
      outcome: 'approved',
    })
  })

  it.each<[string, string, Kind, Kind]>([
    ['a phone verification', 'a sign-in', signup, {}],
    ['a sign-in', 'a phone verification', {}, signup],
    ['strangers', 'a known browser', stranger, known],
    ['a known browser', 'strangers', known, stranger],
  ])('of %s never count against %s', async (_guesser, _other, guesser, other) => {
    const service = createService({ limits: { failuresPerSubjectPerDay: 2 } })
    for (let turn = 0; turn < 4; turn += 1) await typed(service, 'wrong', { ...turnOf(turn), ...guesser })
    expect(service.provider.checks).toHaveLength(2)
    const exhausted = await typed(service, rightCode, { ...turnOf(10), ...guesser })
    expect(exhausted).toMatchObject({ code: 'attempts_exhausted' })
    const right = await typed(service, rightCode, { ...turnOf(11), ...other })
    expect(right).toMatchObject({ outcome: 'approved' })
  })

  it('are not counted of a visitor whom nobody knows', async () => {
    const service = createService({ limits: { failuresPerSubjectPerDay: 1 } })
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await typed(service, 'wrong', turnOf(turn, 'enrol', true))).toMatchObject({
        outcome: 'rejected',
      })
    }
    expect(service.store.read(service.keys.counter('enrol-tally', hashId('ana')))).toBeUndefined()
  })

  it('do not include what is approved or was no verdict, nor does a used code count twice', async () => {
    const service = createService({ limits: { cooldownMs: [0] } })
    await typed(service, 'wrong', turnOf(0))
    await typed(service, rightCode, turnOf(1))
    service.provider.check = () => 'unavailable'
    await expect(typed(service, 'lost', turnOf(2))).rejects.toMatchObject({
      code: 'verification_unavailable',
    })
    expect(await service.challenges.subjects.state('ana')).toMatchObject({ failures: 1 })
    expect(await typed(service, rightCode, turnOf(1))).toMatchObject({ outcome: 'rejected' })
    expect(await service.challenges.subjects.state('ana')).toMatchObject({ failures: 2 })
  })

  it('past the limit refuse a used code like any wrong one, and add nothing', async () => {
    const service = createService({ limits: { failuresPerSubjectPerDay: 1, cooldownMs: [0] } })
    await typed(service, rightCode, turnOf(0))
    await typed(service, 'wrong', turnOf(1))
    expect(await typed(service, rightCode, turnOf(0))).toMatchObject({ outcome: 'rejected' })
    expect(await service.challenges.subjects.state('ana')).toMatchObject({ failures: 1 })
  })
})

describe('an attempt that cannot be counted', () => {
  /** A service whose store fails to count what is of one kind, and does the rest. */
  const failing = () => {
    const broken = { kind: 'none' }
    const service = createService({
      commands: (well) => ({
        increment(key, windowMs, by = 1) {
          if (by === 1 && key.includes(`:${broken.kind}:`)) return Promise.reject(new Error('down'))
          return well.increment(key, windowMs, by)
        },
      }),
    })
    return { service, broken }
  }

  it('comes back, because nothing was sent', async () => {
    const { service, broken } = failing()
    const who = { ...ana, address: '203.0.113.7' }
    await service.challenges.start({ ...who, purpose: 'login' })
    broken.kind = 'auth-tally'
    for (let tries = 0; tries < 8; tries += 1) {
      await expect(service.challenges.verify({ ...who, code: 'wrong' })).rejects.toMatchObject({
        cause: { message: 'down' },
      })
    }
    expect(service.provider.checks).toEqual([])
    broken.kind = 'none'
    expect(await service.challenges.find(who)).toMatchObject({ attemptsRemaining: 5 })
    expect(await service.challenges.subjects.state('ana')).toMatchObject({ failures: 0 })
    expect(await service.challenges.verify({ ...who, code: rightCode })).toMatchObject({
      outcome: 'approved',
    })
  })

  it('stays spent when the store is gone altogether, and tells the first failure', async () => {
    const { service, broken } = failing()
    await service.challenges.start({ ...ana, purpose: 'login' })
    const { swap } = service.store
    broken.kind = 'auth-tally'
    let swaps = 0
    Object.assign(service.store, {
      swap: (...args: Parameters<typeof swap>) => {
        swaps += 1
        if (swaps > 1) throw new Error('gone')
        return swap(...args)
      },
    })
    await expect(service.challenges.verify({ ...ana, code: 'wrong' })).rejects.toMatchObject({
      cause: { message: 'down' },
    })
    Object.assign(service.store, { swap })
    expect(await service.challenges.find(ana)).toMatchObject({ attemptsRemaining: 4 })
  })
})

describe('the operator', () => {
  it('sees the tally of a subject and its wait, and lifts both lanes', async () => {
    const service = createService({ limits: { failuresPerSubjectPerDay: 2 } })
    const { subjects } = service.challenges
    const none = { failures: 0, locked: false, lockedForMs: 0 }
    expect(await subjects.state('ana')).toMatchObject({ ...none, known: none })
    await typed(service, 'wrong', turnOf(0))
    expect(await subjects.state('ana')).toMatchObject({ ...none, failures: 1, known: none })
    await typed(service, 'wrong', { ...turnOf(5), knownBrowser: true })
    expect(await subjects.state('ana')).toMatchObject({ failures: 1, known: { ...none, failures: 1 } })
    service.wait(hour)
    await typed(service, 'wrong', turnOf(1))
    for (const turn of [2, 3]) await typed(service, 'wrong', turnOf(turn, 'enrol'))
    expect(await subjects.state('ana')).toMatchObject({
      failures: 2,
      locked: true,
      lockedForMs: day - hour,
      known: { failures: 1, locked: false, lockedForMs: 0 },
    })
    await subjects.enable('ana')
    expect(service.events.at(-1)).toEqual({ type: 'subject.enabled', subject: 'ana' })
    expect(await subjects.state('ana')).toMatchObject({ ...none, known: none })
    expect(await typed(service, rightCode, turnOf(4))).toMatchObject({ outcome: 'approved' })
    expect(await typed(service, rightCode, turnOf(5, 'enrol'))).toMatchObject({ outcome: 'approved' })
  })

  it('lifts the recovery codes of the day as well', async ({ challenges, grants }) => {
    const tryOne = () => grants.open({ subject: 'ana', session: 's1' }).countRecoveryTry()
    for (let tries = 0; tries < 10; tries += 1) await tryOne()
    expect(await tryOne()).toEqual({ isRefused: true, remaining: 0, resetInMs: day })
    await challenges.subjects.enable('ana')
    expect(await tryOne()).toEqual({ isRefused: false, remaining: 9, resetInMs: day })
  })

  it('lifts nothing of a subject that has no wrong codes', async ({ challenges, store, keys }) => {
    await challenges.subjects.enable('nobody')
    expect(store.read(keys.counter('auth-tally', hashId('nobody')))).toBeUndefined()
  })
})
