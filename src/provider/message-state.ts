import type { MessageState as State } from '../challenge/code-provider.js'
import type { MessageStateResult } from './client-results.js'

// No closed list is published: these are the words that were seen, and what other services say.
const deliveredWords = /^(entregad|le[ií]d|contestad|deliver|read|answered)/i
const rejectedWords =
  /^(rechazad|bloquead|error|fall|no entregad|sin respuesta|reject|block|fail|undeliver|unreachable|no answer|expired)/i

/** What became of a group of messages of which one phone got all. */
export function messageStateOf(entries: MessageStateResult): State {
  const states = entries.map(({ state = '' }) => state)
  if (states.some((state) => rejectedWords.test(state))) return 'rejected'
  return states.length > 0 && states.every((state) => deliveredWords.test(state)) ? 'delivered' : 'pending'
}
