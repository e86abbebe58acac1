import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyLedger, type Ledger } from '../../../src/challenge/ledger/ledger.js'
import { ledgerStore } from '../../../src/challenge/ledger/row.js'
import type { TwoFactorEvent } from '../../../src/events.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Json } from '../../../src/store/store.js'
import { hour } from '../kit.js'

const key = 'tf1::auth:number'

function createPair() {
  const store = memoryStore()
  const events: TwoFactorEvent[] = []
  return { store, events, ledgers: ledgerStore(store, (event) => void events.push(event)) }
}

/** What is read after it was written. */
async function kept(ledger: Ledger & { command: string }): Promise<Json | undefined> {
  const { ledgers } = createPair()
  await ledgers.swap(key, undefined, ledger, hour)
  return (await ledgers.read(key))?.value
}

const challenge = {
  id: 'challenge-1',
  session: 'session',
  subject: 'subject',
  purpose: 'a "purpose", with signs',
  channel: 'call',
  attempts: 2,
  expiresAt: 1_700_000_300_000,
  deadline: 1_700_000_600_000,
} as const

const full: Ledger & { command: string } = {
  challenge: { ...challenge, bound: 'hash', epoch: 'epoch', void: true },
  inFlight: { attempt: 'attempt-1', challenge: 'challenge-1', code: 'code', until: 1_700_000_010_000 },
  failures: 7,
  judged: 5,
  lockedUntil: 1_700_000_900_000,
  sends: [
    { id: 'send-1', at: 1_700_000_000_000, channel: 'sms', challenge: undefined },
    { id: 'send-2', at: 1_700_000_000_001, channel: 'sms', challenge: 'challenge-0' },
    { id: 'send-3', at: 1_700_000_000_002, channel: 'call', challenge: 'challenge-1' },
  ],
  checks: [1_700_000_000_003, 1_700_000_000_004],
  usedCodes: [{ code: 'used', at: 1_700_000_000_005 }],
  at: 1_700_000_000_006,
  command: 'command',
}

describe('a ledger in the store', () => {
  it.each([
    ['with all that it can hold', full],
    ['with nothing', { ...emptyLedger, command: 'command' }],
    [
      'with a live challenge',
      { ...full, challenge: { ...challenge, bound: undefined, epoch: undefined, void: undefined } },
    ],
    ['without the challenge of its sends', { ...full, challenge: undefined, inFlight: undefined }],
  ])('comes back as it was: %s', async (_, ledger) => {
    expect(await kept(ledger)).toStrictEqual(ledger)
  })

  it('comes back as it was, whatever is in it', async () => {
    const moment = fc.nat({ max: 2_000_000_000_000 })
    const id = fc.constantFrom('a', 'b', '0', '', '"', '\\', ',é\n')
    const channel = fc.constantFrom('sms' as const, 'call' as const)
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
    const ledger = fc.record({
      challenge: maybe(
        fc.record({
          id,
          session: id,
          subject: id,
          purpose: id,
          bound: maybe(id),
          channel,
          attempts: fc.nat(),
          expiresAt: moment,
          deadline: moment,
          void: fc.constantFrom(undefined, true as const),
        }),
      ),
      inFlight: maybe(fc.record({ attempt: id, challenge: id, code: id, until: moment })),
      failures: fc.nat(),
      judged: fc.nat(),
      lockedUntil: moment,
      sends: fc.array(fc.record({ id, at: moment, channel, challenge: maybe(id) })),
      checks: fc.array(moment),
      usedCodes: fc.array(fc.record({ code: id, at: moment })),
      at: moment,
      command: id,
    })
    await fc.assert(
      fc.asyncProperty(ledger, async (one) => {
        expect(await kept(one)).toEqual(one)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('is one short text', async () => {
    const { store, ledgers } = createPair()
    await ledgers.swap(key, undefined, full, hour)
    const text = store.read(key)?.value
    expect(text).toBeTypeOf('string')
    expect(String(text).length).toBeLessThan(JSON.stringify(full).length * 0.6)
    // As id of the challenge and in the lease: the send beside it needs none.
    expect(String(text).split('challenge-1')).toHaveLength(3)
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

  it.each([
    ['no text', { failures: 3 }],
    ['no JSON', 'failures=3'],
    ['no list', '{"failures":3}'],
    ['too short a list', '["command",1]'],
    ['a list of another version', '["c",1,0,0,0,null,null,[],[],[],0]'],
    ['failures that are gone', '["c",1,null,0,0,null,null,[],[],[]]'],
    ['a lock that is gone', '["c",1,0,0,null,null,null,[],[],[]]'],
    ['checks that are gone', '["c",1,0,0,0,null,null,[],[null],[]]'],
    ['no checks', '["c",1,0,0,0,null,null,[],null,[]]'],
    ['attempts that are gone', '["c",1,0,0,0,["i","s","u","p",null,"sms",null,1,1,null],null,[],[],[]]'],
    ['an end that is gone', '["c",1,0,0,0,["i","s","u","p",null,"sms",0,1,null,null],null,[],[],[]]'],
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
