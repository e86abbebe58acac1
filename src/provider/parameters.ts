import { day, formatOf, type NumberFormat, type Read } from './formats.js'
import {
  type callVoices,
  type codeCallVoices,
  type OperationName,
  operations,
  type Parameter,
} from './operations.js'

/** A voice of either call operation. `Marian` and `Mariana` are the same voice in both. */
export type Voice = (typeof callVoices | typeof codeCallVoices)[number]

/** `country-code` and `minutes_to_expire` on the wire, `countryCode` and `minutesToExpire` here. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name extends `${infer Head}_${infer Tail}`
    ? `${Head}${Capitalize<CamelCase<Tail>>}`
    : Name

type ValueOf<P extends Parameter> = P extends { readonly format: 'phones' }
  ? string | readonly string[]
  : P extends { readonly format: 'voice' }
    ? Voice
    : P extends { readonly format: 'attempts' | 'months' }
      ? number | string
      : P extends { readonly format: 'date' }
        ? string | Date
        : P extends { readonly type: 'boolean' }
          ? boolean
          : P extends { readonly allowed: readonly (infer Allowed)[] }
            ? Allowed
            : string

type RequiredOf<P> = { [K in keyof P]: P[K] extends { readonly required: true } ? K : never }[keyof P]

/** The parameters of one operation, named as this package names them. */
export type ParamsOf<Operation extends OperationName> = ParamsFrom<(typeof operations)[Operation]['params']>
type ParamsFrom<P> = {
  readonly [K in RequiredOf<P> as CamelCase<K & string>]: ValueOf<P[K] & Parameter>
} & {
  readonly [K in Exclude<keyof P, RequiredOf<P>> as CamelCase<K & string>]?:
    | ValueOf<P[K] & Parameter>
    | undefined
}

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

/** Whether parameters that the operation does not document are a mistake or go out as they are. */
export type Further = 'refused' | 'sent'

/**
 * Checks the parameters of one operation and writes them as form text, each behind an `&`.
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
      if (parameter.required) throw new TypeError(`${operation}: ${name} is required, it ${rule}`)
      continue
    }
    const written = read(value, parameter, numberFormat)
    if (written === undefined) throw new TypeError(`${operation}: ${name} ${rule}`)
    form += prefix + encode(operation, name, written)
  }
  refuseContradictions(operation, params)
  return form + encodeFurther(operation, params, further)
}

/** Form-encodes one text. Half of a surrogate pair has no encoding. */
export function encode(where: string, name: string, text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw new TypeError(`${where}: ${name} must be well-formed text, without halves of surrogate pairs`)
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
        `${operation}: unknown parameter ${name}; it takes ${known === '' ? 'none' : known}`,
      )
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new TypeError(`${operation}: ${name} must be a text, a number or a boolean`)
    }
    form += `&${encode(operation, name, name)}=${encode(operation, name, String(value))}`
  }
  return form
}

/** What the specification says about several parameters at once. */
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
