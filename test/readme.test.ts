import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { anchorsOf, blocksOf, documents, linksOf, path, read } from './documents.js'
import { run } from './examples/running.js'

const readme = read('README.md')

describe('the README', () => {
  it('shows the output of npm start', async () => {
    const { said } = await run('start')
    const anyPort = (text: string) =>
      text
        .replaceAll(/(localhost|127\.0\.0\.1):\d+/g, '$1')
        .replaceAll(/ +/g, ' ')
        .trim()
    expect(anyPort(blocksOf(readme, 'text')[0] ?? '')).toBe(anyPort(said))
  })
})

/** A rehearsal plan is checked as its type, which gives its functions the types of their parameters. */
const planStart = 'export default {'
const planType = `import type { RehearsalOptions } from 'express-two-factor/testing'
export const plan: Omit<RehearsalOptions<any>, 'app'> = {`

describe('the documents', () => {
  it('have code that compiles', () => {
    const folder = path('build/readme/')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const document of documents) {
      for (const language of ['ts', 'js']) {
        for (const [index, code] of blocksOf(read(document), language).entries()) {
          const name = `${document.replace(/\W/g, '-')}-${index}.${language}`
          const isPlan = code.startsWith(planStart)
          const typed = isPlan ? `${planType}${code.slice(planStart.length)}` : `${code}\nexport {}\n`
          writeFileSync(`${folder}${isPlan ? name.replace(/js$/, 'ts') : name}`, typed)
        }
      }
    }
    for (const name of ['readme-globals.d.ts', 'app.d.ts']) {
      copyFileSync(path(`test/packages/${name}`), `${folder}${name}`)
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

  /** Files of the repository that are in no package. */
  const unpacked = ['SECURITY.md', 'CONTRIBUTING.md']

  it.each([...documents, ...unpacked])(
    'lead nowhere that is not there, nor out of the package: %s',
    (document) => {
      const packed = [...packageJson.files, 'README.md', 'LICENSE']
      const lost = linksOf(read(document)).filter((link) => {
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? document : posix.join(posix.dirname(document), file)
        const isPacked = packed.some((entry) => `${target}/`.startsWith(`${entry}/`))
        if (!existsSync(path(target)) || !(isPacked || unpacked.includes(document))) return true
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
      })
      expect(lost).toEqual([])
    },
  )

  it.each(documents)('name files of the repository that exist: %s', (document) => {
    const named = read(document).match(/(?<=`)(src|test)\/[\w/.-]+\.\w+(?=`)/g) ?? []
    expect(named.filter((file) => !existsSync(path(file)))).toEqual([])
  })
})

it('the key of the account has one variable, in documents, messages and commands', () => {
  const files = ['README.md', 'src/provider/client-options.ts', 'src/tools/cli/account-flags.ts']
  const named = files.map((file) => [...new Set(read(file).match(/[A-Z]\w*_KEY\b/g) ?? [])])
  expect(named).toEqual(files.map(() => ['TWO_FACTOR_KEY']))
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
