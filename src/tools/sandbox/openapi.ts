import { z } from 'zod'

/** A part of an OpenAPI document. */
export type OpenApi = Readonly<Record<string, unknown>>

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>
  readonly required?: readonly string[]
}

/** Returns a schema in OpenAPI 3.1: for a request (`input`) or a response. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): OpenApi {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      const { additionalProperties: others } = jsonSchema
      if (typeof others !== 'object' || Object.keys(others).length > 0) return
      // A response guarantees no member and may have others. Repeated everywhere, this would hide the documented
      // members.
      delete jsonSchema.additionalProperties
      delete jsonSchema.required
    },
  })
  return written
}

/** Describes the input of an operation: the query of a GET, otherwise a body of one of these types. */
export function requestOf(method: 'GET' | 'POST', takes: z.ZodObject, ...types: readonly string[]): OpenApi {
  if (method === 'GET') return { parameters: queryOf(takes) }
  const body = schemaOf(takes, 'input')
  return { requestBody: { required: body.required !== undefined, ...contentOf(body, ...types) } }
}

/** Returns the members of a schema as query parameters. */
function queryOf(schema: z.ZodObject): readonly OpenApi[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as ObjectSchema
  return Object.entries(properties).map(([name, { description, ...written }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: written,
  }))
}

/** Returns the schema for a body of each of these types. */
function contentOf(schema: OpenApi, ...types: readonly string[]): OpenApi {
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

export function json(schema: OpenApi): OpenApi {
  return contentOf(schema, 'application/json')
}

export function refTo(name: string, kind: 'schemas' | 'responses' = 'schemas'): OpenApi {
  return { $ref: `#/components/${kind}/${name}` }
}

/** An OpenAPI 3.1 document. */
export function documentOf(title: string, description: string, server: string, parts: OpenApi): OpenApi {
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      description,
      contact: { name: 'express-two-factor', url: 'https://www.npmjs.com/package/express-two-factor' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    // The credentials are ordinary parameters: OpenAPI cannot declare credentials in a form.
    security: [],
    ...parts,
  }
}
