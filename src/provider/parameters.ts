import { countryCodes } from '../lib/countries.js'
import { type OperationName, operations, type Parameter } from './operations.js'

/** How numbers are written on the wire: `573001234567` or `+573001234567`. */
export type NumberFormat = 'digits' | 'plus'

type Read = (value: unknown, parameter: Parameter, numberFormat: NumberFormat) => string | undefined

const maxCount = Number.MAX_SAFE_INTEGER
const e164 = /^\+?\d{7,15}$/
const listed = (value: string, { allowed = [] }: Parameter) => (allowed.includes(value) ? value : undefined)

function phone(value: unknown, numberFormat: NumberFormat): string | undefined {
  if (typeof value !== 'string' || !e164.test(value)) return undefined
  const digits = value.startsWith('+') ? value.slice(1) : value
  return numberFormat === 'plus' ? `+${digits}` : digits
}

function wholeNumberWithin(value: unknown, min: number, max: number): string | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  const fits = Number.isSafeInteger(number) && Number(number) >= min && Number(number) <= max
  return fits ? String(number) : undefined
}

function day(value: unknown): string | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : value.toISOString().slice(0, 10)
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const read = new Date(`${value}T00:00:00Z`)
  // Date reads 30 February as 1 March: a day exists only if it comes out as it went in.
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(value) ? value : undefined
}

const scriptProtocols: readonly string[] = ['javascript:', 'vbscript:', 'data:', 'blob:', 'filesystem:']

/** Whoever opens a short URL of one of these runs its text as a script (XSS). Parsed as a browser would. */
function isScript(url: string): boolean {
  return URL.canParse(url) && scriptProtocols.includes(new URL(url).protocol)
}

type Name = NonNullable<Parameter['format']> | 'text' | 'choice' | 'boolean'
interface Format {
  readonly rule: string | ((parameter: Parameter) => string)
  readonly read: Read
}

const oneOf = ({ allowed = [] }: Parameter) => `must be one of ${allowed.join(', ')}`

/** How a value is read, and the rule that a refused value breaks. */
const formats: Readonly<Record<Name, Format>> = {
  text: {
    rule: 'must be a non-empty string',
    read: (value) => (typeof value === 'string' && /\S/.test(value) ? value : undefined),
  },
  choice: {
    rule: oneOf,
    read: (value, parameter) => (typeof value === 'string' ? listed(value, parameter) : undefined),
  },
  boolean: {
    rule: 'must be true or false',
    read: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  },
  phone: {
    rule: 'must be exactly one number: an optional + and 7 to 15 digits',
    read: (value, _parameter, numberFormat) => phone(value, numberFormat),
  },
  phones: {
    rule: 'must be one or more numbers (an optional + and 7 to 15 digits), as an array or separated by commas',
    read(value, _parameter, numberFormat) {
      const all = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value
      if (!Array.isArray(all) || all.length === 0) return undefined
      const written = all.map((one) => phone(one, numberFormat))
      return written.includes(undefined) ? undefined : written.join(',')
    },
  },
  country: {
    rule: "must be an upper-case ISO 3166-1 alpha-2 code, such as 'CO'",
    read: (value) => (typeof value === 'string' && countryCodes.has(value) ? value : undefined),
  },
  voice: {
    rule: oneOf,
    read(value, parameter) {
      if (typeof value !== 'string') return undefined
      // The documentation spells one voice in two ways: each operation gets its own spelling.
      const other = value === 'Marian' ? 'Mariana' : value === 'Mariana' ? 'Marian' : value
      return listed(value, parameter) ?? listed(other, parameter)
    },
  },
  attempts: {
    rule: 'must be 1, 2 or 3',
    read: (value) => wholeNumberWithin(value, 1, 3),
  },
  count: {
    rule: 'must be a whole number, at least 1',
    read: (value) => wholeNumberWithin(value, 1, maxCount),
  },
  months: {
    rule: 'must be a whole number of months, 0 for the default',
    read: (value) => wholeNumberWithin(value, 0, maxCount),
  },
  date: { rule: 'must be an existing day, as YYYY-MM-DD or a Date', read: day },
  url: {
    rule: 'must be a non-empty string and not the URL of a script',
    read: (value) => (typeof value === 'string' && /\S/.test(value) && !isScript(value) ? value : undefined),
  },
}

/** The reader of a parameter, and the sentence for what it refuses. */
function formatOf(parameter: Parameter): { readonly rule: string; readonly read: Read } {
  const plain = parameter.type === 'boolean' ? 'boolean' : parameter.allowed === undefined ? 'text' : 'choice'
  const { rule, read } = formats[parameter.format ?? plain]
  return { rule: typeof rule === 'string' ? rule : rule(parameter), read }
}

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
