/** The part of JSON Schema that the sandbox describes its control interface with, and checks by. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null'
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Schema
  readonly items?: Schema
  readonly maxItems?: number
  readonly enum?: readonly (string | number | boolean)[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly anyOf?: readonly Schema[]
}

/** An object with exactly these members; those with a `?` at the end of their name may be absent. */
export function strictObject(members: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(members)
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name] ?? {}])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}

/** What is wrong with a value, as a sentence that names the place; undefined if nothing is. */
export function problemOf(schema: Schema, value: unknown, place = ''): string | undefined {
  const { type, anyOf, enum: allowed } = schema
  if (anyOf !== undefined) {
    const problems = anyOf.map((one) => problemOf(one, value, place))
    return problems.includes(undefined) ? undefined : problems[0]
  }
  const name = place === '' ? 'the body' : place
  if (type !== undefined && !isOfType[type](value)) return `${name} must be ${articles[type]}`
  if (allowed !== undefined && !allowed.some((one) => one === value)) {
    return `${name} must be one of ${allowed.join(', ')}`
  }
  if (typeof value === 'number') return numberProblem(schema, value, name)
  if (typeof value === 'string') return stringProblem(schema, value, name)
  if (Array.isArray(value)) return arrayProblem(schema, value, place)
  return isOfType.object(value) ? objectProblem(schema, value as object, place) : undefined
}

const isOfType: Readonly<Record<NonNullable<Schema['type']>, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

const articles: Readonly<Record<NonNullable<Schema['type']>, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
}

function numberProblem({ minimum, maximum }: Schema, value: number, name: string): string | undefined {
  if (minimum !== undefined && value < minimum) return `${name} must be at least ${minimum}`
  return maximum !== undefined && value > maximum ? `${name} must be at most ${maximum}` : undefined
}

function stringProblem({ maxLength, pattern }: Schema, value: string, name: string): string | undefined {
  if (maxLength !== undefined && [...value].length > maxLength) {
    return `${name} must have at most ${maxLength} characters`
  }
  const matches = pattern === undefined || new RegExp(pattern, 'u').test(value)
  return matches ? undefined : `${name} must match ${pattern}`
}

function arrayProblem({ items, maxItems }: Schema, value: readonly unknown[], place: string) {
  if (maxItems !== undefined && value.length > maxItems) return `${place} must have at most ${maxItems} items`
  return firstOf(value.entries(), ([index, item]) => items && problemOf(items, item, `${place}[${index}]`))
}

function objectProblem(schema: Schema, value: object, place: string): string | undefined {
  const { properties = {}, required = [], additionalProperties = {} } = schema
  const at = (name: string) => (place === '' ? name : `${place}.${name}`)
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${at(missing)} is missing`
  return firstOf(Object.entries(value), ([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known !== undefined) return problemOf(known, member, at(name))
    if (additionalProperties === false) {
      return `unknown member "${at(name)}"; expected: ${Object.keys(properties).join(', ') || 'none'}`
    }
    return problemOf(additionalProperties, member, at(name))
  })
}

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = find(item)
    if (problem !== undefined) return problem
  }
  return undefined
}
