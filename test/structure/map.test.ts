import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { path, read, sectionOf } from '../documents.js'
import { importTable } from '../import-rules.js'

const map = read('src/README.md')

/** One cell of the table: `lib/*` is the part lib, types apart. */
function cell(allowed: readonly string[]): string {
  const names = (entries: readonly string[]) => entries.map((entry) => `\`${entry.replace(/\/\*$/, '')}\``)
  const types = allowed.filter((entry) => entry.startsWith('type ')).map((entry) => entry.slice(5))
  const values = names(allowed.filter((entry) => !entry.startsWith('type ')))
  const typesOnly = [...new Set(names(types))].filter((name) => !values.includes(name))
  const parts = [...values, ...(typesOnly.length > 0 ? [`types of ${typesOnly.join(', ')}`] : [])]
  return parts.length === 0 ? 'nothing' : [...new Set(parts)].join(', ')
}

describe('the map of the source', () => {
  it('has the table that the import test enforces', () => {
    const listed = (sectionOf(map, 'Parts').match(/^\| .* \|$/gm) ?? [])
      .slice(2)
      .map((row) => row.split(' | '))
    const shown = listed.map(([part = '', , may = '']) => [part.slice(3, -1), may.slice(0, -2)])
    const enforced = Object.entries(importTable.parts).map(([part, allowed]) => [part, cell(allowed)])
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(enforced))
  })

  it('names files that exist', () => {
    const files = map.match(/(?<=`)[\w/-]+\.ts(?=`)/g) ?? []
    expect(files.length).toBeGreaterThan(40)
    expect(files.filter((file) => !existsSync(path(`src/${file}`)))).toEqual([])
  })
})
