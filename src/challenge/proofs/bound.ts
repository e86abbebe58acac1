import { createHash } from 'node:crypto'
import { isPlainObject } from '../../lib/plain-object.js'

/** What a grant may be bound to: plain data that says the same thing at the refusal and at the retry. */
export type BoundFields = { readonly [member: string]: BoundValue }
export type BoundValue = null | boolean | number | string | readonly BoundValue[] | BoundFields

/**
 * Hash of bound fields over canonical JSON: key order does not matter, everything else does.
 * Throws a TypeError that names the member which is no plain data: `undefined` would silently bind
 * to nothing.
 *
 * @example
 * hashBound({ amount: 100, payee: 'ACME' }) === hashBound({ payee: 'ACME', amount: 100 }) // true
 */
export function hashBound(fields: BoundFields): string {
  if (!isPlainObject(fields)) throw notPlain('bind', fields)
  return createHash('sha256').update(canonical(fields, 'bind')).digest('base64url')
}

function canonical(value: unknown, path: string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) {
    // Not map: it would pass over the holes of a sparse array.
    return `[${Array.from(value, (item, index) => canonical(item, `${path}[${index}]`)).join(',')}]`
  }
  if (!isPlainObject(value)) throw notPlain(path, value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name], `${path}.${name}`)}`)
  return `{${members.join(',')}}`
}

function notPlain(path: string, value: unknown): TypeError {
  const kind =
    typeof value === 'object'
      ? (value?.constructor?.name ?? 'object')
      : typeof value === 'number'
        ? value
        : typeof value
  return new TypeError(
    `${path} is ${kind}: bound fields must be finite numbers, strings, booleans, null, arrays or plain objects. Is the body parsed before the guard?`,
  )
}
