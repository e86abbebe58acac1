import { fixedResultOf } from './numbers.js'

const textStates = ['sent', 'delivered', 'read', 'rejected', 'unreachable', 'blocked'] as const
const callStates = ['ringing', 'answered', 'no-answer', 'voicemail'] as const
export const messageStates = [...textStates, ...callStates] as const

/** The delivery state of an SMS or a call. */
export type MessageState = (typeof messageStates)[number]

/** From this moment on the message is in this state. */
export interface Step {
  readonly at: number
  readonly state: MessageState
}

const deliveredAfterMs = 2_000
const readAfterMs = 30_000
const answeredAfterMs = 3_000
const ringsForMs = 15_000
const callsAgainAfterMs = 45_000

/** The states of an SMS sent now: sent, delivered, read, unless its number has a fixed result. */
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

/** The states of a call placed now: it rings and is answered at the first attempt, unless its number has a fixed result. */
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

/** The state at a moment. */
export function stateAt(timeline: readonly Step[], now: number): MessageState {
  return (timeline.findLast((step) => step.at <= now) ?? timeline[0])?.state ?? 'sent'
}

/** In these a message has failed for good. */
export const lostStates: readonly MessageState[] = ['rejected', 'unreachable', 'blocked', 'no-answer']

/** Whether the message has failed for good by a moment: the person will never see it. */
export function undeliveredAt(timeline: readonly Step[], now: number): boolean {
  return nextStepAt(timeline, now) === undefined && lostStates.includes(stateAt(timeline, now))
}

/** The next moment at which the state changes, if there is one. */
export function nextStepAt(timeline: readonly Step[], now: number): number | undefined {
  return timeline.find((step) => step.at > now)?.at
}

/** Whether the message reaches the person in the end. */
export function arrives(timeline: readonly Step[]): boolean {
  const last = stateAt(timeline, Number.POSITIVE_INFINITY)
  return last !== 'sent' && !lostStates.includes(last)
}

/** When the provider refunds the price, if it does: for what it could not deliver. */
export function refundedAt(timeline: readonly Step[]): number | undefined {
  return timeline.find(({ state }) => state === 'rejected' || state === 'unreachable')?.at
}

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
