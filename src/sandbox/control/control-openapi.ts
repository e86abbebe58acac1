import type { Schema } from '../json-schema.js'
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

/** The control interface as an OpenAPI 3.1 document. Numbers and booleans may also be sent as text. */
export function controlOpenApi(table: readonly ControlRoute[], origin: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of table) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control interface of the sandbox',
      version: '1.0.0',
      description: 'For tests and for the inbox page. Numbers and booleans may also be sent as text.',
      contact: { name: 'express-two-factor', url: 'https://www.npmjs.com/package/express-two-factor' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${origin}/_sandbox` }],
    security: [],
    tags: [{ name: 'control', description: 'What a test arranges and looks up.' }],
    paths,
    components: {
      schemas: { Problem: problem },
      responses: Object.fromEntries(
        Object.entries(problems).map(([status, description]) => [
          `problem${status}`,
          { description, ...json({ $ref: '#/components/schemas/Problem' }) },
        ]),
      ),
    },
  }
}

function operationOf(route: ControlRoute): object {
  const { method, path, summary, takes, returns, waits } = route
  const words = path.split('/').filter((word) => word !== '')
  const statuses = [400, 421, ...(method === 'POST' ? [403, 413, 415] : []), ...(waits ? [408] : [])]
  return {
    operationId: [method.toLowerCase(), ...words].join('-'),
    summary,
    description: `${summary}.`,
    tags: ['control'],
    ...(method === 'GET' ? { parameters: parametersOf(takes) } : { requestBody: bodyOf(takes) }),
    responses: {
      200: { description: 'Done.', ...json(method === 'GET' ? returns : resultOf(returns)) },
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/problem${status}` }]),
      ),
    },
  }
}

function parametersOf({ properties = {}, required = [] }: Schema): readonly object[] {
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== '' && { description }),
    schema,
  }))
}

function bodyOf(schema: Schema): object {
  const isRequired = (schema.required ?? []).length > 0
  return {
    required: isRequired,
    content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
  }
}

function resultOf(schema: Schema): Schema {
  return { type: 'object', properties: { result: schema }, required: ['result'], additionalProperties: false }
}

function json(schema: object): object {
  return { content: { 'application/json': { schema } } }
}
