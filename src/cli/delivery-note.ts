import { type ProviderClient, ProviderError } from '../provider/index.js'
import { masked } from '../provider/masking.js'
import { messageStateOf } from '../provider/send-result.js'
import { quote } from './quote.js'

/** Whether the option `watch.delivery` would work: asks what became of a message that has surely arrived. */
export async function deliveryNote(
  provider: Pick<ProviderClient, 'messageState'>,
  id: string | undefined,
  form: string,
): Promise<string> {
  if (id === undefined) return cannotTell
  try {
    const entries = await provider.messageState({ id })
    const states = entries.flatMap(({ state }) => (state === undefined ? [] : quote(masked(state, form))))
    if (states.length === 0) return cannotTell
    const works = messageStateOf(entries) === 'delivered'
    return `The state of the message that arrived is ${states.join(', ')}: ${works ? tells : tellsNothing}`
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return cannotTell
  }
}

const tells = 'watch: { delivery: {} } works with this account.'
const tellsNothing = 'watch.delivery would report message.unknown or worse, so leave it out.'
const cannotTell = 'The account does not tell what became of a message: leave watch.delivery out.'
