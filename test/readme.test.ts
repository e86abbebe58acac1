import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { httpStatusOf } from '../src/errors.js'
import { optionChecks } from '../src/options/checks.js'
import { defaultLimits, describeLimits } from '../src/options/default-limits.js'
import { run } from './examples/running.js'

const root = new URL('../', import.meta.url)
const path = (name: string) => fileURLToPath(new URL(name, root))
const readme = readFileSync(path('README.md'), 'utf8')

/** The code blocks of one language, without the indentation of a list they may stand in. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'))].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )

/** The first column of the table under a heading. */
const firstColumn = (heading: string) => {
  const section = readme.split(new RegExp(`^#+ ${heading}\\n`, 'm'))[1]?.split(/^#+ /m)[0] ?? ''
  return [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(
    ([, cell = '']) => cell.match(/(?<=`)\w+(?=`)/g) ?? [],
  )
}

describe('the README', () => {
  it('has code that compiles', () => {
    const folder = path('build/readme/')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const code = blocks('ts')
    expect(code.length).toBeGreaterThan(8)
    for (const [index, text] of code.entries())
      writeFileSync(`${folder}block-${index}.ts`, `${text}\nexport {}\n`)
    for (const given of ['readme-globals.d.ts', 'readme-modules.d.ts']) {
      copyFileSync(path(`test/packages/${given}`), `${folder}${given}`)
    }
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    }
    writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions, include: ['.'] }))
    expect(compile(folder)).toBe('')
  })

  it('shows what npm start prints', async () => {
    const { said } = await run('start')
    const anyPort = (text: string) =>
      text
        .replaceAll(/(localhost|127\.0\.0\.1):\d+/g, '$1')
        .replaceAll(/ +/g, ' ')
        .trim()
    expect(anyPort(blocks('text')[0] ?? '')).toBe(anyPort(said))
  })

  // Made by test/browser/picture.test.ts, which leaves a new one under screenshots.
  it('has a picture that is small enough to load anywhere', () => {
    const picture = readFileSync(path('test/browser/picture.png'))
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeLessThan(200_000)
  })

  it('lists every option', () => {
    const optionNames = [...Object.keys(optionChecks)].filter((name) => name !== 'dangerouslyAnyCountry')
    expect(firstColumn('Options').sort()).toEqual(optionNames.sort())
  })

  it('lists every limit with its default', () => {
    for (const row of describeLimits(defaultLimits).split('\n').slice(2)) expect(readme).toContain(row)
  })

  it.each(Object.entries(httpStatusOf))('explains the problem code %s', (code, status) => {
    expect(readme).toContain(`| \`${code}\` | ${status} |`)
  })

  it('explains every warning under a heading of its own', () => {
    const warnings = readFileSync(path('src/express/host/warnings.ts'), 'utf8').match(/TWO_FACTOR_\w+/g) ?? []
    expect(warnings.length).toBeGreaterThan(0)
    for (const warning of warnings) expect(readme).toContain(`\n#### ${warning}\n`)
  })

  it('leads nowhere that is not there', () => {
    const anchors = [...readme.matchAll(/^#+ (.*)$/gm)].map(
      ([, heading = '']) =>
        `#${heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-')}`,
    )
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const lost = links.filter((link) => {
      if (link.startsWith('https://')) return false
      return link.startsWith('#') ? !anchors.includes(link) : !existsSync(path(link))
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
