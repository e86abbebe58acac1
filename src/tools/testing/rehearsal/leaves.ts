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

/** Returns other values of the same form, so that an app does not refuse them only for their form. */
export function otherValues(value: unknown): readonly unknown[] {
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'number') return [value + 1]
  if (Array.isArray(value)) return [value.map(anotherValue)]
  if (isJsonObject(value)) {
    return [Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, anotherValue(inner)]))]
  }
  // One digit or letter changes: an address stays an address, and a date a date.
  const text = String(value)
  const signs = [...text.matchAll(/[\p{L}\p{N}]/gu)]
  if (signs.length === 0) return [`${text}e`]
  // A guard may cover only the beginning or the end.
  const chosen = new Set([0, Math.floor(signs.length / 2), signs.length - 1])
  return signs
    .filter((_, at) => chosen.has(at))
    .map(({ 0: sign, index }) => text.slice(0, index) + otherSign(sign) + text.slice(index + sign.length))
}

function otherSign(sign: string): string {
  if (/\d/.test(sign)) return sign === '1' ? '2' : '1'
  const letter = /e/i.test(sign) ? 'a' : 'e'
  return sign === sign.toLowerCase() ? letter : letter.toUpperCase()
}

/** Returns the other value that is most like this value. */
export const anotherValue = (value: unknown): unknown => otherValues(value).at(-1)
