import type { Channel, Details } from './code-provider.js'
import type { ChallengeView } from './commands.js'
import type { Purpose } from './purposes.js'

/** What a proof has to be: what for, and what proves it. */
export interface Demand {
  readonly purpose: string
  /** Hash of the bound fields. Absent, none are bound: a proof for bound ones does not do. */
  readonly bound?: string | undefined
  /** Whether a trusted device is not enough: this is a step-up. */
  readonly requireCode?: boolean | undefined
  /** Whether a recovery code is enough. */
  readonly recoveryCode?: boolean | undefined
  /** The accepted methods; any when absent. */
  readonly methods?: readonly string[] | undefined
}

/** The same with what the person is shown of the action. */
type Described = Pick<Demand, 'methods'> & { readonly details?: Details | undefined }

/** The channels whose codes will do. */
export function acceptedChannels(
  channels: readonly Channel[],
  demand: Pick<Demand, 'methods'> | undefined,
): readonly Channel[] {
  return channels.filter((channel) => demand?.methods?.includes(channel) ?? true)
}

/** Whether a recovery code will do: a guard says so itself, else its purpose does. */
export function takesRecoveryCode(
  purpose: Pick<Purpose, 'recoveryCode'> | undefined,
  demand: Pick<Demand, 'recoveryCode'> | undefined,
): boolean {
  return demand?.recoveryCode ?? purpose?.recoveryCode !== undefined
}

/** The challenge as it is shown to a request that came with this demand. */
export function challengeFor(demand: Described | undefined, challenge: ChallengeView): ChallengeView {
  const channels = acceptedChannels(challenge.channels, demand)
  const details = challenge.details ?? demand?.details
  return { ...challenge, channels, ...(details && { details }) }
}
