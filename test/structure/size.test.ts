import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../src/', import.meta.url)
const most = 250

it(`no file of src has more than ${most} lines, but the table of the provider's operations`, () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const long = files.filter((file) => readFileSync(new URL(file, root), 'utf8').split('\n').length - 1 > most)
  expect(files.length).toBeGreaterThan(100)
  expect(long).toEqual(['provider/operations.ts'])
})
