import { z } from 'zod'
import { entryShapeOf, lenientInteger, lenientList, lenientText } from '../../../provider/answer-schemas.js'
import { accountParameters, errorResponse, type OperationName } from '../../../provider/operations.js'
import { documentOf, json, type OpenApi, refTo, requestOf, schemaOf } from '../openapi.js'
import type { Dialect, SandboxSettings } from '../options.js'
import { type Catalogue, type CatalogueOperation, pathsOf, wireShape } from '../service/dialect.js'

/** Returns the operations in this dialect as an OpenAPI 3.1 document, with the sandbox as its server. */
export function operationsOpenApi(catalogue: Catalogue, settings: SandboxSettings, baseUrl: string): OpenApi {
  const named = Object.entries(catalogue) as [OperationName, CatalogueOperation][]
  const error = {
    error: settings.dialect === 'observed' ? lenientInteger() : lenientText(),
    msg: lenientText(),
  }
  const schemas = [
    ...named.map(
      ([name, operation]) => [operation.response, answerOf(name, operation, settings.dialect)] as const,
    ),
    [errorResponse.name, z.looseObject(error)] as const,
    ['HostError', z.looseObject(errorResponse.fields())] as const,
  ]
  const description = `Operations of the sandbox in the dialect ${settings.dialect}. Every request carries client and key as parameters.`
  return documentOf('Messaging, voice, two-factor and short URLs', description, baseUrl, {
    tags: [{ name: 'provider', description: 'The operations of the provider.' }],
    paths: Object.fromEntries(
      named.flatMap(([name, operation]) =>
        pathsOf(operation).map((path, index) => {
          const described = {
            operationId: index === 0 ? name : `${name}${index + 1}`,
            ...about(name, operation, settings),
          }
          return [path, { [operation.method.toLowerCase()]: described }]
        }),
      ),
    ),
    components: { schemas: Object.fromEntries(schemas.map(([name, schema]) => [name, schemaOf(schema)])) },
  })
}

/** Describes an operation, without the id that differs for each of its paths. */
function about(
  name: OperationName,
  { method, summary, params, response }: CatalogueOperation,
  { dialect, wrongCode }: SandboxSettings,
): OpenApi {
  const takes = z.object({ ...wireShape(accountParameters()), ...params })
  const error = json(refTo(errorResponse.name))
  const hasBadRequest = dialect === 'observed' || (name === 'verifyCode' && wrongCode === 400)
  const forms = [
    'application/x-www-form-urlencoded',
    ...(dialect === 'observed' ? ['multipart/form-data'] : []),
  ]
  return {
    summary,
    description: `${summary}.`,
    tags: ['provider'],
    ...requestOf(method, takes, ...forms),
    responses: {
      200: { description: 'Done.', ...json(refTo(response)) },
      ...(hasBadRequest && { 400: { description: 'Invalid parameters.', ...error } }),
      421: { description: 'The sandbox does not accept this Host header.', ...json(refTo('HostError')) },
      520: { description: 'Invalid parameters or failure.', ...error },
    },
  }
}

/** Returns the schema of a success in the dialect of this sandbox. */
function answerOf(name: OperationName, { fields }: CatalogueOperation, dialect: Dialect): z.ZodType {
  if (dialect === 'spec') return z.looseObject(fields)
  if (name === 'messageState') return lenientList(fields)
  return z.looseObject(
    Object.fromEntries(Object.entries(fields).map(([member, field]) => [member, unlisted(member, field)])),
  )
}

/** In the field, the service sends a list with one entry as the entry. */
function unlisted(member: string, field: z.core.$ZodType): z.core.$ZodType {
  const fields = entryShapeOf(field)
  if (fields === undefined) return field
  const entry = z.looseObject(fields)
  return z.union([entry, z.array(entry), ...(member === 'metrics' ? [z.null()] : [])]).optional()
}
