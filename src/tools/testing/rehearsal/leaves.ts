import { isJsonObject } from '../../../lib/json.js'
import type { Fields } from './contract.js'
import { bodyKey } from './idempotency.js'

/** A value in a body, with its path of names. */
export interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Returns whether a field belongs to the request and not to the action: an idempotency key, a CSRF token. */
export const isOfTheRequest = (name: string): boolean =>
  bodyKey.test(name) || /^_|csrf|xsrf|token/i.test(name)

/** Returns the values of a body, without the fields that belong to the request. */
export function leavesOf(fields: Fields, above: readonly string[] = []): readonly Leaf[] {
  return Object.entries(fields).flatMap(([name, value]): readonly Leaf[] => {
    const path = [...above, name]
    if (isOfTheRequest(name)) return []
    return isJsonObject(value) ? leavesOf(value, path) : [{ path, value }]
  })
}

export function withLeaf(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  const inner = fields[name]
  return { ...fields, [name]: rest.length > 0 && isJsonObject(inner) ? withLeaf(inner, rest, value) : value }
}

export function withoutLeaf(fields: Fields, [name = '', ...rest]: readonly string[]): Fields {
  const { [name]: inner, ...others } = fields
  return rest.length > 0 && isJsonObject(inner) ? { ...others, [name]: withoutLeaf(inner, rest) } : others
}

/** Returns a value of the same form, so that an app does not refuse it only for its form. */
export function anotherValue(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (Array.isArray(value)) return value.map(anotherValue)
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, anotherValue(inner)]))
  }
  // The last digit or letter changes: an address stays an address, and a date a date.
  return String(value).replace(/[a-z\d](?=[^a-z\d]*$)/i, (last) =>
    /\d/.test(last) ? (last === '1' ? '2' : '1') : last === 'e' ? 'a' : 'e',
  )
}
