import { countryCodes } from '../lib/countries.js'
import type { Parameter } from './operations.js'

/** How numbers are written on the wire: `573001234567` or `+573001234567`. */
export type NumberFormat = 'digits' | 'plus'

export type Read = (value: unknown, parameter: Parameter, numberFormat: NumberFormat) => string | undefined

const e164 = /^\+?\d{7,15}$/
const listed = (value: string, { allowed = [] }: Parameter) => (allowed.includes(value) ? value : undefined)

function phone(value: unknown, numberFormat: NumberFormat): string | undefined {
  if (typeof value !== 'string' || !e164.test(value)) return undefined
  const digits = value.startsWith('+') ? value.slice(1) : value
  return numberFormat === 'plus' ? `+${digits}` : digits
}

function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : undefined
}

export function day(value: unknown): string | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : value.toISOString().slice(0, 10)
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const read = new Date(`${value}T00:00:00Z`)
  // 30 February reads as 1 March: only a day that comes out as it went in exists.
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(value) ? value : undefined
}

type Name = NonNullable<Parameter['format']> | 'text' | 'choice' | 'boolean'
interface Format {
  readonly rule: string | ((parameter: Parameter) => string)
  readonly read: Read
}

const oneOf = ({ allowed = [] }: Parameter) => `must be one of ${allowed.join(', ')}`

/** How a value is read, and the rule that it breaks when it cannot be. */
const formats: Readonly<Record<Name, Format>> = {
  text: {
    rule: 'must be a text that is not empty',
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
    rule: 'must be numbers of an optional + and 7 to 15 digits, as a list or separated by commas',
    read(value, _parameter, numberFormat) {
      const all = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value
      if (!Array.isArray(all) || all.length === 0) return undefined
      const written = all.map((one) => phone(one, numberFormat))
      return written.includes(undefined) ? undefined : written.join(',')
    },
  },
  country: {
    rule: 'must be an ISO 3166 code of two capital letters, such as CO',
    read: (value) => (typeof value === 'string' && countryCodes.has(value) ? value : undefined),
  },
  voice: {
    rule: oneOf,
    read(value, parameter) {
      if (typeof value !== 'string') return undefined
      // The documentation spells one voice in two ways; each operation gets its own spelling.
      const other = value === 'Marian' ? 'Mariana' : value === 'Mariana' ? 'Marian' : value
      return listed(value, parameter) ?? listed(other, parameter)
    },
  },
  attempts: {
    rule: 'must be 1, 2 or 3',
    read(value) {
      const count = wholeNumber(value)
      return count !== undefined && count >= 1 && count <= 3 ? String(count) : undefined
    },
  },
  months: {
    rule: 'must be a whole number of months, 0 for the default',
    read(value) {
      const months = wholeNumber(value)
      return months !== undefined && months >= 0 ? String(months) : undefined
    },
  },
  date: { rule: 'must be a day that exists, as YYYY-MM-DD or a Date', read: day },
  url: {
    rule: 'must be an absolute URL',
    read: (value) => (typeof value === 'string' && URL.canParse(value) ? value : undefined),
  },
}

/** Picks the reader for a parameter and the sentence for what it refuses. */
export function formatOf(parameter: Parameter): { readonly rule: string; readonly read: Read } {
  const plain = parameter.type === 'boolean' ? 'boolean' : parameter.allowed === undefined ? 'text' : 'choice'
  const { rule, read } = formats[parameter.format ?? plain]
  return { rule: typeof rule === 'string' ? rule : rule(parameter), read }
}
