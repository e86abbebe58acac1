import { isPlainObject } from '../../lib/plain-object.js'
import type { Body } from '../http/request-body.js'

/** As much as is kept of one form: what it takes is taken from the store. */
const maxBytes = 8_192

/**
 * The parsed body as the form that it came from, URL-encoded; undefined when it is too long or holds what no
 * form can send. Fields of one name keep their order.
 */
export function formBody(body: Body): string | undefined {
  const fields = fieldsOf(Object.entries(body))
  if (fields === undefined) return undefined
  const encoded = new URLSearchParams(fields).toString()
  return encoded.length > maxBytes ? undefined : encoded
}

type Field = [name: string, value: string]

function fieldsOf(named: readonly (readonly [string, unknown])[]): Field[] | undefined {
  const fields = named.map(([name, value]) => fieldsNamed(name, value))
  return fields.every((some) => some !== undefined) ? fields.flat() : undefined
}

/** Lists and objects are named as parsers with `extended: true` read them. */
function fieldsNamed(name: string, value: unknown): Field[] | undefined {
  if (typeof value === 'string') return [[name, value]]
  if (isPlainObject(value)) {
    return fieldsOf(Object.entries(value).map(([member, item]) => [`${name}[${member}]`, item]))
  }
  if (!Array.isArray(value)) return undefined
  // A field that is repeated; a list of one was named as a list.
  const isRepeated = value.length > 1 && value.every((item) => typeof item === 'string')
  return fieldsOf(value.map((item, index) => [isRepeated ? name : `${name}[${index}]`, item]))
}
