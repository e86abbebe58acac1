import type { Request } from 'express'
import { hasBody } from '../http/read-fields.js'
import type { Schema } from '../json-schema.js'
import type { ControlRoute } from './control-table.js'

/** A request that the control interface does not understand. */
export class RequestProblem extends Error {
  readonly status: number
  constructor(status: number, name: string, message: string) {
    super(message)
    this.status = status
    this.name = name
  }
}

/** The query as an object, its numbers and booleans read by the schema. */
export function readQuery(request: Request, schema: Schema): Readonly<Record<string, unknown>> {
  const query = [...new URL(request.originalUrl, 'http://sandbox').searchParams]
  const names = query.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new RequestProblem(400, 'argument', `${twice} is given more than once`)
  return coerced(Object.fromEntries(query), schema)
}

/** The body as an object: JSON, a form, or nothing at all. */
export function readBody(request: Request, { takes, ignoresEmpty }: ControlRoute): unknown {
  readQuery(request, { properties: {} })
  if (request.originalUrl.includes('?')) {
    throw new RequestProblem(400, 'argument', 'a POST takes its parameters in the body, not in the query')
  }
  if (!hasBody(request)) return {}
  const isForm = request.is('application/x-www-form-urlencoded') !== false
  // A body that no parser understood must not count as an empty one: that would delete everything.
  if (!isForm && !request.is('application/json')) {
    throw new RequestProblem(
      415,
      'body',
      'the body must be JSON or a form (application/x-www-form-urlencoded)',
    )
  }
  const { body }: { readonly body: unknown } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = Object.entries(body).filter(([, value]) => !(isForm && ignoresEmpty && value === ''))
  return coerced(Object.fromEntries(fields), takes)
}

/** Numbers and booleans may be sent as text, which a form and a shell do anyway. */
function coerced(fields: Readonly<Record<string, unknown>>, { properties = {} }: Schema) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      coercedValue(value, Object.hasOwn(properties, name) ? properties[name] : undefined),
    ]),
  )
}

function coercedValue(value: unknown, schema: Schema = {}): unknown {
  if (typeof value !== 'string') return value
  const types = [schema, ...(schema.anyOf ?? [])].map(({ type }) => type)
  if (types.includes('integer') && /^-?\d+$/.test(value)) return Number(value)
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
