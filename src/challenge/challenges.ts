import { present } from '../lib/json.js'
import type { Channel } from './code-provider.js'
import {
  type Actor,
  type ChallengeView,
  type Refusal,
  type ResendCommand,
  refused,
  type Shown,
  type StartCommand,
  type StartOutcome,
  type VerifyCommand,
  type VerifyOutcome,
} from './commands.js'
import type { DestinationView } from './destinations.js'
import { cancel, challengeOf, refusalAsShown } from './ledger/challenge.js'
import { isApproved, type LedgerView, type Who } from './ledger/ledger.js'
import { type StartOnLedger, start } from './ledger/sends.js'
import { acceptedChannels } from './purposes.js'
import { createSend, type SendParts } from './send.js'
import { about, gather } from './targets.js'
import { createVerify } from './verify.js'

/** How a start stands before anybody asks for it. */
export interface Outlook {
  /** Why it would be refused; `retryAfterMs` is the wait until one would be booked, however many waits follow one another. */
  readonly refusal?: Refusal
  /** The channels of this purpose by which this person can be reached. */
  readonly channels: readonly Channel[]
  /** Where, when there may be more than a number. */
  readonly destinations?: readonly DestinationView[]
  /** Whether the last code of this subject and session ran out a short while ago, with attempts left. */
  readonly expired: boolean
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
  cancel(actor: Actor): Promise<void>
  /** The live challenge of this subject in this session, when there is one: that of this id, or for exactly this. Never sends. */
  find(actor: Actor, wanted?: Shown): Promise<ChallengeView | undefined>
  /** What a start would meet. Never sends, and counts nothing: a page that offers one asks it first. */
  preview(command: StartCommand): Promise<Outlook>
  /** What the live challenge is for, when it is the one that was shown; undefined when none is live, and none was shown. */
  demandOf(actor: Actor, shown: Shown): Promise<Pick<StartCommand, 'purpose' | 'bound'> | Refusal | undefined>
}

/** The use cases around ledger, counters and code service. */
export function createChallenges(parts: SendParts): Challenges {
  const { targets, purposes, emit } = parts
  const sends = createSend(parts)
  const verify = createVerify(parts)

  /** Emits refusals with the host's own name of the account, never the number. */
  function reported<Outcome extends { readonly outcome: string }>(
    command: 'start' | 'resend' | 'verify',
    { lane = 'auth', subject }: Actor,
    outcome: Outcome | Refusal,
  ): Outcome | Refusal {
    if (outcome.outcome === 'refused') {
      const { untold, ...told } = outcome as Refusal
      const { code, limit, reason = untold } = told
      emit({ type: 'request.refused', command, code, lane, subject, ...present({ limit, reason }) })
      return told
    }
    return outcome
  }

  async function liveOf(actor: Actor) {
    const target = await targets.live(actor)
    if ('outcome' in target) return refused('challenge_gone')
    const { seen, who } = await gather(actor, target.ledger)
    const challenge = challengeOf(seen, who)
    const inAll = seen.shared === undefined ? challenge : challengeOf(seen.shared, who)
    if ('outcome' in challenge) return challenge
    if ('outcome' in inAll) return inAll
    return inAll.id === challenge.id ? { target, challenge, seen } : refused('challenge_superseded')
  }

  return {
    start: async (command) => reported('start', command, await sends.start(command)),
    resend: async (command) => reported('resend', command, await sends.resend(command)),
    verify: async (command) => reported('verify', command, await verify(command)),

    async cancel(actor) {
      const target = await targets.live(actor)
      if ('outcome' in target) return
      const { who } = await gather(actor, target.ledger)
      const { outcome } = await target.ledger.run((view) => cancel(view, who))
      if (outcome.challenge !== undefined) {
        emit({ type: 'challenge.cancelled', ...about(target, outcome.challenge) })
      }
    },

    async find(actor, wanted) {
      const live = await liveOf(actor)
      if ('outcome' in live) return undefined
      const { target, challenge, seen } = live
      const fits =
        wanted === undefined ||
        challenge.id === wanted.challenge ||
        (challenge.purpose === wanted.purpose && challenge.bound === wanted.bound)
      return fits ? targets.view(target, challenge, seen) : undefined
    },

    async demandOf(actor, shown) {
      const live = await liveOf(actor)
      if ('outcome' in live) return shown.challenge === undefined ? undefined : live
      const { purpose, bound } = live.challenge
      return refusalAsShown(live.challenge, shown) ?? { purpose, bound }
    },

    async preview(command) {
      const { purpose, bound } = command
      const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? ['sms'], command)
      const ways = await targets.ways(command, accepted)
      if ('outcome' in ways) return unreachable(ways)
      // One way to each destination: where another one is clear, the first may be locked.
      const looked = ways
        .filter(({ target }, index, all) => all.findIndex((one) => one.target === target) === index)
        .map(async ({ target, channel }) => {
          const { seen, who } = await gather(command, target.ledger)
          const order = { sendId: '', challengeId: '', purpose, bound, ...who, channel }
          return { seen: seen.shared ?? seen, who, told: outlook(seen, order) }
        })
      const outlooks = await Promise.all(looked)
      const [best] = [...outlooks.filter(({ told }) => told.refusal === undefined), ...outlooks]
      if (best === undefined) return unreachable(refused('no_phone'))
      const live = challengeOf(best.seen, best.who)
      // Enumeration: no session learns where the code of another one went.
      const current = 'outcome' in live ? undefined : live.number
      return {
        ...best.told,
        channels: [...new Set(ways.map((one) => one.channel))],
        ...(ways[0]?.id && { destinations: ways.map((one) => targets.shown(one, current)) }),
      }
    },
  }
}

/** Where nobody can be reached: nothing is known of any code. */
const unreachable = ({ untold: _, ...refusal }: Refusal) => ({
  refusal,
  channels: [],
  expired: false,
  untypedSince: 0,
})

/** A lock, a cooldown, an hour and a day can follow one another. A limit of 0 never ends. */
const maxWaits = 8

/** What a start would meet, if nothing else happens meanwhile. Changes nothing. */
export function outlook(
  { shared, ...own }: LedgerView,
  command: StartOnLedger,
): Omit<Outlook, 'channels' | 'destinations'> {
  const { ledger } = shared ?? own
  const refusals = [own, shared].flatMap((seen) => (seen && refusalOf(seen, command)) ?? [])
  const waitOf = ({ retryAfterMs = Number.POSITIVE_INFINITY }: Refusal) => retryAfterMs
  const [refusal] = refusals.sort((one, other) => waitOf(other) - waitOf(one))
  const untyped = [...ledger.strangers.sends, ...ledger.known.sends].filter((send) => !isApproved(send))
  return {
    expired: hasExpired(shared ?? own, command),
    untypedSince: Math.max(0, ...untyped.map(({ at }) => at)),
    ...(refusal && { refusal }),
  }
}

function refusalOf(seen: LedgerView, command: StartOnLedger): Refusal | undefined {
  let first: Refusal | undefined
  let waitMs = 0
  for (let waits = 0; waits < maxWaits; waits += 1) {
    const { outcome } = start({ ...seen, now: seen.now + waitMs }, command)
    if (outcome.outcome !== 'refused') break
    first ??= outcome
    // Waiting does not help: a disabled number.
    if (outcome.retryAfterMs === undefined) return outcome
    waitMs += outcome.retryAfterMs
  }
  return first && { ...first, retryAfterMs: waitMs }
}

function hasExpired({ ledger, now, limits }: LedgerView, who: Who): boolean {
  const { challenge } = ledger[who.budget]
  if (challenge === undefined || challenge.attempts >= limits.attemptsPerChallenge) return false
  // Enumeration: nobody learns of a code that somebody else asked for.
  if (challenge.subject !== who.subject || challenge.session !== who.session) return false
  return challenge.expiresAt <= now && now < challenge.expiresAt + limits.codeLifetimeMs
}
