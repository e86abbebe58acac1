import { day, formatOf, type NumberFormat, type Read } from './formats.js'
import { type OperationName, operations, type Parameter } from './operations.js'

/** `country-code` and `minutes_to_expire` on the wire, `countryCode` and `minutesToExpire` here. */
export function camelCase(name: string): string {
  return name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
}

interface Rule {
  readonly name: string
  readonly prefix: string
  readonly parameter: Parameter
  readonly rule: string
  readonly read: Read
}

function rulesOf(operation: OperationName): readonly Rule[] {
  return Object.entries<Parameter>(operations[operation].params).map(([wireName, parameter]) => {
    return { name: camelCase(wireName), prefix: `&${wireName}=`, parameter, ...formatOf(parameter) }
  })
}

const rules = Object.fromEntries(
  (Object.keys(operations) as OperationName[]).map((operation) => [operation, rulesOf(operation)]),
) as Record<OperationName, readonly Rule[]>

/** Whether undocumented parameters are a mistake or are sent as they are. */
export type Further = 'refused' | 'sent'

/**
 * Checks the parameters of one operation and form-encodes them, each behind an `&`.
 * A TypeError names the parameter as the caller wrote it and the rule, never the value.
 */
export function encodeParams(
  operation: OperationName,
  params: Readonly<Record<string, unknown>>,
  numberFormat: NumberFormat,
  further: Further,
): string {
  let form = ''
  for (const { name, prefix, parameter, rule, read } of rules[operation]) {
    const value = params[name]
    if (value === undefined) {
      if (parameter.required) throw new TypeError(`${operation}: ${name} is required; it ${rule}`)
      continue
    }
    const written = read(value, parameter, numberFormat)
    if (written === undefined) throw new TypeError(`${operation}: ${name} ${rule}`)
    form += prefix + encode(operation, name, written)
  }
  refuseContradictions(operation, params)
  return form + encodeFurther(operation, params, further)
}

/** Form-encodes one string. A lone surrogate has no encoding. */
export function encode(where: string, name: string, value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    throw new TypeError(`${where}: ${name} must be a well-formed string (it holds half a surrogate pair)`)
  }
}

function encodeFurther(
  operation: OperationName,
  params: Readonly<Record<string, unknown>>,
  further: Further,
): string {
  let form = ''
  for (const [name, value] of Object.entries(params)) {
    if (rules[operation].some((rule) => rule.name === name) || value === undefined) continue
    if (further === 'refused' || name === 'client' || name === 'key') {
      const known = rules[operation].map((rule) => rule.name).join(', ')
      throw new TypeError(
        `${operation}: unknown parameter "${name}"; expected: ${known === '' ? 'none' : known}`,
      )
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new TypeError(`${operation}: ${name} must be a string, a number or a boolean`)
    }
    form += `&${encode(operation, name, name)}=${encode(operation, name, String(value))}`
  }
  return form
}

/** Rules of the specification about several parameters at once. */
function refuseContradictions(operation: OperationName, params: Readonly<Record<string, unknown>>): void {
  if (operation === 'sendCall') {
    const spoken = params.message !== undefined || params.voice !== undefined
    if (params.audioCode !== undefined && spoken) {
      throw new TypeError('sendCall: audioCode must not be given together with message or voice')
    }
    if (params.audioCode !== undefined) return
    if (params.message === undefined) throw new TypeError('sendCall: message is required without audioCode')
    if (params.voice === undefined) throw new TypeError('sendCall: voice is required without audioCode')
  }
  if (operation === 'urlStatistics' && String(day(params.since)) > String(day(params.until))) {
    throw new TypeError('urlStatistics: since must not be after until')
  }
}
