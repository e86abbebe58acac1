import type { z } from 'zod'
import type { OperationName, operations } from '../../../provider/operations.js'
import type { BlockedChannel } from '../account.js'
import { fromText } from '../problem.js'
import type { CatalogueOperation } from './dialect.js'
import { type Refusal, refuse } from './refusals.js'

type Params<Name extends OperationName> = ReturnType<(typeof operations)[Name]['params']>

type Wire<Given> = Given extends { readonly schema: infer Schema; readonly required: infer Required }
  ? z.output<Schema> | (Required extends true ? never : undefined)
  : never

/** The checked parameters of one operation, by their wire names. */
export type ParametersOf<Name extends OperationName> = {
  readonly [Key in keyof Params<Name>]: Wire<Params<Name>[Key]>
} & (Name extends 'blockPhone' ? { readonly channel?: BlockedChannel } : unknown)

/** Reads the fields of a request by the rules of its operation. */
export function readParameters<Name extends OperationName>(
  operation: CatalogueOperation,
  fields: URLSearchParams,
): ParametersOf<Name> | Refusal {
  const read: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(operation.params)) {
    const [value = '', ...more] = fields.getAll(key)
    if (more.length > 0) return refuse('parameters', `${key} was sent ${more.length + 1} times.`)
    const given = value === '' ? undefined : fromText(schema, forgiven(key, value))
    const { data, error } = schema.safeParse(given)
    if (error !== undefined) {
      return refuse('parameters', `${key} ${value === '' ? 'is required' : error.issues[0]?.message}.`)
    }
    read[key] = data
  }
  const contradicts = operation.contradiction?.(read)
  return contradicts === undefined ? (read as ParametersOf<Name>) : refuse('parameters', `${contradicts}.`)
}

/** Normalizes input that a service tolerates, but a program should not rely on. */
function forgiven(key: string, value: string): string {
  if (key === 'country-code') return value.toUpperCase()
  return key === 'phone' ? value.replaceAll(/\s*,\s*/g, ',').trim() : value
}
