import { EventEmitter } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { isPlainObject } from '../../src/lib/json.js'
import { memoize } from '../../src/lib/memoize.js'
import { shellWord } from '../../src/lib/shell.js'
import { whenGone } from '../../src/lib/when-gone.js'

test('a word for a shell keeps its quotes, and ends at none of them', () => {
  expect(shellWord("it's $HOME")).toBe(`'it'\\''s $HOME'`)
})

/** Copies a body member by member, as an app may that trims its texts. A member `__proto__` becomes the prototype. */
function copied(body: string): object {
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const made: Record<string, unknown> = {}
    for (const [name, inner] of Object.entries(value)) made[name] = copy(inner)
    return made
  }
  return copy(JSON.parse(body)) as object
}

describe('a plain object', () => {
  test('has no class, with or without a prototype', () => {
    expect([{}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__":1}')].every(isPlainObject)).toBe(true)
  })

  test.each([
    ['a list', []],
    ['a Map', new Map()],
    ['what inherits from data', Object.create({ a: 1 })],
    [
      'what inherits from data that looks like the prototype of another realm',
      copied('{"__proto__":{"__proto__":null,"isPrototypeOf":1,"amount":5}}'),
    ],
    ['nothing', undefined],
    ['null', null],
    ['a string', 'object'],
  ])('is not %s', (_, value) => expect(isPlainObject(value)).toBe(false))
})

describe('a memoized function', () => {
  test('computes once for each key, and forgets everything when it is full, not before', () => {
    const compute = vi.fn((key: string) => key)
    const same = memoize(compute, 2)
    for (const key of ['a', 'b', 'a', 'b']) expect(same(key)).toBe(key)
    expect(compute).toHaveBeenCalledTimes(2)
    for (const key of ['c', 'a', 'c', 'a']) same(key)
    expect(compute).toHaveBeenCalledTimes(4)
  })

  test('holds a thousand keys by default', () => {
    const compute = vi.fn((key: string) => key)
    const same = memoize(compute)
    for (let i = 0; i < 1_000; i += 1) same(`${i}`)
    same('0')
    expect(compute).toHaveBeenCalledTimes(1_000)
    for (const key of ['1000', '0']) same(key)
    expect(compute).toHaveBeenCalledTimes(1_002)
  })
})

test('notifies waiting code that a client has gone, even if it had gone before', () => {
  const res = Object.assign(new EventEmitter(), { closed: false })
  const leave = vi.fn()
  whenGone({ res })(leave)
  expect(leave).not.toHaveBeenCalled()
  res.emit('close')
  expect(leave).toHaveBeenCalledTimes(1)
  res.closed = true
  whenGone({ res })(leave)
  expect(leave).toHaveBeenCalledTimes(2)
})
