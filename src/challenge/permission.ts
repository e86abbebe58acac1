import type { SendBudget } from './budgets/counters.js'
import type { Channel } from './code-provider.js'
import { type Refusal, refused, type SendCommand } from './commands.js'
import type { Challenge } from './ledger/ledger.js'
import { withoutNumbers } from './provider-answer.js'
import type { NumberTarget } from './targets.js'

/** The host's yes, and how it wants the code to go out; absent where it was not asked. */
interface Permitted {
  readonly outcome: 'permitted'
  readonly chosen?: Channel
}

const maxReasonLength = 200

/** Asks the host about a send that nothing else refuses. */
export async function permission(
  { subject, phone: destination }: NumberTarget,
  { channel, purpose }: Challenge,
  beforeSend: SendCommand['beforeSend'],
  /** The methods whose codes will do. */
  channels: readonly Channel[],
  { question, suspected }: SendBudget,
): Promise<Refusal | Permitted> {
  const { suspicion, refusal } = suspected(beforeSend !== undefined) ?? {}
  // SMS pumping: without a captcha to ask for, nobody passes while the country is suspected.
  if (beforeSend === undefined) return refusal ?? { outcome: 'permitted' }
  const planned = { subject, destination, channel, channels, purpose }
  // Cost: an assessment is billed, and whoever is sent nothing, or does not wait for the answer, can ask again.
  const tooMany = await question.take()
  if (tooMany !== undefined) return tooMany
  const said: unknown = await beforeSend(suspicion === undefined ? planned : { ...planned, suspicion })
  const { allow = said, method = channel, reason }: Readonly<Record<string, unknown>> = Object(said)
  // A method that this request does not take would be paid for in vain.
  const chosen = channels.find((accepted) => accepted === method)
  if (allow !== true || chosen === undefined) {
    const untold = typeof reason === 'string' && { untold: withoutNumbers(reason).slice(0, maxReasonLength) }
    return { ...refused('send_refused'), ...untold }
  }
  return { outcome: 'permitted', chosen }
}
