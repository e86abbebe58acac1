import { type Field, type Fields, type OperationName, operations } from '../../provider/operations.js'
import type { Dialect } from '../service/dialect.js'

/** A part of an OpenAPI document. */
export type OpenApiSchema = Readonly<Record<string, unknown>>

/** What of a sandbox shapes its OpenAPI document. */
export interface OpenApiRules {
  readonly dialect: Dialect
  readonly wrongCode: 200 | 400 | 520
  readonly approvedStatus: string | number
}

/** The body of a success, as the dialect of this sandbox shapes it. */
export function responseSchema(name: OperationName, rules: OpenApiRules): OpenApiSchema {
  if (name === 'verifyCode') return verificationSchema(rules)
  const { fields } = operations[name].response
  return rules.dialect === 'spec' ? objectOf(fields) : observedSchema(name, fields)
}

export function errorSchema(dialect: Dialect): OpenApiSchema {
  return objectOf({ error: dialect === 'observed' ? 'integer' : 'string', msg: 'string' })
}

/** With `wrongCode: 200`, a rejected code has a word of its own in the same place. */
function verificationSchema({ approvedStatus, wrongCode }: OpenApiRules): OpenApiSchema {
  const statuses = wrongCode === 200 ? [approvedStatus, 'rejected'] : [approvedStatus]
  return { type: 'object', properties: { status: { enum: statuses } } }
}

/** In the field, a list of one is the entry itself, and some members have other names or types. */
function observedSchema(name: OperationName, fields: Fields): OpenApiSchema {
  if (name === 'balance') return objectOf({ status: 'integer', balance: 'integer' })
  if (name === 'messageState') return arrayOf({ ...fields, credits: 'string' })
  const properties = Object.entries(fields).map(([member, field]) => {
    if (typeof field === 'string' || !('arrayOf' in field)) return [member, fieldOf(field)]
    const { status, ...rest } = field.arrayOf
    const entry = status === undefined ? rest : { ...rest, state: status }
    const none = member === 'metrics' ? [{ type: 'null' }] : []
    return [member, { anyOf: [objectOf(entry), arrayOf(entry), ...none] }]
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function objectOf(fields: Fields): OpenApiSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)])),
  }
}

function arrayOf(fields: Fields): OpenApiSchema {
  return { type: 'array', items: objectOf(fields) }
}

function fieldOf(field: Field): OpenApiSchema {
  if (typeof field === 'string') {
    return field === 'integer' ? { type: field, format: 'int64' } : { type: field }
  }
  return 'arrayOf' in field ? arrayOf(field.arrayOf) : objectOf(field.object)
}
