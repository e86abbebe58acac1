import { type Operation, type OperationName, operations, type Parameter } from '../provider/operations.js'
import { type Refusal, refuse } from './refusals.js'

/** The parameters of one operation, by their wire names, after the rules of the specification were checked. */
export type ParametersOf<Name extends OperationName> = {
  readonly [Key in keyof (typeof operations)[Name]['params']]: (typeof operations)[Name]['params'][Key] extends {
    required: true
  }
    ? string
    : string | undefined
}

/** Reads the fields of a request by the rules that `operations.ts` states for its operation. */
export function readParameters<Name extends OperationName>(
  name: Name,
  fields: URLSearchParams,
): ParametersOf<Name> | Refusal {
  const operation: Operation = operations[name]
  const read: Record<string, string | undefined> = {}
  for (const [key, parameter] of Object.entries(operation.params)) {
    const values = fields.getAll(key)
    if (values.length > 1) return refuse('parameters', `${key} was sent ${values.length} times.`)
    const value = values[0] === '' ? undefined : values[0]
    const fault = faultOf(key, parameter, value)
    if (fault !== undefined) return refuse('parameters', fault)
    read[key] = value
  }
  return read as ParametersOf<Name>
}

function faultOf(key: string, parameter: Parameter, value: string | undefined): string | undefined {
  if (value === undefined) return parameter.required ? `${key} is required.` : undefined
  if (parameter.type === 'boolean' && value !== 'true' && value !== 'false') {
    return `${key} must be true or false.`
  }
  if (parameter.type === 'integer' && !/^\d{1,19}$/.test(value)) return `${key} must be an integer.`
  if (parameter.allowed !== undefined && !parameter.allowed.includes(value)) {
    return `${key} must be one of ${parameter.allowed.join(', ')}.`
  }
  if (key === 'country-code' && !/^[A-Za-z]{2}$/.test(value)) return 'country-code must be an ISO 3166 code.'
  return undefined
}

const onNetwork = /^\+?\d{7,15}$/

/** The numbers of a `phone` parameter, or nothing when one of them cannot be a number. */
export function readPhones(phone: string): readonly string[] | undefined {
  const phones = phone.split(',').map((text) => text.trim())
  return phones.every((text) => onNetwork.test(text)) ? phones : undefined
}
