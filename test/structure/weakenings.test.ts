import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { path, read } from '../documents.js'

interface Weakening {
  readonly bound: number
  readonly what: string
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly tests: readonly string[]
}

const { weakenings } = (await import(path('test/prove/weakenings.js'))) as {
  weakenings: readonly Weakening[]
}

describe('the weakenings of `npm run prove`', () => {
  it('are at least twenty, each by a name of its own', () => {
    expect(weakenings.length).toBeGreaterThanOrEqual(20)
    expect(new Set(weakenings.map(({ what }) => what)).size).toBe(weakenings.length)
  })

  it.each(weakenings)('stand in the source as it is: $what', ({ file, find, replace, tests }) => {
    expect(read(file).split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
    expect(tests.filter((test) => !existsSync(path(test)))).toEqual([])
  })
})
