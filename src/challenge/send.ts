import { allSettled, tryAgain } from '../lib/promises.js'
import type { Counters } from './budgets/counters.js'
import type { Channel, SendResult } from './code-provider.js'
import {
  type Refusal,
  type ResendCommand,
  refused,
  type SendCommand,
  type StartCommand,
  type StartOutcome,
} from './commands.js'
import { createDispatch, type DispatchParts, notDelivered, permission } from './dispatch.js'
import { challengeShown, isVoided } from './ledger/challenge.js'
import type { Decision, LedgerView, Who } from './ledger/ledger.js'
import { planned } from './ledger/ledgers.js'
import { type Booked, goBack, resend, type SendOutcome, start } from './ledger/sends.js'
import { settleSend } from './ledger/settled-send.js'
import { settledWithinMs } from './limits.js'
import { acceptedChannels } from './purposes.js'
import { about, gather, hasNumber, type NumberTarget, type Target, takes } from './targets.js'
import { newChallengeId, newCommandId } from './updater.js'

/** What a send would do to the ledger. Pure: it decides again on the ledger that made a swap fail. */
type Decide = (view: LedgerView, who: Who, chosen?: Channel) => Decision<SendOutcome>

/** Which parts of the domain a code is sent by. */
export interface SendParts extends DispatchParts {
  readonly counters: Counters
}

/** Start and resend: book the send, hand the code over to the provider, record what became of it. */
export function createSend(parts: SendParts) {
  const { counters, targets, purposes, emit } = parts
  const dispatch = createDispatch(parts)

  async function send(command: SendCommand, target: NumberTarget, decide: Decide): Promise<StartOutcome> {
    // Gather.
    const { ledger } = target
    const budget = counters.forSend(target)
    const { seen, who, refusal } = await gather(command, ledger, budget.check)
    if (refusal !== undefined) return refusal

    // Decide. A refused send needs no captcha, and one that the host refuses changes nothing.
    const plan = planned(seen, (view) => decide(view, who))
    // SMS pumping: nothing is booked unasked, not even where a cooldown has ended since this was read.
    if (plan.outcome !== 'booked') return notBooked(target, plan, seen)
    const channels = sendable(target, plan.challenge.purpose, command.methods)
    const permitted = await permission(target, plan.challenge, command.beforeSend, channels, budget)
    if (permitted.outcome === 'refused') return permitted

    // Commit: the ledger first, then the counters, so that of parallel requests only one costs budget.
    const booking = await ledger.run(
      (view) => decide(view, who, permitted.chosen),
      // Only what was booked is taken back.
      (done) => (view) => settleSend(view, done as Booked, unsent),
    )
    const { outcome: booked, shared } = booking
    if (booked.outcome !== 'booked') {
      await budget.question.refund()
      return notBooked(target, booked, booking)
    }
    // Booked in both, or in neither.
    const inAll = shared === undefined ? booked : (shared.outcome as Booked)
    const settle = (sent: SendResult) =>
      tryAgain(settledWithinMs, () =>
        ledger.run((view, isShared) => settleSend(view, isShared ? inAll : booked, sent)),
      )
    const unbook = async (error: unknown) => {
      try {
        await settle(unsent)
      } catch {
        // The send stays booked, although nothing was sent: what stopped it is what has to be told.
      }
      throw error
    }
    const spent = await budget.take().catch(unbook)
    if (spent !== undefined) {
      await settle(unsent)
      return spent
    }
    await command.onPassed?.().catch(async (error: unknown) => {
      // Denial of service: a session store that is down must not use up what sign-ups may cost in a day.
      await budget.refund('not-sent').catch(() => undefined)
      return unbook(error)
    })

    // Ask the provider, and settle.
    const superseded = booked.superseded ?? inAll.superseded
    const { challenge, previousHandle } = booked
    const order = { challenge, superseded, previousHandle, locale: command.locale, channels }
    const { result: sent } = await dispatch(target, order, booking)
    const isOut = sent.result === 'sent' || sent.result === 'unconfirmed'
    const settled = await settle(sent)
    // A refused send delivered nothing, so hourly and daily budgets come back: the account may be empty. A give-back
    // that fails must not take back what has become of the send.
    if (settled.outcome.uncounted) await allSettled([budget.refund(sent.result)])
    if (!isOut) throw notDelivered(sent)
    // Another session may have started, or this one cancelled, while the send was under way: in either ledger.
    const live = bookedIn(settled, booked)
    const isOvertaken = settled.shared !== undefined && bookedIn(settled.shared, booked) === undefined
    if (live === undefined || isOvertaken) return refused('challenge_superseded')
    return { outcome: 'started', challenge: targets.view(target, live, settled), delivery: sent.result }
  }

  async function notBooked(
    target: Target,
    planned: Exclude<SendOutcome, Booked>,
    seen: LedgerView,
  ): Promise<StartOutcome> {
    if (planned.outcome === 'refused') return planned
    const { challenge } = planned
    const shown = targets.view(target, challenge, seen)
    if (seen.shared?.ledger[challenge.budget].challenge?.id !== challenge.id) {
      // Meanwhile the subject has started elsewhere.
      const back = await target.inAll?.run((view) => goBack(view, challenge))
      if (back?.outcome === 'gone') return refused('resend_too_soon', shown.resendAt - seen.now)
    }
    return { outcome: 'already-sent', challenge: shown }
  }

  /** An app shows its codes unasked: there is nothing to send, to count or to pay. */
  async function expectApp(command: SendCommand, target: Target, decide: Decide): Promise<StartOutcome> {
    await command.onPassed?.()
    const { who } = await gather(command, target.ledger)
    const decided = await target.ledger.run((view) => decide(view, who))
    const { outcome } = decided
    if (outcome.outcome !== 'booked') return notBooked(target, outcome, decided)
    const { superseded } = outcome
    emit({ type: 'challenge.started', ...about(target, outcome.challenge) })
    if (superseded !== undefined) emit({ type: 'challenge.superseded', ...about(target, superseded) })
    return {
      outcome: 'started',
      challenge: targets.view(target, outcome.challenge, decided),
      delivery: 'sent',
    }
  }

  /** The methods of this purpose by which a code may be sent that will do. */
  function sendable(target: Target, purpose: string, methods: SendCommand['methods']): readonly Channel[] {
    const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? [], { methods })
    return accepted.filter((channel) => takes(target, channel))
  }

  return {
    async start(command: StartCommand): Promise<StartOutcome> {
      const { bound, methods } = command
      const purpose = purposes.find(command.purpose)
      // Only the purpose keeps the codes of both lanes apart at the provider.
      if (purpose?.browserStartable !== (command.lane !== 'enrol')) return refused('invalid_request')
      // A code that the guard does not accept would be paid for in vain: SMS pumping.
      const ways = await targets.ways(command, acceptedChannels(purpose.channels, command))
      if ('outcome' in ways) return ways
      const { destination, channel: wanted } = command
      const way = ways.find((one) =>
        destination === undefined ? one.channel === (wanted ?? one.channel) : one.id === destination,
      )
      if (way === undefined) return unreachedBy(methods)
      const { target, channel } = way
      const details = command.details && targets.sealDetails(target, command.details)
      const order = {
        sendId: newCommandId(),
        challengeId: newChallengeId(),
        purpose: purpose.name,
        bound,
        details,
        number: way.id && target.key,
      }
      const decide: Decide = (view, who, chosen = channel) => {
        const decision = start(view, { channel: chosen, ...order, ...who })
        const replaces = decision.outcome.outcome === 'booked' && decision.outcome.superseded !== undefined
        return command.unasked && replaces ? { outcome: refused('challenge_superseded') } : decision
      }
      return hasNumber(target) ? send(command, target, decide) : expectApp(command, target, decide)
    },

    async resend(command: ResendCommand): Promise<StartOutcome> {
      const target = await targets.live(command)
      if ('outcome' in target) return refused('challenge_gone')
      const { channel, methods, shown = {} } = command
      if (!hasNumber(target)) {
        return expectApp(command, target, (view, who) => {
          const live = challengeShown(view, { shown, ...who })
          return { outcome: 'outcome' in live ? live : { outcome: 'live', challenge: live } }
        })
      }
      const order = { sendId: newCommandId(), shown }
      return send(command, target, (view, who, chosen = channel) => {
        const decideFor = (by: Channel | undefined) => resend(view, { channel: by, ...order, ...who })
        const decision = decideFor(chosen)
        if (decision.outcome.outcome !== 'booked') return decision
        const { purpose, channel: used } = decision.outcome.challenge
        const accepted = sendable(target, purpose, methods)
        if (accepted.includes(used)) return decision
        // The provider may have sent the one before by another channel than asked for.
        const [instead] = chosen === undefined ? accepted : []
        return instead === undefined ? { outcome: unreachedBy(methods) } : decideFor(instead)
      })
    },
  }
}

/** The challenge that was booked, unless another one has taken its place or it was ended. */
function bookedIn({ ledger }: LedgerView, { challenge: { id, budget } }: Booked) {
  const { challenge } = ledger[budget]
  return challenge?.id === id && !isVoided(challenge) ? challenge : undefined
}

/** Where no code can be sent that will do, with what would. */
const unreachedBy = (methods: SendCommand['methods']): Refusal => ({
  ...refused('invalid_request'),
  ...(methods && { methods }),
})

const unsent: SendResult = { result: 'not-sent' }
