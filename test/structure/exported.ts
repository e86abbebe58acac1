import { dirname, join } from 'node:path/posix'
import { type Program, parseSync } from 'oxc-parser'
import { read } from '../documents.js'

/** A symbol that users of the package import, or a member of one. */
export interface Exported {
  /** Such as `src/store/store.ts: Store.read`. */
  readonly name: string
  /** The docstring above it; empty when there is none. */
  readonly docstring: string
  readonly kind: 'function' | 'type' | 'value' | 'member'
  /** Of a method, the names of what it takes, in brackets; empty of anything else. */
  readonly takes: string
  readonly isRequired: boolean
}

/** What is read of the syntax tree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

interface Module {
  readonly program: Program
  /** The docstring that ends right above a position of the source, or above the `|` before it. */
  docstringAbove(start: number): string
}

const modules = new Map<string, Module>()

function moduleAt(file: string): Module {
  const known = modules.get(file)
  if (known !== undefined) return known
  const source = read(file)
  const { program, comments } = parseSync(file, source)
  const docstrings = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  const module: Module = {
    program,
    docstringAbove: (start) =>
      docstrings.find(({ end }) => end <= start && /^\s*[|\s]?\s*$/.test(source.slice(end, start)))?.value ??
      '',
  }
  modules.set(file, module)
  return module
}

const nodesIn = (value: unknown) => (Array.isArray(value) ? (value as Node[]) : [])
const nameOf = (node: unknown) => String((node as Node | undefined)?.name)

function exportedNames({ type, declaration, specifiers }: Node): string[] {
  if (type !== 'ExportNamedDeclaration') return []
  const declared = declaration as Node | null
  if (declared === null) return nodesIn(specifiers).map(({ exported }) => nameOf(exported))
  if (declared.type !== 'VariableDeclaration') return [nameOf(declared.id)]
  return nodesIn(declared.declarations).map(({ id }) => nameOf(id))
}

/** The symbol where it is declared, however many files pass it on, with its members and those it inherits. */
export function symbolsOf(file: string, name: string): Exported[] {
  const { program, docstringAbove } = moduleAt(file)
  const body = program.body as unknown as Node[]
  const statement = body.find((each) => exportedNames(each).includes(name)) ?? localIn(body, name)
  if (statement === undefined) throw new Error(`${file} does not declare ${name}`)
  if (nodesIn(statement.specifiers).length > 0) {
    const specifier = nodesIn(statement.specifiers).find(
      ({ exported, local }) => nameOf(exported ?? local) === name,
    )
    const source = String((statement.source as Node).value)
    const from = join(dirname(file), source.replace('.js', '.ts'))
    return source.startsWith('.') ? symbolsOf(from, nameOf(specifier?.imported ?? specifier?.local)) : []
  }
  const declaration = (statement.declaration ?? statement) as Node
  const inherited = nodesIn(declaration.extends)
    .map(({ expression }) => nameOf(expression))
    .filter((parent) => localIn(body, parent) !== undefined)
  return [
    {
      name: `${file}: ${name}`,
      docstring: docstringAbove(statement.start),
      kind: kindOf(declaration),
      takes: '',
      isRequired: true,
    },
    ...membersOf(declaration).map(({ member, of }) => ({
      name: `${file}: ${name}.${nameOf(member.key)}`,
      docstring: docstringAbove(member.start) || docstringAbove(of.start),
      kind: 'member' as const,
      takes: takenBy(member),
      isRequired: member.optional !== true,
    })),
    ...inherited.flatMap((parent) => symbolsOf(file, parent)),
  ]
}

/** What declares a name in a file, or imports it. */
const localIn = (body: Node[], name: string) =>
  body.find(
    (each) =>
      nameOf((each.declaration as Node | undefined)?.id ?? each.id) === name ||
      (each.type === 'ImportDeclaration' &&
        nodesIn(each.specifiers).some(({ local }) => nameOf(local) === name)),
  )

function kindOf({ type, declarations }: Node): Exported['kind'] {
  if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') return 'function'
  const [variable] = nodesIn(declarations)
  if (variable === undefined) return 'type'
  return (variable.init as Node | null)?.type === 'ArrowFunctionExpression' ? 'function' : 'value'
}

interface Member {
  readonly member: Node
  /** The part of a union that it belongs to, whose docstring may explain all of its members. */
  readonly of: Node
}

/** The members that a user can name, of every part of a union. */
function membersOf(node: Node): Member[] {
  const { type, body, members, types, typeAnnotation } = node
  if (type === 'TSInterfaceDeclaration' || type === 'ClassDeclaration')
    return named((body as Node).body, body as Node)
  if (type === 'TSTypeLiteral') return named(members, node)
  if (type === 'TSUnionType' || type === 'TSIntersectionType') return nodesIn(types).flatMap(membersOf)
  if (type === 'TSTypeAliasDeclaration' || type === 'TSParenthesizedType') {
    return membersOf(typeAnnotation as Node)
  }
  return []
}

function takenBy({ type, params }: Node): string {
  const names = nodesIn(params).map(({ name, optional }) => `${name}${optional === true ? '?' : ''}`)
  return type === 'TSMethodSignature' ? `(${names.join(', ')})` : ''
}

/** What has one possible value explains itself, unless it may be left out. */
const named = (members: unknown, of: Node): Member[] =>
  nodesIn(members)
    .filter(({ key, kind, optional, typeAnnotation }) => {
      const { type } = ((typeAnnotation as Node | null)?.typeAnnotation ?? {}) as Partial<Node>
      const isNamed = (key as Node | undefined)?.type === 'Identifier' && kind !== 'constructor'
      return isNamed && (type !== 'TSLiteralType' || optional === true)
    })
    .map((member) => ({ member, of }))
