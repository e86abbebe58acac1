import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

it('lists in docs/operations.md every event that the code knows, and no other', () => {
  const union = read('src/events.ts').split('export type EventBody =')[1]?.split('\n\n')[0] ?? ''
  const types = [...union.matchAll(/readonly type: ((?:'[\w.]+'(?: \| )?)+)/g)].flatMap(
    ([, names = '']) => names.match(/[\w.]+/g) ?? [],
  )
  const table = read('docs/operations.md').split('| type | when |')[1]?.split('\n\n')[0] ?? ''
  const listed = [...table.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name]) => name)
  expect(types.length).toBeGreaterThan(20)
  expect(listed.sort()).toEqual(types.sort())
})
