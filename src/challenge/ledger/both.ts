import { all, andThen } from '../../lib/awaitable.js'
import type { Command, LedgerInHand, LedgerView } from './ledgers.js'

/**
 * The ledger of a number and that of its subject as one. What both have to allow is booked in the one first, and
 * taken back where the other refuses: of parallel requests at several numbers one gets an attempt (brute force).
 */
export function both(own: LedgerInHand, shared: LedgerInHand): LedgerInHand {
  return {
    read: () => andThen(all([own.read(), shared.read()]), ([seen, also]) => ({ ...seen, shared: also })),
    async run(command, undo) {
      const decided = await own.run(command)
      if (undo !== undefined && !isGranted(decided.outcome)) return decided
      const takeBack = async () => undo && own.run(undo(decided.outcome))
      const inShared: typeof command = (ledger, now, limits) => command(ledger, now, limits, true)
      const also = await (async () => shared.run(inShared))().catch(async (error: unknown) => {
        await takeBack()
        throw error
      })
      if (!isGranted(also.outcome)) await takeBack()
      return { ...decided, outcome: worse(decided.outcome, also.outcome), shared: also }
    },
  }
}

/** What a command would come to, by what was read. */
export function planned<Outcome>({ shared, ...own }: LedgerView, command: Command<Outcome>): Outcome {
  const { outcome } = command(own.ledger, own.now, own.limits, false)
  if (shared === undefined || !isGranted(outcome)) return outcome
  return worse(outcome, command(shared.ledger, shared.now, shared.limits, true).outcome)
}

const isGranted = (outcome: unknown) => ['booked', 'reserved', 'approved'].includes(Object(outcome).outcome)

/** What the two come to: the refusal of either, and whatever an attempt did to either. */
function worse<Outcome>(own: Outcome, shared: Outcome): Outcome {
  if (isGranted(shared)) return own
  if (isGranted(own)) return shared
  const left = [own, shared].flatMap((outcome) => Object(outcome).attemptsRemaining ?? [])
  return { ...shared, ...own, ...(left.length > 0 && { attemptsRemaining: Math.min(...left) }) }
}
