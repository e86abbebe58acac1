import type { CodeState } from './code-state.js'
import type { MessageState } from './timeline.js'

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
