import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Budget, emptyBudget, emptyLedger } from '../../../src/challenge/ledger/ledger.js'
import { ledgerStore } from '../../../src/challenge/ledger/ledgers.js'
import { unpacked, type WrittenLedger } from '../../../src/challenge/ledger/row.js'
import type { EventBody } from '../../../src/events.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Json } from '../../../src/store/store.js'
import { hour } from '../kit.js'

const key = 'tf2::auth:number'

function createPair() {
  const store = memoryStore()
  const events: EventBody[] = []
  return { store, events, ledgers: ledgerStore(store, (event) => void events.push(event)) }
}

/** What is read after it was written. */
async function kept(ledger: WrittenLedger): Promise<Json | undefined> {
  const { ledgers } = createPair()
  await ledgers.swap(key, undefined, ledger, hour)
  return (await ledgers.read(key))?.value
}

const challenge = {
  id: 'challenge-1',
  budget: 'strangers',
  session: 'session',
  subject: 'subject',
  purpose: 'a "purpose", with signs',
  bound: undefined,
  channel: 'call',
  attempts: 2,
  expiresAt: 1_700_000_300_000,
  maxExpiresAt: 1_700_000_600_000,
  epoch: undefined,
  voided: undefined,
  handle: undefined,
  wrongCodes: undefined,
  details: undefined,
  later: undefined,
} as const

const budget: Budget = {
  challenge: {
    ...challenge,
    bound: 'hash',
    epoch: 'epoch',
    voided: true,
    handle: 'handle',
    wrongCodes: ['w1', 'w2'],
    details: 'sealed',
  },
  lease: {
    attempt: 'attempt-1',
    challenge: 'challenge-1',
    code: 'code',
    expiresAt: 1_700_000_010_000,
    send: 'send-3',
  },
  attemptsSinceSuccess: 7,
  rejections: 5,
  lockExpiresAt: 1_700_000_900_000,
  sends: [
    { id: 'send-1', at: 1_700_000_000_000, channel: 'sms', challenge: undefined, refused: undefined },
    { id: 'send-2', at: 1_700_000_000_001, channel: 'sms', challenge: 'challenge-0', refused: true },
    { id: 'send-3', at: 1_700_000_000_002, channel: 'call', challenge: 'challenge-1', refused: undefined },
  ],
  attemptTimes: [1_700_000_000_003, 1_700_000_000_004],
  later: undefined,
}

const full: WrittenLedger = {
  strangers: budget,
  known: { ...budget, challenge: { ...challenge, budget: 'known' }, lease: undefined },
  usedCodes: [{ code: 'used', at: 1_700_000_000_005 }],
  at: 1_700_000_000_006,
  later: undefined,
  command: 'command',
}

describe('a ledger in the store', () => {
  it.each([
    ['with all that it can hold', full],
    ['with nothing', { ...emptyLedger, command: 'command' }],
    ['with a live challenge', { ...full, strangers: { ...budget, challenge } }],
    [
      'without the challenge of its sends',
      { ...full, strangers: { ...budget, challenge: undefined, lease: undefined } },
    ],
    ['without known browsers', { ...full, known: emptyBudget }],
    [
      'with columns of a later version',
      {
        ...full,
        strangers: {
          ...budget,
          challenge: { ...challenge, later: ['new', 1] },
          later: [null, { new: true }],
        },
        later: ['new'],
      },
    ],
    ['with columns of a later version and no known browsers', { ...full, known: emptyBudget, later: [7] }],
  ])('comes back as it was: %s', async (_, ledger) => {
    expect(await kept(ledger)).toStrictEqual(ledger)
  })

  it('comes back as it was, whatever is in it', async () => {
    const moment = fc.nat({ max: 2_000_000_000_000 })
    const id = fc.constantFrom('a', 'b', '0', '', '"', '\\', ',é\n')
    const channel = fc.constantFrom('sms' as const, 'call' as const)
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
    const later = fc.constantFrom(undefined, [1], [null, 'new'])
    const budgetOf = (name: 'strangers' | 'known') =>
      fc.record({
        challenge: maybe(
          fc.record({
            id,
            budget: fc.constant(name),
            session: id,
            subject: id,
            purpose: id,
            bound: maybe(id),
            channel,
            attempts: fc.nat(),
            expiresAt: moment,
            maxExpiresAt: moment,
            epoch: maybe(id),
            voided: fc.constantFrom(undefined, true as const),
            handle: maybe(id),
            wrongCodes: maybe(fc.array(id)),
            details: maybe(id),
            later,
          }),
        ),
        lease: maybe(fc.record({ attempt: id, challenge: id, code: id, expiresAt: moment, send: maybe(id) })),
        attemptsSinceSuccess: fc.nat(),
        rejections: fc.nat(),
        lockExpiresAt: moment,
        sends: fc.array(
          fc.record({
            id,
            at: moment,
            channel,
            challenge: maybe(id),
            refused: fc.constantFrom(undefined, true as const),
          }),
        ),
        attemptTimes: fc.array(moment),
        later,
      })
    const ledger = fc.record({
      strangers: budgetOf('strangers'),
      known: budgetOf('known'),
      usedCodes: fc.array(fc.record({ code: id, at: moment })),
      at: moment,
      later,
      command: id,
    })
    await fc.assert(
      fc.asyncProperty(ledger, async (one) => {
        expect(await kept(one)).toEqual(one)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('is one short string', async () => {
    const { store, ledgers } = createPair()
    await ledgers.swap(key, undefined, full, hour)
    const text = store.read(key)?.value
    expect(text).toBeTypeOf('string')
    expect(String(text).length).toBeLessThan(JSON.stringify(full).length * 0.6)
    // As id of both challenges and in the lease: the sends beside them need none.
    expect(String(text).split('challenge-1')).toHaveLength(4)
  })

  it('takes no room for what is not there: known browsers, and columns at the end of a row', async () => {
    const { store, ledgers } = createPair()
    const sends = [{ id: 's', at: 7, channel: 'sms', challenge: 'c' } as const]
    const sparse = { ...emptyLedger, at: 9, strangers: { ...emptyBudget, sends }, command: 'command' }
    await ledgers.swap(key, undefined, sparse, hour)
    expect(store.read(key)?.value).toBe('[2,"command",9,[0,0,0,null,null,[["s",-2,"sms","c"]],[]],[]]')
  })

  it('is told as it stands by a swap: the new one, or the one in the way', async () => {
    const { ledgers } = createPair()
    const first = await ledgers.swap(key, undefined, full, hour)
    expect(first).toEqual({ swapped: true, entry: { value: full, version: expect.any(String) } })
    const other = { ...emptyLedger, command: 'other' }
    expect(await ledgers.swap(key, undefined, other, hour)).toEqual({ swapped: false, entry: first.entry })
    expect(await ledgers.read(key)).toEqual(first.entry)
  })

  it('is not there before it was written, and then no swap finds it', async () => {
    const { ledgers } = createPair()
    expect(await ledgers.read(key)).toBeUndefined()
    expect(await ledgers.swap(key, '1', full, hour)).toStrictEqual({ swapped: false })
  })

  it('is read as the first build wrote it', () => {
    const old =
      '["c",9,3,2,8,["i","s","u","p",null,"sms",1,20,30,null],["a","i","x",5],[["b",4,"sms",0],["d",5,"call",null]],[6],[["y",7]]]'
    expect(unpacked(old)).toStrictEqual({
      strangers: {
        challenge: {
          ...challenge,
          id: 'i',
          session: 's',
          subject: 'u',
          purpose: 'p',
          channel: 'sms',
          attempts: 1,
          expiresAt: 20,
          maxExpiresAt: 30,
        },
        lease: { attempt: 'a', challenge: 'i', code: 'x', expiresAt: 5, send: undefined },
        attemptsSinceSuccess: 3,
        rejections: 2,
        lockExpiresAt: 8,
        sends: [
          { id: 'b', at: 4, channel: 'sms', challenge: 'i', refused: undefined },
          { id: 'd', at: 5, channel: 'call', challenge: undefined, refused: undefined },
        ],
        attemptTimes: [6],
        later: undefined,
      },
      known: emptyBudget,
      usedCodes: [{ code: 'y', at: 7 }],
      at: 9,
      later: undefined,
      command: 'c',
    })
  })

  it('is removed by a swap with nothing, and the one in the way is told', async () => {
    const { ledgers } = createPair()
    const { entry } = await ledgers.swap(key, undefined, full, hour)
    expect(await ledgers.swap(key, undefined, undefined, 0)).toEqual({ swapped: false, entry })
    expect(await ledgers.swap(key, entry?.version, undefined, 0)).toEqual({ swapped: true })
    expect(await ledgers.read(key)).toBeUndefined()
  })

  it.each([
    ['no string', { failures: 3 }],
    ['no JSON', 'failures=3'],
    ['no list', '{"failures":3}'],
    ['too short a list', '[2,"command",1]'],
    ['too short a list of the first build', '["command",1]'],
    ['a format of another version', '[3,"c",1,[0,0,0,null,null,[],[]],[]]'],
    ['failures that are gone', '[2,"c",1,[null,0,0,null,null,[],[]],[]]'],
    ['rejections that are gone', '[2,"c",1,[0,null,0,null,null,[],[]],[]]'],
    ['a lock that is gone', '[2,"c",1,[0,0,null,null,null,[],[]],[]]'],
    ['attempts of the day that are gone', '[2,"c",1,[0,0,0,null,null,[],[null]],[]]'],
    ['no attempts of the day', '[2,"c",1,[0,0,0,null,null,[],null],[]]'],
    ['a send whose moment is gone', '[2,"c",1,[0,0,0,null,null,[["i",null,"sms"]],[]],[]]'],
    ['a moment that is gone', '[2,"c",null,[0,0,0,null,null,[],[]],[]]'],
    ['a used code whose moment is gone', '[2,"c",1,[0,0,0,null,null,[],[]],[["x",null]]]'],
    ['no used codes', '[2,"c",1,[0,0,0,null,null,[],[]]]'],
    ['known failures that are gone', '[2,"c",1,[0,0,0,null,null,[],[]],[],[null,0,0,null,null,[],[]]]'],
    [
      'attempts of a challenge that are gone',
      '[2,"c",1,[0,0,0,["i","s","u","p",null,"sms",null,1,1],null,[],[]],[]]',
    ],
    ['an end that is gone', '[2,"c",1,[0,0,0,["i","s","u","p",null,"sms",0,1],null,[],[]],[]]'],
    ['a lease without an end', '[2,"c",1,[0,0,0,null,["a","c","x",null],[],[]],[]]'],
    ['failures of the first build that are gone', '["c",1,null,0,0,null,null,[],[],[]]'],
  ])('refuses when something else wrote there: %s', async (_, value) => {
    const { store, ledgers, events } = createPair()
    store.swap(key, undefined, value, hour)
    const refused = expect.objectContaining({
      code: 'store_unavailable',
      message: expect.stringContaining('Does another program'),
    })
    await expect(ledgers.read(key)).rejects.toEqual(refused)
    await expect(ledgers.swap(key, undefined, full, hour)).rejects.toEqual(refused)
    const told = { type: 'store.failed', command: 'read' }
    expect(events).toEqual([told, told])
  })
})
