import { randomUUID } from 'node:crypto'
import { textLength } from '../../../lib/text-length.js'
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

/** Credits for a premium short URL. Others are free. */
export const premiumUrlPrice = 1

/** How a group of messages is delivered. */
export interface Delivery {
  readonly channel: 'sms' | 'call'
  /** Credits for each message. */
  readonly price: number
  readonly timelineOf: (phone: string, at: number) => readonly Step[]
}

/** Returns the delivery of an SMS: one credit per started 160 characters, or 70 outside the GSM alphabet. */
export function byText(text: string): Delivery {
  const { length, limit } = textLength(text)
  return { channel: 'sms', price: Math.max(1, Math.ceil(length / limit)), timelineOf: textTimeline }
}

/** Returns the delivery of a call: two credits for a call of any length. */
export function byCall(manner: CallManner): Delivery {
  return { channel: 'call', price: 2, timelineOf: (phone, at) => callTimeline(phone, at, manner) }
}

type Content = Pick<Message, 'text' | 'code' | 'appName' | 'voice' | 'audioCode' | 'requestId'>

export type Dispatch = ReturnType<typeof createDispatch>

/** Creates the function that sends every message of the provider. */
export function createDispatch(account: Account, messages: MessageStore, now: (phone: string) => number) {
  /**
   * Charges for all messages and files one per number, in one group. A refusal charges nothing. Blocked numbers are
   * free. `contentOf` is called after the charge.
   */
  return (
    phones: readonly string[],
    { channel, price, timelineOf }: Delivery,
    contentOf: () => Content,
  ): readonly Message[] | Refusal => {
    if (phones.some((phone) => fixedResultOf(phone) === 'refused')) {
      return refuse('destination', 'The destination is not served.')
    }
    const isBlocked = (phone: string) => account.isBlocked(phone, channel)
    const served = phones.filter((phone) => !isBlocked(phone))
    if (!account.charge(price * served.length)) {
      return refuse('credits', 'The account does not have enough credits.')
    }
    const group = { ...contentOf(), groupId: randomUUID(), channel }
    return phones.map((phone) => {
      const at = now(phone)
      const blocked = isBlocked(phone)
      const timeline: readonly Step[] = blocked ? [{ at, state: 'blocked' }] : timelineOf(phone, at)
      const refund = refundedAt(timeline)
      if (refund !== undefined) account.refund({ credits: price, at: refund, phone })
      const message = { ...group, id: randomUUID(), phone, credits: blocked ? 0 : price, at, timeline }
      messages.deliver(message)
      return message
    })
  }
}
