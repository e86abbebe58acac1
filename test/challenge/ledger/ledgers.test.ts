import { describe, expect, it } from 'vitest'
import { emptyLedger } from '../../../src/challenge/ledger/ledger.js'
import { createLedgers } from '../../../src/challenge/ledger/ledgers.js'
import { start } from '../../../src/challenge/ledger/sends.js'
import type { EventBody } from '../../../src/events.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Json } from '../../../src/store/store.js'
import { basisOf, hour, ledgerLimits as limits } from '../kit.js'

const key = 'tf3::auth:number'
const at = 1_800_000_000_000

function bench() {
  const store = memoryStore()
  const events: EventBody[] = []
  const open = createLedgers(basisOf({ store, now: () => at, emit: (event) => void events.push(event) }))
  return { store, events, ledger: () => open(key, limits) }
}

const order = {
  sendId: 'send',
  challengeId: 'challenge',
  factor: 'home',
  channel: 'sms',
  browserKind: 'unknown',
  session: 's',
  purpose: 'login',
} as const

describe('a ledger in the store', () => {
  it('is empty before the first command, and then as that has left it', async () => {
    const { store, ledger } = bench()
    expect(await ledger().read()).toEqual({ ledger: emptyLedger, now: at, limits })
    const { outcome, ledger: after } = await ledger().run((view) => start(view, order))
    expect(outcome).toMatchObject({ outcome: 'booked' })
    const stored = (await ledger().read()).ledger
    expect(stored).toEqual({ ...after, command: expect.stringMatching(/^[\w-]{13,}$/) })
    expect(store.read(key)?.value).toEqual(stored)
  })

  it('is removed once there is nothing to remember', async () => {
    const { store, ledger } = bench()
    await ledger().run((view) => start(view, order))
    await ledger().run(() => ({ outcome: undefined, next: emptyLedger }))
    expect(store.read(key)).toBeUndefined()
  })

  const side = { attempts: [], rejections: 0 }
  const challenge = { attempts: { unknown: 0, known: 0 }, expiresAt: 1, maxExpiresAt: 1 }
  const whole = {
    format: 1,
    command: 'c',
    at: 1,
    unknown: side,
    known: side,
    sends: [],
    lockExpiresAt: 0,
    usedCodes: [],
  }

  it('may lack optional members and contain members of a later version', async () => {
    const { store, ledger } = bench()
    const written = {
      ...whole,
      added: 7,
      challenge,
      unknown: { ...side, check: { expiresAt: 1 }, added: {} },
    }
    store.swap(key, undefined, written, hour)
    expect(await ledger().read()).toEqual({ ledger: written, now: at, limits })
  })

  const changes: readonly Record<string, unknown>[] = [
    { format: 2 },
    { at: null },
    { lockExpiresAt: null },
    { usedCodes: undefined },
    { usedCodes: [{ code: 'x' }] },
    { sends: 'x' },
    { sends: [null] },
    ...[
      { attempts: 0 },
      { attempts: { unknown: 0 } },
      { expiresAt: null },
      { maxExpiresAt: null },
      { attemptsCountUntil: null },
      { wrongCodes: 5 },
    ].map((change) => ({ challenge: { ...challenge, ...change } })),
    { challenge: null },
    { known: undefined },
    ...[
      { rejections: null },
      { attempts: {} },
      { attempts: [null] },
      { check: { attempt: 'a' } },
      { check: null },
    ].flatMap((change) => [{ unknown: { ...side, ...change } }, { known: { ...side, ...change } }]),
  ]

  it.each<[string, Json]>([
    ['no object', 'failures=3'],
    ['null', null],
    ...changes.map((change): [string, Json] => [JSON.stringify(change), { ...whole, ...change } as Json]),
  ])('is refused where a figure is missing: %s', async (_, written) => {
    const { store, ledger, events } = bench()
    store.swap(key, undefined, written, hour)
    const refused = expect.objectContaining({
      code: 'store_unavailable',
      message: expect.stringContaining('Does another program'),
    })
    await expect(async () => ledger().read()).rejects.toEqual(refused)
    await expect(async () => ledger().run(() => ({ outcome: 'let in' }))).rejects.toEqual(refused)
    const cause = expect.stringContaining('Does another program')
    const told = { type: 'store.failed', command: 'read', cause }
    expect(events).toEqual([told, told])
  })
})
