import { dirname, join } from 'node:path/posix'
import { type Program, parseSync } from 'oxc-parser'
import { read } from '../documents.js'

/** A member of a type that users of the package name. */
export interface Member {
  readonly name: string
  /** The docstring above it, else above the part of a union that it belongs to; empty when there is none. */
  readonly docstring: string
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

const nodesIn = (value: unknown) => (Array.isArray(value) ? (value as Node[]) : [])
const nameOf = (node: unknown) => String((node as Node | undefined)?.name)

const modules = new Map<
  string,
  { readonly program: Program; readonly docstringAbove: (start: number) => string }
>()

function moduleAt(file: string) {
  const known = modules.get(file)
  if (known !== undefined) return known
  const source = read(file)
  const { program, comments } = parseSync(file, source)
  const docstrings = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  const module = {
    program,
    // Right above it, or above the `|` before it.
    docstringAbove: (start: number) =>
      docstrings.find(({ end }) => end <= start && /^\s*[|\s]?\s*$/.test(source.slice(end, start)))?.value ??
      '',
  }
  modules.set(file, module)
  return module
}

/** The members of a type where it is declared, or imported, with those it inherits. */
export function membersOfType(file: string, name: string): Member[] {
  const { program, docstringAbove } = moduleAt(file)
  const body = program.body as unknown as Node[]
  const declarations = body.map(({ declaration, ...statement }) => (declaration ?? statement) as Node)
  const declared = declarations.find(({ id }) => nameOf(id) === name)
  if (declared === undefined) {
    const imported = body.find(({ specifiers }) =>
      nodesIn(specifiers).some(({ local }) => nameOf(local) === name),
    )
    const source = String((imported?.source as Node | undefined)?.value)
    if (!source.startsWith('.')) throw new Error(`${file} does not declare ${name}`)
    return membersOfType(join(dirname(file), source.replace('.js', '.ts')), name)
  }
  const own = membersIn(declared).map(({ member, of }) => ({
    name: nameOf(member.key),
    docstring: docstringAbove(member.start) || docstringAbove(of.start),
    takes: takenBy(member),
    isRequired: member.optional !== true,
  }))
  const parents = nodesIn(declared.extends).map(({ expression }) => nameOf(expression))
  return [...own, ...parents.flatMap((parent) => membersOfType(file, parent))]
}

/** The members that a user can name, of every part of a union, each with the part. */
function membersIn(node: Node): { readonly member: Node; readonly of: Node }[] {
  const { type, body, members, types, typeAnnotation } = node
  if (type === 'TSInterfaceDeclaration') return named((body as Node).body, body as Node)
  if (type === 'TSTypeLiteral') return named(members, node)
  if (type === 'TSUnionType' || type === 'TSIntersectionType') return nodesIn(types).flatMap(membersIn)
  return typeAnnotation == null ? [] : membersIn(typeAnnotation as Node)
}

/** What has one possible value explains itself, unless it may be left out. */
const named = (members: unknown, of: Node) =>
  nodesIn(members)
    .filter(({ key, optional, typeAnnotation }) => {
      const { type } = ((typeAnnotation as Node | null)?.typeAnnotation ?? {}) as Partial<Node>
      return (
        (key as Node | undefined)?.type === 'Identifier' && (type !== 'TSLiteralType' || optional === true)
      )
    })
    .map((member) => ({ member, of }))

function takenBy({ type, params }: Node): string {
  const names = nodesIn(params).map(({ name, optional }) => `${name}${optional === true ? '?' : ''}`)
  return type === 'TSMethodSignature' ? `(${names.join(', ')})` : ''
}
