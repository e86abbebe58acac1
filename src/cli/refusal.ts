import { adviceOn } from '../provider/advice.js'
import type { ProviderError } from '../provider/index.js'
import { mask, masked } from '../provider/masking.js'
import { printable, quote } from './quote.js'

type Sent = Readonly<Record<string, string>>

/** The error with the provider's own words: here somebody reads them who can do something about it. */
export function describeRefusal(error: ProviderError, sent: Sent): string {
  return withProvidersWords(error.message, error, sent)
}

/** What happened, without what to do about it. */
export function describeFailure(error: ProviderError, sent: Sent): string {
  return withProvidersWords(error.message.replace(` ${adviceOn(error)}`, ''), error, sent)
}

function withProvidersWords(text: string, { providerMessage }: ProviderError, sent: Sent): string {
  const message = printable(text)
  if (providerMessage === undefined) return message
  // No number is told from a code by its looks.
  const said = masked(providerMessage, new URLSearchParams(sent).toString()).replaceAll(/\d{4,}/g, mask)
  return `${message} The provider said: ${quote(said)}`
}
