import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { CodeSend, SendResult } from '../../../src/challenge/exchange/code-provider.js'
import {
  bookSend,
  clearRecord,
  countSends,
  emptyRecord,
  lastSendsOf,
  type NumberRecord,
  settleNumberSend,
} from '../../../src/challenge/rate-limits/number-record.js'
import { failover } from '../../../src/provider/failover.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { redisOfFile } from '../../express/redis.js'
import { day, hour, minute } from '../kit.js'
import { ana as account, createService, type ServiceOptions } from '../service.js'

/** People who share a number, each in a session of their own. */
const who = (subject: string) => ({ ...account, subject, session: `of ${subject}`, purpose: 'login' })

/**
 * A provider that knows the number alone. It sends when it is told to, and accepts the code that it took last, which is
 * the name of the account that asked for it.
 */
function createNumber(options: ServiceOptions, isFailover: boolean) {
  const waiting: { answer(result?: SendResult): void; take(): void }[] = []
  let last = ''
  let asking = ''
  let isHeld = false
  const codes = {
    sendCode: (_send: CodeSend) => {
      const code = asking
      const take = () => {
        last = code
      }
      if (!isHeld) {
        take()
        return Promise.resolve<SendResult>({ result: 'sent', lifetimeMs: 10 * minute })
      }
      return new Promise<SendResult>((resolve) => {
        waiting.push({
          take,
          answer: (result = { result: 'sent', lifetimeMs: 10 * minute }) => resolve(result),
        })
      })
    },
    checkCode: async ({ code }: { readonly code: string }) =>
      code === last ? ('approved' as const) : ('rejected' as const),
  }
  const spare = {
    name: 'spare',
    sendCode: async () => ({ result: 'failed' }) as const,
    checkCode: codes.checkCode,
  }
  const service = createService({
    limits: { allSendsPerHour: 100 },
    codes: isFailover ? failover([codes, spare]) : codes,
    ...options,
  })
  const { challenges } = service
  return {
    ...service,
    waiting,
    hold: () => {
      isHeld = true
    },
    resume: () => {
      isHeld = false
    },
    async start(subject: string): Promise<string> {
      asking = subject
      const started = challenges.start(who(subject))
      return (await started).outcome
    },
    startAgain: (subject: string) => challenges.start(who(subject)),
    find: (subject: string) => challenges.find(who(subject)),
    preview: (subject: string) => challenges.preview(who(subject)),
    /** Starts, and waits until the provider is asked, not for its answer. */
    async begin(subject: string) {
      asking = subject
      const before = waiting.length
      const started = challenges.start(who(subject)).catch(({ code }) => ({ outcome: code }))
      await vi.waitUntil(() => waiting.length > before, { timeout: 5_000, interval: 1 })
      return { started }
    },
    async type(subject: string, code: string) {
      const told = await challenges.verify({ ...who(subject), code })
      return told.outcome === 'refused' ? told.code : told.outcome
    },
  }
}

const redis = redisOfFile()
const variants = Object.keys(redis.stores).flatMap((store) =>
  (['by one provider', 'by a fail-over'] as const).map((kind) => [store, kind] as const),
)

describe.each(variants)('%s, %s:', (storeName, kind) => {
  const storeOf = (now: () => number) => redis.stores[storeName]?.(now) ?? memoryStore({ now })
  const setUp = (options: ServiceOptions = {}) =>
    createNumber({ store: (now) => storeOf(now), ...options }, kind === 'by a fail-over')
  beforeEach(async () => {
    await redis.client?.flushAll()
  })

  describe('a code that was sent for another account', () => {
    it('approves nothing after the day of the number has ended and begun again', async () => {
      const { start, type, wait } = setUp()
      await start('first')
      wait(day - minute)
      await start('a')
      await start('b')
      wait(2 * minute)
      for (const subject of ['c', 'd', 'e']) await start(subject)
      for (const code of ['a', 'b', 'e']) expect(await type('b', code)).toBe('challenge_gone')
      expect(await type('e', 'e')).toBe('approved')
    })

    it('stays the last one until the end of its life, even after its windows', async () => {
      const { start, type, wait } = setUp()
      await start('first')
      wait(day - minute)
      await start('b')
      wait(5 * minute)
      expect(await type('b', 'b')).toBe('approved')
    })

    it.each([
      ['taken in order, answered in order', [0, 1], [0, 1]],
      ['taken in order, answered in the other order', [0, 1], [1, 0]],
      ['taken in the other order, answered in order', [1, 0], [0, 1]],
      ['taken and answered in the other order', [1, 0], [1, 0]],
    ] as const)('approves nothing where two sends overlap: %s', async (_order, taken, answered) => {
      const { hold, begin, waiting, type } = setUp()
      hold()
      const both = [await begin('a'), await begin('b')]
      for (const index of taken) waiting[index]?.take()
      for (const index of answered) {
        waiting[index]?.answer()
        await both[index]?.started
      }
      expect(await type('a', 'b')).toBe('challenge_gone')
      expect(await type('b', 'a')).toBe('challenge_gone')
    })

    it('approves nothing while its send is under way', async () => {
      const { hold, begin, waiting, type } = setUp()
      hold()
      const a = await begin('a')
      const b = await begin('b')
      waiting[1]?.take()
      waiting[1]?.answer()
      await b.started
      waiting[0]?.take()
      expect(await type('b', 'a')).toBe('challenge_gone')
      waiting[0]?.answer()
      await a.started
      expect(await type('b', 'a')).toBe('challenge_gone')
    })

    it('approves nothing after a send between them was refused and refunded', async () => {
      const { hold, begin, start, waiting, type } = setUp()
      hold()
      const c = await begin('c')
      const b = await begin('b')
      waiting[1]?.take()
      waiting[1]?.answer()
      await b.started
      waiting[0]?.answer({ result: 'failed' })
      await c.started
      // Nothing of c was delivered, so that b has the last code.
      expect(await type('b', 'x')).toBe('rejected')
      const others = [await begin('d'), await begin('e')]
      for (const index of [2, 3]) {
        waiting[index]?.take()
        waiting[index]?.answer()
      }
      await Promise.all(others.map(({ started }) => started))
      for (const code of ['b', 'd', 'e']) expect(await type('b', code)).toBe('challenge_gone')
      expect(await start('b')).not.toBe('started')
    })

    it('approves nothing where the store has lost the record', async () => {
      const { start, type, store, keys } = setUp()
      await start('b')
      const key = keys.counter('number-sends', keys.number(account.phone as never))
      const entry = await store.read(key)
      await store.swap(key, entry?.version, undefined, 1)
      expect(await type('b', 'b')).toBe('challenge_gone')
    })
  })

  describe('a challenge whose number got a code for another account since', () => {
    it('is shown no more, and a start says when the next code can be sent', async () => {
      const { start, startAgain, find, preview, wait, type } = setUp()
      await start('owner')
      expect(await startAgain('owner')).toMatchObject({ outcome: 'already-sent' })
      expect(await find('owner')).toMatchObject({ delivery: 'sent' })
      await start('other')
      wait(20_000)
      const tooSoon = { outcome: 'refused', code: 'resend_too_soon', retryAfterMs: expect.any(Number) }
      expect(await startAgain('owner')).toEqual(tooSoon)
      expect(await find('owner')).toBeUndefined()
      expect(await preview('owner')).toMatchObject({ expired: true, refusal: tooSoon })
      wait(40_000)
      expect(await preview('owner')).not.toHaveProperty('refusal')
      expect(await start('owner')).toBe('started')
      expect(await type('owner', 'owner')).toBe('approved')
    })

    it('is shown while its own send is under way', async () => {
      const { hold, begin, waiting, find, startAgain } = setUp()
      hold()
      const owner = await begin('owner')
      const other = await begin('other')
      expect(await startAgain('owner')).toMatchObject({ outcome: 'already-sent' })
      expect(await find('owner')).toMatchObject({ delivery: 'booked' })
      for (const one of waiting) one.answer()
      await Promise.all([owner.started, other.started])
      expect(await startAgain('owner')).toMatchObject({ code: 'resend_too_soon' })
      expect(await find('owner')).toBeUndefined()
    })
  })

  describe('a code of the owner', () => {
    it('stays valid although the limits of the number refuse requests', async () => {
      const { start, type } = setUp({ limits: { allSendsPerHour: 3 }, knownMaxAgeMs: 0 })
      for (const subject of ['a', 'b', 'owner']) expect(await start(subject)).toBe('started')
      const others = await Promise.all(Array.from({ length: 30 }, (_, index) => start(`other-${index}`)))
      expect(new Set(others)).toEqual(new Set(['refused']))
      expect(await type('owner', 'owner')).toBe('approved')
    })

    it('stays valid when a send of another account is refused by the provider', async () => {
      const { start, type, hold, begin, waiting } = setUp()
      await start('owner')
      hold()
      const other = await begin('other')
      waiting[0]?.answer({ result: 'failed' })
      await other.started
      expect(await type('owner', 'owner')).toBe('approved')
    })

    it.each([
      [11_999, 'challenge_gone'],
      [12_000, 'approved'],
    ])('requested %d ms after a send to another account without a response: %s', async (ms, outcome) => {
      const { start, type, hold, begin, waiting, wait, resume } = setUp()
      hold()
      const other = await begin('other')
      wait(ms)
      resume()
      expect(await start('owner')).toBe('started')
      expect(await type('owner', 'owner')).toBe(outcome)
      waiting[0]?.answer({ result: 'unconfirmed' })
      await other.started
    })

    it.each([
      [10 * minute + 11_999, 'challenge_gone'],
      [10 * minute + 12_000, 'approved'],
    ])('whose send had no response %d ms after a code of another account: %s', async (ms, outcome) => {
      const { start, type, hold, begin, waiting, wait } = setUp()
      await start('other')
      wait(ms)
      hold()
      const { started } = await begin('owner')
      waiting[0]?.take()
      waiting[0]?.answer({ result: 'unconfirmed' })
      await started
      expect(await type('owner', 'owner')).toBe(outcome)
    })

    it('is the last one again as soon as another account has had its answer', async () => {
      const { start, type } = setUp()
      await start('other')
      await start('owner')
      expect(await type('owner', 'owner')).toBe('approved')
    })
  })

  describe('the sends of a number', () => {
    it('that met no answer count in its hour, not in its day', async () => {
      const { start, hold, begin, waiting, wait } = setUp({
        limits: { allSendsPerHour: 2, allSendsPerDay: 2 },
        knownMaxAgeMs: 0,
      })
      hold()
      const unanswered = [await begin('a'), await begin('b')]
      for (const one of waiting) one.answer({ result: 'unconfirmed' })
      await Promise.all(unanswered.map(({ started }) => started))
      expect(await start('c')).toBe('refused')
      wait(hour)
      const { started } = await begin('d')
      waiting[2]?.answer()
      expect((await started).outcome).toBe('started')
    })
  })
})

describe('the record of a number', () => {
  const limits = {
    hour: 10,
    day: 20,
    unknownShareOf: (max: number) => max,
    sendMs: 10_000,
    codeMs: 10 * minute,
  }
  const order = (id: string, of = 'ana', channel: 'sms' | 'call' = 'sms') =>
    ({ id, account: of, browserKind: 'known', channel }) as const
  const sent = { result: 'sent' } as const

  const book =
    (send: ReturnType<typeof order>, at: number): Step =>
    (record) =>
      bookSend(record, send, limits, at)
  const settle =
    (id: string, at: number, result: SendResult = sent): Step =>
    (record) =>
      settleNumberSend(record, { id, sent: result }, limits, at)

  type Step = (record: NumberRecord) => { readonly put?: { readonly value: NumberRecord | undefined } }

  /** Runs the updates one after the other and returns the last record. */
  function runFrom(first: NumberRecord, ...steps: Step[]): NumberRecord {
    return steps.reduce((record, step) => {
      const { put } = step(record)
      return put === undefined ? record : (put.value ?? emptyRecord)
    }, first)
  }
  const run = (...steps: Step[]) => runFrom(emptyRecord, ...steps)

  it('records an outcome once, and none of a send that it does not contain', () => {
    const record = run(book(order('one'), 0), settle('one', 1))
    for (const id of ['one', 'other']) {
      const again = settleNumberSend(record, { id, sent: { result: 'failed' } }, limits, 2)
      expect(again).toEqual({ outcome: undefined })
    }
  })

  it('marks the sends of other accounts that were booked after the deadline of a late one', () => {
    const record = run(
      book(order('late'), 0),
      book(order('own'), 10_001),
      settle('own', 10_002),
      book(order('foreign', 'ben'), 10_003),
      settle('foreign', 10_004),
    )
    expect(lastSendsOf(record, 'ben')).toEqual(['foreign'])
    const after = settle('late', 20_000)
    expect(lastSendsOf(runFrom(record, after), 'ben')).toEqual([])
  })

  it('counts a call in the windows of its booking only', () => {
    const record = run(
      book(order('first'), 0),
      book(order('one'), 55 * minute),
      book(order('two'), 61 * minute),
      settle('one', 62 * minute, { ...sent, channel: 'call' }),
    )
    expect(countSends(record, 'hour', limits, 62 * minute).count).toBe(1)
    expect(countSends(record, 'day', limits, 62 * minute).count).toBe(4)
  })

  it('is not written by a send that its limit refuses', () => {
    const full = { ...limits, hour: 1 }
    const record = run(book(order('one'), 0))
    const refusedSend = bookSend(record, order('two', 'ben'), full, 1)
    expect(refusedSend).toMatchObject({ outcome: { code: 'send_limit' } })
    expect(refusedSend).not.toHaveProperty('put')
  })

  it('is not written by a reset that changes nothing', () => {
    expect(clearRecord(emptyRecord, limits, 0)).toEqual({ outcome: undefined })
    const booked = run(book(order('one'), 0))
    const cleared = runFrom(booked, (before) => clearRecord(before, limits, 1))
    expect(countSends(cleared, 'day', limits, 1).count).toBe(0)
    expect(cleared.sends).toHaveLength(1)
  })
})
