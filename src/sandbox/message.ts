import type { Step } from './timeline.js'

/** An SMS or a call as the provider files it. */
export interface Message {
  readonly id: string
  readonly groupId: string
  readonly channel: 'sms' | 'call'
  /** The number as the request wrote it. */
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
