import { type PhoneNumber, parsePhoneNumber } from '../../phone-number.js'
import { type Actor, type ChallengeView, type Refusal, refused } from '../commands.js'
import type { Channel, Details } from '../exchange/code-provider.js'
import type { Basis } from '../keys.js'
import { guessesLeft } from '../ledger/guessing.js'
import type { Challenge } from '../ledger/ledger.js'
import { createLedgers } from '../ledger/ledgers.js'
import { resendableAt, resendableBy } from '../ledger/pacing.js'
import { deliveryOf } from '../ledger/sends.js'
import { type Limits, ledgerLimitsOf } from '../limits.js'
import type { Purposes } from '../purposes.js'
import type { Unsent } from '../sealed-challenges.js'
import type { Account, Seen } from './account.js'
import { allNumbers, mayHaveSeveral, type NumberOnFile } from './destinations.js'
import { appPlace, isNumber, maskedIn, numberPlace, type Place, type Way, wayId, waysTo } from './factors.js'

export type Accounts = ReturnType<typeof createAccounts>

/** The accounts at sign-in, and at sign-up the numbers, each with its one ledger. */
export function createAccounts(
  parts: Basis & {
    readonly limits: Limits
    readonly purposes: Purposes
    readonly unsent: Unsent
    readonly countries: readonly string[] | 'any'
    /** How long a browser is known; 0 where none is. */
    readonly knownMaxAgeMs: number
  },
) {
  const { keys, secrets, purposes, unsent, countries } = parts
  const openLedger = createLedgers(parts)
  // Where there is one country to sign up from, its numbers need no country code.
  const onlyCountry = countries !== 'any' && countries.length === 1 ? countries[0] : undefined
  const limits = {
    auth: ledgerLimitsOf(parts.limits, 'auth', parts.knownMaxAgeMs > 0),
    enrol: ledgerLimitsOf(parts.limits, 'enrol'),
  }

  async function placeOf(actor: Actor, { phone, methods, label }: NumberOnFile): Promise<Place | Refusal> {
    /** By a visitor: not what the host has on file. */
    const isTyped = actor.lane === 'enrol'
    const defaultCountry = actor.country ?? (isTyped ? onlyCountry : undefined)
    const parsed = await parsePhoneNumber(phone, { countries, mobileOnly: isTyped, defaultCountry })
    if (parsed.ok) {
      const { phone: number, country } = parsed
      return numberPlace({ key: keys.number(number), phone: number, country, label }, methods)
    }
    const { refusal: reason } = parsed
    const isUnreadable = reason === 'not-a-number' || reason === 'wrong-length'
    if (isTyped) return { ...refused(isUnreadable ? 'invalid_request' : 'destination_not_allowed'), reason }
    return { ...refused('destination_not_allowed'), untold: reason }
  }

  /** All that this one can be reached at; the refusal of the first number, where nothing can be read. */
  async function placesOf(actor: Actor): Promise<Account['places'] | Refusal> {
    const found: Place[] = []
    let refusal: Refusal | undefined
    for (const number of allNumbers(actor)) {
      const one = await placeOf(actor, number)
      if ('outcome' in one) refusal ??= one
      else found.push(one)
    }
    if (actor.secret !== undefined) found.push(appPlace(actor.secret))
    const [first, ...others] = found
    return first === undefined ? (refusal ?? refused('no_phone')) : [first, ...others]
  }

  /** What the person was shown when this challenge began. */
  function detailsOf({ key }: Account, { details }: Challenge): Details | undefined {
    const opened = details && secrets.open('details', details, key)
    return opened ? JSON.parse(opened) : undefined
  }

  return {
    /** The ledger of an account. */
    ledgerOf: (subject: string) => openLedger(keys.account(subject), limits.auth),
    /** The ledger of a number at sign-up. */
    enrolledLedgerOf: (phone: PhoneNumber) => openLedger(keys.enrolled(keys.number(phone)), limits.enrol),

    async open(actor: Actor): Promise<Account | Refusal> {
      const { lane = 'auth', subject, session, address, proxied = false, onGone } = actor
      const places = await placesOf(actor)
      if ('outcome' in places) return places
      const [{ key: number, country }] = places
      const key = lane === 'enrol' ? keys.enrolled(number) : keys.account(subject)
      const counted = { lane, subject, session, address, proxied, country, key, onGone }
      const hasChoice = lane === 'auth' && mayHaveSeveral(actor)
      return { ...counted, ledger: openLedger(key, limits[lane]), places, hasChoice }
    },

    ways: (
      account: Account,
      channels: readonly Channel[],
      { last }: { readonly last?: Pick<Challenge, 'place' | 'channel'> | undefined },
    ): readonly Way[] =>
      waysTo(account.places, channels, last, account.hasChoice ? wayId(secrets, account) : undefined),

    /** As they are stored: nobody learns amount or payee from the store. */
    sealDetails: ({ key }: Account, details: Details) =>
      secrets.seal('details', JSON.stringify(details), key),
    detailsOf,

    /** `id`: as the person has it. */
    view(
      account: Account,
      place: Place,
      challenge: Challenge,
      { seen, who }: Seen,
      id = isNumber(place) ? challenge.id : unsent.seal(account, challenge),
    ): ChallengeView {
      const { purpose, channel, expiresAt } = challenge
      const details = detailsOf(account, challenge)
      const shown = {
        id,
        purpose,
        channel,
        destination: maskedIn(place),
        expiresAt,
        ...(details && { details }),
      }
      if (!isNumber(place)) {
        const attemptsRemaining = guessesLeft(seen, who.rank)
        const none = { channels: [], resendAtBy: {}, delivery: 'sent' } as const
        return { ...shown, resendAt: seen.now, attemptsRemaining, ...none }
      }
      const channels = (purposes.find(purpose)?.channels ?? [channel]).filter((one) => place.takes(one))
      const moments = channels.map((one) => [one, resendableBy(seen, challenge, who.rank, one)] as const)
      return {
        ...shown,
        resendAt: resendableAt(seen, challenge, who.rank),
        attemptsRemaining: seen.limits.attemptsPerChallenge - challenge.attempts[who.rank],
        channels,
        resendAtBy: Object.fromEntries(moments),
        delivery: deliveryOf(seen, challenge),
      }
    },
  }
}
