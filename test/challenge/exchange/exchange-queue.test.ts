import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createExchangeQueue, type Waiter } from '../../../src/challenge/exchange/exchange-queue.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const waitMs = 2_000

/** A queue, and whoever has come to it, in the order in which they got their places. */
function setUp(most: number) {
  const queue = createExchangeQueue(most)
  const entered: string[] = []
  const refused: string[] = []
  const held = new Map<string, () => void>()
  async function come(name: string, more: Partial<Waiter> = {}): Promise<void> {
    const leave = await queue.enter({ lane: 'auth', command: 'send', waitMs, ...more })
    if (leave === undefined) return void refused.push(name)
    entered.push(name)
    held.set(name, leave)
  }
  const turn = () => vi.advanceTimersByTimeAsync(0)
  return {
    entered,
    refused,
    /** All at once: nobody waits for anybody else's answer. */
    async all(names: readonly string[], more?: Partial<Waiter>): Promise<void> {
      for (const name of names) void come(name, more)
      await turn()
    },
    async leave(name: string): Promise<void> {
      held.get(name)?.()
      await turn()
    },
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

const names = (count: number, prefix = '') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe('a queue of exchanges', () => {
  it('lets so many in at once, and the next as one leaves, in the order in which they came', async () => {
    const { all, leave, entered } = setUp(64)
    await all(names(70))
    expect(entered).toEqual(names(64))
    await leave('10')
    await leave('3')
    expect(entered).toEqual(names(66))
  })

  it('refuses whoever found no place in time, and nobody a moment earlier, and keeps no timer of others', async () => {
    const { all, leave, wait, entered, refused } = setUp(1)
    await all(['a', 'late'])
    await wait(waitMs - 1)
    expect(refused).toEqual([])
    await wait(1)
    await all(['b'])
    await leave('a')
    expect([entered, refused]).toEqual([['a', 'b'], ['late']])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets a check in before every send that waits', async () => {
    const { all, leave, entered } = setUp(1)
    await all(['hangs'])
    await all(names(500, 'send '))
    await all(['check 0', 'check 1'], { command: 'check' })
    for (const name of ['hangs', 'check 0', 'check 1']) await leave(name)
    expect(entered).toEqual(['hangs', 'check 0', 'check 1', 'send 0'])
  })

  it.each([
    [64, 32],
    [5, 2],
    [1, 1],
  ])(
    'of %d places gives sign-ups %d, whatever they are for, and sign-ins all that are left',
    async (most, half) => {
      const { all, entered } = setUp(most)
      await all(names(300, 'send '), { lane: 'enrol' })
      await all(names(300, 'check '), { lane: 'enrol', command: 'check' })
      expect(entered).toHaveLength(half)
      await all(names(most, 'sign-in '))
      expect(entered).toHaveLength(most)
    },
  )

  it('lets a sign-in past sign-ups that wait for their half, and a sign-up in when one has left', async () => {
    const { all, leave, entered } = setUp(4)
    await all(['u0', 'u1', 'u2'], { lane: 'enrol' })
    await all(['i0', 'i1', 'i2'])
    expect(entered).toEqual(['u0', 'u1', 'i0', 'i1'])
    await leave('i0')
    expect(entered.at(-1)).toBe('i2')
    await leave('u0')
    expect(entered.at(-1)).toBe('u2')
  })

  it('is left by whoever has gone, while waiting and before', async () => {
    const { all, leave, entered, refused } = setUp(1)
    let go = (): void => undefined
    await all(['a'])
    await all(['goes'], {
      onGone: (left) => {
        go = left
      },
    })
    await all(['is gone'], { onGone: (left) => left() })
    await all(['stays'])
    go()
    await leave('a')
    expect([entered, refused]).toEqual([
      ['a', 'stays'],
      ['is gone', 'goes'],
    ])
    // It may be told again that it has gone, as its response ends.
    go()
    await leave('stays')
    await all(['b'])
    expect(entered).toEqual(['a', 'stays', 'b'])
  })
})
