import {
  type Refusal,
  type ResendCommand,
  refused,
  type SendCommand,
  type StartCommand,
  type StartOutcome,
} from './commands.js'
import type { Channel, SendResult } from './exchange/code-provider.js'
import { createDispatch, type DispatchParts, notDelivered, requestPermission } from './exchange/dispatch.js'
import { isEnded } from './ledger/challenge.js'
import type { Decision, LedgerSnapshot } from './ledger/ledger.js'
import type { Command, CommandResult } from './ledger/ledgers.js'
import { type Booked, refusalOfUnsent, resend, type SendOutcome, settleSend, start } from './ledger/sends.js'
import { acceptedChannels } from './purposes.js'
import type { Counters, SendRateLimits } from './rate-limits/counters.js'
import type { NumberCounters } from './rate-limits/number-counters.js'
import { consumeSendLimits } from './rate-limits/send-limits.js'
import {
  type Account,
  browserFields,
  browserKindAt,
  challengeFields,
  type DecisionContext,
  loadDecisionContext,
} from './reach/decision-context.js'
import { type Destination, type Factor, isPhone, isSigned, type PhoneFactor } from './reach/factors.js'
import { createSealedChallenge, type SealedChallenges } from './sealed-challenges.js'
import { newChallengeId, newCommandId } from './updater.js'

/** Decision of a send on the ledger. It is pure, because it runs again on the ledger that made a swap fail. */
type Decide = (view: LedgerSnapshot, chosen?: Channel) => Decision<SendOutcome>

/** Parts of the domain that a send needs. */
export interface SendParts extends DispatchParts {
  readonly counters: Counters
  readonly numberCounters: NumberCounters
  readonly sealedChallenges: SealedChallenges
}

/** An account during a send, with the input of the decision and the rate limits. */
interface SendContext extends DecisionContext {
  readonly account: Account
  readonly rateLimits: SendRateLimits
  /** Refusal of the counters. */
  readonly refusal: Refusal | undefined
  readonly numbers: ReturnType<NumberCounters['open']>
}

/** A send that is booked everywhere, before its request to the provider. */
interface BookedSend {
  readonly booked: Booked
  /** The ledger with the send. */
  readonly snapshot: LedgerSnapshot
  /** False if the limits of the number allow a text only. */
  readonly mayCall: boolean
  /** Records the result in ledger and counters. */
  readonly settle: (sent: SendResult) => Promise<LedgerSnapshot>
}

/** Creates start and resend: book the send, pass the code to the provider, record the outcome. */
export function createSend(parts: SendParts) {
  const { counters, numberCounters, accounts, purposes, sealedChallenges, emit } = parts
  const dispatch = createDispatch(parts)

  /** Returns the outcome of a start or resend that booked nothing. */
  const notBooked = (
    outcome: Exclude<SendOutcome, Booked>,
    factor: PhoneFactor,
    { account, requester, snapshot }: DecisionContext & Pick<SendContext, 'account'>,
  ): StartOutcome =>
    outcome.outcome === 'refused'
      ? outcome
      : {
          outcome: 'already-sent',
          challenge: accounts.view(account, factor, outcome.challenge, { snapshot, requester }),
        }

  /** Books a send: first in the ledger, then in the counters, so that one of several parallel requests consumes them. */
  async function bookSend(
    command: SendCommand,
    factor: PhoneFactor,
    context: SendContext,
    decide: Command<SendOutcome>,
  ): Promise<BookedSend | StartOutcome> {
    const { account, rateLimits, numbers } = context
    const booking: CommandResult<SendOutcome> = await account.ledger.run(reuseBooking(decide))
    const { outcome: booked } = booking
    if (booked.outcome !== 'booked') {
      await rateLimits.question.refund()
      return notBooked(booked, factor, { ...context, snapshot: booking })
    }
    const ofNumber =
      account.lane === 'auth'
        ? numbers.forSend(factor.key, {
            id: booked.sendId,
            browserKind: await browserKindAt(command, factor),
            channel: booked.challenge.channel,
          })
        : undefined
    const settle = (sent: SendResult) => account.ledger.run((now) => settleSend(now, booked, sent))
    // If this fails, the send stays booked although nothing was sent. The first failure is reported.
    const cancel = () => Promise.allSettled([settle({ result: 'not-sent' })])
    const consumed = await consumeSendLimits(
      ofNumber === undefined ? [rateLimits] : [rateLimits, ofNumber],
    ).catch(async (error: unknown) => {
      await cancel()
      throw error
    })
    if ('outcome' in consumed) {
      await cancel()
      return consumed
    }
    await command.onPassed?.().catch(async (error: unknown) => {
      // A session store that is down must not consume the daily limit of sign-ups (denial of service).
      await consumed.settle({ result: 'not-sent' })
      await cancel()
      throw error
    })
    return {
      booked,
      snapshot: booking,
      mayCall: ofNumber?.mayCall() ?? true,
      // A refused send delivered nothing, so hourly and daily limits are refunded: the account may be empty.
      settle: async (sent) => (await Promise.all([settle(sent), consumed.settle(sent)]))[0],
    }
  }

  async function send(
    command: SendCommand,
    factor: PhoneFactor,
    context: SendContext,
    decide: Decide,
  ): Promise<StartOutcome> {
    const { account, snapshot, requester, rateLimits, numbers, refusal } = context
    if (refusal !== undefined) return refusal

    // Decide. A refused send needs no captcha, and one that `beforeSend` refuses changes nothing.
    const { outcome: plan } = decide(snapshot)
    // Nothing is booked without `beforeSend`, not even if a cooldown has ended since the read (SMS pumping).
    if (plan.outcome !== 'booked') return notBooked(plan, factor, context)
    const channels = sendable(factor, plan.challenge.purpose, command.methods)
    const { channel, purpose } = plan.challenge
    const browserKind = await browserKindAt(command, factor)
    // As a text, which counts least: `beforeSend` may choose it in place of a call.
    const full = numbers.refusalOf(factor.key, { browserKind, channel: 'sms' })
    if (full !== undefined) return full
    const planned = { subject: account.subject, destination: factor.phone, channel, channels, purpose }
    const permitted = await requestPermission(planned, command.beforeSend, rateLimits)
    if (permitted.outcome === 'refused') return permitted

    // Commit.
    const reserved = await bookSend(command, factor, context, (now) => decide(now, permitted.chosen))
    if ('outcome' in reserved) return reserved
    const { booked, mayCall } = reserved
    const { challenge, superseded, previousHandle, previousUnanswered } = booked

    // Send a request to the provider and settle.
    const previous = { previousHandle, previousUnanswered }
    const order = { challenge, superseded, ...previous, locale: command.locale, channels, mayCall }
    const { result: sent } = await dispatch(account, factor, order, reserved.snapshot)
    const settled = await reserved.settle(sent)
    if (sent.result !== 'sent' && sent.result !== 'unconfirmed') throw notDelivered(sent)
    // Another session may have started, or this one cancelled, during the send.
    const { challenge: live } = settled.ledger
    if (live?.id !== challenge.id || isEnded(live)) return refused('challenge_superseded')
    const view = accounts.view(account, factor, live, { snapshot: settled, requester })
    return { outcome: 'started', challenge: view, delivery: sent.result }
  }

  /** Starts a challenge that the client holds. Nothing is sent, written, counted or paid. */
  async function startSealedChallenge(
    command: SendCommand & { readonly purpose: string; readonly bound?: string | undefined },
    account: Account,
    destination: Destination,
    context: DecisionContext,
  ): Promise<StartOutcome> {
    const details = command.details && accounts.sealDetails(account, command.details)
    const { purpose, bound } = command
    const challenge = createSealedChallenge(destination, { purpose, bound, details }, context)
    const refusal = isSigned(destination.factor)
      ? undefined
      : refusalOfUnsent(context.snapshot, context.requester, challenge.expiresAt)
    if (refusal !== undefined) return refusal
    await command.onPassed?.()
    const started = browserFields(account, context.requester)
    emit({
      type: 'challenge.started',
      ...challengeFields(account, destination.factor, challenge),
      ...started,
    })
    return {
      outcome: 'started',
      challenge: accounts.view(account, destination.factor, challenge, context),
      delivery: 'sent',
    }
  }

  /** Returns the methods of this purpose whose codes are accepted. */
  function sendable(factor: Factor, purpose: string, methods: SendCommand['methods']): readonly Channel[] {
    const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? [], { methods })
    return accepted.filter((channel) => factor.takes(channel))
  }

  return {
    async start(command: StartCommand): Promise<StartOutcome> {
      const { bound, methods, destination: wantedId, channel: wanted } = command
      const purpose = purposes.find(command.purpose)
      // The purpose alone separates the codes of both lanes at the provider.
      if (purpose?.browserStartable !== (command.lane !== 'enrol')) return refused('invalid_request')
      const account = await accounts.open(command)
      if ('outcome' in account) return account
      const rateLimits = counters.forSend(account)
      const numbers = numberCounters.open(account)
      const read = await loadDecisionContext(command, account, rateLimits.check, numbers.lastSends)
      const context = { account, rateLimits, numbers, ...read }
      const { snapshot, requester, lastSends } = context
      // A code that the guard does not accept would be paid for in vain (SMS pumping).
      const destination = accounts
        .listDestinations(account, acceptedChannels(purpose.channels, command), snapshot.ledger)
        .find((one) =>
          wantedId === undefined ? one.channel === (wanted ?? one.channel) : one.id === wantedId,
        )
      if (destination === undefined) return unreachedBy(methods)
      const { factor, channel } = destination
      if (!isPhone(factor)) return startSealedChallenge(command, account, destination, context)
      const order = {
        sendId: newCommandId(),
        challengeId: newChallengeId(),
        purpose: purpose.name,
        bound,
        details: command.details && accounts.sealDetails(account, command.details),
        factor: factor.key,
        tellsCodesApart: purposes.tellsCodesApart,
        ...requester,
      }
      return send(command, factor, context, (view, chosen = channel) => {
        // A send that was booked since the read is in no record that was read.
        const known = view === snapshot ? { lastSends } : {}
        const decision = start(view, { channel: chosen, ...order, ...known })
        const replaces = decision.outcome.outcome === 'booked' && decision.outcome.superseded !== undefined
        return command.isAutomatic && replaces ? { outcome: refused('challenge_superseded') } : decision
      })
    },

    async resend(command: ResendCommand): Promise<StartOutcome> {
      const account = await accounts.open(command)
      if ('outcome' in account) return refused('challenge_gone')
      const rateLimits = counters.forSend(account)
      const numbers = numberCounters.open(account)
      const read = await loadDecisionContext(command, account, rateLimits.check, numbers.lastSends)
      const context = { account, rateLimits, numbers, ...read }
      const pending = sealedChallenges.findPendingChallenge(account, command.displayed ?? {}, context)
      if ('outcome' in pending) return pending
      const { factor, challenge, id, displayed } = pending
      if (!isPhone(factor)) {
        return {
          outcome: 'already-sent',
          challenge: accounts.view(account, factor, challenge, { ...context, id }),
        }
      }
      // The provider may have used another channel for the previous code than requested.
      const accepted = sendable(factor, challenge.purpose, command.methods)
      const { channel = accepted.find((one) => one === challenge.channel) ?? accepted[0] } = command
      if (channel === undefined || !accepted.includes(channel)) return unreachedBy(command.methods)
      const { requester, lastSends } = context
      const order = { sendId: newCommandId(), displayed, lastSends, ...requester }
      return send(command, factor, context, (view, chosen = channel) =>
        resend(view, { channel: chosen, ...order }),
      )
    },
  }
}

/**
 * Finds a booking whose response was lost by its id, whatever was written since. Otherwise its code would never be
 * sent.
 */
function reuseBooking(decide: Command<SendOutcome>): Command<SendOutcome> {
  let booked: Booked | undefined
  return (view) => {
    const made = booked
    if (made !== undefined && view.ledger.sends.some(({ id }) => id === made.sendId)) return { outcome: made }
    const decision = decide(view)
    booked = decision.outcome.outcome === 'booked' ? decision.outcome : undefined
    return decision
  }
}

/** Refuses a start for which no accepted code can be sent, and names the accepted factors. */
const unreachedBy = (methods: SendCommand['methods']): Refusal => ({
  ...refused('invalid_request'),
  ...(methods && { methods }),
})
