import type { AboutChallenge, AboutExchange } from '../../events.js'
import { type Awaitable, all, andThen } from '../../lib/promises.js'
import type { Actor, Refusal } from '../commands.js'
import type { Asker } from '../exchange/exchanges.js'
import { hashId } from '../keys.js'
import type { Challenge, LedgerView, NumberCount, Who } from '../ledger/ledger.js'
import type { LedgerInHand } from '../ledger/ledgers.js'
import type { Counted } from '../rate-limits/counter-table.js'
import type { Place } from './factors.js'

/** One ledger, who acts on it, and where its codes may come from. */
export interface Account extends Counted, Pick<Actor, 'onGone'> {
  readonly ledger: LedgerInHand
  readonly places: readonly [Place, ...Place[]]
  /** Whether there may be something to choose among. */
  readonly hasChoice: boolean
}

/** What a decision on a ledger goes by besides the command. */
export interface Seen {
  readonly seen: LedgerView
  readonly who: Who
}

/** What each of these numbers has had in its day, by the keys of their places. */
export type Counts = Readonly<Record<string, NumberCount>>

/** Issued together: over a network store that is one round trip. `check`: what refuses by the counters, if anything. */
export function gather(
  { session, browser, record, visitor }: Actor,
  { ledger }: Pick<Account, 'ledger'>,
  check?: () => Awaitable<Refusal | undefined>,
  count?: () => Awaitable<Counts>,
) {
  const reads = [
    ledger.read(),
    browser?.isKnown(),
    record?.read(),
    visitor?.read(),
    check?.(),
    count?.(),
  ] as const
  return andThen(all(reads), ([seen, isKnown, epoch, owner, refusal, counts]) => {
    const rank = isKnown === true ? ('known' as const) : ('stranger' as const)
    const who: Who = { rank, session: hashId(owner ?? session), epoch }
    return { seen, who, refusal, counts }
  })
}

/** Who is asked about a code of this place, and under which name its handle is sealed. */
export const askerOf = ({ lane, key, onGone }: Account, place: Place): Asker => ({
  lane,
  onGone,
  key: `${key} ${place.key}`,
})

/** What every event of a challenge reports, and what is known of the exchange with its provider. */
export function about<Exchange extends AboutExchange>(
  { lane, subject }: Account,
  { country }: Place,
  { purpose, channel, id: challengeId }: Challenge,
  exchange?: Exchange,
): AboutChallenge & Exchange {
  return { lane, purpose, channel, challengeId, subject, country, ...(exchange as Exchange) }
}
