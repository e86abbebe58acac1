import { accountParameters, errorResponse, type OperationName } from '../../provider/operations.js'
import type { Catalogue, CatalogueOperation, Dialect, ParameterRule } from '../service/dialect.js'
import { errorSchema, type OpenApiRules, type OpenApiSchema, responseSchema } from './response-schemas.js'

const errorRef = jsonOf(errorResponse.name)

/** The operations as they respond in this dialect: an OpenAPI 3.1 document, with the sandbox as its server. */
export function openApiOf(catalogue: Catalogue, rules: OpenApiRules, baseUrl: string): OpenApiSchema {
  const named = Object.entries(catalogue) as [OperationName, CatalogueOperation][]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Messaging, voice, two-factor and short URLs',
      version: '1.0.0',
      description: `What the sandbox serves in the dialect ${rules.dialect}. Every request carries client and key as parameters.`,
      contact: { name: 'express-two-factor', url: 'https://www.npmjs.com/package/express-two-factor' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    // The credentials are ordinary parameters: OpenAPI has no word for them in a form.
    security: [],
    tags: [{ name: 'provider', description: 'The operations of the provider.' }],
    paths: Object.fromEntries(
      named.flatMap(([name, operation]) =>
        [operation.path, ...(operation.otherPaths ?? [])].map((path, index) => {
          const operationId = index === 0 ? name : `${name}${index + 1}`
          return [path, { [operation.method.toLowerCase()]: describe(operationId, name, operation, rules) }]
        }),
      ),
    ),
    components: {
      schemas: {
        ...Object.fromEntries(
          named.map(([name, { response }]) => [response.name, responseSchema(name, rules)]),
        ),
        [errorResponse.name]: errorSchema(rules.dialect),
        HostError: { type: 'object', properties: { error: { type: 'string' }, msg: { type: 'string' } } },
      },
    },
  }
}

function describe(
  operationId: string,
  name: OperationName,
  operation: CatalogueOperation,
  { dialect, wrongCode }: OpenApiRules,
): OpenApiSchema {
  const params: Readonly<Record<string, ParameterRule>> = { ...accountParameters, ...operation.params }
  const hasBadRequest = dialect === 'observed' || (name === 'verifyCode' && wrongCode === 400)
  return {
    operationId,
    summary: operation.summary,
    description: `${operation.summary}.`,
    tags: ['provider'],
    ...(operation.method === 'GET'
      ? { parameters: queryOf(params) }
      : { requestBody: formOf(params, dialect) }),
    responses: {
      200: { description: 'Done.', ...jsonOf(operation.response.name) },
      ...(hasBadRequest && { 400: { description: 'Invalid parameters.', ...errorRef } }),
      421: { description: 'The sandbox does not accept this Host header.', ...jsonOf('HostError') },
      520: { description: 'Invalid parameters or failure.', ...errorRef },
    },
  }
}

function queryOf(params: Readonly<Record<string, ParameterRule>>): readonly OpenApiSchema[] {
  return Object.entries(params).map(([name, rule]) => ({
    name,
    in: 'query',
    required: rule.required ?? false,
    description: rule.description,
    schema: schemaOf(rule),
  }))
}

function formOf(params: Readonly<Record<string, ParameterRule>>, dialect: Dialect): OpenApiSchema {
  const named = Object.entries(params)
  const schema = {
    type: 'object',
    required: named.filter(([, rule]) => rule.required).map(([name]) => name),
    properties: Object.fromEntries(
      named.map(([name, rule]) => [name, { ...schemaOf(rule), description: rule.description }]),
    ),
  }
  const types = [
    'application/x-www-form-urlencoded',
    ...(dialect === 'observed' ? ['multipart/form-data'] : []),
  ]
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

function jsonOf(schema: string): OpenApiSchema {
  return { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } }
}

function schemaOf({ type, allowed, byDefault }: ParameterRule): OpenApiSchema {
  return {
    type,
    ...(type === 'integer' && { format: 'int64' }),
    ...(allowed && { enum: allowed }),
    ...(byDefault !== undefined && { default: type === 'boolean' ? byDefault === 'true' : byDefault }),
  }
}
