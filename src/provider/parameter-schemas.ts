import { isDate } from 'node:util/types'
import { z } from 'zod'
import { countryCodes } from '../phone-number.js'

// `z.preprocess` converts the value of a program to the value on the wire. A value that it cannot convert is refused by
// the schema. Messages contain the rule and never the value, which may be a code or a number.

/** One parameter of an operation. */
export interface Parameter<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema
  readonly required: boolean
  readonly description: string
}

export function requiredParameter<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { schema, required: true, description } as const
}

export function optionalParameter<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { schema, required: false, description } as const
}

/** Creates the schema of a text with a rule. */
function textThat(rule: string, holds: (text: string) => boolean) {
  return z.string(rule).refine(holds, rule).refine(isWellFormed, wellFormedRule)
}

const wellFormedRule = 'must be a well-formed string (it contains half a surrogate pair)'

/** Half a surrogate pair has no encoding. */
const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text)

/** Returns whether a value is one number. The plus is optional, because `numberFormat` decides whether it is sent. */
const isPhoneText = (value: unknown) => typeof value === 'string' && /^\+?\d{7,15}$/.test(value)

/** Creates the schema of a choice among these words. */
export function choiceOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`)
}

const otherVoices = ['Penelope', 'Conchita', 'Mia', 'Lucia', 'Enrique', 'Miguel'] as const
/** The voices of a two-factor call. */
export const codeCallVoices = ['Mariana', ...otherVoices] as const
/** The voices of a plain call. The documentation lists Marian here and Mariana above. */
export const callVoices = ['Marian', ...otherVoices] as const
/** All voices in both spellings. */
export const anyVoice = [...codeCallVoices, 'Marian'] as const

/** Categories of the URL statistics that every short URL has. */
export const statisticCategories = ['date', 'hour', 'country', 'device', 'operatingSystem'] as const
/** Categories that only a premium short URL has. */
export const premiumCategories = ['region', 'city', 'brand', 'model', 'browser', 'lang'] as const

/** The documentation spells one voice in two ways. */
const otherSpelling: Readonly<Record<string, string>> = { Marian: 'Mariana', Mariana: 'Marian' }

/** Creates the schema of a voice. It accepts both spellings and sends the documented spelling of the operation. */
export function voiceOf<const Words extends readonly string[]>(words: Words) {
  const known: readonly unknown[] = words
  return z.preprocess((voice: Words[number] | 'Marian' | 'Mariana') => {
    const other = otherSpelling[voice]
    return known.includes(other) ? other : voice
  }, choiceOf(words))
}

export const text = () => textThat('must be a non-empty string', (value) => /\S/.test(value))

export const flag = () => z.boolean('must be true or false')

export const phone = () =>
  textThat('must be exactly one number: an optional + and 7 to 15 digits', isPhoneText)

export const phones = () =>
  z.preprocess(
    (value: string | readonly string[]) => {
      if (typeof value === 'string') return value.replaceAll(/\s*,\s*/g, ',').trim()
      return Array.isArray(value) && value.every(isPhoneText) ? value.join(',') : undefined
    },
    textThat(
      'must be one or more numbers (an optional + and 7 to 15 digits), as an array or separated by commas',
      (value) => value.split(',').every(isPhoneText),
    ),
  )

export const country = () =>
  textThat("must be an upper-case ISO 3166-1 alpha-2 code, such as 'CO'", (value) => countryCodes.has(value))

const wholeNumber = (value: number | string) => {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) ? String(number) : undefined
}

const numberThat = (rule: string, pattern: RegExp) =>
  z.preprocess(
    wholeNumber,
    textThat(rule, (value) => pattern.test(value)),
  )

export const attempts = () => z.preprocess(wholeNumber, z.enum(['1', '2', '3'], 'must be 1, 2 or 3'))

export const count = () => numberThat('must be a whole number, at least 1', /^[1-9]\d{0,15}$/)

export const months = () => numberThat('must be a whole number of months, 0 for the default', /^\d{1,16}$/)

export const day = () =>
  z.preprocess(
    (value: string | Date) => {
      if (!isDate(value)) return value
      return Number.isNaN(value.getTime()) ? undefined : value.toISOString().slice(0, 10)
    },
    // Not Date: it reads 30 February as 1 March.
    textThat('must be an existing day, as YYYY-MM-DD or a Date', (value) => z.regexes.date.test(value)),
  )

const scriptProtocols: readonly string[] = ['javascript:', 'vbscript:', 'data:', 'blob:', 'filesystem:']

/** Refuses the URL of a script, which would run in the browser of the reader (XSS). It parses like a browser. */
export const url = () =>
  textThat('must be a non-empty string and not the URL of a script', (value) => {
    const isScript = URL.canParse(value) && scriptProtocols.includes(new URL(value).protocol)
    return /\S/.test(value) && !isScript
  })
