import type { AboutChallenge, AboutProvider, DeliveryCounts, Emit } from '../../events.js'
import type { Background } from '../../lib/background.js'
import { withinDeadline } from '../../lib/deadline.js'
import { dayMs, minuteMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { MessageState, SendResult } from '../code-provider.js'
import type { Keys } from '../keys.js'
import {
  type DeliveryPlace,
  type DeliveryRecord,
  type DeliveryShare,
  nextDelivery,
  noCodes,
  sharesAt,
} from './delivery-state.js'
import { createSharedRecord } from './shared-record.js'

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
  /** What became of one send. `ask` is absent when the provider named no message. */
  noteSend(
    about: AboutChallenge & AboutProvider,
    result: SendResult['result'],
    ask: AskState | undefined,
  ): void
  /** The last hour of all processes, as this one knew it when it last had something to add. From memory. */
  shares(): readonly DeliveryShare[]
}

/** Bounds memory and requests where codes are sent faster than their states are answered. */
const maxWaiting = 1_000
const askingMs = 10_000
/** How long a process keeps what it counted to itself. */
const everyMs = minuteMs
const weekMs = 7 * dayMs

const types = {
  delivered: 'message.delivered',
  rejected: 'message.rejected',
  pending: 'message.unknown',
} as const satisfies Record<MessageState, string>

async function stateOf(ask: AskState): Promise<MessageState | undefined> {
  const controller = new AbortController()
  try {
    const state = await withinDeadline(askingMs, async () => ask(controller.signal))
    return Object.hasOwn(types, state) ? state : undefined
  } catch {
    controller.abort()
    return undefined
  }
}

export function createDeliveryWatch(
  parts: {
    readonly store: Store
    readonly keys: Keys
    readonly background: Background
    readonly now: () => number
    readonly emit: Emit
  },
  rules: DeliveryRules,
): DeliveryWatch {
  const { keys, background, now, emit } = parts
  const hour = createSharedRecord<DeliveryRecord>(parts, keys.counter('count-delivery', 'hour'), weekMs)
  /** Not in the record yet, by country and method, which bounds them. */
  let counted = new Map<string, DeliveryShare>()
  let waiting = 0

  /** Adds to what all processes know: each alone would see too little of a country. */
  async function hand(): Promise<void> {
    const mine = [...counted.values()]
    counted = new Map()
    const at = now()
    await hour.change((before) => nextDelivery(before, mine, at))
  }

  function count({ country, channel }: DeliveryPlace, what: keyof DeliveryCounts): void {
    if (counted.size === 0) background.after(everyMs, hand)
    const name = `${country} ${channel}`
    const share = counted.get(name) ?? { country, channel, ...noCodes }
    counted.set(name, { ...share, [what]: share[what] + 1 })
  }

  return {
    noteSend(about, result, ask) {
      if (result !== 'sent' && result !== 'failed') return
      const sentAt = now()
      count(about, 'sent')
      if (result === 'failed') return count(about, 'rejected')
      if (ask === undefined || waiting >= maxWaiting)
        return emit({ type: 'message.unknown', ageMs: 0, ...about })
      waiting += 1
      background.after(rules.afterMs, async () => {
        const state = await stateOf(ask)
        waiting -= 1
        emit({ type: types[state ?? 'pending'], ageMs: Math.max(0, now() - sentAt), ...about })
        // An account that cannot be asked says nothing about what arrives.
        if (state !== undefined) count(about, state === 'pending' ? 'unknown' : state)
      })
    },
    shares: () => sharesAt(hour.seen(), now()),
  }
}
