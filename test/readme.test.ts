import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { httpStatusOf } from '../src/errors.js'
import {
  anchorsOf,
  blocksOf,
  documents,
  firstColumn,
  linksOf,
  optionRows,
  path,
  read,
  sectionOf,
} from './documents.js'
import { run } from './examples/running.js'
import { exportedSymbols } from './structure/exported.js'

const readme = read('README.md')
const symbols = exportedSymbols()

/** What the examples of docs/options.md take from the reader's app. */
const givenToExamples = [
  "import { createClient, providerCodes, type ProviderClient, twoFactor } from 'express-two-factor'",
  "import { redisStore } from 'express-two-factor/redis'",
  'declare const client: ProviderClient',
  'const ofAccount = { client, approvedStatuses: ["verified"] }',
  "declare const redis: import('redis').RedisClientType",
  'declare function removeHash(subject: string, hash: string): Promise<boolean>',
  'declare function appSecretOf(subject: string): Promise<string | undefined>',
  "declare function csrfToken(req: import('express').Request): string",
]

/** Every name in a source file that matches. */
const namesIn = (file: string, pattern: RegExp) => [...new Set(read(file).match(pattern) ?? [])].sort()

describe('the README', () => {
  it('shows what npm start prints', async () => {
    const { said } = await run('start')
    const anyPort = (text: string) =>
      text
        .replaceAll(/(localhost|127\.0\.0\.1):\d+/g, '$1')
        .replaceAll(/ +/g, ' ')
        .trim()
    expect(anyPort(blocksOf(readme, 'text')[0] ?? '')).toBe(anyPort(said))
  })

  // Made by test/examples/demo.test.ts, which leaves a new one under screenshots.
  it('has a picture that is small enough to load anywhere', () => {
    const picture = readFileSync(path('docs/picture.png'))
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeLessThan(200_000)
  })
})

describe('the documents', () => {
  it('have code that compiles', () => {
    const folder = path('build/readme/')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const document of documents) {
      for (const language of ['ts', 'js']) {
        for (const [index, code] of blocksOf(read(document), language).entries()) {
          const name = `${document.replace(/\W/g, '-')}-${index}.${language}`
          writeFileSync(`${folder}${name}`, `${code}\nexport {}\n`)
        }
      }
    }
    const examples = optionRows.map(
      ({ section, example }) =>
        `${section === "The provider's own" ? 'providerCodes({ ...ofAccount,' : 'twoFactor({ ...options,'} ${example} })`,
    )
    writeFileSync(`${folder}options.ts`, [...givenToExamples, ...examples].join('\n'))
    for (const given of ['readme-globals.d.ts', 'readme-modules.d.ts']) {
      copyFileSync(path(`test/packages/${given}`), `${folder}${given}`)
    }
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
      module: 'nodenext',
      types: ['node'],
      allowJs: true,
      checkJs: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
    }
    writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions, include: ['.'] }))
    expect(compile(folder)).toBe('')
  })

  it('show JSON that can be read', () => {
    for (const document of documents) {
      for (const block of blocksOf(read(document), 'json'))
        expect(() => JSON.parse(block), block).not.toThrow()
    }
  })

  it.each(documents)('lead nowhere that is not there, nor out of the package: %s', (document) => {
    const packed = [...packageJson.files, 'README.md', 'LICENSE']
    const lost = linksOf(read(document)).filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? document : posix.join(posix.dirname(document), file)
      if (!existsSync(path(target)) || !packed.some((entry) => `${target}/`.startsWith(`${entry}/`)))
        return true
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
    })
    expect(lost).toEqual([])
  })

  it.each([
    ['docs/api.md', 'The guard', 'GuardOptions'],
    ['docs/pages.md', 'Brand', 'BrandOptions'],
    ['docs/sandbox.md', 'Options', 'SandboxOptions'],
  ])('list in %s, under "%s", all %s', (document, heading, type) => {
    const members = symbols.filter(({ name }) => name.includes(`: ${type}.`))
    const names = members.map(({ name }) => name.split('.').at(-1))
    expect(names.length).toBeGreaterThan(5)
    expect(firstColumn(sectionOf(read(document), heading)).sort()).toEqual(names.sort())
  })

  it('explain every member of what twoFactor returns', () => {
    const facades = { TwoFactor: 'tf', Operator: 'tf', ChallengesFacade: 'tf.challenges' }
    const more = { GrantsFacade: 'tf.grants', SubjectsFacade: 'tf.subjects' }
    const devices = { TrustedDevicesFacade: 'tf.trustedDevices', SignupsFacade: 'tf.signups' }
    const api = read('docs/api.md')
    for (const [type, place] of Object.entries({ ...facades, ...more, ...devices })) {
      const members = symbols.filter(({ name }) => name.includes(`: ${type}.`))
      expect(members.length, type).toBeGreaterThan(0)
      for (const { name } of members) expect(api).toContain(`\`${place}.${name.split('.').at(-1)}`)
    }
  })

  it.each(documents)('name files of the repository that exist: %s', (document) => {
    const named = read(document).match(/(?<=`)(src|test)\/[\w/.-]+\.\w+(?=`)/g) ?? []
    expect(named.filter((file) => !existsSync(path(file)))).toEqual([])
  })

  it.each(['SECURITY.md', 'CONTRIBUTING.md'])('lead nowhere that is not there: %s', (document) => {
    const lost = linksOf(read(document)).filter((link) => {
      const [file = '', anchor] = link.split('#')
      return !existsSync(path(file)) || (anchor !== undefined && !anchorsOf(read(file)).includes(anchor))
    })
    expect(lost).toEqual([])
  })

  it('explain every problem code, with its status', () => {
    const codes = Object.entries(httpStatusOf).map(([code, status]) => `| \`${code}\` | ${status} |`)
    const rows = sectionOf(read('docs/http.md'), 'Problem codes').match(/^\| `\w+` \| \d+ \|/gm)
    expect(rows?.sort()).toEqual(codes.sort())
  })

  it('explain every warning under a heading of its own', () => {
    const warnings = namesIn('src/express/host/warnings.ts', /TWO_FACTOR_\w+/g)
    const headings = read('docs/troubleshooting.md').match(/(?<=^### )TWO_FACTOR_\w+$/gm)
    expect(headings?.sort()).toEqual(warnings)
    const ofProviders = ['own-codes', 'fixed-codes'].flatMap((name) =>
      namesIn(`src/provider/${name}.ts`, /(?<=')TWO_FACTOR_\w+/g),
    )
    const others = sectionOf(read('docs/troubleshooting.md'), 'Warnings').match(/TWO_FACTOR_\w+/g)
    expect(others?.sort()).toEqual(ofProviders.sort())
  })
})

/** What the compiler has to say. */
function compile(folder: string): string {
  try {
    execFileSync(path('node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    return ''
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}
