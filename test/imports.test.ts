import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importTable } from './import-rules.js'
import { importsOf, type Sources, violations } from './import-table.js'

const root = new URL('../src/', import.meta.url)
const sources: Sources = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(new URL(file, root), 'utf8')]),
)

it('the import table is kept by every file', () => {
  expect(sources.size).toBeGreaterThan(10)
  expect(violations(sources, importTable)).toEqual([])
})

describe('the check of the import table', () => {
  const found = (file: string, source: string) => violations(new Map([[file, source]]), importTable)

  it.each([
    ['challenge/ledger.ts', "import { send } from '../provider/send.js'"],
    ['challenge/ledger.ts', "import type { Request } from '../express/routes.js'"],
    ['challenge/ledger.ts', "import http from 'node:http'"],
    ['errors.ts', "export { mask } from './phone-number.js'"],
    ['two-factor.ts', "import { startSandbox } from './tools/sandbox/index.js'"],
    ['tools/sandbox/http.ts', "import { rehearse } from '../testing/rehearse.js'"],
    ['provider/client.ts', "type Of = import('undici').Dispatcher"],
    ['express/guard.ts', "const late = await import('express')"],
    ['express/guard.ts', "export * from '../two-factor.js'"],
    ['express/guard.ts', "import _ from 'lodash/get.js'"],
    ['helpers/text.ts', ''],
  ])('finds in %s: %s', (file, source) => {
    expect(found(file, source)).toHaveLength(1)
  })

  it('refuses an import that it cannot follow', () => {
    expect(found('errors.ts', 'await import(name)')).toEqual([
      'errors.ts may not import a module of the host',
    ])
    expect(() => importsOf('a.ts', "import a = require('a')")).toThrow('no ES module')
    expect(() => importsOf('a.ts', 'import {')).toThrow('a.ts')
  })
})
