import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { path, read } from '../documents.js'

interface Change {
  readonly find: string
  readonly replace: string
}

interface Weakening extends Change {
  readonly what: string
  readonly file: string
  readonly tests: readonly string[]
}

const { weakenings } = (await import(path('test/prove/weakenings.js'))) as {
  weakenings: readonly Weakening[]
}
const { weakened } = (await import(path('test/prove/weakened.js'))) as {
  weakened(source: string, change: Change): string | undefined
}

it.each(weakenings)('finds the place of a weakening in the source: $what', ({ file, tests, ...change }) => {
  const source = read(file)
  expect(weakened(source, change)).toEqual(expect.any(String))
  expect(weakened(source, change)).not.toBe(source)
  expect(tests.filter((test) => !existsSync(path(test)))).toEqual([])
})

const change = { find: "if (isOver(send)) return refused('gone')", replace: 'isOver(send)' }

it('finds a statement after a rename and weakens it under its new names', () => {
  expect(weakened("if (hasEnded(one)) return refuse('gone')\nnext()", change)).toBe('hasEnded(one)\nnext()')
})

it.each([
  ['another text', "if (isOver(send)) return refused('later')"],
  ['two statements of its shape', "if (a(b)) return c('gone')\nif (d(e)) return f('gone')"],
  ['the statement twice', `${change.find}\n${change.find}`],
])('finds no statement in a source with %s', (_, source) => {
  expect(weakened(source, change)).toBeUndefined()
})

it('requires one new name for each occurrence of a name', () => {
  const twice = { find: 'left < left + 1', replace: 'true' }
  expect(weakened('a < a + 1', twice)).toBe('true')
  expect(weakened('a < b + 1', twice)).toBeUndefined()
})
