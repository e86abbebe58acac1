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
  type VerifyCommand,
  type VerifyOutcome,
} from './commands.js'
import type { Channel } from './exchange/code-provider.js'
import { cancel, findLiveChallenge, refuseOtherThanDisplayed } from './ledger/challenge.js'
import { cooldownExpiresAt, isForgiven } from './ledger/pacing.js'
import { refusalOfUnsent, start } from './ledger/sends.js'
import { acceptedChannels } from './purposes.js'
import { challengeFields, type DecisionContext, loadDecisionContext } from './reach/account.js'
import type { DestinationView } from './reach/destinations.js'
import { createDestinationView, type Destination, isPhone } from './reach/factors.js'
import { createSealedChallenge } from './sealed-challenges.js'
import { createSend, type SendParts } from './send.js'
import { createVerify } from './verify.js'

/** How a start stands before anybody asks for it. */
export interface Outlook {
  /**
   * Why it would be refused by any way; `retryAfterMs` is the wait until one would be booked by the first that is free,
   * however many waits follow one another.
   */
  readonly refusal?: Refusal
  /** How long those ways have to wait that do, in milliseconds, by the id of their destination or by their channel. */
  readonly waits: Readonly<Record<string, number>>
  /** The channels of this purpose by which this person can be reached. */
  readonly channels: readonly Channel[]
  /** Where, when there may be more than a number. */
  readonly destinations?: readonly DestinationView[]
  /** Whether the last code of this subject and session ran out a short while ago, with attempts left. */
  readonly expired: boolean
  /** Whether the last code could not be sent, so that its way has to wait although none was. */
  readonly failed: boolean
  /** When the last code was sent that nobody has typed, in milliseconds since 1970; 0 when there is none. */
  readonly untypedSince: number
}

/**
 * The use cases. An expected refusal is an outcome; a failure of provider or store rejects with a
 * `TwoFactorError` (`delivery_failed`, `provider_unavailable`, `verification_unavailable`,
 * `store_unavailable`, `capacity`).
 */
export interface Challenges {
  start(command: StartCommand): Promise<StartOutcome>
  resend(command: ResendCommand): Promise<StartOutcome>
  verify(command: VerifyCommand): Promise<VerifyOutcome>
  /** Ends the live challenge. `id`: that one alone. */
  cancel(actor: RequesterContext, id?: string): Promise<void>
  /** The live challenge of this subject in this session, when there is one: that of this id, or for exactly this. Never sends. */
  find(actor: RequesterContext, wanted?: ChallengeRef): Promise<ChallengeView | undefined>
  /** A challenge for this that nothing has to be sent for; undefined where there is no such way. Writes nothing. */
  sealedChallenges(command: StartCommand): Promise<ChallengeView | undefined>
  /** What a start would meet. Never sends, and counts nothing: a page that offers one asks it first. */
  preview(command: StartCommand): Promise<Outlook>
  /** What the live challenge is for, when it is the one that was shown; undefined when none is live, and none was shown. */
  demandOf(
    actor: RequesterContext,
    shown: ChallengeRef,
  ): Promise<Pick<StartCommand, 'purpose' | 'bound'> | Refusal | undefined>
}

/** The use cases around ledger, counters and code service. */
export function createChallenges(parts: SendParts): Challenges {
  const { accounts, sealedChallenges, purposes, emit } = parts
  const sends = createSend(parts)
  const verify = createVerify(parts)

  /** Emits refusals with the host's own name of the account, never the number. */
  function reported<Outcome extends { readonly outcome: string }>(
    command: 'start' | 'resend' | 'verify',
    { lane = 'auth', subject }: RequesterContext,
    outcome: Outcome | Refusal,
  ): Outcome | Refusal {
    if (outcome.outcome === 'refused') {
      const { eventReason, ...told } = outcome as Refusal
      const { code, limit, reason = eventReason } = told
      emit({ type: 'request.refused', command, code, lane, subject, ...present({ limit, reason }) })
      return told
    }
    return outcome
  }

  /** The challenge that was shown, or that was sent to this session. */
  async function awaitedOf(actor: RequesterContext, shown: ChallengeRef) {
    const account = await accounts.open(actor)
    if ('outcome' in account) return refused('challenge_gone')
    const known = await loadDecisionContext(actor, account)
    const awaited = sealedChallenges.findPendingChallenge(account, shown, known)
    return 'outcome' in awaited ? awaited : { ...awaited, account, known, isNamed: awaited.id !== undefined }
  }

  return {
    start: async (command) => reported('start', command, await sends.start(command)),
    resend: async (command) => reported('resend', command, await sends.resend(command)),
    verify: async (command) => reported('verify', command, await verify(command)),

    async cancel(actor, id) {
      const account = await accounts.open(actor)
      if ('outcome' in account) return
      const { requester } = await loadDecisionContext(actor, account)
      const { outcome } = await account.ledger.run((view) => {
        const isOther = id !== undefined && view.ledger.challenge?.id !== id
        return isOther ? { outcome: {} } : cancel(view, requester)
      })
      const { challenge } = outcome
      const factor = account.factors.find(({ key }) => key === challenge?.factor) ?? account.factors[0]
      if (challenge !== undefined)
        emit({ type: 'challenge.cancelled', ...challengeFields(account, factor, challenge) })
    },

    async find(actor, wanted) {
      const found = await awaitedOf(actor, wanted ?? {})
      if ('outcome' in found) return undefined
      const { account, factor, challenge, known, id, isNamed } = found
      const fits =
        wanted === undefined ||
        isNamed ||
        challenge.id === wanted.challenge ||
        (challenge.purpose === wanted.purpose && challenge.bound === wanted.bound)
      return fits ? accounts.view(account, factor, challenge, known, id) : undefined
    },

    async sealedChallenges(command) {
      const { purpose, bound, details } = command
      const account = await accounts.open(command)
      if ('outcome' in account) return undefined
      const known = await loadDecisionContext(command, account)
      const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? [], command)
      const way = accounts
        .ways(account, accepted, known.snapshot.ledger)
        .find(({ factor, channel }) => !isPhone(factor) && channel === (command.channel ?? channel))
      if (way === undefined) return undefined
      const order = { purpose, bound, details: details && accounts.sealDetails(account, details) }
      return accounts.view(account, way.factor, createSealedChallenge(way, order, known), known)
    },

    async demandOf(actor, shown) {
      const found = await awaitedOf(actor, shown)
      if ('outcome' in found) return shown.challenge === undefined ? undefined : found
      const { challenge, shown: wasShown } = found
      const { purpose, bound } = challenge
      return (
        refuseOtherThanDisplayed(challenge, { ...shown, challenge: wasShown.challenge }) ?? { purpose, bound }
      )
    },

    async preview(command) {
      const { purpose } = command
      const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? ['sms'], command)
      const account = await accounts.open(command)
      if ('outcome' in account) return unreachable(account)
      const known = await loadDecisionContext(command, account)
      const told = outlook(known)
      const { challenge, last } = known.snapshot.ledger
      // Whoever waited for a code gets the next one in the same way.
      const ways = accounts.ways(account, accepted, { last: told.expired ? challenge : last })
      if (ways.length === 0) return unreachable(refused('no_phone'))
      const met = ways.map((way) => [way, refusalIn(known, command, way)] as const)
      const refusals = met.flatMap(([, one]) => one ?? [])
      const waitOf = ({ retryAfterMs = Infinity }: Refusal) => retryAfterMs
      const [soonest] = refusals.toSorted((one, other) => waitOf(one) - waitOf(other))
      const refusal = refusals.length === ways.length ? soonest : undefined
      const live = findLiveChallenge(known.snapshot, known.requester)
      // Enumeration: no session learns where the code of another one went.
      const current = 'outcome' in live ? undefined : live.factor
      return {
        ...told,
        ...(refusal && { refusal }),
        waits: Object.fromEntries(
          met.flatMap(([{ id, channel }, one]) =>
            one?.retryAfterMs ? [[id ?? channel, one.retryAfterMs]] : [],
          ),
        ),
        channels: [...new Set(ways.map((one) => one.channel))],
        ...(account.hasChoice && { destinations: ways.map((one) => createDestinationView(one, current)) }),
      }
    },
  }
}

/** Where nobody can be reached: nothing is known of any code. */
const unreachable = ({ eventReason: _, ...refusal }: Refusal) => ({
  refusal,
  channels: [],
  waits: {},
  expired: false,
  failed: false,
  untypedSince: 0,
})

/** A lock, a cooldown, an hour and a day can follow one another. A limit of 0 never ends. */
const maxWaits = 8

/** What a start would be refused by, and until when, if nothing else happens meanwhile. Changes nothing. */
export function refusalIn(
  { snapshot, requester }: DecisionContext,
  { purpose, bound }: Pick<StartCommand, 'purpose' | 'bound'>,
  { factor, channel }: Destination,
): Refusal | undefined {
  const order = { sendId: '', challengeId: '', purpose, bound, factor: factor.key, channel, ...requester }
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
    // Waiting does not help: a disabled account.
    if (outcome.retryAfterMs === undefined) return outcome
    waitMs += outcome.retryAfterMs
  }
  return first && { ...first, retryAfterMs: waitMs }
}

/** What is to be told of the last code. */
export function outlook({
  snapshot,
  requester,
}: DecisionContext): Pick<Outlook, 'expired' | 'failed' | 'untypedSince'> {
  const { ledger, now, limits } = snapshot
  const untyped = ledger.sends.filter((send) => !isForgiven(send))
  const { challenge } = ledger
  const last = ledger.sends.findLast(({ browserKind }) => browserKind === requester.browserKind)
  const isOwn =
    challenge?.session === requester.session &&
    challenge.attempts[requester.browserKind] < limits.attemptsPerChallenge
  return {
    // Enumeration: nobody learns of a code that somebody else asked for.
    expired: isOwn && challenge.expiresAt <= now && now < challenge.expiresAt + limits.codeLifetimeMs,
    failed: last?.state === 'refused' && cooldownExpiresAt(snapshot, requester.browserKind, last) > now,
    untypedSince: Math.max(0, ...untyped.map(({ at }) => at)),
  }
}
