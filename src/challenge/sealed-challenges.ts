import { type ChallengeRef, type Refusal, refused } from './commands.js'
import type { Secrets } from './keys.js'
import { findLiveChallenge } from './ledger/challenge.js'
import type { Challenge } from './ledger/ledger.js'
import { firstPurpose, type Purposes } from './purposes.js'
import type { Account, DecisionContext } from './reach/decision-context.js'
import { type Destination, type Factor, findDestinations, isPhone, isTotp } from './reach/factors.js'
import { newChallengeId } from './updater.js'

// Challenges for which nothing is sent, of an authenticator app or passkeys. Starting one writes nothing: an attacker with
// only the password could start any number of them in the record that sign-ins share. The browser holds the sealed
// challenge instead.

/** The challenge of a submitted code, with its factor. */
export interface PendingChallenge {
  readonly challenge: Challenge
  readonly factor: Factor
  /** Id as the client has it. Absent if it is the challenge's own id. */
  readonly id?: string | undefined
  /** The sealed challenge, which is in no ledger. */
  readonly sealed?: Challenge | undefined
  /** The displayed challenge by its own id. */
  readonly displayed: ChallengeRef
}

type SealedFields = Pick<
  Challenge,
  'id' | 'session' | 'revocationId' | 'purpose' | 'bound' | 'factor' | 'channel' | 'details' | 'lifetimeMs'
> & {
  readonly endsAt: number
}

/** Creates a challenge of this requester with the lifetime of a code. */
export function createSealedChallenge(
  { channel, factor }: Destination,
  order: Pick<Challenge, 'purpose' | 'bound' | 'details'>,
  { snapshot: { now, limits }, requester }: DecisionContext,
): Challenge {
  const lifetimeMs = limits.codeLifetimeMs
  const ends = { endsAt: now + lifetimeMs, lifetimeMs }
  return challengeFrom({ id: newChallengeId(), ...requester, ...order, factor: factor.key, channel, ...ends })
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
  /** Opens a sealed challenge of this account, while its factor is on file. */
  function open(account: Account, id: string | undefined): PendingChallenge | undefined {
    const text = id && secrets.open('challenge', id, account.key)
    if (!text) return undefined
    const challenge = challengeFrom(JSON.parse(text))
    const factor = account.factors.find((one) => !isPhone(one) && one.key === challenge.factor)
    return factor && { challenge, factor, id, sealed: challenge, displayed: { challenge: challenge.id } }
  }

  return {
    open,

    /** Seals a challenge for the client. */
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
        lifetimeMs,
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
        lifetimeMs,
        endsAt,
      }
      return secrets.seal('challenge', JSON.stringify(kept), key)
    },

    /** Finds the named challenge, or the one whose code was sent to this session, while a code can be submitted. */
    findPendingChallenge(
      account: Account,
      displayed: ChallengeRef,
      { snapshot, requester }: DecisionContext,
    ): PendingChallenge | Refusal {
      const named = open(account, displayed.challenge)
      const live = findLiveChallenge(snapshot, requester, named?.challenge)
      if ('outcome' in live) return live
      if (named !== undefined) return { ...named, displayed: { ...displayed, ...named.displayed } }
      const factor = account.factors.find(({ key }) => key === live.factor)
      // A number that is no longer on file receives no code, and its last code proves nothing.
      return factor === undefined ? refused('challenge_gone') : { challenge: live, factor, displayed }
    },

    /** Creates the challenge of a code that names none, if none was sent: for its purpose, or for a sign-in. */
    createImpliedChallenge(
      account: Account,
      { challenge: id, purpose = firstPurpose, bound }: ChallengeRef,
      context: DecisionContext,
    ): PendingChallenge | undefined {
      const { browserStartable, channels = [] } = purposes.find(purpose) ?? {}
      if (id !== undefined || browserStartable !== true) return undefined
      const [destination] = findDestinations(account.factors.filter(isTotp), channels)
      if (destination === undefined) return undefined
      const challenge = createSealedChallenge(destination, { purpose, bound, details: undefined }, context)
      return {
        challenge,
        factor: destination.factor,
        sealed: challenge,
        displayed: { challenge: challenge.id },
      }
    },
  }
}
