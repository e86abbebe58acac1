import { fixedResultOf } from './numbers.js'

const textStates = ['sent', 'delivered', 'read', 'rejected', 'unreachable', 'blocked'] as const
const callStates = ['ringing', 'answered', 'no-answer', 'voicemail'] as const
export const messageStates = [...textStates, ...callStates] as const

/** The delivery state of an SMS or a call. */
export type MessageState = (typeof messageStates)[number]

/** A state of the message, with its first moment. */
export interface Step {
  readonly at: number
  readonly state: MessageState
}

const deliveredAfterMs = 2_000
const readAfterMs = 30_000
const answeredAfterMs = 3_000
const ringsForMs = 15_000
const callsAgainAfterMs = 45_000

/** Returns the states of an SMS sent now: sent, delivered, read, unless its number has a fixed result. */
export function textTimeline(phone: string, at: number): readonly Step[] {
  const sent: Step = { at, state: 'sent' }
  const fixed = fixedResultOf(phone)
  if (fixed === 'undelivered') return [sent]
  if (fixed === 'rejected' || fixed === 'unreachable') {
    return [sent, { at: at + deliveredAfterMs, state: fixed }]
  }
  return [sent, { at: at + deliveredAfterMs, state: 'delivered' }, { at: at + readAfterMs, state: 'read' }]
}

/** How a call is placed. */
export interface CallManner {
  readonly attempts: number
  readonly leaveVoicemail: boolean
}

/**
 * Returns the states of a call placed now: it rings, and the person answers at the first attempt, unless its number has
 * a fixed result.
 */
export function callTimeline(
  phone: string,
  at: number,
  { attempts, leaveVoicemail }: CallManner,
): readonly Step[] {
  const fixed = fixedResultOf(phone)
  const answeredAt = fixed === 'unanswered' ? undefined : fixed === 'answeredSecond' ? 2 : 1
  const steps: Step[] = []
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const ringsAt = at + (attempt - 1) * callsAgainAfterMs
    steps.push({ at: ringsAt, state: 'ringing' })
    if (attempt === answeredAt) return [...steps, { at: ringsAt + answeredAfterMs, state: 'answered' }]
    const last = attempt === attempts
    steps.push({ at: ringsAt + ringsForMs, state: last && leaveVoicemail ? 'voicemail' : 'no-answer' })
  }
  return steps
}

/** Returns the state at a moment. */
export function stateAt(timeline: readonly Step[], now: number): MessageState {
  return (timeline.findLast((step) => step.at <= now) ?? timeline[0])?.state ?? 'sent'
}

/** States of a message that has failed permanently. */
export const lostStates: readonly MessageState[] = ['rejected', 'unreachable', 'blocked', 'no-answer']

/** Returns whether the message has failed permanently by a moment: the person will never see it. */
export function undeliveredAt(timeline: readonly Step[], now: number): boolean {
  return nextStepAt(timeline, now) === undefined && lostStates.includes(stateAt(timeline, now))
}

/** Returns the next moment at which the state changes, if any. */
export function nextStepAt(timeline: readonly Step[], now: number): number | undefined {
  return timeline.find((step) => step.at > now)?.at
}

/** Returns whether the message finally reaches the person. */
export function arrives(timeline: readonly Step[]): boolean {
  const last = stateAt(timeline, Number.POSITIVE_INFINITY)
  return last !== 'sent' && !lostStates.includes(last)
}

/** Returns the moment of the refund, if any: the provider refunds rejected and unreachable messages. */
export function refundedAt(timeline: readonly Step[]): number | undefined {
  return timeline.find(({ state }) => state === 'rejected' || state === 'unreachable')?.at
}

/** An SMS or a call as the provider stores it. */
export interface Message {
  readonly id: string
  readonly groupId: string
  readonly channel: 'sms' | 'call'
  /** The number as in the request. */
  readonly phone: string
  /** The text, or the words of the call. */
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
