import { describe, expect, test, vi } from 'vitest'
import { isPlainObject } from '../../src/lib/json.js'
import { memoize } from '../../src/lib/memoize.js'
import { ignoreRejection } from '../../src/lib/promises.js'

describe('a plain object', () => {
  test('is one of data, with or without a prototype', () => {
    expect([{}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__":1}')].every(isPlainObject)).toBe(true)
  })

  test.each([
    ['a list', []],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['what inherits from data', Object.create({ a: 1 })],
    ['a function', () => {}],
    ['nothing', undefined],
    ['null', null],
    ['a string', 'object'],
    ['a number', 1],
  ])('is not %s', (_, value) => expect(isPlainObject(value)).toBe(false))
})

describe('a memoized function', () => {
  test('computes once for each key', () => {
    const compute = vi.fn((key: string) => key.length)
    const length = memoize(compute)
    expect([length('a'), length('bb'), length('a'), length('bb')]).toEqual([1, 2, 1, 2])
    expect(compute).toHaveBeenCalledTimes(2)
  })

  test('forgets everything when it is full, and not before', () => {
    const compute = vi.fn((key: string) => key)
    const same = memoize(compute, 2)
    for (const key of ['a', 'b', 'a', 'b']) same(key)
    expect(compute).toHaveBeenCalledTimes(2)
    for (const key of ['c', 'a']) same(key)
    expect(compute).toHaveBeenCalledTimes(4)
    for (const key of ['c', 'a']) same(key)
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

describe('a value that must be no promise', () => {
  test('may be one that rejects, without ending the process', async () => {
    const handled = vi.fn((_: unknown, refused: (reason: unknown) => void) => refused('handled'))
    // biome-ignore lint/suspicious/noThenProperty: a thenable of another make
    ignoreRejection({ then: handled })
    ignoreRejection(Promise.reject(new Error('nobody awaits this')))
    // An unhandled rejection fails the run of the tests.
    await new Promise((resolve) => setImmediate(resolve))
    expect(handled).toHaveBeenCalledOnce()
  })

  test.each([undefined, null, 5, 'then', {}])('%j is left alone', (value) => {
    const resolve = vi.spyOn(Promise, 'resolve')
    ignoreRejection(value)
    expect(resolve).not.toHaveBeenCalled()
    resolve.mockRestore()
  })
})
