import { present } from '../lib/json.js'
import {
  type ChallengeRef,
  type ChallengeView,
  type Refusal,
  type RequesterContext,
  type ResendCommand,
  refused,
  type StartCommand,
  type StartOutcome,
  type UnsentResult,
  type VerifyCommand,
  type VerifyOutcome,
} from './commands.js'
import type { Channel } from './exchange/code-provider.js'
import { type CodeFacts, needsNewCode } from './ledger/attempts.js'
import { attemptsLeft, cancel, findLiveChallenge, refuseOtherThanDisplayed } from './ledger/challenge.js'
import type { Challenge } from './ledger/ledger.js'
import { cooldownExpiresAt, isForgiven, sendFailureOf } from './ledger/pacing.js'
import { refusalOfUnsent, start } from './ledger/sends.js'
import { acceptedChannels } from './purposes.js'
import {
  type Account,
  challengeFields,
  type DecisionContext,
  loadDecisionContext,
} from './reach/decision-context.js'
import type { DestinationView } from './reach/destinations.js'
import { createDestinationView, type Destination, isPhone, isSigned } from './reach/factors.js'
import { createSealedChallenge } from './sealed-challenges.js'
import { createSend, type SendParts } from './send.js'
import { createVerify } from './verify.js'

/** Result that a start would have, before a user requests it. */
export interface Outlook {
  /**
   * The refusal by every destination. `retryAfterMs` is the time until the first destination is free, over all waits
   * that follow one another.
   */
  readonly refusal?: Refusal
  /** Wait of each accepted destination in milliseconds, by its id or channel. */
  readonly waits: Readonly<Record<string, number>>
  /** Channels of this purpose by which this user can receive a code. */
  readonly channels: readonly Channel[]
  /** Destinations, if there may be more than one number. */
  readonly destinations?: readonly DestinationView[]
  /**
   * True if the last code of this account and session expired recently with attempts left, or is not accepted because
   * the number has received another one.
   */
  readonly expired: boolean
  /** The problem of the last send, if its destination must wait although nothing was sent. */
  readonly failed: Exclude<UnsentResult, 'unconfirmed'> | false
  /** Time of the last code that was not submitted, in milliseconds since 1970. 0 if there is none. */
  readonly untypedSince: number
}

/**
 * The use cases. An expected refusal is an outcome. A failure of provider or store rejects with a `TwoFactorError`
 * (`delivery_failed`, `provider_unavailable`, `verification_unavailable`, `store_unavailable`, `capacity`).
 */
export interface Challenges {
  start(command: StartCommand): Promise<StartOutcome>
  resend(command: ResendCommand): Promise<StartOutcome>
  verify(command: VerifyCommand): Promise<VerifyOutcome>
  /** Cancels the live challenge: the one with this id, or for exactly this purpose. Returns its purpose. */
  cancel(actor: RequesterContext, wanted?: ChallengeRef): Promise<string | undefined>
  /**
   * Returns the live challenge of this account in this session: the one with this id, or for exactly this purpose.
   * Returns undefined if no code is accepted before the next one is sent. Never sends a code.
   */
  find(actor: RequesterContext, wanted?: ChallengeRef): Promise<ChallengeView | undefined>
  /** Returns a challenge for which nothing must be sent, or undefined if there is no such factor. Writes nothing. */
  sealedChallenges(command: StartCommand): Promise<ChallengeView | undefined>
  /** Returns the result that a start would have. Sends and counts nothing. A page that offers a start asks first. */
  preview(command: StartCommand): Promise<Outlook>
  /**
   * Returns the purpose of the live challenge if it is the displayed one, or undefined if none is live and none was
   * displayed.
   */
  demandOf(
    actor: RequesterContext,
    displayed: ChallengeRef,
  ): Promise<Pick<StartCommand, 'purpose' | 'bound'> | Refusal | undefined>
}

/** Input of a decision about a code that was sent. */
type SentContext = DecisionContext & CodeFacts

/** Creates the use cases on ledger, counters and provider. */
export function createChallenges(parts: SendParts): Challenges {
  const { accounts, numberCounters, sealedChallenges, purposes, emit } = parts
  const { tellsCodesApart } = purposes
  const sends = createSend(parts)
  const verify = createVerify(parts)

  /** Emits refusals with the account id, never with the number. */
  function reported<Outcome extends { readonly outcome: string }>(
    command: 'start' | 'resend' | 'verify',
    { lane = 'auth', subject }: RequesterContext,
    outcome: Outcome | Refusal,
  ): Outcome | Refusal {
    if (outcome.outcome === 'refused') {
      const { eventReason, ...shownRefusal } = outcome as Refusal
      const { code, limit, reason = eventReason } = shownRefusal
      emit({ type: 'request.refused', command, code, lane, subject, ...present({ limit, reason }) })
      return shownRefusal
    }
    return outcome
  }

  /** Loads the input of a decision about a code that was sent. */
  async function loadSentContext(actor: RequesterContext, account: Account): Promise<SentContext> {
    const { lastSends } = numberCounters.open(account)
    return { ...(await loadDecisionContext(actor, account, undefined, lastSends)), tellsCodesApart }
  }

  /** Finds the displayed challenge, or the one whose code was sent to this session. */
  async function awaitedOf(actor: RequesterContext, displayed: ChallengeRef) {
    const account = await accounts.open(actor)
    if ('outcome' in account) return refused('challenge_gone')
    const context = await loadSentContext(actor, account)
    const pending = sealedChallenges.findPendingChallenge(account, displayed, context)
    return 'outcome' in pending ? pending : { ...pending, account, context }
  }

  return {
    start: async (command) => reported('start', command, await sends.start(command)),
    resend: async (command) => reported('resend', command, await sends.resend(command)),
    verify: async (command) => reported('verify', command, await verify(command)),

    async cancel(actor, wanted) {
      const account = await accounts.open(actor)
      if ('outcome' in account) return undefined
      const sealed = sealedChallenges.open(account, wanted?.challenge)
      if (sealed !== undefined) return sealed.challenge.purpose
      const { requester } = await loadDecisionContext(actor, account)
      const { outcome } = await account.ledger.run((view) =>
        isWanted(view.ledger.challenge, wanted) ? cancel(view, requester) : { outcome: {} },
      )
      const { challenge } = outcome
      if (challenge === undefined) return undefined
      // Its number may be no longer on file.
      const factor = account.factors.find(({ key }) => key === challenge.factor) ?? account.factors[0]
      emit({ type: 'challenge.cancelled', ...challengeFields(account, factor, challenge) })
      return challenge.purpose
    },

    async find(actor, wanted) {
      const found = await awaitedOf(actor, wanted ?? {})
      if ('outcome' in found) return undefined
      const { account, factor, challenge, context, id } = found
      if (id === undefined && !isWanted(challenge, wanted)) return undefined
      if (needsNewCode(context.snapshot, challenge, context)) return undefined
      return accounts.view(account, factor, challenge, { ...context, id })
    },

    async sealedChallenges(command) {
      const { purpose, bound, details } = command
      const account = await accounts.open(command)
      if ('outcome' in account) return undefined
      const context = await loadDecisionContext(command, account)
      const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? [], command)
      const destination = accounts
        .listDestinations(account, accepted, context.snapshot.ledger)
        .find(({ factor, channel }) => !isPhone(factor) && channel === (command.channel ?? channel))
      if (destination === undefined) return undefined
      const order = { purpose, bound, details: details && accounts.sealDetails(account, details) }
      return accounts.view(
        account,
        destination.factor,
        createSealedChallenge(destination, order, context),
        context,
      )
    },

    async demandOf(actor, displayed) {
      const found = await awaitedOf(actor, displayed)
      if ('outcome' in found) return displayed.challenge === undefined ? undefined : found
      const { challenge, displayed: ownRef } = found
      const { purpose, bound } = challenge
      return (
        refuseOtherThanDisplayed(challenge, { ...displayed, challenge: ownRef.challenge }) ?? {
          purpose,
          bound,
        }
      )
    },

    async preview(command) {
      const { purpose } = command
      const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? ['sms'], command)
      const account = await accounts.open(command)
      if ('outcome' in account) return unreachable(account)
      const context = await loadSentContext(command, account)
      const accountOutlook = outlook(context)
      const { challenge, last } = context.snapshot.ledger
      // A user who waited for a code gets the next one by the same destination.
      const destinations = accounts.listDestinations(account, accepted, {
        last: accountOutlook.expired ? challenge : last,
      })
      if (destinations.length === 0) return unreachable(refused('no_phone'))
      const met = destinations.map(
        (destination) => [destination, refusalIn(context, command, destination)] as const,
      )
      const refusals = met.flatMap(([, one]) => one ?? [])
      const waitOf = ({ retryAfterMs = Infinity }: Refusal) => retryAfterMs
      const [soonest] = refusals.toSorted((one, other) => waitOf(one) - waitOf(other))
      const refusal = refusals.length === destinations.length ? soonest : undefined
      const live = findLiveChallenge(context.snapshot, context.requester)
      // A session must not learn where another session's code was sent (enumeration).
      const current = 'outcome' in live ? undefined : live.factor
      return {
        ...accountOutlook,
        ...(refusal && { refusal }),
        waits: Object.fromEntries(
          met.flatMap(([{ id, channel }, one]) =>
            one?.retryAfterMs ? [[id ?? channel, one.retryAfterMs]] : [],
          ),
        ),
        channels: [...new Set(destinations.map((one) => one.channel))],
        ...(account.hasChoice && {
          destinations: destinations.map((one) => createDestinationView(one, current)),
        }),
      }
    },
  }
}

/** Returns whether this is the challenge with the wanted id, or for exactly the wanted purpose. */
const isWanted = (live: Challenge | undefined, wanted: ChallengeRef | undefined): boolean =>
  wanted === undefined ||
  live?.id === wanted.challenge ||
  (live?.purpose === wanted.purpose && live?.bound === wanted.bound)

/** The outlook of an account that cannot be reached: no code is known. */
const unreachable = ({ eventReason: _, ...refusal }: Refusal): Outlook => ({
  refusal,
  channels: [],
  waits: {},
  expired: false,
  failed: false,
  untypedSince: 0,
})

/** A lock, a cooldown, an hour and a day can follow one another. A limit of 0 never ends. */
const maxWaits = 8

/** Returns the refusal of a start and its end, if nothing else happens until then. Changes nothing. */
export function refusalIn(
  { snapshot, requester, tellsCodesApart, lastSends }: SentContext,
  { purpose, bound }: Pick<StartCommand, 'purpose' | 'bound'>,
  { factor, channel }: Destination,
): Refusal | undefined {
  // A signature cannot be guessed, so that no wrong code of an attacker stops it (denial of service).
  if (isSigned(factor)) return undefined
  const scope = { purpose, bound, factor: factor.key, channel }
  const order = { sendId: '', challengeId: '', ...scope, tellsCodesApart, lastSends, ...requester }
  let first: Refusal | undefined
  let waitMs = 0
  for (let waits = 0; waits < maxWaits; waits += 1) {
    const now = snapshot.now + waitMs
    const view = { ...snapshot, now }
    const outcome = isPhone(factor)
      ? start(view, order).outcome
      : refusalOfUnsent(view, requester, now + snapshot.limits.codeLifetimeMs)
    if (outcome?.outcome !== 'refused') break
    first ??= outcome
    // A disabled account does not become free by waiting.
    if (outcome.retryAfterMs === undefined) return outcome
    waitMs += outcome.retryAfterMs
  }
  return first && { ...first, retryAfterMs: waitMs }
}

/** Returns the facts about the last code. */
export function outlook(context: SentContext): Pick<Outlook, 'expired' | 'failed' | 'untypedSince'> {
  const { snapshot, requester } = context
  const { ledger, now, limits } = snapshot
  const untyped = ledger.sends.filter((send) => !isForgiven(send))
  const { challenge } = ledger
  const last = ledger.sends.findLast(({ browserKind }) => browserKind === requester.browserKind)
  const isWaiting = last !== undefined && cooldownExpiresAt(snapshot, requester.browserKind, last) > now
  const isOwn =
    challenge?.session === requester.session && attemptsLeft(challenge, requester.browserKind, limits) > 0
  return {
    // Reveals nothing about a code that another session requested (enumeration).
    expired:
      isOwn &&
      (now < challenge.expiresAt
        ? needsNewCode(snapshot, challenge, context)
        : now < challenge.expiresAt + limits.codeLifetimeMs),
    failed: (isWaiting && sendFailureOf(last)) || false,
    untypedSince: Math.max(0, ...untyped.map(({ at }) => at)),
  }
}
