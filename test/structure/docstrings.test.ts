import { join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { read } from '../documents.js'

/** Names of exported symbols and of their members, to the docstring of each; a function's ends in `()`. */
type Docstrings = Record<string, string>

const namesIn = (list: string) => list.match(/\w+(?= as )|(?<! as )\b\w+(?=,|\s*$)/g) ?? []

/** The docstring that ends right above a line, or nothing. */
function docstringAbove(lines: readonly string[], line: number): string {
  if (!lines[line - 1]?.endsWith('*/')) return ''
  const start = lines.slice(0, line).findLastIndex((text) => text.trimStart().startsWith('/*'))
  if (!lines[start]?.includes('/**')) return ''
  return lines.slice(start, line).join('\n')
}

/** A symbol of a file, or everything that the file exports: found where it is declared, with what it inherits. */
function documented(file: string, only?: string): Docstrings {
  const source = read(file)
  const lines = source.split('\n')
  const found: Docstrings = {}
  const passedOn = only === undefined ? /^export/ : /^(?:ex|im)port/
  for (const [whole, names = '', from = ''] of source.matchAll(
    /^\w+ (?:type )?\{([^}]+)\} from '(\..+)\.js'/gm,
  )) {
    const wanted = namesIn(names.replaceAll('type ', '')).filter(
      (name) => only === undefined || name === only,
    )
    for (const name of passedOn.test(whole) ? wanted : [])
      Object.assign(found, documented(join(file, '..', `${from}.ts`), name))
  }
  for (const [index, line] of lines.entries()) {
    const declaration =
      /^(?:export )?(?:async )?(function|class|const|interface|type) (\w+)(?: extends ([\w, ]+) \{)?/
    const [, kind = '', name = '', parents = ''] = declaration.exec(line) ?? []
    if (name === '' || (only === undefined ? !line.startsWith('export') : name !== only)) continue
    const path = `${file}: ${name}${kind === 'function' || kind === 'class' ? '()' : ''}`
    found[path] = docstringAbove(lines, index)
    for (const parent of kind === 'class' ? [] : namesIn(parents))
      Object.assign(found, documented(file, parent))
    if (kind === 'function' || kind === 'const' || !line.endsWith('{')) continue
    for (let at = index + 1; !lines[at]?.startsWith('}'); at += 1) {
      // What has one possible value explains itself.
      const member = /^ {2}(?:declare |readonly |async )*(?!constructor)(\w+)\??[:(<;](?! (?:'\w+'|\d)$)/
      const [, key] = member.exec(lines[at] ?? '') ?? []
      if (key !== undefined) found[`${path}.${key}`] = docstringAbove(lines, at)
    }
  }
  return found
}

const entries = Object.values(packageJson.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.types.replace('./dist/', 'src/').replace('.d.ts', '.ts')],
)
const docs: Docstrings = Object.assign({}, ...entries.map((entry) => documented(entry)))
const names = Object.keys(docs)

describe('what the package exports', () => {
  it('is found through every entry', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        'src/two-factor.ts: twoFactor()',
        'src/store/store.ts: Store.read',
        'src/provider/client.ts: ProviderClient.sendSmsCode',
        'src/sandbox/inbox.ts: WaitOptions.timeoutMs',
        'src/errors.ts: TwoFactorError().status',
      ]),
    )
  })

  it('has a docstring, each symbol and each member', () => {
    expect(names.filter((name) => docs[name] === '')).toEqual([])
  })

  it('shows how each function is called', () => {
    expect(names.filter((name) => name.endsWith('()') && !docs[name]?.includes('@example'))).toEqual([])
  })
})
