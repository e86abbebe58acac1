import { EventEmitter } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { carriesPrototype, isPlainObject } from '../../src/lib/json.js'
import { memoize } from '../../src/lib/memoize.js'
import { shellWord } from '../../src/lib/shell.js'
import { whenGone } from '../../src/lib/when-gone.js'
import { copyMembers } from '../copy-members.js'

test('a word for a shell keeps its quotes, and ends at none of them', () => {
  expect(shellWord("it's $HOME")).toBe(`'it'\\''s $HOME'`)
})

const copied = (body: string) => copyMembers(JSON.parse(body)) as object

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

describe('a prototype in parsed data', () => {
  class Fields {
    amount = 5
  }
  const shared: Record<string, unknown> = { amount: 5 }
  shared.self = shared
  let doubled: object = {}
  for (let level = 0; level < 30; level += 1) doubled = { one: doubled, other: doubled }

  test.each([
    ['data without any', JSON.parse('{"a":[{"b":1}],"c":null,"proto":"__proto__"}')],
    ['an instance of a class', new Fields()],
    ['bytes', { file: Buffer.from('a') }],
    ['an object that contains itself', shared],
    ['an object in a billion places', doubled],
    ['an object without a prototype', Object.create(null)],
    ['nothing', undefined],
  ])('is not in %s', (_, value) => expect(carriesPrototype(value)).toBe(false))

  test.each([
    ['an object', '{"__proto__":{"amount":5}}'],
    ['an object in an object', '{"order":{"__proto__":{"amount":5}}}'],
    ['an object in a list', '[[{"__proto__":{"amount":5}}]]'],
    ['an object that claims a class', '{"__proto__":{"constructor":{"name":"Fields"},"amount":5}}'],
    ['two levels', '{"__proto__":{"__proto__":null,"amount":5}}'],
  ])('is found in %s and in its copy', (_, body) => {
    expect([JSON.parse(body), copied(body)].map((one) => carriesPrototype(one))).toEqual([true, true])
  })
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
