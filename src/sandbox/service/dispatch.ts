import { randomUUID } from 'node:crypto'
import type { Account } from '../account.js'
import { fixedResultOf } from '../fixed-numbers.js'
import type { Mailroom, Message } from '../inbox.js'
import { callTimeline, refundedAt, type Step, textTimeline } from '../timeline.js'
import { type Refusal, refuse } from './refusals.js'

/** What a call does besides speaking. */
interface CallManner {
  readonly attempts: number
  readonly leaveVoicemail: boolean
}

/** How a group of messages travels: as texts, or as calls of one manner. */
export type Carriage =
  | { readonly channel: 'sms'; readonly price: number }
  | { readonly channel: 'call'; readonly price: number; readonly manner: CallManner }

type Content = Pick<Message, 'text' | 'code' | 'appName' | 'voice' | 'audioCode' | 'requestId'>

/** A paid send: it only waits for what it says. */
interface Booking {
  /** Files one message per number, in one group. */
  send(content: Content): readonly [Message, ...Message[]]
}

/** Everything that leaves the provider leaves through here. */
export interface Dispatch {
  /** Takes the price of all messages, or refuses and takes nothing. Blocked numbers cost nothing. */
  book(phones: readonly [string, ...string[]], carriage: Carriage): Booking | Refusal
}

export function createDispatch(account: Account, mailroom: Mailroom, now: () => number): Dispatch {
  function timelineOf(phone: string, carriage: Carriage): readonly Step[] {
    return carriage.channel === 'sms'
      ? textTimeline(phone, now())
      : callTimeline(phone, now(), carriage.manner)
  }

  return {
    book(phones, carriage) {
      const { channel, price } = carriage
      if (phones.some((phone) => fixedResultOf(phone) === 'refused')) {
        return refuse('destination', 'The destination is not served.')
      }
      const isBlocked = (phone: string) => account.isBlocked(phone, channel)
      const served = phones.filter((phone) => !isBlocked(phone))
      if (!account.charge(price * served.length)) {
        return refuse('credits', 'The account has not enough credits.')
      }

      function file(phone: string, groupId: string, content: Content): Message {
        const blocked = isBlocked(phone)
        const timeline: readonly Step[] = blocked
          ? [{ at: now(), state: 'blocked' }]
          : timelineOf(phone, carriage)
        const refund = refundedAt(timeline)
        if (refund !== undefined) account.refund(price, refund)
        const message = {
          ...content,
          id: randomUUID(),
          groupId,
          channel,
          phone,
          credits: blocked ? 0 : price,
          at: now(),
          timeline,
        }
        mailroom.deliver(message)
        return message
      }

      return {
        send(content) {
          const groupId = randomUUID()
          const [first, ...others] = phones
          return [file(first, groupId, content), ...others.map((phone) => file(phone, groupId, content))]
        },
      }
    },
  }
}
