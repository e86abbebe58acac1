import type { AboutChallenge } from '../events.js'
import { all, andThen } from '../lib/awaitable.js'
import { maskPhoneNumber, type PhoneNumber, parsePhoneNumber } from '../phone-number.js'
import type { Awaitable } from '../store/store.js'
import type { Counted } from './budgets/counter-table.js'
import type { Details } from './code-provider.js'
import { type Actor, type ChallengeView, type Refusal, refused } from './commands.js'
import { hashId, type Keys } from './keys.js'
import type { Challenge, Who } from './ledger/ledger.js'
import type { LedgerView } from './ledger/ledgers.js'
import { resendableAt } from './ledger/pacing.js'
import { type LedgerLimits, type Limits, ledgerLimitsOf } from './limits.js'
import type { Purposes } from './purposes.js'
import type { Secrets } from './secrets.js'

/** One number in one lane, and who acts on it. */
export interface Target extends Counted {
  readonly phone: PhoneNumber
  readonly limits: LedgerLimits
}

export interface Targets {
  of(actor: Actor): Promise<Target | Refusal>
  /** As they are stored: nobody learns amount or payee from the store. */
  sealDetails(target: Target, details: Details): string
  /** What the person was shown when this challenge began. */
  detailsOf(target: Target, challenge: Challenge): Details | undefined
  view(target: Target, challenge: Challenge, seen: LedgerView): ChallengeView
}

export function createTargets(parts: {
  readonly keys: Keys
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  readonly limits: Limits
  readonly purposes: Purposes
  readonly countries: readonly string[] | 'any'
  readonly browsersAreKnown: boolean
}): Targets {
  const { keys, secrets, purposes, countries } = parts
  // Where there is one country to sign up from, its numbers need no country code.
  const onlyCountry = countries !== 'any' && countries.length === 1 ? countries[0] : undefined
  const limitsOf = {
    auth: ledgerLimitsOf(parts.limits, 'auth'),
    enrol: ledgerLimitsOf(parts.limits, 'enrol'),
  }
  const limitsInBrowsers = { ...limitsOf, auth: ledgerLimitsOf(parts.limits, 'auth', parts.browsersAreKnown) }

  function detailsOf({ key }: Target, { details }: Challenge): Details | undefined {
    const opened = details && secrets.open('details', details, key)
    return opened ? JSON.parse(opened) : undefined
  }

  return {
    async of(actor) {
      const { lane = 'auth', subject, session, address, proxied = false, anonymous = false } = actor
      const defaultCountry = actor.country ?? (lane === 'enrol' ? onlyCountry : undefined)
      const parsed = await parsePhoneNumber(actor.phone, {
        countries,
        mobileOnly: lane === 'enrol',
        ...(defaultCountry === undefined ? {} : { defaultCountry }),
      })
      if (!parsed.ok) {
        const { refusal: reason } = parsed
        const mistyped = lane === 'enrol' && (reason === 'not-a-number' || reason === 'wrong-length')
        const refusal = refused(mistyped ? 'invalid_request' : 'destination_not_allowed')
        return lane === 'enrol' ? { ...refusal, reason } : { ...refusal, untold: reason }
      }
      return {
        lane,
        subject,
        anonymous,
        session,
        address,
        proxied,
        phone: parsed.phone,
        country: parsed.country,
        key: keys.ledger(lane, parsed.phone),
        limits: (actor.knownBrowser === undefined ? limitsOf : limitsInBrowsers)[lane],
      }
    },

    sealDetails: ({ key }, details) => secrets.seal('details', JSON.stringify(details), key),
    detailsOf,

    view(target, challenge, { ledger, now }) {
      const details = detailsOf(target, challenge)
      return {
        id: challenge.id,
        purpose: challenge.purpose,
        channel: challenge.channel,
        destination: maskPhoneNumber(target.phone),
        expiresAt: challenge.expiresAt,
        resendAt: resendableAt(ledger, challenge, now, target.limits),
        attemptsRemaining: target.limits.attemptsPerChallenge - challenge.attempts,
        channels: purposes.find(challenge.purpose)?.channels ?? [challenge.channel],
        ...(details && { details }),
      }
    },
  }
}

/** Who acts in which budget, and the last revocation: reads that the request began, awaited with that of the ledger. */
export function whoActs({ subject, session, ...actor }: Actor): Awaitable<Who> {
  return andThen(all([actor.knownBrowser, actor.epoch, actor.visitor]), ([isKnown, epoch, visitor]) => ({
    budget: isKnown === true ? 'known' : 'strangers',
    session: hashId(visitor ?? session),
    subject: hashId(visitor ?? subject),
    epoch,
  }))
}

/** What every event of a challenge reports. */
export function about(target: Target, challenge: Challenge): AboutChallenge {
  return {
    lane: target.lane,
    purpose: challenge.purpose,
    channel: challenge.channel,
    challengeId: challenge.id,
    subject: target.subject,
    country: target.country,
  }
}
