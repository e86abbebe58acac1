import { createBoundedMap } from './bounded-map.js'
import type { CodeStatus } from './code-state.js'
import { digitsOf } from './digits.js'
import type { CodeMessage, Inbox, InboxMessage, WaitOptions } from './inbox.js'
import type { Message } from './message.js'
import { arrives, stateAt } from './timeline.js'
import { createWaiters } from './waiters.js'

export interface MessageStore extends Inbox {
  deliver(message: Message): void
  /** The messages of a group, or the one message with this id, oldest first. */
  find(id: string): readonly Message[]
  /** The messages that match a search, newest first: all of them when it is empty. */
  search(search: string): readonly Message[]
  view(message: Message): InboxMessage
  /** Removes what a search finds. */
  deleteMatching(search: string): void
  close(): void
}

export interface MessageStoreParts {
  readonly now: (phone: string) => number
  readonly codeStatusOf: (message: Message) => CodeStatus | undefined
  readonly changed: () => void
  /** Called with every message as it arrives. */
  readonly onMessage?: ((message: InboxMessage) => void) | undefined
}

const maxMessages = 1_000
const defaultTimeoutMs = 5_000

export function createMessageStore({
  now,
  codeStatusOf,
  changed,
  onMessage,
}: MessageStoreParts): MessageStore {
  const filed = createBoundedMap<Message>(maxMessages)
  const waiters = createWaiters<Message>()
  const all = () => filed.values().reverse()
  const isTo = (digits: string) => (message: Message) => digitsOf(message.phone).includes(digits)

  function view(message: Message): InboxMessage {
    const { id, channel, text, code, phone, appName, at, timeline } = message
    return {
      id,
      channel,
      text,
      ...(code !== undefined && { code, ...codeStatusOf(message) }),
      phone: `+${digitsOf(phone)}`,
      ...(appName !== undefined && { appName }),
      at,
      state: stateAt(timeline, now(phone)),
    }
  }

  async function waitFor(phone: string, options: WaitOptions = {}): Promise<CodeMessage> {
    checkWait(phone, options)
    const { timeoutMs = defaultTimeoutMs, channel, since = 0, after, code = true } = options
    const matches = (message: Message) =>
      digitsOf(message.phone) === digitsOf(phone) &&
      (channel === undefined || message.channel === channel) &&
      message.at >= since &&
      (!code || message.code !== undefined) &&
      arrives(message.timeline)
    const messages = all()
    const index = messages.findIndex(({ id }) => id === after)
    const newer = index < 0 ? messages : messages.slice(0, index)
    const what = code ? 'message with a code' : 'message'
    const missed = `inbox.waitFor: no ${what} reached ${phone} within ${timeoutMs} ms`
    return view(newer.find(matches) ?? (await waiters.first(matches, timeoutMs, missed))) as CodeMessage
  }

  function remove(messages: readonly Message[]): void {
    for (const { id } of messages) filed.delete(id)
    changed()
  }

  const search = (text: string) => all().filter(matching(text))
  return {
    waitFor,
    list: (phone = '') =>
      all()
        .filter(isTo(digitsOf(phone)))
        .map(view),
    delete(id) {
      const message = filed.get(id)
      remove(message === undefined ? [] : [message])
      return message !== undefined
    },
    clear: (phone = '') => remove(all().filter(isTo(digitsOf(phone)))),
    deliver(message) {
      filed.set(message.id, message)
      waiters.offer(message)
      onMessage?.(view(message))
      changed()
    },
    find: (id) => filed.values().filter((message) => message.groupId === id || message.id === id),
    search,
    view,
    deleteMatching: (text) => remove(search(text)),
    close: waiters.close,
  }
}

/** Finds a search in the text, the app name or, when it can be part of a number, the number. */
function matching(search: string): (message: Message) => boolean {
  const wanted = search.trim().toLowerCase()
  const digits = /^\+?[\d\s().-]+$/.test(wanted) ? digitsOf(wanted) : ''
  return ({ text, appName = '', phone }) =>
    text.toLowerCase().includes(wanted) ||
    appName.toLowerCase().includes(wanted) ||
    (digits !== '' && digitsOf(phone).includes(digits))
}

function checkWait(phone: string, { timeoutMs = 0, channel = 'sms', since = 0 }: WaitOptions): void {
  if (typeof phone !== 'string' || digitsOf(phone) === '') {
    throw new TypeError('inbox.waitFor: the first argument must be a phone number, such as +573001234567')
  }
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 0) {
    throw new TypeError('inbox.waitFor: timeoutMs must be a non-negative integer')
  }
  if (channel !== 'sms' && channel !== 'call') {
    throw new TypeError("inbox.waitFor: channel must be 'sms' or 'call'")
  }
  if (!Number.isFinite(since)) throw new TypeError('inbox.waitFor: since must be a sandbox time in ms')
}
