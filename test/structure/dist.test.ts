import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
  .map((file) => join('dist', file))
  .filter((file) => statSync(join(root, file)).isFile())
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** What a file imports, types included, as it is written there. */
function importedBy(file: string): string[] {
  const { module } = parseSync(file, textOf(file))
  const exported = module.staticExports.flatMap(({ entries }) => entries)
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...exported.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ...module.dynamicImports
      .map(({ moduleRequest: { start, end } }) => textOf(file).slice(start, end))
      // The others are of the host: the plan of a rehearsal.
      .filter((name) => /^['"`]/.test(name))
      .map((name) => name.slice(1, -1)),
  ]
}

/** Runs a module in a process of its own, in which the package has its published name. */
function run(source: string, ...flags: string[]): string {
  const program = ['--input-type=module', '--eval', source]
  return execFileSync(process.execPath, [...flags, ...program], { cwd: root, encoding: 'utf8' }).trim()
}

/** The files that this loads, without those of Express: of the package, and the names of its dependencies. */
function loadedBy(load: string, before = ''): string[] {
  const urls: string[] = JSON.parse(
    run(`
      import { Session } from 'node:inspector'
      import 'express'
      ${before}
      const session = new Session()
      session.connect()
      let loading = false
      const urls = []
      session.on('Debugger.scriptParsed', ({ params }) => loading && urls.push(params.url))
      session.post('Debugger.enable')
      loading = true
      ${load}
      console.log(JSON.stringify(urls))
    `),
  )
  const names = urls
    .filter((url) => url.startsWith('file:'))
    .map((url) => /\/node_modules\/([^/]+)\//.exec(url)?.[1] ?? url.slice(url.indexOf('/dist/') + 1))
  return [...new Set(names)].sort()
}

describe('what is published', () => {
  it('holds no source twice: maps refer to it', () => {
    const maps = files.filter((file) => file.endsWith('.map')).map((file) => JSON.parse(textOf(file)))
    expect(maps.length).toBeGreaterThan(5)
    expect(maps.filter(({ sourcesContent }) => sourcesContent !== undefined)).toEqual([])
  })

  it('imports nothing that the package does not depend on', () => {
    const declared = [...Object.keys(packageJson.dependencies), 'express']
    const imported = files
      .filter((file) => /\.(js|d\.ts)$/.test(file))
      .flatMap(importedBy)
      .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
    expect(new Set(imported.map((name) => name.split('/')[0]))).toEqual(new Set(declared))
  })
})

describe('an import', () => {
  it.each([
    ['', ['lru-cache', 'zod']],
    ['/account', []],
    ['/client', ['zod']],
    // Stores and what browsers load know no zod.
    ['/redis', []],
    ['/browser', []],
    ['/sandbox', ['zod']],
    ['/testing', []],
    // The app passes in the library.
    ['/passkeys', []],
  ])('of the package%s loads, besides its own part, %j', (entry, dependencies) => {
    const loaded = loadedBy(`await import('express-two-factor${entry}')`)
    expect(loaded.filter((name) => !name.startsWith('dist/'))).toEqual(dependencies)
    expect(loaded.filter((name) => /^dist\/(.*\/)?index\.js$/.test(name)).length).toBeLessThan(2)
  })

  it('is followed by undici and the phone data, which are there once `ready` has resolved', () => {
    const making = `(await import('express-two-factor')).twoFactor({
      provider: providerCodes({ client: createClient({ baseUrl: 'http://127.0.0.1:9/v1', client: 41, key: 'k' }), approvedStatuses: ['verified'] }),
      appName: 'Acme', secret: 'x'.repeat(32), countries: ['CO'], subject: () => 'ana', phone: () => undefined,
    })`
    const before = `const { createClient, providerCodes } = await import('express-two-factor/client')`
    const needed = ['libphonenumber-js', 'undici']
    expect(loadedBy(`const tf = ${making}`, before)).not.toEqual(expect.arrayContaining(needed))
    expect(loadedBy(`await ${making}.ready()`, before)).toEqual(expect.arrayContaining(needed))
  })

  it('has equal classes from every entry', () => {
    const source = `
      import { createClient, ProviderError } from 'express-two-factor'
      import * as client from 'express-two-factor/client'
      const alone = client.createClient({ baseUrl: 'http://127.0.0.1:9', client: 1, key: 'k' })
      const error = await alone.balance().catch((error) => error)
      console.log(client.createClient === createClient, error instanceof ProviderError)
    `
    expect(run(source)).toBe('true true')
  })

  it('leaves stack traces that lead to the line of the source', () => {
    const source = `
      import { twoFactor } from 'express-two-factor'
      try { twoFactor({}) } catch (error) { console.log(error.stack) }
    `
    const [, file = '', line = ''] =
      /\(.*\/(src\/\S+\.ts):(\d+):/.exec(run(source, '--enable-source-maps')) ?? []
    expect(textOf(file).split('\n')[Number(line) - 1]).toContain('new TypeError')
  })
})
