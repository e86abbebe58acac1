import type { Request } from 'express'
import { fromText } from '../from-text.js'
import { hasBody } from '../http/read-fields.js'
import { problemIn } from '../problem.js'
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

/** What a route was given. Whatever is not as it takes it is refused: a misspelt member must not widen a deletion. */
export function readRequest(request: Request, { method, takes }: ControlRoute): unknown {
  const given = method === 'GET' ? queryOf(request) : bodyOf(request)
  const fields = isObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, meant(name, value)]))
    : given
  const problem = problemIn(takes, fields)
  if (problem !== undefined) {
    const expected = Object.keys(takes.shape).join(', ') || 'none'
    throw new RequestProblem(400, 'argument', `${problem} (expected: ${expected})`)
  }
  return fields

  function meant(name: string, value: unknown): unknown {
    const schema = Object.hasOwn(takes.shape, name) ? takes.shape[name] : undefined
    return typeof value === 'string' && schema !== undefined ? fromText(schema, value) : value
  }
}

function queryOf(request: Request): object {
  const query = [...new URL(request.originalUrl, 'http://sandbox').searchParams]
  const names = query.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new RequestProblem(400, 'argument', `${twice} is given more than once`)
  return Object.fromEntries(query)
}

/** The body: JSON, a form, or nothing at all. */
function bodyOf(request: Request): unknown {
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
  // A form sends a field that was left empty; only where something is added does that mean "none".
  if (!isForm || request.path !== '/faults' || !isObject(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
