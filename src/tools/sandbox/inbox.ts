import { createBoundedMap } from './bounded-memory.js'
import { digitsOf, wholeNumber } from './numbers.js'
import { arrives, type Message, type MessageState, stateAt } from './timeline.js'

export const codeStates = ['live', 'used', 'replaced', 'expired', 'blocked', 'undelivered'] as const

/** What has become of a code: only a `live` one is still worth typing. */
export type CodeState = (typeof codeStates)[number]

/** An SMS or a call as its reader sees it. */
export interface InboxMessage {
  /** For `inbox.delete` and for `after`. */
  readonly id: string
  /** Whether it is a text or a call. */
  readonly channel: 'sms' | 'call'
  /** The text, or what the call says. */
  readonly text: string
  /** The code that it carries: that of a two-factor operation, or one found in the text of an ordinary message. */
  readonly code?: string
  /** What has become of the code. */
  readonly codeState?: CodeState
  /** Sandbox time at which the code expires, in ms; absent for ordinary messages, whose codes only the app knows. */
  readonly codeExpiresAt?: number
  /** E.164. */
  readonly phone: string
  /** The app name of the code; an ordinary message has none. */
  readonly appName?: string
  /** Sandbox time of the send, in ms. */
  readonly at: number
  /** How far it has come. */
  readonly state: MessageState
}

/** The part of a message that tells what has become of its code. */
export type CodeStatus = Required<Pick<InboxMessage, 'codeState'>> & Pick<InboxMessage, 'codeExpiresAt'>

/** A message that carries a code. */
export type CodeMessage = InboxMessage & {
  /** As the person would type it. */
  readonly code: string
}

/** Which message to wait for. */
export interface WaitOptions {
  /** How long to wait, in ms of real time; 5,000 by default. */
  readonly timeoutMs?: number | undefined
  /** Only texts, or only calls. */
  readonly channel?: 'sms' | 'call' | undefined
  /** Only messages sent at this sandbox time or later, in ms. */
  readonly since?: number | undefined
  /** Only messages that arrived after the one with this id. */
  readonly after?: string | undefined
  /** False accepts messages without a code too. */
  readonly code?: boolean | undefined
}

/** What arrived on the phones. The newest 1,000 messages are kept. */
export interface Inbox {
  /**
   * The newest message to a number: at once if it is there, otherwise when it arrives. Messages that never
   * reach the person (blocked, rejected, not answered) do not count. Rejects with a `TimeoutError`.
   *
   * @example
   * const { code } = await sandbox.inbox.waitFor('+573001234567')
   */
  waitFor(phone: string, options: WaitOptions & { readonly code: false }): Promise<InboxMessage>
  /** The newest message that carries a code. */
  waitFor(phone: string, options?: WaitOptions): Promise<CodeMessage>
  /** Newest first; only those to numbers that contain these digits when some are given. */
  list(phone?: string): readonly InboxMessage[]
  /** Removes one message. Returns whether it was there. */
  delete(id: string): boolean
  /** Removes all messages, or those to numbers that contain these digits. */
  clear(phone?: string): void
}

export type MessageStore = ReturnType<typeof createMessageStore>

interface MessageStoreParts {
  readonly now: (phone: string) => number
  readonly codeStatusOf: (message: Message) => CodeStatus | undefined
  readonly changed: () => void
  /** Called with every message as it arrives. */
  readonly onMessage?: ((message: InboxMessage) => void) | undefined
}

const maxMessages = 1_000
const defaultTimeoutMs = 5_000

export function createMessageStore({ now, codeStatusOf, changed, onMessage }: MessageStoreParts) {
  const filed = createBoundedMap<Message>(maxMessages)
  /** Called with every message as it arrives; with none when the sandbox is closed. */
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

  /** What matches a search, to numbers that contain these digits, newest first; all of them by default. */
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
    /** Removes all messages, those to numbers with these digits, or those that match a search. */
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
    /** The messages of a group, or the one message with this id, oldest first. */
    find: (id: string) =>
      filed.oldestFirst().filter((message) => message.groupId === id || message.id === id),
    search,
    view,
    close(): void {
      for (const offer of waiters) offer()
    },
  }
}

/** Finds a search in the text, the app name or, when it can be part of a number, the number. */
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
