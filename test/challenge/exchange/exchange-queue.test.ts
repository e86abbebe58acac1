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
  const disconnected: string[] = []
  const held = new Map<string, () => void>()
  async function come(name: string, more: Partial<Waiter> = {}): Promise<void> {
    const leave = await queue.enter({ lane: 'auth', command: 'send', waitMs, ...more })
    if (leave === 'disconnected') return void disconnected.push(name)
    if (leave === 'busy') return void refused.push(name)
    entered.push(name)
    held.set(name, leave)
  }
  const turn = () => vi.advanceTimersByTimeAsync(0)
  return {
    entered,
    refused,
    disconnected,
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

/** Sign-ups have one of three slots. */
const signup = { lane: 'enrol' } as const

const names = (count: number, prefix = '') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe('a queue of exchanges', () => {
  it('admits a fixed number of requests and the next one after each end, in order of arrival', async () => {
    const { all, leave, entered } = setUp(64)
    await all(names(54))
    expect(entered).toEqual(names(48))
    await leave('10')
    await leave('3')
    expect(entered).toEqual(names(50))
  })

  it('refuses a request without a slot exactly at its time limit, and keeps no timers', async () => {
    const { all, leave, wait, entered, refused } = setUp(3)
    await all(['a', 'late'], signup)
    await wait(waitMs - 1)
    expect(refused).toEqual([])
    await wait(1)
    await all(['b'], signup)
    await leave('a')
    expect([entered, refused]).toEqual([['a', 'b'], ['late']])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets a check in before every send that waits', async () => {
    const { all, leave, entered } = setUp(3)
    await all(['hangs'], signup)
    await all(names(500, 'send '), signup)
    await all(['check 0', 'check 1'], { ...signup, command: 'check' })
    for (const name of ['hangs', 'check 0', 'check 1']) await leave(name)
    expect(entered).toEqual(['hangs', 'check 0', 'check 1', 'send 0'])
  })

  it.each([
    [64, 32, 48],
    [5, 2, 4],
    [4, 2, 3],
    [3, 1, 2],
  ])(
    'of %d slots gives sign-ups %d, sends %d including sign-ins, and checks of sign-ins all remaining ones',
    async (most, ofSignups, ofSends) => {
      const { all, entered } = setUp(most)
      await all(names(300, 'send '), { lane: 'enrol' })
      await all(names(300, 'check '), { lane: 'enrol', command: 'check' })
      expect(entered).toHaveLength(ofSignups)
      await all(names(most, 'sign-in '))
      expect(entered).toHaveLength(ofSends)
      await all(names(most, 'code '), { command: 'check' })
      expect(entered).toHaveLength(most)
    },
  )

  it('lets hanging sends refuse no check of a sign-in', async () => {
    const { all, leave, wait, entered, refused } = setUp(64)
    await all(names(150, 'hangs '))
    for (let code = 0; code < 20; code += 1) {
      await all([`code ${code}`], { command: 'check' })
      expect(entered.at(-1)).toBe(`code ${code}`)
      await leave(`code ${code}`)
    }
    await wait(waitMs)
    expect(refused.filter((name) => name.startsWith('code'))).toEqual([])
  })

  it('leaves a sign-in the last slot that its sends can use, also while checks use some of them', async () => {
    const { all, entered } = setUp(8)
    await all(names(5, 'code '), { command: 'check' })
    await all(names(4, 'u'), { lane: 'enrol' })
    expect(entered).toEqual([...names(5, 'code '), 'u0', 'u1'])
    await all(names(3, 'i'))
    expect(entered.slice(7)).toEqual(['i0'])
  })

  it('counts a wait only while the event loop runs', async () => {
    vi.useRealTimers()
    const queue = createExchangeQueue(3)
    const order = { ...signup, command: 'send', waitMs: 400 } as const
    const first = await queue.enter(order)
    const second = queue.enter(order)
    // The response has come, but the loop is blocked for longer than the wait.
    setImmediate(() => setTimeout(() => typeof first === 'function' && first(), 1))
    const until = performance.now() + 600
    while (performance.now() < until);
    expect(await second).toBeTypeOf('function')
  })

  it('lets a sign-in past sign-ups that wait for their half, and a sign-up in when one has left', async () => {
    const { all, leave, entered } = setUp(5)
    await all(['u0', 'u1', 'u2'], { lane: 'enrol' })
    await all(['i0', 'i1', 'i2'])
    expect(entered).toEqual(['u0', 'u1', 'i0', 'i1'])
    await leave('i0')
    expect(entered.at(-1)).toBe('i2')
    await leave('i1')
    await leave('u0')
    expect(entered.at(-1)).toBe('u2')
  })

  it('is left by a disconnected client while it waits and before', async () => {
    const { all, leave, entered, refused, disconnected } = setUp(3)
    let go = (): void => undefined
    await all(['a'], signup)
    await all(['goes'], {
      ...signup,
      onGone: (left) => {
        go = left
      },
    })
    await all(['is gone'], { ...signup, onGone: (left) => left() })
    await all(['stays'], signup)
    go()
    await leave('a')
    expect([entered, refused, disconnected]).toEqual([['a', 'stays'], [], ['is gone', 'goes']])
    // It may be told again that it has gone, as its response ends.
    go()
    await leave('stays')
    await all(['b'], signup)
    expect(entered).toEqual(['a', 'stays', 'b'])
  })
})
