import type { Channel } from '../../challenge/code-provider.js'
import { type ChallengeView, type Refusal, refused } from '../../challenge/commands.js'
import type { Purpose } from '../../challenge/purposes.js'
import type { Requirement } from './requirement.js'

/** Whether this names a way of proving who one is, such as `passkey`: a grant holds one, a guard asks for some. */
export function isMethodName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{1,32}$/.test(value)
}

/** What {@link isMethodName} asks for, as the end of the sentence "method …". */
export const methodNameRule =
  "must be 1 to 32 letters, digits, dots, hyphens or underscores, such as 'passkey'"

/** What a guard requires of the proof. */
type Demand = Pick<Requirement, 'methods' | 'details'> | undefined

/** The channels whose codes the guard accepts. */
export function acceptedChannels(channels: readonly Channel[], demand: Demand): readonly Channel[] {
  return channels.filter((channel) => demand?.methods?.includes(channel) ?? true)
}

/** The channel to send by. A code that the guard does not accept would be paid for in vain: SMS pumping. */
export function acceptedChannel(
  asked: Channel | undefined,
  channels: readonly Channel[],
  demand: Demand,
): { readonly outcome: 'accepted'; readonly channel: Channel | undefined } | Refusal {
  const methods = demand?.methods
  if (methods === undefined) return { outcome: 'accepted', channel: asked }
  const channel = acceptedChannels(channels, demand).find((one) => asked === undefined || asked === one)
  if (channel === undefined) return { ...refused('invalid_request'), methods }
  return { outcome: 'accepted', channel }
}

/** Whether a recovery code will do: a guard says so itself, else its purpose does. */
export function takesRecoveryCode(
  purpose: Pick<Purpose, 'recoveryCode'> | undefined,
  asked: Requirement | undefined,
): boolean {
  return asked?.recoveryCode ?? purpose?.recoveryCode !== undefined
}

/** Whether a requirement says more than its purpose does. */
export function saysMoreThanPurpose(asked: Requirement, purpose: Purpose | undefined): boolean {
  const { bound, details, methods, formId, recoveryCode } = asked
  return (
    recoveryCode !== takesRecoveryCode(purpose, undefined) ||
    [bound, details, methods, formId].some((particular) => particular !== undefined)
  )
}

/** The challenge as it is shown to a request that came with this demand. */
export function challengeFor(demand: Demand, challenge: ChallengeView): ChallengeView {
  const channels = acceptedChannels(challenge.channels, demand)
  const details = challenge.details ?? demand?.details
  return { ...challenge, channels, ...(details && { details }) }
}
