import { present } from '../../lib/json.js'
import type { ProviderError, VerifyAnswer } from '../../provider/index.js'
import { mask, masked } from '../../provider/provider-error.js'

/** Returns foreign text that is safe for a terminal: control and invisible characters are written out. */
export function printable(text: string): string {
  return text.replaceAll(/(?! )[\p{C}\p{Z}]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
}

/** Returns a text as a string literal. */
export function quote(text: string): string {
  return `'${printable(text.replaceAll(/[\\']/g, '\\$&'))}'`
}

type Sent = Readonly<Record<string, string>>

/** Adds the provider's message to an error text: the reader here can act on it. */
export function withProvidersWords(text: string, { providerMessage }: ProviderError, sent: Sent): string {
  const message = printable(text)
  if (providerMessage === undefined) return message
  // A number may be a code, so each number is masked.
  const said = masked(providerMessage, new URLSearchParams(sent).toString()).replaceAll(/\d{4,}/g, mask)
  return `${message} The provider said: ${quote(said)}`
}

/** Returns the deciding members of a response as one line. */
export function describeAnswer(name: string, { httpStatus, status, error }: VerifyAnswer): string {
  const members = Object.entries(present({ status, error })).map(
    ([member, value]) => `${member} ${describeValue(value)}`,
  )
  return `  ${name.padEnd(13)}HTTP ${httpStatus}  ${members.join('  ') || 'no status, no error'}`
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  return value === null || typeof value !== 'object' ? String(value) : Array.isArray(value) ? '[…]' : '{…}'
}
