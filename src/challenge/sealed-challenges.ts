import { type ChallengeRef, type Refusal, refused } from './commands.js'
import type { Secrets } from './keys.js'
import { findLiveChallenge } from './ledger/challenge.js'
import type { Challenge } from './ledger/ledger.js'
import { firstPurpose, type Purposes } from './purposes.js'
import type { Account, DecisionContext } from './reach/account.js'
import { type Destination, type Factor, findDestinations, isTotp } from './reach/factors.js'
import { newChallengeId } from './updater.js'

// A start at a place that judges its codes by itself writes nothing: whoever has only the password could start without
// end, on the record that sign-ins share. So its challenge is held by the browser, sealed, and any number may stand.

/** What a code is for, and where it comes from. */
export interface PendingChallenge {
  readonly challenge: Challenge
  readonly factor: Factor
  /** As the person has it; absent: by its own id. */
  readonly id?: string | undefined
  /** One that no ledger holds. */
  readonly sealed?: Challenge | undefined
  /** What the person was shown, by the challenge's own id. */
  readonly shown: ChallengeRef
}

type SealedFields = Pick<
  Challenge,
  'id' | 'session' | 'revocationId' | 'purpose' | 'bound' | 'factor' | 'channel' | 'details'
> & {
  readonly endsAt: number
}

/** Of the person who acts, for as long as a code lives. */
export function createSealedChallenge(
  { channel, factor }: Destination,
  order: Pick<Challenge, 'purpose' | 'bound' | 'details'>,
  { snapshot: { now, limits }, requester }: DecisionContext,
): Challenge {
  const endsAt = now + limits.codeLifetimeMs
  return challengeFrom({ id: newChallengeId(), ...requester, ...order, factor: factor.key, channel, endsAt })
}

function challengeFrom({ endsAt, ...kept }: SealedFields): Challenge {
  const ends = { expiresAt: endsAt, maxExpiresAt: endsAt }
  return { browserKind: 'unknown', ...kept, ...ends, attempts: { unknown: 0, known: 0 }, fixed: true }
}

export type SealedChallenges = ReturnType<typeof createSealedChallenges>

export function createSealedChallenges({
  secrets,
  purposes,
}: {
  readonly secrets: Secrets
  readonly purposes: Purposes
}) {
  /** Of this account, while its place is on file. */
  function opened(account: Account, id: string | undefined): PendingChallenge | undefined {
    const text = id && secrets.open('challenge', id, account.key)
    if (!text) return undefined
    const challenge = challengeFrom(JSON.parse(text))
    const factor = account.factors.filter(isTotp).find(({ key }) => key === challenge.factor)
    return factor && { challenge, factor, id, sealed: challenge, shown: { challenge: challenge.id } }
  }

  return {
    /** What the person holds of it. */
    seal({ key }: Account, challenge: Challenge): string {
      const {
        id,
        session,
        revocationId,
        purpose,
        bound,
        factor,
        channel,
        details,
        expiresAt: endsAt,
      } = challenge
      const kept: SealedFields = {
        id,
        session,
        revocationId,
        purpose,
        bound,
        factor,
        channel,
        details,
        endsAt,
      }
      return secrets.seal('challenge', JSON.stringify(kept), key)
    },

    /** The challenge that is named, else the one that was sent to this session, while a code may be typed for it. */
    findPendingChallenge(
      account: Account,
      shown: ChallengeRef,
      { snapshot, requester }: DecisionContext,
    ): PendingChallenge | Refusal {
      const named = opened(account, shown.challenge)
      const live = findLiveChallenge(snapshot, requester, named?.challenge)
      if ('outcome' in live) return live
      if (named !== undefined) return { ...named, shown: { ...shown, ...named.shown } }
      const factor = account.factors.find(({ key }) => key === live.factor)
      // A number that is no longer on file gets no further code, and its last one proves nothing.
      return factor === undefined ? refused('challenge_gone') : { challenge: live, factor, shown }
    },

    /** What a code is for that names no challenge, where none was sent: for what it says, else for a sign-in. */
    createImpliedChallenge(
      account: Account,
      { challenge: id, purpose = firstPurpose, bound }: ChallengeRef,
      known: DecisionContext,
    ): PendingChallenge | undefined {
      const { browserStartable, channels = [] } = purposes.find(purpose) ?? {}
      if (id !== undefined || browserStartable !== true) return undefined
      const [way] = findDestinations(account.factors.filter(isTotp), channels)
      if (way === undefined) return undefined
      const challenge = createSealedChallenge(way, { purpose, bound, details: undefined }, known)
      return { challenge, factor: way.factor, sealed: challenge, shown: { challenge: challenge.id } }
    },
  }
}
