import { scalarString } from '../provider/answers.js'
import { masked } from '../provider/masking.js'
import type { VerifyAnswer } from '../provider/verdict.js'
import { quote } from './quote.js'

/** The answer without what was sent: a service may quote the code, the number or the key back. */
export function maskAnswer(answer: VerifyAnswer, form: string): VerifyAnswer {
  const { status, error } = answer
  return { ...answer, status: maskValue(status, form), error: maskValue(error, form) }
}

/** A number that quotes nothing stays one: 0 is no error, and "0" reads the same. */
function maskValue(value: unknown, form: string): unknown {
  const text = scalarString(value)
  if (text === undefined) return value
  const safe = masked(text, form)
  return safe === text ? value : safe
}

/** What an answer says that decides, as one line. */
export function describeAnswer(name: string, { httpStatus, status, error }: VerifyAnswer): string {
  const members = Object.entries({ status, error })
    .filter(([, value]) => value !== undefined)
    .map(([member, value]) => `${member} ${describeValue(value)}`)
  return `  ${name.padEnd(13)}HTTP ${httpStatus}  ${members.join('  ') || 'no status, no error'}`
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  return value === null || typeof value !== 'object' ? String(value) : Array.isArray(value) ? '[…]' : '{…}'
}

/** A line to paste into the options. */
export function optionLine(name: string, texts: readonly string[]): string {
  return `  ${name}: [${texts.map(quote).join(', ')}],`
}
