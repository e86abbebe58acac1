import { z } from 'zod'
import { documentOf, json, type OpenApi, refTo, requestOf, schemaOf } from '../openapi.js'
import type { ControlRoute } from './control-table.js'
import { problem } from './schemas.js'

const problems = {
  400: 'An unknown, missing or invalid parameter. Nothing was changed.',
  403: 'Another site sent the request.',
  408: 'Nothing arrived in time.',
  413: 'The body is too large.',
  415: 'The body is neither JSON nor a form.',
  421: 'The Host header is not allowed.',
} as const

/** Returns the control interface as an OpenAPI 3.1 document. Numbers and booleans may also be sent as text. */
export function controlOpenApi(table: readonly ControlRoute[], origin: string): OpenApi {
  const paths: Record<string, Record<string, OpenApi>> = {}
  for (const route of table) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  const description = 'For tests and for the inbox page. Numbers and booleans may also be sent as text.'
  return documentOf('Control interface of the sandbox', description, `${origin}/_sandbox`, {
    tags: [{ name: 'control', description: 'Routes for tests: they prepare and read the state.' }],
    paths,
    components: {
      schemas: { Problem: schemaOf(problem) },
      responses: Object.fromEntries(
        Object.entries(problems).map(([status, description]) => [
          `problem${status}`,
          { description, ...json(refTo('Problem')) },
        ]),
      ),
    },
  })
}

function operationOf({ method, path, summary, takes, returns }: ControlRoute): OpenApi {
  const isGet = method === 'GET'
  const words = path.split('/').filter((word) => word !== '')
  const waits = path.endsWith('/wait')
  const statuses = [400, 421, ...(isGet ? [] : [403, 413, 415]), ...(waits ? [408] : [])]
  return {
    operationId: [method.toLowerCase(), ...words].join('-'),
    summary,
    description: `${summary}.`,
    tags: ['control'],
    ...requestOf(method, takes, 'application/json', 'application/x-www-form-urlencoded'),
    responses: {
      200: { description: 'Done.', ...json(schemaOf(isGet ? returns : z.strictObject({ result: returns }))) },
      ...Object.fromEntries(statuses.map((status) => [status, refTo(`problem${status}`, 'responses')])),
    },
  }
}
