import {
  accountParameters,
  errorResponse,
  type Field,
  type Fields,
  operations,
} from '../../provider/operations.js'
import type { Catalogue, CatalogueOperation, ParameterRule } from '../service/dialect.js'

type Schema = Readonly<Record<string, unknown>>

/** The operations as an OpenAPI 3.1 document, with the sandbox itself as their server. */
export function openApiOf(catalogue: Catalogue, baseUrl: string): Schema {
  const schemas = Object.values(operations).map(({ response }) => [response.name, objectOf(response.fields)])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Messaging, voice, two-factor and short URLs',
      version: '1.0.0',
      description: 'What the sandbox serves. Every request carries client and key as parameters.',
    },
    servers: [{ url: baseUrl }],
    paths: Object.fromEntries(
      Object.entries(catalogue).flatMap(([name, operation]) =>
        [operation.path, ...(operation.otherPaths ?? [])].map((path, index) => [
          path,
          {
            [operation.method.toLowerCase()]: described(
              index === 0 ? name : `${name}${index + 1}`,
              operation,
            ),
          },
        ]),
      ),
    ),
    components: {
      schemas: {
        ...Object.fromEntries(schemas),
        [errorResponse.name]: objectOf(errorResponse.fields),
      },
    },
  }
}

function described(operationId: string, operation: CatalogueOperation): Schema {
  const params: Readonly<Record<string, ParameterRule>> = { ...accountParameters, ...operation.params }
  return {
    operationId,
    summary: operation.summary,
    ...(operation.method === 'GET' ? { parameters: queryOf(params) } : { requestBody: formOf(params) }),
    responses: {
      200: { description: 'Done.', content: jsonOf(operation.response.name) },
      520: { description: 'Invalid parameters or failure.', content: jsonOf(errorResponse.name) },
    },
  }
}

function queryOf(params: Readonly<Record<string, ParameterRule>>): readonly Schema[] {
  return Object.entries(params).map(([name, rule]) => ({
    name,
    in: 'query',
    required: rule.required ?? false,
    description: rule.description,
    schema: schemaOf(rule),
  }))
}

function formOf(params: Readonly<Record<string, ParameterRule>>): Schema {
  const named = Object.entries(params)
  const schema = {
    type: 'object',
    required: named.filter(([, rule]) => rule.required).map(([name]) => name),
    properties: Object.fromEntries(
      named.map(([name, rule]) => [name, { ...schemaOf(rule), description: rule.description }]),
    ),
  }
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } }
}

function jsonOf(schema: string): Schema {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
}

function schemaOf({ type, allowed, byDefault }: ParameterRule): Schema {
  return {
    ...fieldOf(type === 'boolean' ? 'boolean' : type),
    ...(allowed && { enum: allowed }),
    ...(byDefault !== undefined && { default: byDefault }),
  }
}

function objectOf(fields: Fields): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)])),
  }
}

function fieldOf(field: Field | 'boolean'): Schema {
  if (typeof field === 'string')
    return field === 'integer' ? { type: field, format: 'int64' } : { type: field }
  return 'arrayOf' in field ? { type: 'array', items: objectOf(field.arrayOf) } : objectOf(field.object)
}
