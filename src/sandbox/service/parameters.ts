import { phoneCountries } from '../../lib/countries.js'
import type { OperationName, operations } from '../../provider/operations.js'
import type { BlockedChannel } from '../account.js'
import { detached } from '../detached.js'
import type { CatalogueOperation, ParameterRule } from './dialect.js'
import { type Refusal, refuse } from './refusals.js'

/** The parameters of one operation, by their wire names, after the rules of the specification were checked. */
export type ParametersOf<Name extends OperationName> = {
  readonly [Key in keyof (typeof operations)[Name]['params']]: (typeof operations)[Name]['params'][Key] extends {
    required: true
  }
    ? string
    : string | undefined
} & (Name extends 'blockPhone' ? { readonly channel?: BlockedChannel } : unknown)

// No maximum is documented, but stored names need one. The size limit of the body bounds the others.
const maxLength = 200
const unbounded = ['phone', 'sms', 'message', 'url-long']

/** Reads the fields of a request by the rules of its operation. */
export function readParameters<Name extends OperationName>(
  operation: CatalogueOperation,
  fields: URLSearchParams,
): ParametersOf<Name> | Refusal {
  const read: Record<string, string | undefined> = {}
  for (const [key, parameter] of Object.entries(operation.params)) {
    const values = fields.getAll(key)
    if (values.length > 1) return refuse('parameters', `${key} was sent ${values.length} times.`)
    const value = values[0] === undefined || values[0] === '' ? parameter.byDefault : values[0]
    const problem = problemOf(key, parameter, value)
    if (problem !== undefined) return refuse('parameters', problem)
    read[key] = value && detached(value)
  }
  return read as ParametersOf<Name>
}

function problemOf(key: string, parameter: ParameterRule, value: string | undefined): string | undefined {
  if (value === undefined) return parameter.required ? `${key} is required.` : undefined
  if (parameter.type === 'boolean' && value !== 'true' && value !== 'false') {
    return `${key} must be true or false.`
  }
  if (parameter.allowed !== undefined && !parameter.allowed.includes(value)) {
    return `${key} must be one of ${parameter.allowed.join(', ')}.`
  }
  if (!unbounded.includes(key) && value.length > maxLength) {
    return `${key} must have at most ${maxLength} characters.`
  }
  if (key === 'country-code' && !phoneCountries.has(value.toUpperCase())) {
    return 'country-code must be an ISO 3166-1 alpha-2 code.'
  }
  return undefined
}
