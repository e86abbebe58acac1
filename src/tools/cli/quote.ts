import type { ProviderError } from '../../provider/index.js'
import { mask, masked } from '../../provider/provider-error.js'

/** Text of others, fit for a terminal: what it would obey, or an eye not see, is written out. */
export function printable(text: string): string {
  return text.replaceAll(/(?! )[\p{C}\p{Z}]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
}

/** A text as it is written in a program. */
export function quote(text: string): string {
  return `'${printable(text.replaceAll(/[\\']/g, '\\$&'))}'`
}

type Sent = Readonly<Record<string, string>>

/** What is said of an error, with the provider's own words: here somebody reads them who can do something about it. */
export function withProvidersWords(text: string, { providerMessage }: ProviderError, sent: Sent): string {
  const message = printable(text)
  if (providerMessage === undefined) return message
  // No number is told from a code by its looks.
  const said = masked(providerMessage, new URLSearchParams(sent).toString()).replaceAll(/\d{4,}/g, mask)
  return `${message} The provider said: ${quote(said)}`
}
