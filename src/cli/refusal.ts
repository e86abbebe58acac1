import type { ProviderError } from '../provider/index.js'
import { mask, masked } from '../provider/masking.js'
import { quote } from './quote.js'

/** The error with the provider's own words: here somebody reads them who can do something about it. */
export function describeRefusal(error: ProviderError, sent: Readonly<Record<string, string>>): string {
  const { message, providerMessage } = error
  if (providerMessage === undefined) return message
  // No number is told from a code by its looks.
  const said = masked(providerMessage, new URLSearchParams(sent).toString()).replaceAll(/\d{4,}/g, mask)
  return `${message} The provider said: ${quote(said)}`
}
