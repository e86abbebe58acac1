import type { BrowserFields, ChallengeFields, ExchangeFields } from '../../events.js'
import type { Refusal, RequesterContext } from '../commands.js'
import type { ExchangeContext } from '../exchange/exchanges.js'
import { hashId } from '../keys.js'
import type { BrowserKind, Challenge, LedgerSnapshot, RequesterTag } from '../ledger/ledger.js'
import type { LedgerHandle } from '../ledger/ledgers.js'
import type { RateLimitKeys } from '../rate-limits/counter-table.js'
import type { Factor, PhoneFactor } from './factors.js'

/** An account during one request: its ledger, its requester and its factors. */
export interface Account extends RateLimitKeys, Pick<RequesterContext, 'browser' | 'onGone'> {
  readonly ledger: LedgerHandle
  readonly factors: readonly [Factor, ...Factor[]]
  /** True if the user may have several destinations. */
  readonly hasChoice: boolean
}

/** Input of a ledger decision: snapshot and requester. */
export interface DecisionContext {
  readonly snapshot: LedgerSnapshot
  readonly requester: RequesterTag
}

/** Sends of this account whose codes are the last ones of their number, by the key of the factor. */
export type LastSends = Readonly<Record<string, readonly string[]>>

/**
 * Loads the input of a decision. The reads start together, which is one round trip to a network store. `check` returns
 * a refusal of the counters.
 */
export async function loadDecisionContext(
  { session, browser, record, visitor }: RequesterContext,
  { ledger }: Pick<Account, 'ledger'>,
  check?: () => Promise<Refusal | undefined>,
  findLastSends?: () => Promise<LastSends | undefined>,
) {
  const [snapshot, isKnown, revocationId, owner, refusal, lastSends] = await Promise.all([
    ledger.read(),
    browser?.isKnown(),
    record?.readRevocationId(),
    visitor?.read(),
    check?.(),
    findLastSends?.(),
  ])
  const browserKind = isKnown === true ? 'known' : 'unknown'
  const requester: RequesterTag = { browserKind, session: hashId(owner ?? session), revocationId }
  return { snapshot, requester, refusal, lastSends }
}

/**
 * Returns the kind of a browser for the counters of one number. It is unknown there until a code that was sent to this
 * number was correct, because an attacker may be known at accounts of their own that carry the number.
 */
export const browserKindAt = async (
  { browser }: Pick<RequesterContext, 'browser'>,
  { phone }: PhoneFactor,
): Promise<BrowserKind> => ((await browser?.isKnownAt(phone)) === true ? 'known' : 'unknown')

/** Returns the fields of a browser for events and grants. Empty if browsers are not tracked. */
export const browserFields = (
  { browser }: Pick<Account, 'browser'>,
  { browserKind }: Pick<RequesterTag, 'browserKind'>,
): BrowserFields => (browser?.isTracked ? { browser: browserKind === 'known' ? 'known' : 'new' } : {})

/** Returns the context of a request to the provider: queue, client and the key under which its handle is sealed. */
export const exchangeContextOf = ({ lane, key, onGone }: Account, factor: Factor): ExchangeContext => ({
  lane,
  onGone,
  key: `${key} ${factor.key}`,
})

/** Returns the fields of a challenge event, with the facts about the request to its provider. */
export function challengeFields<Exchange extends ExchangeFields>(
  { lane, subject }: Account,
  { country }: Factor,
  { purpose, channel, id: challengeId }: Challenge,
  exchange?: Exchange,
): ChallengeFields & Exchange {
  return { lane, purpose, channel, challengeId, subject, country, ...(exchange as Exchange) }
}
