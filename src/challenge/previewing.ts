import type { Preview, StartCommand } from './commands.js'
import type { Ledgers } from './ledger/ledgers.js'
import { outlook } from './ledger/outlook.js'
import type { Purposes } from './purposes.js'
import type { Targets } from './targets.js'

/** Preview: how a start stands before a page offers it. Asks the ledger only, and changes nothing. */
export function createPreview(parts: {
  readonly ledgers: Ledgers
  readonly targets: Targets
  readonly purposes: Purposes
}) {
  const { ledgers, targets, purposes } = parts

  return async function preview(command: StartCommand): Promise<Preview> {
    const target = await targets.of(command)
    if ('outcome' in target) return { refusal: target, expired: false, untypedSince: 0 }
    const [{ ledger, now }, acting] = await Promise.all([ledgers.read(target.key), target.acting()])
    const { purpose, bound } = command
    const channel = command.channel ?? purposes.find(purpose)?.channels[0] ?? 'sms'
    const binding = { ...target.who, ...acting, purpose, bound }
    return outlook(ledger, { sendId: '', challengeId: '', binding, channel }, now, target.limits)
  }
}
