import {
  type PhoneNumber,
  type PhoneRefusal,
  parseNumberOnFile,
  parsePhoneNumber,
} from '../../phone-number.js'
import { type ChallengeView, type Refusal, type RequesterContext, refused } from '../commands.js'
import type { Channel, Details } from '../exchange/code-provider.js'
import type { DomainServices } from '../keys.js'
import { attemptsLeft } from '../ledger/challenge.js'
import { deliveryOf, hasNewerCode } from '../ledger/delivery.js'
import { guessesLeft } from '../ledger/guessing.js'
import type { Challenge } from '../ledger/ledger.js'
import { createLedgers } from '../ledger/ledgers.js'
import { resendableAt, resendableBy } from '../ledger/pacing.js'
import { type Limits, maxWrongSignatures, signInLimitsOf, signupLimitsOf } from '../limits.js'
import type { Purposes } from '../purposes.js'
import type { SealedChallenges } from '../sealed-challenges.js'
import type { Account, DecisionContext } from './decision-context.js'
import { allNumbers, mayHaveSeveral, type NumberOnFile } from './destinations.js'
import {
  createDestinationId,
  createPhoneFactor,
  createSignedFactor,
  createTotpFactor,
  type Destination,
  type Factor,
  findDestinations,
  isPhone,
  isSigned,
  maskFactor,
} from './factors.js'
import { challengeToSign } from './signer.js'

/** The number itself is mistyped, whatever the country is. */
const unreadableReasons: ReadonlySet<PhoneRefusal> = new Set(['not-a-number', 'wrong-length', 'not-assigned'])

/** Accounts whose unreadable number was reported. A migration that went wrong concerns all of them. */
const maxReported = 1_000

export type Accounts = ReturnType<typeof createAccounts>

/** Opens accounts at sign-in, and numbers at sign-up, each with its ledger. */
export function createAccounts(
  parts: DomainServices & {
    readonly limits: Limits
    readonly purposes: Purposes
    readonly sealedChallenges: SealedChallenges
    readonly countries: readonly string[] | 'any'
    /** Receives the country of a number on file that `countries` does not list, if it is known. */
    readonly onUnlisted?: ((country: string | undefined) => void) | undefined
    /** How long a browser stays known, in milliseconds. 0 if browsers are not tracked. */
    readonly knownMaxAgeMs: number
  },
) {
  const { keys, secrets, purposes, sealedChallenges, countries, onUnlisted, emit } = parts
  const openLedger = createLedgers(parts)
  // If sign-ups are allowed from one country only, numbers need no country code.
  const onlyCountry = countries !== 'any' && countries.length === 1 ? countries[0] : undefined
  const limits = {
    auth: signInLimitsOf(parts.limits, { browsersAreKnown: parts.knownMaxAgeMs > 0 }),
    enrol: signupLimitsOf(parts.limits),
  }

  const reported = new Set<string>()

  /** Once per account and process: every request of the account would find the number unreadable again. */
  function reportUnreadable(subject: string, reason: PhoneRefusal): void {
    if (reported.has(subject)) return
    if (reported.size >= maxReported) reported.clear()
    reported.add(subject)
    emit({ type: 'factor.unreadable', kind: 'phone', subject, reason })
  }

  async function findFactor(
    actor: RequesterContext,
    { phone, country: ownCountry = actor.country, methods, label }: NumberOnFile,
  ): Promise<Factor | Refusal> {
    /** Typed by a visitor, not on file. */
    const isTyped = actor.lane === 'enrol'
    const typedRules = { countries, mobileOnly: true, defaultCountry: ownCountry ?? onlyCountry }
    const parsed = await (isTyped
      ? parsePhoneNumber(phone, typedRules)
      : parseNumberOnFile({ phone, country: ownCountry }, countries))
    if (parsed.ok) {
      const { phone: number, country } = parsed
      return createPhoneFactor({ key: keys.number(number), phone: number, country, label }, methods)
    }
    const { refusal: reason, country } = parsed
    const isUnreadable = unreadableReasons.has(reason)
    if (isTyped) return { ...refused(isUnreadable ? 'invalid_request' : 'destination_not_allowed'), reason }
    if (isUnreadable) reportUnreadable(actor.subject, reason)
    else onUnlisted?.(country)
    return { ...refused('destination_not_allowed'), eventReason: reason }
  }

  /** Returns all factors of the requester, or the refusal of the first number if no factor can be used. */
  async function loadFactors(actor: RequesterContext): Promise<Account['factors'] | Refusal> {
    const found: Factor[] = []
    let refusal: Refusal | undefined
    for (const number of allNumbers(actor)) {
      const one = await findFactor(actor, number)
      if ('outcome' in one) refusal ??= one
      else found.push(one)
    }
    if (actor.secret !== undefined) found.push(createTotpFactor(actor.secret))
    if (actor.signer !== undefined) found.push(createSignedFactor(actor.signer))
    const [first, ...others] = found
    return first === undefined ? (refusal ?? refused('no_phone')) : [first, ...others]
  }

  /** Opens the details that the user saw when this challenge started. */
  function detailsOf({ key }: Account, { details }: Challenge): Details | undefined {
    const opened = details && secrets.open('details', details, key)
    return opened ? JSON.parse(opened) : undefined
  }

  return {
    /** Opens the ledger of an account. */
    ledgerOf: (subject: string) => openLedger(keys.account(subject), limits.auth),
    /** Opens the ledger of a number at sign-up. */
    enrolledLedgerOf: (phone: PhoneNumber) => openLedger(keys.enrolled(keys.number(phone)), limits.enrol),

    async open(actor: RequesterContext): Promise<Account | Refusal> {
      const { lane = 'auth', subject, session, address, proxied = false, browser, onGone } = actor
      const factors = await loadFactors(actor)
      if ('outcome' in factors) return factors
      const [{ key: number, country }] = factors
      const key = lane === 'enrol' ? keys.enrolled(number) : keys.account(subject)
      const counted = { lane, subject, session, address, proxied, country, key, browser, onGone }
      const hasChoice = lane === 'auth' && mayHaveSeveral(actor)
      return { ...counted, ledger: openLedger(key, limits[lane]), factors, hasChoice }
    },

    listDestinations: (
      account: Account,
      channels: readonly Channel[],
      { last }: { readonly last?: Pick<Challenge, 'factor' | 'channel'> | undefined },
    ): readonly Destination[] =>
      findDestinations(
        account.factors,
        channels,
        last,
        account.hasChoice ? createDestinationId(secrets, account) : undefined,
      ),

    /** Seals details for the store, so that the store reveals neither amount nor payee. */
    sealDetails: ({ key }: Account, details: Details) =>
      secrets.seal('details', JSON.stringify(details), key),
    detailsOf,

    /** Creates the view of a challenge. `id` is the id that the client has. */
    view(
      account: Account,
      factor: Factor,
      challenge: Challenge,
      context: DecisionContext & { readonly id?: string | undefined },
    ): ChallengeView {
      const { snapshot, requester } = context
      const { id = isPhone(factor) ? challenge.id : sealedChallenges.seal(account, challenge) } = context
      const { purpose, channel, expiresAt } = challenge
      const details = detailsOf(account, challenge)
      const common = {
        id,
        purpose,
        channel,
        destination: maskFactor(factor),
        expiresAt,
        ...(details && { details }),
      }
      if (!isPhone(factor)) {
        const none = { channels: [], resendAt: snapshot.now, resendAtBy: {}, delivery: 'sent' } as const
        const left = isSigned(factor)
          ? {
              attemptsRemaining: maxWrongSignatures,
              publicKey: factor.signer.optionsFor(challengeToSign(id)),
            }
          : { attemptsRemaining: guessesLeft(snapshot, requester.browserKind) }
        return { ...common, ...none, ...left }
      }
      const channels = (purposes.find(purpose)?.channels ?? [channel]).filter((one) => factor.takes(one))
      const moments = channels.map(
        (one) => [one, resendableBy(snapshot, challenge, requester.browserKind, one)] as const,
      )
      return {
        ...common,
        resendAt: resendableAt(snapshot, challenge, requester.browserKind),
        attemptsRemaining: attemptsLeft(challenge, requester.browserKind, snapshot.limits),
        channels,
        resendAtBy: Object.fromEntries(moments),
        delivery: deliveryOf(snapshot, challenge),
        ...(hasNewerCode(snapshot, challenge) && { isRenewed: true as const }),
      }
    },
  }
}
