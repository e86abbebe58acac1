import { describe, expect, it } from 'vitest'
import { type Asker, createCircuitBreaker, type Exchange } from '../../src/challenge/circuit-breaker.js'
import type { EventBody } from '../../src/events.js'
import { basisOf, hour } from './kit.js'

const of = (key: string, lane: Asker['lane'] = 'auth'): Asker => ({ lane, key })

/** What can become of an exchange, in the words of these tests. */
const outcomes = {
  lost: { command: 'send', result: 'unconfirmed', about: { reason: 'timeout' } },
  silent: { command: 'check', result: 'unavailable', about: {} },
  'bad gateway': { command: 'send', result: 'unconfirmed', about: { httpStatus: 502 } },
  unreachable: { command: 'send', result: 'not-sent', about: { reason: 'refused' } },
  misconfigured: { command: 'send', result: 'misconfigured', about: { httpStatus: 401 } },
  sent: { command: 'send', result: 'sent', about: {} },
  'wrong code': { command: 'check', result: 'rejected', about: {} },
  'refused number': { command: 'send', result: 'failed', about: { httpStatus: 400 } },
  'too many checks': { command: 'check', result: 'unavailable', about: { httpStatus: 429 } },
  'bad request': { command: 'check', result: 'unavailable', about: { httpStatus: 400 } },
  'JSON error': { command: 'check', result: 'unavailable', answered: true, about: { httpStatus: 520 } },
  unasked: { command: 'check', result: 'unavailable', unasked: true, about: {} },
} satisfies Record<string, Exchange>
type Outcome = keyof typeof outcomes

function setUp(down?: Outcome) {
  const clock = { now: 1_800_000_000_000 }
  const events: EventBody[] = []
  const breaker = createCircuitBreaker(
    basisOf({ now: () => clock.now, emit: (event) => void events.push(event) }),
    {},
  )
  /** Whether the exchange was let through. */
  function ask(key: string, outcome: Outcome, lane?: Asker['lane']): boolean {
    const note = breaker.admit(of(key, lane))
    note?.(outcomes[outcome])
    return note !== undefined
  }
  /** Five failures of five numbers, which open it. */
  const goDown = (outcome: Outcome = 'lost') => [...'abcde'].map((key) => ask(key, outcome))
  if (down !== undefined) goDown(down)
  return {
    breaker,
    ask,
    goDown,
    wait: (ms: number) => {
      clock.now += ms
    },
    count: (type: EventBody['type']) => events.filter((event) => event.type === type).length,
    isOpen: () => breaker.pausedForMs() !== undefined,
  }
}

it('gives the turn of an exchange that never ended to another one after two minutes', () => {
  const { breaker, ask, wait, isOpen } = setUp('lost')
  expect(breaker.admit(of('never ended'))).toBeDefined()
  wait(119_999)
  expect(ask('f', 'sent')).toBe(false)
  wait(1)
  expect(ask('f', 'sent')).toBe(true)
  expect(isOpen()).toBe(false)
})

describe('the share of failures', () => {
  const each = (keys: string, outcome: Outcome) => [...keys].map((key) => [key, outcome] as const)
  it.each<[string, boolean, readonly (readonly [string, Outcome])[]]>([
    ['five without an answer', true, each('abcde', 'lost')],
    ['five checks without a verdict', true, each('abcde', 'silent')],
    ['five server errors', true, each('abcde', 'bad gateway')],
    ['five that were not sent', true, each('abcde', 'unreachable')],
    ['five that refuse our account', true, each('abcde', 'misconfigured')],
    [
      'five of every kind',
      true,
      [...each('ab', 'lost'), ...each('cd', 'unreachable'), ...each('e', 'misconfigured')],
    ],
    ['four', false, each('abcd', 'lost')],
    ['five of three numbers', true, each('abcab', 'lost')],
    ['twenty of two numbers', false, each('ab'.repeat(10), 'lost')],
    ['five of nine', true, [...each('wxyz', 'sent'), ...each('abcde', 'lost')]],
    ['five of ten', false, [...each('vwxyz', 'sent'), ...each('abcde', 'lost')]],
    ['refusals of numbers', false, each('abcdefghijkl', 'refused number')],
    ['wrong codes', false, each('abcdefghijkl', 'wrong code')],
    ['complete errors', false, [...each('abcdef', 'JSON error'), ...each('ghijkl', 'too many checks')]],
    ['requests that it does not take', false, each('abcdefghijkl', 'bad request')],
    ['exchanges that asked nobody', false, each('abcdefghijkl', 'unasked')],
    ['exchanges that asked nobody among five', true, [...each('vwxyz', 'unasked'), ...each('abcde', 'lost')]],
  ])('%s: open %s', (_name, opens, exchanges) => {
    const { ask, isOpen, count } = setUp()
    for (const [key, outcome] of exchanges) ask(key, outcome)
    expect(isOpen()).toBe(opens)
    expect(count('provider.paused')).toBe(opens ? 1 : 0)
  })

  it('is that of the last thirty seconds', () => {
    for (const [ms, opens] of [
      [29_999, true],
      [30_000, false],
    ] as const) {
      const { ask, wait, isOpen } = setUp()
      for (const key of 'abcd') ask(key, 'lost')
      wait(ms)
      ask('e', 'lost')
      expect(isOpen()).toBe(opens)
    }
  })

  it('is that of the last five hundred at most, however many there are', () => {
    const { ask, isOpen } = setUp()
    for (let index = 0; index < 1_000; index += 1) ask('busy', 'sent')
    for (let index = 0; index < 250; index += 1) ask(`guest-${index}`, 'lost')
    expect(isOpen()).toBe(false)
    ask('fresh', 'lost')
    expect(isOpen()).toBe(true)
  })

  it('counts a number once an hour', () => {
    const { goDown, ask, wait, isOpen } = setUp()
    goDown()
    ask('fresh', 'sent')
    expect(isOpen()).toBe(false)
    wait(hour - 1)
    for (const key of 'abcde'.repeat(4)) ask(key, 'lost')
    expect(isOpen()).toBe(false)
    wait(1)
    goDown()
    expect(isOpen()).toBe(true)
  })

  it('does not hear of sign-ups: visitors pick their numbers', () => {
    const { ask, goDown, isOpen } = setUp()
    for (let index = 0; index < 100; index += 1) ask(`signup-${index}`, 'misconfigured', 'enrol')
    expect(isOpen()).toBe(false)
    goDown()
    expect(isOpen()).toBe(true)
  })
})

describe('an open circuit', () => {
  it('lets the next number through at once, then after 2, 4, 8 and 15 seconds', () => {
    const { ask, wait, breaker, count } = setUp('lost')
    expect(ask('probe-0', 'lost')).toBe(true)
    for (const [index, ms] of [2_000, 4_000, 8_000, 15_000, 15_000].entries()) {
      expect(breaker.waitMs(of('fresh'))).toBe(ms)
      wait(ms - 1)
      expect(ask('fresh', 'lost')).toBe(false)
      wait(1)
      expect(ask(`probe-${index + 1}`, 'lost')).toBe(true)
    }
    expect(count('provider.paused')).toBe(1)
  })

  it('is closed by a probe that is answered, whatever the answer', () => {
    for (const answer of ['sent', 'refused number', 'wrong code', 'JSON error'] as const) {
      const { ask, isOpen, breaker, count } = setUp('lost')
      expect(ask('fresh', answer)).toBe(true)
      expect([isOpen(), breaker.waitMs(of('a'))]).toEqual([false, 0])
      ask('another', answer)
      expect(count('provider.resumed')).toBe(1)
    }
  })

  it('asks about one number at a time', () => {
    const { breaker, isOpen } = setUp('lost')
    const note = breaker.admit(of('one'))
    expect(breaker.admit(of('another'))).toBeUndefined()
    expect(breaker.waitMs(of('another'))).toBe(2_000)
    note?.(outcomes.unasked)
    expect(breaker.waitMs(of('another'))).toBe(0)
    breaker.admit(of('another'))?.(outcomes.sent)
    expect(isOpen()).toBe(false)
  })

  it.each([
    ['a number that was counted', 'a', 'auth'],
    ['a sign-up', 'visitor', 'enrol'],
  ] as const)('lets %s through every 15 seconds, and nobody waits for it', (_name, key, lane) => {
    const { ask, wait, breaker, isOpen } = setUp('lost')
    expect(ask(key, 'lost', lane)).toBe(false)
    wait(15_000)
    expect(ask(key, 'lost', lane)).toBe(true)
    expect([breaker.waitMs(of(key, lane)), breaker.waitMs(of('fresh'))]).toEqual([15_000, 0])
    wait(15_000)
    ask(key, 'sent', lane)
    expect(isOpen()).toBe(false)
  })

  it('makes nobody wait as long as the silence may be chance', () => {
    const { ask, goDown, wait, breaker } = setUp()
    for (let index = 0; index < 30; index += 1) {
      ask(`guest-${index}`, 'sent')
      wait(2_000)
    }
    goDown()
    // Twenty answers took 38 seconds, the last of them two seconds ago.
    wait(29_000)
    for (const key of 'uvwxyz') ask(key, 'lost')
    expect([breaker.waitMs(of('a')) > 0, breaker.waitMs(of('fresh'))]).toEqual([true, 0])
    wait(7_000)
    ask('last', 'lost')
    expect(breaker.waitMs(of('fresh'))).toBe(2_000)
  })

  it('waits no longer because a clock was set back', () => {
    const { ask, wait } = setUp('lost')
    ask('probe', 'lost')
    wait(-hour)
    expect(ask('fresh', 'sent')).toBe(true)
  })

  it('tells once that the account is refused, and again after it was closed', () => {
    const { ask, wait, count } = setUp('misconfigured')
    ask('fresh', 'misconfigured')
    expect(count('provider.misconfigured')).toBe(1)
    wait(2_000)
    ask('other', 'sent')
    ask('third', 'misconfigured')
    expect(count('provider.misconfigured')).toBe(2)
  })
})

it('remembers ten thousand numbers at most', () => {
  const { ask, wait, goDown, isOpen } = setUp()
  for (let index = 0; index < 10_000; index += 1) {
    for (const answer of ['sent', 'sent', 'lost'] as const) ask(`guest-${index}`, answer)
  }
  wait(30_000)
  for (let index = 0; index < 5; index += 1) ask(`guest-${index + 5}`, 'lost')
  expect(isOpen()).toBe(false)
  goDown()
  ask('fresh', 'sent')
  for (let index = 0; index < 5; index += 1) ask(`guest-${index}`, 'lost')
  expect(isOpen()).toBe(true)
})
