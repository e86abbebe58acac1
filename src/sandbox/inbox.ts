import { createRecent } from './recent.js'
import { arrives, type MessageState, type Step, stateAt } from './timeline.js'
import { createWaiting } from './waiting.js'
import { digitsOf } from './wire-phone.js'

/** A text or call as the provider side files it. */
export interface Message {
  readonly id: string
  readonly groupId: string
  readonly channel: 'sms' | 'call'
  /** The number as the request spelled it. */
  readonly phone: string
  /** The text, or what the call says. */
  readonly text: string
  readonly code?: string
  readonly appName?: string
  readonly voice?: string
  readonly audioCode?: string
  readonly credits: number
  readonly at: number
  readonly timeline: readonly Step[]
  /** The logged request that caused it. */
  readonly requestId: string
}

/** A text or call as its reader sees it. */
export interface InboxMessage {
  readonly id: string
  readonly channel: 'sms' | 'call'
  /** The text, or what the call says. */
  readonly text: string
  /** The code that it carries: that of a two-factor operation, or one found in the text of an ordinary message. */
  readonly code?: string
  /** E.164. */
  readonly phone: string
  /** The app-name of the code; an ordinary message has none. */
  readonly appName?: string
  /** Sandbox time of the send, in ms. */
  readonly at: number
  readonly state: MessageState
}

export type CodeMessage = InboxMessage & { readonly code: string }

export interface WaitOptions {
  /** How long to wait, in real time; 5,000 by default. */
  readonly timeoutMs?: number
  readonly channel?: 'sms' | 'call'
  /** Only messages sent at this sandbox time or later, in ms. */
  readonly since?: number
  /** False takes messages without a code too. */
  readonly code?: boolean
}

/** What arrived on the phones. The newest 1,000 texts and calls are kept. */
export interface Inbox {
  /**
   * The newest message to a number, at once if it is there, else when it arrives. What never reaches the
   * person (blocked, rejected, not answered) does not count. Rejects when the time is over.
   *
   * @example
   * const { code } = await sandbox.inbox.waitFor('+573001234567')
   */
  waitFor(phone: string, options: WaitOptions & { readonly code: false }): Promise<InboxMessage>
  waitFor(phone: string, options?: WaitOptions): Promise<CodeMessage>
  /** Newest first; only of numbers with these digits when some are given. */
  list(phone?: string): readonly InboxMessage[]
  /** Removes one message. Answers whether it was there. */
  delete(id: string): boolean
  /** Removes all messages, or those of numbers with these digits. */
  clear(phone?: string): void
}

export interface Mailroom extends Inbox {
  deliver(message: Message): void
  /** The messages of a group, or the one message with this id, oldest first. */
  find(id: string): readonly Message[]
  /** All messages as they are filed, newest first. */
  all(): readonly Message[]
  close(): void
}

const mostMessages = 1_000
const defaultWaitMs = 5_000

export function createMailroom(now: () => number): Mailroom {
  const messages = createRecent<Message>(mostMessages)
  const waiting = createWaiting<Message>()
  const all = () => messages.values().reverse()
  const isTo = (digits: string) => (message: Message) => digitsOf(message.phone).includes(digits)

  function view(message: Message): InboxMessage {
    const { id, channel, text, code, appName, at, timeline } = message
    return {
      id,
      channel,
      text,
      ...(code !== undefined && { code }),
      phone: `+${digitsOf(message.phone)}`,
      ...(appName !== undefined && { appName }),
      at,
      state: stateAt(timeline, now()),
    }
  }

  async function waitFor(phone: string, options: WaitOptions = {}): Promise<CodeMessage> {
    checkWait(phone, options)
    const { timeoutMs = defaultWaitMs, channel, since = 0, code = true } = options
    const fits = (message: Message) =>
      digitsOf(message.phone) === digitsOf(phone) &&
      (channel === undefined || message.channel === channel) &&
      message.at >= since &&
      (!code || message.code !== undefined) &&
      arrives(message.timeline)
    const what = code ? 'message with a code' : 'message'
    const missed = `inbox.waitFor: no ${what} reached ${phone} within ${timeoutMs} ms`
    const message = all().find(fits) ?? (await waiting.first(fits, timeoutMs, missed))
    return view(message) as CodeMessage
  }

  return {
    waitFor,
    list: (phone = '') =>
      all()
        .filter(isTo(digitsOf(phone)))
        .map(view),
    delete: (id) => messages.delete(id),
    clear(phone = '') {
      for (const { id } of all().filter(isTo(digitsOf(phone)))) messages.delete(id)
    },
    deliver(message) {
      messages.set(message.id, message)
      waiting.offer(message)
    },
    find: (id) => messages.values().filter((message) => message.groupId === id || message.id === id),
    all,
    close: waiting.close,
  }
}

function checkWait(phone: string, { timeoutMs = 0, channel = 'sms', since = 0 }: WaitOptions): void {
  if (typeof phone !== 'string' || digitsOf(phone) === '') {
    throw new TypeError('inbox.waitFor: the first argument is the phone number, such as +573001234567')
  }
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 0) {
    throw new TypeError('inbox.waitFor: timeoutMs must be a whole number of milliseconds')
  }
  if (channel !== 'sms' && channel !== 'call') throw new TypeError('inbox.waitFor: channel is sms or call')
  if (!Number.isFinite(since)) throw new TypeError('inbox.waitFor: since is a sandbox time in ms')
}
