import type { ChallengeFields, ExchangeFields } from '../../events.js'
import { type Awaitable, all, andThen } from '../../lib/promises.js'
import type { Refusal, RequesterContext } from '../commands.js'
import type { ExchangeContext } from '../exchange/exchanges.js'
import { hashId } from '../keys.js'
import type { Challenge, LedgerSnapshot, NumberCount, RequesterTag } from '../ledger/ledger.js'
import type { LedgerHandle } from '../ledger/ledgers.js'
import type { RateLimitKeys } from '../rate-limits/counter-table.js'
import type { Factor } from './factors.js'

/** One ledger, who acts on it, and where its codes may come from. */
export interface Account extends RateLimitKeys, Pick<RequesterContext, 'onGone'> {
  readonly ledger: LedgerHandle
  readonly factors: readonly [Factor, ...Factor[]]
  /** Whether there may be something to choose among. */
  readonly hasChoice: boolean
}

/** What a decision on a ledger goes by besides the command. */
export interface DecisionContext {
  readonly snapshot: LedgerSnapshot
  readonly requester: RequesterTag
}

/** What each of these numbers has had in its day, by the keys of their places. */
export type NumberCounts = Readonly<Record<string, NumberCount>>

/** Issued together: over a network store that is one round trip. `check`: what refuses by the counters, if anything. */
export function loadDecisionContext(
  { session, browser, record, visitor }: RequesterContext,
  { ledger }: Pick<Account, 'ledger'>,
  check?: () => Awaitable<Refusal | undefined>,
  count?: () => Awaitable<NumberCounts>,
) {
  const reads = [
    ledger.read(),
    browser?.isKnown(),
    record?.read(),
    visitor?.read(),
    check?.(),
    count?.(),
  ] as const
  return andThen(all(reads), ([snapshot, isKnown, revocationId, owner, refusal, counts]) => {
    const browserKind = isKnown === true ? ('known' as const) : ('unknown' as const)
    const requester: RequesterTag = { browserKind, session: hashId(owner ?? session), revocationId }
    return { snapshot, requester, refusal, counts }
  })
}

/** Who is asked about a code of this place, and under which name its handle is sealed. */
export const exchangeContextOf = ({ lane, key, onGone }: Account, factor: Factor): ExchangeContext => ({
  lane,
  onGone,
  key: `${key} ${factor.key}`,
})

/** What every event of a challenge reports, and what is known of the exchange with its provider. */
export function challengeFields<Exchange extends ExchangeFields>(
  { lane, subject }: Account,
  { country }: Factor,
  { purpose, channel, id: challengeId }: Challenge,
  exchange?: Exchange,
): ChallengeFields & Exchange {
  return { lane, purpose, channel, challengeId, subject, country, ...(exchange as Exchange) }
}
