import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { path, read } from '../documents.js'

interface Weakening {
  readonly what: string
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly tests: readonly string[]
}

const { weakenings } = (await import(path('test/prove/weakenings.js'))) as {
  weakenings: readonly Weakening[]
}

it.each(weakenings)('a weakening stands in the source as it is: $what', ({ file, find, replace, tests }) => {
  expect(read(file).split(find)).toHaveLength(2)
  expect(replace).not.toBe(find)
  expect(tests.filter((test) => !existsSync(path(test)))).toEqual([])
})
