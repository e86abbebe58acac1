import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { anchorsOf, blocksOf, documents, linksOf, path, read } from './documents.js'
import { run } from './examples/running.js'

const readme = read('README.md')

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
