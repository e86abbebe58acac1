import { randomUUID } from 'node:crypto'
import { textLength } from '../../lib/text-length.js'
import type { Account } from '../account.js'
import type { MessageStore } from '../inbox.js'
import { fixedResultOf } from '../numbers.js'
import {
  type CallManner,
  callTimeline,
  type Message,
  refundedAt,
  type Step,
  textTimeline,
} from '../timeline.js'
import { type Refusal, refuse } from './refusals.js'

/** Credits for one call, whatever its length. */
export const callPrice = 2
/** Credits for a premium short URL; others are free. */
export const premiumUrlPrice = 1

/** Credits for one SMS: one per started 160 characters, or 70 outside the GSM alphabet. */
export function textPrice(text: string): number {
  const { length, limit } = textLength(text)
  return Math.max(1, Math.ceil(length / limit))
}

/** How a group of messages is delivered. */
export type Delivery =
  | { readonly channel: 'sms'; readonly price: number }
  | { readonly channel: 'call'; readonly price: number; readonly options: CallManner }

type Content = Pick<Message, 'text' | 'code' | 'appName' | 'voice' | 'audioCode' | 'requestId'>

/** A send that is paid for. */
interface Booking {
  /** Files one message per number, in one group. */
  send(content: Content): readonly [Message, ...Message[]]
}

export type Dispatch = ReturnType<typeof createDispatch>

/** Every message leaves the provider through here. */
export function createDispatch(account: Account, messages: MessageStore, now: (phone: string) => number) {
  function timelineOf(phone: string, delivery: Delivery): readonly Step[] {
    return delivery.channel === 'sms'
      ? textTimeline(phone, now(phone))
      : callTimeline(phone, now(phone), delivery.options)
  }

  return {
    /** Charges for all messages, or refuses and charges nothing. Blocked numbers are free. */
    book(phones: readonly string[], delivery: Delivery): Booking | Refusal {
      const { channel, price } = delivery
      if (phones.some((phone) => fixedResultOf(phone) === 'refused')) {
        return refuse('destination', 'The destination is not served.')
      }
      const isBlocked = (phone: string) => account.isBlocked(phone, channel)
      const served = phones.filter((phone) => !isBlocked(phone))
      if (!account.charge(price * served.length)) {
        return refuse('credits', 'The account does not have enough credits.')
      }

      function file(phone: string, groupId: string, content: Content): Message {
        const blocked = isBlocked(phone)
        const timeline: readonly Step[] = blocked
          ? [{ at: now(phone), state: 'blocked' }]
          : timelineOf(phone, delivery)
        const refund = refundedAt(timeline)
        if (refund !== undefined) account.refund({ credits: price, at: refund, phone })
        const message = {
          ...content,
          id: randomUUID(),
          groupId,
          channel,
          phone,
          credits: blocked ? 0 : price,
          at: now(phone),
          timeline,
        }
        messages.deliver(message)
        return message
      }

      return {
        send(content) {
          const groupId = randomUUID()
          const [first = '', ...others] = phones
          return [file(first, groupId, content), ...others.map((phone) => file(phone, groupId, content))]
        },
      }
    },
  }
}
