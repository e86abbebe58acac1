import { createBoundedMap } from './bounded-memory.js'
import { digitsOf, wholeNumber } from './numbers.js'
import { arrives, type Message, type MessageState, stateAt } from './timeline.js'

export const codeStates = ['live', 'used', 'replaced', 'expired', 'blocked', 'undelivered'] as const

/** State of a code: only a `live` code can still succeed. */
export type CodeState = (typeof codeStates)[number]

/** An SMS or a call as the person receives it. */
export interface InboxMessage {
  /** For `inbox.delete` and for `after`. */
  readonly id: string
  /** `sms` for a text, `call` for a call. */
  readonly channel: 'sms' | 'call'
  /** The text, or the words of the call. */
  readonly text: string
  /** The code in the message: from a two-factor operation, or found in the text of an ordinary message. */
  readonly code?: string
  /** State of the code. */
  readonly codeState?: CodeState
  /**
   * Sandbox time at which the code expires, in ms. Absent for ordinary messages, because only the app knows the
   * lifetime.
   */
  readonly codeExpiresAt?: number
  /** Number in E.164. */
  readonly phone: string
  /** The app name of the code. Absent for ordinary messages. */
  readonly appName?: string
  /** Sandbox time of the send, in ms. */
  readonly at: number
  /** Delivery state. */
  readonly state: MessageState
}

/** The state of a message's code. */
export type CodeStatus = Required<Pick<InboxMessage, 'codeState'>> & Pick<InboxMessage, 'codeExpiresAt'>

/** A message with a code. */
export type CodeMessage = InboxMessage & {
  /** The code as the person would type it. */
  readonly code: string
}

/** Selects the message to wait for. */
export interface WaitOptions {
  /** Longest wait, in ms of real time. Default: 5,000. */
  readonly timeoutMs?: number | undefined
  /** Only texts, or only calls. */
  readonly channel?: 'sms' | 'call' | undefined
  /** Only messages sent at this sandbox time or later, in ms. */
  readonly since?: number | undefined
  /** Only messages that arrived after the one with this id. */
  readonly after?: string | undefined
  /** If false, messages without a code also count. */
  readonly code?: boolean | undefined
}

/** Received messages. The newest 1,000 are kept. */
export interface Inbox {
  /**
   * Returns the newest message to a number: immediately if it exists, otherwise when it arrives. Messages that never
   * reach the person (blocked, rejected, not answered) do not count. Rejects with a `TimeoutError`.
   *
   * @example
   * const { code } = await sandbox.inbox.waitFor('+573001234567')
   */
  waitFor(phone: string, options: WaitOptions & { readonly code: false }): Promise<InboxMessage>
  /** Returns the newest message with a code. */
  waitFor(phone: string, options?: WaitOptions): Promise<CodeMessage>
  /** Returns messages, newest first; with digits, only messages to numbers that contain them. */
  list(phone?: string): readonly InboxMessage[]
  /** Removes one message. Returns whether it existed. */
  delete(id: string): boolean
  /** Removes all messages, or messages to numbers that contain these digits. */
  clear(phone?: string): void
}

export type MessageStore = ReturnType<typeof createMessageStore>

interface MessageStoreParts {
  readonly now: (phone: string) => number
  readonly codeStatusOf: (message: Message) => CodeStatus | undefined
  readonly changed: () => void
  /** Called with every message when it arrives. */
  readonly onMessage?: ((message: InboxMessage) => void) | undefined
}

const maxMessages = 1_000
const defaultTimeoutMs = 5_000

export function createMessageStore({ now, codeStatusOf, changed, onMessage }: MessageStoreParts) {
  const filed = createBoundedMap<Message>(maxMessages)
  /** Called with every message when it arrives, and without a message when the sandbox closes. */
  const waiters = new Set<(message?: Message) => void>()

  function view(message: Message): InboxMessage {
    const { id, channel, text, code, phone, appName, at, timeline } = message
    return {
      id,
      channel,
      text,
      ...(code !== undefined && { code }),
      ...codeStatusOf(message),
      phone: `+${digitsOf(phone)}`,
      ...(appName !== undefined && { appName }),
      at,
      state: stateAt(timeline, now(phone)),
    }
  }

  function first(
    isWanted: (message: Message) => boolean,
    timeoutMs: number,
    missed: string,
  ): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(() => reject(new DOMException(missed, 'TimeoutError'))), timeoutMs)
      function end(settle: () => void): void {
        clearTimeout(timer)
        waiters.delete(offer)
        settle()
      }
      function offer(message?: Message): void {
        if (message === undefined) end(() => reject(new DOMException('The sandbox was closed', 'AbortError')))
        else if (isWanted(message)) end(() => resolve(message))
      }
      waiters.add(offer)
    })
  }

  async function waitFor(phone: string, options: WaitOptions = {}): Promise<CodeMessage> {
    checkWait(phone, options)
    const { timeoutMs = defaultTimeoutMs, channel, since = 0, after, code = true } = options
    const isWanted = (message: Message) =>
      digitsOf(message.phone) === digitsOf(phone) &&
      (channel === undefined || message.channel === channel) &&
      message.at >= since &&
      (!code || message.code !== undefined) &&
      arrives(message.timeline)
    const messages = filed.newestFirst()
    const index = messages.findIndex(({ id }) => id === after)
    const newer = index < 0 ? messages : messages.slice(0, index)
    const what = code ? 'message with a code' : 'message'
    const missed = `inbox.waitFor: no ${what} reached ${phone} within ${timeoutMs} ms`
    return view(newer.find(isWanted) ?? (await first(isWanted, timeoutMs, missed))) as CodeMessage
  }

  /** Returns the matches of a search, to numbers that contain these digits, newest first. Default: all messages. */
  const search = (text = '', phone = '') =>
    filed
      .newestFirst()
      .filter((message) => digitsOf(message.phone).includes(digitsOf(phone)) && matches(message, text))

  return {
    waitFor,
    list: (phone?: string) => search('', phone).map(view),
    delete(id: string): boolean {
      const wasThere = filed.delete(id)
      changed()
      return wasThere
    },
    /** Removes all messages, messages to numbers with these digits, or the matches of a search. */
    clear(phone?: string, text?: string): void {
      for (const { id } of search(text, phone)) filed.delete(id)
      changed()
    },
    deliver(message: Message): void {
      filed.set(message.id, message)
      for (const offer of waiters) offer(message)
      onMessage?.(view(message))
      changed()
    },
    /** Returns the messages of a group, or the message with this id, oldest first. */
    find: (id: string) =>
      filed.oldestFirst().filter((message) => message.groupId === id || message.id === id),
    search,
    view,
    close(): void {
      for (const offer of waiters) offer()
    },
  }
}

/** Searches the text, the app name and, if the search can be part of a number, the number. */
function matches({ text, appName = '', phone }: Message, search: string): boolean {
  const wanted = search.trim().toLowerCase()
  const digits = /^\+?[\d\s().-]+$/.test(wanted) ? digitsOf(wanted) : ''
  return (
    text.toLowerCase().includes(wanted) ||
    appName.toLowerCase().includes(wanted) ||
    (digits !== '' && digitsOf(phone).includes(digits))
  )
}

function checkWait(phone: string, { timeoutMs = 0, channel = 'sms', since = 0 }: WaitOptions): void {
  if (typeof phone !== 'string' || !wholeNumber.test(phone)) {
    throw new TypeError('inbox.waitFor: the first argument must be one whole number, such as +573001234567')
  }
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 0) {
    throw new TypeError('inbox.waitFor: timeoutMs must be a non-negative integer')
  }
  if (channel !== 'sms' && channel !== 'call') {
    throw new TypeError("inbox.waitFor: channel must be 'sms' or 'call'")
  }
  if (!Number.isFinite(since)) throw new TypeError('inbox.waitFor: since must be a sandbox time in ms')
}
