import type { Codes } from './codes.js'
import type { Message } from './message.js'
import { stateAt, undeliveredAt } from './timeline.js'

export const codeStates = ['live', 'used', 'replaced', 'expired', 'blocked', 'undelivered'] as const

/** What has become of a code: only a `live` one is still worth typing. */
export type CodeState = (typeof codeStates)[number]

export interface CodeStatus {
  readonly codeState: CodeState
  /** In the time of its number, in ms. */
  readonly codeExpiresAt?: number
}

/** What has become of the code of a two-factor operation; undefined for a message without one. */
export function codeStatusOf(message: Message, codes: Codes, now: number): CodeStatus | undefined {
  const { code, appName, phone, timeline } = message
  if (code === undefined) return undefined
  if (stateAt(timeline, now) === 'blocked') return { codeState: 'blocked' }
  if (undeliveredAt(timeline, now)) return { codeState: 'undelivered' }
  // Only the app that made this code knows how long it works.
  if (appName === undefined) return { codeState: 'live' }
  const issued = codes.find(phone, appName, code)
  if (issued === undefined) return { codeState: 'replaced' }
  if (issued.used) return { codeState: 'used' }
  return { codeState: now < issued.expiresAt ? 'live' : 'expired', codeExpiresAt: issued.expiresAt }
}
