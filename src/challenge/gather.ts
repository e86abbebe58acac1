import { type Awaitable, all, andThen } from '../lib/promises.js'
import type { Actor, Refusal } from './commands.js'
import { hashId } from './keys.js'
import type { Who } from './ledger/ledger.js'
import type { LedgerInHand, LedgerView } from './ledger/ledgers.js'

/** What a decision on a ledger goes by, besides the command. */
export interface Facts {
  readonly seen: LedgerView
  readonly who: Who
  /** What refuses by the counters, if anything. */
  readonly refusal: Refusal | undefined
}

/** Reads a ledger, who acts on it and what counts it. Issued together: over a network store that is one round trip. */
export function gather(
  { subject, session, browser, record, visitor }: Actor,
  ledger: Pick<LedgerInHand, 'read'>,
  counters: () => readonly Awaitable<Refusal | undefined>[] = () => [],
): Awaitable<Facts> {
  const reads = [ledger.read(), browser?.read(), record?.read(), visitor?.read(), ...counters()] as const
  return andThen(all(reads), ([seen, known, epoch, owner, ...refusals]) => ({
    seen,
    who: {
      budget: known?.isKnown === true ? 'known' : 'strangers',
      session: hashId(owner ?? session),
      subject: hashId(owner ?? subject),
      epoch,
    },
    refusal: refusals.find((refusal) => refusal !== undefined),
  }))
}
