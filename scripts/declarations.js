// Writes the type declarations of what can be imported and of all that it refers to, and no others: a user's
// editor and compiler read a third of what the compiler declares. Its output lies in `build/modules`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { parseSync } from 'oxc-parser'
import { entries } from './entries.js'

const modules = new Map()

for (const entry of entries.types) {
  for (const { name } of moduleAt(entry).parts) keep(entry, name)
}
for (const [file, { statements }] of modules) {
  const target = `dist/${file}.d.ts`
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, `${statements.map(keptText).join('').trim()}\n`)
}

/** Keeps what a module declares, imports or exports by a name, and all that this refers to. */
function keep(file, name) {
  for (const part of moduleAt(file).parts) {
    if (part.kept || part.name !== name) continue
    part.kept = true
    if (part.original === undefined) keepReferences(file, part.node)
    else if (part.from === undefined) keep(file, part.original)
    else if (part.from.startsWith('.')) keep(moduleFrom(file, part.from), part.original)
  }
}

function keepReferences(file, node) {
  for (const inner of within(node)) {
    if (inner.type === 'Identifier') keep(file, inner.name)
    if (inner.type === 'TSImportType' && inner.source.value.startsWith('.')) {
      throw new Error(`${file}: write the type of ${node.type} out, or import it by name`)
    }
  }
}

function moduleAt(file) {
  const known = modules.get(file)
  if (known !== undefined) return known
  const source = readFileSync(`build/modules/${file}.d.ts`, 'utf8')
  const { program } = parseSync(file, source, { lang: 'dts', astType: 'ts' })
  let end = 0
  const statements = program.body.map((node) => {
    const docstring = source.slice(end, node.start)
    end = node.end
    return { source, docstring, node, parts: partsOf(node) }
  })
  const parts = statements.flatMap((statement) => statement.parts)
  modules.set(file, { statements, parts })
  // What has no name, such as `declare global`, counts wherever its module does.
  keep(file, undefined)
  return modules.get(file)
}

/** What a statement declares, imports or exports, each with its name and where it comes from. */
function partsOf(node) {
  if (node.specifiers?.length > 0) {
    return node.specifiers.map((specifier) => ({
      node: specifier,
      name: (specifier.exported ?? specifier.local).name,
      original: (specifier.exported ? specifier.local : specifier.imported)?.name ?? '*',
      from: node.source?.value,
    }))
  }
  const declaration = node.declaration ?? node
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.map(({ id }) => ({ node, name: id.name }))
  }
  return [{ node, name: declaration.global ? undefined : declaration.id?.name }]
}

function keptText({ source, docstring, node, parts }) {
  const kept = parts.filter((part) => part.kept)
  if (kept.length === 0) return ''
  if (kept.length === parts.length) return docstring + source.slice(node.start, node.end)
  const list = kept.map((part) => source.slice(part.node.start, part.node.end)).join(', ')
  return (
    docstring +
    source.slice(node.start, parts[0].node.start) +
    list +
    source.slice(parts.at(-1).node.end, node.end)
  )
}

function moduleFrom(file, specifier) {
  return join(dirname(file), specifier).replace(/\.js$/, '')
}

/** All nodes below one, but for the names of members, which refer to nothing. */
function* within(node) {
  if (typeof node !== 'object' || node === null) return
  if (node.type !== undefined) yield node
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'key' || node.computed) yield* within(child)
  }
}
