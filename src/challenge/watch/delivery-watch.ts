import type { AboutChallenge, AboutProvider, Emit } from '../../events.js'
import type { Background } from '../../lib/background.js'
import { withinDeadline } from '../../lib/deadline.js'
import type { MessageState } from '../code-provider.js'

/** When to look at what became of a message. */
export interface DeliveryRules {
  readonly afterMs: number
}

/** Asks for the state of one message at the provider that sent it. */
export type AskState = (signal: AbortSignal) => Promise<MessageState>

/**
 * Looks at each code that was sent, once, beside the requests. What it finds is told and changes nothing: a
 * number that receives no messages must not get more of them (SMS pumping).
 */
export interface DeliveryWatch {
  /** `ask` is absent when the provider named no message. */
  watch(about: AboutChallenge & AboutProvider, ask: AskState | undefined): void
}

/** Bounds memory and requests where codes are sent faster than their states are answered. */
const maxWaiting = 1_000
const askingMs = 10_000

const types = {
  delivered: 'message.delivered',
  rejected: 'message.rejected',
  pending: 'message.unknown',
} as const satisfies Record<MessageState, string>

export function createDeliveryWatch(
  parts: { readonly background: Background; readonly now: () => number; readonly emit: Emit },
  rules: DeliveryRules,
): DeliveryWatch {
  const { background, now, emit } = parts
  let waiting = 0

  async function stateOf(ask: AskState): Promise<MessageState> {
    const controller = new AbortController()
    try {
      const state = await withinDeadline(askingMs, async () => ask(controller.signal))
      return Object.hasOwn(types, state) ? state : 'pending'
    } catch {
      controller.abort()
      return 'pending'
    }
  }

  return {
    watch(about, ask) {
      const sentAt = now()
      if (ask === undefined || waiting >= maxWaiting)
        return emit({ type: 'message.unknown', ageMs: 0, ...about })
      waiting += 1
      background.after(rules.afterMs, async () => {
        const state = await stateOf(ask)
        waiting -= 1
        emit({ type: types[state], ageMs: Math.max(0, now() - sentAt), ...about })
      })
    },
  }
}
