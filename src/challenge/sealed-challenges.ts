import { type Refusal, refused, type Shown } from './commands.js'
import type { Secrets } from './keys.js'
import { challengeOf } from './ledger/challenge.js'
import type { Challenge } from './ledger/ledger.js'
import { firstPurpose, type Purposes } from './purposes.js'
import type { Account, Seen } from './reach/account.js'
import { judgesItself, type Place, type Way, waysTo } from './reach/factors.js'
import { newChallengeId } from './updater.js'

// A start at a place that judges its codes by itself writes nothing: whoever has only the password could start without
// end, on the record that sign-ins share. So its challenge is held by the browser, sealed, and any number may stand.

/** What a code is for, and where it comes from. */
export interface Awaited {
  readonly challenge: Challenge
  readonly place: Place
  /** As the person has it; absent: by its own id. */
  readonly id?: string | undefined
  /** One that no ledger holds. */
  readonly sealed?: Challenge | undefined
  /** What the person was shown, by the challenge's own id. */
  readonly shown: Shown
}

type Kept = Pick<
  Challenge,
  'id' | 'session' | 'epoch' | 'purpose' | 'bound' | 'place' | 'channel' | 'details'
> & {
  readonly endsAt: number
}

/** Of the person who acts, for as long as a code lives. */
export function unsentChallenge(
  { channel, place }: Way,
  order: Pick<Challenge, 'purpose' | 'bound' | 'details'>,
  { seen: { now, limits }, who }: Seen,
): Challenge {
  const endsAt = now + limits.codeLifetimeMs
  return challengeFrom({ id: newChallengeId(), ...who, ...order, place: place.key, channel, endsAt })
}

function challengeFrom({ endsAt, ...kept }: Kept): Challenge {
  const ends = { expiresAt: endsAt, maxExpiresAt: endsAt }
  return { rank: 'stranger', ...kept, ...ends, attempts: { stranger: 0, known: 0 }, fixed: true }
}

export type Unsent = ReturnType<typeof createUnsent>

export function createUnsent({
  secrets,
  purposes,
}: {
  readonly secrets: Secrets
  readonly purposes: Purposes
}) {
  /** Of this account, while its place is on file. */
  function opened(account: Account, id: string | undefined): Awaited | undefined {
    const text = id && secrets.open('challenge', id, account.key)
    if (!text) return undefined
    const challenge = challengeFrom(JSON.parse(text))
    const place = account.places.filter(judgesItself).find(({ key }) => key === challenge.place)
    return place && { challenge, place, id, sealed: challenge, shown: { challenge: challenge.id } }
  }

  return {
    /** What the person holds of it. */
    seal({ key }: Account, challenge: Challenge): string {
      const { id, session, epoch, purpose, bound, place, channel, details, expiresAt: endsAt } = challenge
      const kept: Kept = { id, session, epoch, purpose, bound, place, channel, details, endsAt }
      return secrets.seal('challenge', JSON.stringify(kept), key)
    },

    /** The challenge that is named, else the one that was sent to this session, while a code may be typed for it. */
    awaited(account: Account, shown: Shown, { seen, who }: Seen): Awaited | Refusal {
      const named = opened(account, shown.challenge)
      const live = challengeOf(seen, who, named?.challenge)
      if ('outcome' in live) return live
      if (named !== undefined) return { ...named, shown: { ...shown, ...named.shown } }
      const place = account.places.find(({ key }) => key === live.place)
      // A number that is no longer on file gets no further code, and its last one proves nothing.
      return place === undefined ? refused('challenge_gone') : { challenge: live, place, shown }
    },

    /** What a code is for that names no challenge, where none was sent: for what it says, else for a sign-in. */
    begun(
      account: Account,
      { challenge: id, purpose = firstPurpose, bound }: Shown,
      known: Seen,
    ): Awaited | undefined {
      const { browserStartable, channels = [] } = purposes.find(purpose) ?? {}
      if (id !== undefined || browserStartable !== true) return undefined
      const [way] = waysTo(account.places.filter(judgesItself), channels)
      if (way === undefined) return undefined
      const challenge = unsentChallenge(way, { purpose, bound, details: undefined }, known)
      return { challenge, place: way.place, sealed: challenge, shown: { challenge: challenge.id } }
    },
  }
}
