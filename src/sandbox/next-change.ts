import type { ProviderSimulation } from './provider-simulation.js'
import { nextStepAt } from './timeline.js'

type Parts = Pick<ProviderSimulation, 'clock' | 'links' | 'messages'>

/** How long until something looks different through the passing of time alone, in ms; Infinity if nothing will. */
export function nextChangeInMs({ clock, links, messages }: Parts): number {
  const delays = [Number.POSITIVE_INFINITY]
  for (const message of messages.search('')) {
    const now = clock.now(message.phone)
    const { codeState, codeExpiresAt } = messages.view(message)
    delays.push((nextStepAt(message.timeline, now) ?? Number.POSITIVE_INFINITY) - now)
    if (codeState === 'live' && codeExpiresAt !== undefined) delays.push(codeExpiresAt - now)
  }
  const now = clock.now()
  for (const { expiresAt } of links.list()) if (expiresAt > now) delays.push(expiresAt - now)
  return Math.min(...delays)
}
