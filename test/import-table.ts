import { posix } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** One import as it stands in a file: `export … from`, `import()` and `import('…').Type` count too. */
export interface Import {
  readonly from: string
  /** A file below src, or the name of a package. */
  readonly to: string
  readonly typeOnly: boolean
}

/** What may be imported: `part/*`, a file without its ending, each with `type ` in front when types alone. */
export type Allowed = readonly string[]

export interface ImportTable {
  /** Per part (the first folder below src, of `tools` the second as well, or a file's own name): which parts and files. */
  readonly parts: Readonly<Record<string, Allowed>>
  /** Per package: the files that may import it. Modules of Node that have no row are free to all. */
  readonly packages: Readonly<Record<string, Allowed>>
}

/** The TypeScript of src: path below src to text. */
export type Sources = ReadonlyMap<string, string>

/** What an import() of a name that is no literal counts as: where it may stand, the file is one of the host. */
export const ofTheHost = 'a module of the host'

export function importsOf(from: string, source: string): Import[] {
  const found: Import[] = []
  const add = (specifier: string, typeOnly: boolean) => {
    const relative = specifier.startsWith('.')
    const to = relative
      ? posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts')
      : specifier.replace(/^((?:@[^/]+\/)?[^/]+).*$/, '$1')
    found.push({ from, to, typeOnly })
  }
  const { program, errors } = parseSync(from, source)
  if (errors.length > 0) throw new Error(`${from}: ${errors[0]?.message}`)
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) add(node.source.value, node.exportKind === 'type')
    },
    ImportExpression: (node) => {
      add(node.source.type === 'Literal' ? String(node.source.value) : ofTheHost, false)
    },
    TSImportType: (node) => add(node.source.value, true),
    TSImportEqualsDeclaration: () => {
      throw new Error(`${from}: import = require() is no ES module`)
    },
  }).visit(program)
  return found
}

/** Every import that the table does not allow, each as a line that says so. */
export function violations(sources: Sources, table: ImportTable): string[] {
  const lines: string[] = []
  for (const [file, source] of sources) {
    const part = partOf(file)
    const allowed = table.parts[part]
    if (allowed === undefined) {
      lines.push(`${file} belongs to no part of the table`)
      continue
    }
    for (const { to, typeOnly } of importsOf(file, source)) {
      const inside = to.endsWith('.ts')
      if (inside && part === partOf(to)) continue
      const permitted = inside
        ? matches(allowed, to, typeOnly)
        : matches(table.packages[to] ?? (to.startsWith('node:') ? ['*'] : []), file, typeOnly)
      if (permitted) continue
      lines.push(`${file} may not import ${typeOnly ? 'types of ' : ''}${to}`)
    }
  }
  return lines
}

function partOf(file: string): string {
  return /^(tools\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? file.replace(/\.ts$/, '')
}

function matches(allowed: Allowed, file: string, typeOnly: boolean): boolean {
  return allowed.some((entry) => {
    const pattern = entry.replace(/^type /, '')
    if (pattern !== entry && !typeOnly) return false
    if (pattern === '*') return true
    return pattern.endsWith('/*') ? file.startsWith(pattern.slice(0, -1)) : file === `${pattern}.ts`
  })
}
