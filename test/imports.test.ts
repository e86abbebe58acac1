import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findCycle, type ImportTable, importsOf, type Sources, violations } from './import-table.js'

const basics = ['errors', 'events', 'phone-number']
const everyPart = [
  'lib/*',
  ...basics,
  'options',
  'options/*',
  'store/*',
  'challenge/*',
  'provider/*',
  'express/*',
]

const table: ImportTable = {
  parts: {
    lib: [],
    errors: ['lib/*'],
    events: ['lib/*', 'errors'],
    'phone-number': ['lib/*', 'errors'],
    store: ['lib/*', 'errors'],
    challenge: ['lib/*', ...basics, 'type store/store'],
    provider: ['lib/*', 'errors', 'phone-number', 'type challenge/code-provider'],
    express: ['lib/*', ...basics, 'challenge/*'],
    sandbox: ['lib/*', 'provider/operations', 'phone-number'],
    options: ['lib/*', 'provider/operations', ...everyPart.map((part) => `type ${part}`)],
    'two-factor': everyPart,
    index: [...everyPart, 'two-factor'],
    testing: [
      ...['lib/*', 'store/*', 'provider/*', 'sandbox/*', 'errors', 'phone-number'],
      ...['challenge/*', 'express/*', 'events', 'two-factor'].map((part) => `type ${part}`),
    ],
    cli: ['lib/*', 'two-factor', 'provider/*', 'sandbox/*', 'store/redis-store'],
  },
  packages: {
    undici: ['provider/send'],
    'lru-cache': ['store/memory-store'],
    'libphonenumber-js': ['phone-number'],
    'ua-parser-js': ['sandbox/click'],
    // At run time only where a Router or the sandbox's app is made.
    express: ['express/http/routes', 'sandbox/*', 'type *'],
    // The domain knows no HTTP: requests come in through Express and go out through undici.
    'node:http': ['sandbox/*', 'cli/*', 'type express/*'],
    'node:https': [],
  },
}

const root = new URL('../src/', import.meta.url)
const sources: Sources = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(new URL(file, root), 'utf8')]),
)

describe('the import table', () => {
  it('is kept by every file', () => {
    expect(sources.size).toBeGreaterThan(10)
    expect(violations(sources, table)).toEqual([])
  })

  it('leaves no cycle, type imports included', () => {
    expect(findCycle(sources)).toBeUndefined()
  })
})

describe('the check of the import table', () => {
  const found = (file: string, source: string) => violations(new Map([[file, source]]), table)

  it.each([
    ['challenge/ledger.ts', "import { send } from '../provider/send.js'"],
    ['challenge/ledger.ts', "import type { Request } from '../express/routes.js'"],
    ['challenge/ledger.ts', "import { createStore } from '../store/store.js'"],
    ['challenge/ledger.ts', "import http from 'node:http'"],
    ['errors.ts', "export { mask } from './phone-number.js'"],
    ['options.ts', "import { memoryStore } from './store/memory-store.js'"],
    ['two-factor.ts', "import { startSandbox } from './sandbox/index.js'"],
    ['provider/client.ts', "import type { Dispatcher } from 'undici'"],
    ['provider/client.ts', "type Of = import('undici').Dispatcher"],
    ['express/guard.ts', "import { Router } from 'express'"],
    ['express/guard.ts', "const late = await import('express')"],
    ['express/guard.ts', "export * from '../two-factor.js'"],
    ['express/guard.ts', "import _ from 'lodash/get.js'"],
    ['helpers/text.ts', ''],
  ])('finds in %s: %s', (file, source) => {
    expect(found(file, source)).toHaveLength(1)
  })

  it.each([
    ['challenge/challenges.ts', "import type { Store } from '../store/store.js'"],
    ['challenge/challenges.ts', "import { reserve } from './ledger.js'"],
    ['express/guard.ts', "import type { Request } from 'express'"],
    ['provider/send.ts', "import { Pool } from 'undici'"],
  ])('lets pass in %s: %s', (file, source) => {
    expect(found(file, source)).toEqual([])
  })

  it('finds a cycle that types alone close', () => {
    const cyclic: Sources = new Map([
      ['challenge/a.ts', "import { b } from './b.js'"],
      ['challenge/b.ts', "export { c } from './c.js'"],
      ['challenge/c.ts', "import type { A } from './a.js'"],
    ])
    expect(findCycle(cyclic)).toEqual([
      'challenge/a.ts',
      'challenge/b.ts',
      'challenge/c.ts',
      'challenge/a.ts',
    ])
  })

  it('refuses what it cannot follow', () => {
    expect(() => importsOf('a.ts', 'await import(name)')).toThrow('no literal')
    expect(() => importsOf('a.ts', "import a = require('a')")).toThrow('no ES module')
    expect(() => importsOf('a.ts', 'import {')).toThrow('a.ts')
  })
})
