import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Weakening {
  readonly bound: number
  readonly what: string
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly tests: readonly string[]
}

const root = new URL('../../', import.meta.url)
const { weakenings } = (await import(new URL('test/prove/weakenings.js', root).href)) as {
  weakenings: readonly Weakening[]
}

describe('the weakenings of `npm run prove`', () => {
  it('are at least twenty, each by a name of its own', () => {
    expect(weakenings.length).toBeGreaterThanOrEqual(20)
    expect(new Set(weakenings.map(({ what }) => what)).size).toBe(weakenings.length)
  })

  it.each(weakenings)('stand in the source as it is: $what', ({ file, find, replace, tests }) => {
    expect(readFileSync(new URL(file, root), 'utf8').split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
    expect(tests.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })
})
