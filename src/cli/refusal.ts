import type { ProviderError } from '../provider/index.js'
import { mask, masked } from '../provider/masking.js'
import { printable, quote } from './quote.js'

/** The error with the provider's own words: here somebody reads them who can do something about it. */
export function describeRefusal(error: ProviderError, sent: Readonly<Record<string, string>>): string {
  const { providerMessage } = error
  const message = printable(error.message)
  if (providerMessage === undefined) return message
  // No number is told from a code by its looks.
  const said = masked(providerMessage, new URLSearchParams(sent).toString()).replaceAll(/\d{4,}/g, mask)
  return `${message} The provider said: ${quote(said)}`
}
