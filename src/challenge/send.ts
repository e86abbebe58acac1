import { TwoFactorError } from '../errors.js'
import type { Emit } from '../events.js'
import { all } from '../lib/awaitable.js'
import type { Counters } from './budgets/counters.js'
import type { Channel, SendResult } from './code-provider.js'
import type { Codes, Dispatched } from './codes.js'
import {
  type Refusal,
  type ResendCommand,
  refused,
  type SendCommand,
  type StartCommand,
  type StartOutcome,
} from './commands.js'
import { acceptedChannels } from './demand.js'
import type { Decision, Ledger, Who } from './ledger/ledger.js'
import type { LedgerView, OpenLedger } from './ledger/ledgers.js'
import { type Booked, resend, type SendOutcome, settleSend, start } from './ledger/sends.js'
import type { Lane } from './limits.js'
import { permission } from './permission.js'
import type { Purposes } from './purposes.js'
import { about, type Target, type Targets, whoActs } from './targets.js'
import { newChallengeId, newCommandId } from './updater.js'
import type { BalanceWatch } from './watch/balance-watch.js'
import type { DeliveryWatch } from './watch/delivery-watch.js'

/** What a send would do to the ledger. Pure: it decides again on the ledger that made a swap fail. */
type Decide = (ledger: Ledger, now: number, who: Who, chosen?: Channel) => Decision<SendOutcome | Refusal>

/** Start and resend: book the send, hand the code over to the provider, record what became of it. */
export function createSend(parts: {
  readonly codes: Codes
  readonly funds: BalanceWatch | undefined
  readonly deliveries: DeliveryWatch | undefined
  readonly openLedger: OpenLedger
  readonly counters: Counters
  readonly targets: Targets
  readonly purposes: Purposes
  readonly appNameOf: (lane: Lane, purpose: string) => string
  readonly emit: Emit
}) {
  const { codes, funds, deliveries, openLedger, counters, targets, purposes, appNameOf, emit } = parts

  async function send(
    command: SendCommand,
    target: Target,
    sendId: string,
    decide: Decide,
  ): Promise<StartOutcome> {
    const paused = codes.refusal(target)
    if (paused !== undefined) return paused

    // Gather. Issued together: over a network store that is one round trip.
    const ledger = openLedger(target.key, target.limits)
    const budget = counters.forSend(target)
    const [seen, who, broke, tooMany] = await all([
      ledger.read(),
      whoActs(command),
      funds?.check(target.lane),
      budget.check(),
    ])
    const barred = broke ?? tooMany
    if (barred !== undefined) return barred

    // Decide. A refused send needs no captcha, and one that the host refuses changes nothing.
    const { outcome: planned } = decide(seen.ledger, seen.now, who)
    // SMS pumping: nothing is booked unasked, not even where a cooldown has ended since this was read.
    if (planned.outcome !== 'booked') return unsent(target, planned, seen)
    const permitted = await permission(
      target,
      planned.challenge,
      command.beforeSend,
      acceptedBy(planned.challenge.purpose, command.methods),
      budget,
    )
    if (permitted.outcome === 'refused') return permitted
    const unfunded = await funds?.take(target.lane)
    if (unfunded !== undefined) return unfunded

    // Commit: the ledger first, then the counters, so that of parallel requests only one costs budget.
    const booking = await ledger.run((current, now) => decide(current, now, who, permitted.chosen))
    const { outcome: booked } = booking
    if (booked.outcome !== 'booked') return unsent(target, booked, booking)
    const settle = (sent: SendResult, cancelled = false) =>
      ledger.run((current, now) =>
        settleSend(current, sendId, sent, now, target.limits, { ...booked, cancelled }),
      )
    const unbook = async (error: unknown) => {
      await settle({ result: 'not-sent' })
      throw error
    }
    const spent = await budget.take().catch(unbook)
    if (spent !== undefined) {
      await settle({ result: 'not-sent' })
      return spent
    }
    await command.onPassed?.().catch(async (error: unknown) => {
      // Denial of service: a session store that is down must not use up what sign-ups may cost in a day.
      await budget.refund('not-sent').catch(() => undefined)
      return unbook(error)
    })

    // Ask the provider, and settle.
    const { sent, cancelled } = await dispatch(target, booked, command, booking.now)
    const settled = await settle(sent, cancelled)
    // A refused send delivered nothing, so hourly and daily budgets come back: the account may be empty.
    if (settled.outcome.uncounted) await budget.refund(sent.result)
    if (sent.result !== 'sent' && sent.result !== 'unconfirmed') throw notDelivered(sent)
    // Another session may have started, or this one cancelled, while the send was under way.
    const live = settled.outcome.challenge
    if (live === undefined) return refused('challenge_superseded')
    return { outcome: 'started', challenge: targets.view(target, live, settled), delivery: sent.result }
  }

  function unsent(
    target: Target,
    planned: Exclude<SendOutcome | Refusal, Booked>,
    seen: LedgerView,
  ): StartOutcome {
    if (planned.outcome === 'refused') return planned
    return { outcome: 'already-sent', challenge: targets.view(target, planned.challenge, seen) }
  }

  /** The methods of this purpose whose codes will do. */
  function acceptedBy(purpose: string, methods: SendCommand['methods']): readonly Channel[] {
    return acceptedChannels(purposes.find(purpose)?.channels ?? [], { methods })
  }

  async function dispatch(
    target: Target,
    { challenge, superseded, previousHandle }: Booked,
    { locale = 'en', methods }: SendCommand,
    now: number,
  ): Promise<Dispatched> {
    emit({ type: 'challenge.started', ...about(target, challenge) })
    const dispatched = await codes.send(target, {
      lane: target.lane,
      destination: target.phone,
      channel: challenge.channel,
      channels: acceptedBy(challenge.purpose, methods),
      appName: appNameOf(target.lane, challenge.purpose),
      purpose: challenge.purpose,
      locale,
      details: targets.detailsOf(target, challenge),
      expiresInMs: challenge.maxExpiresAt - now,
      previousHandle,
    })
    const { sent } = dispatched
    const { result } = sent
    const travelled = 'channel' in sent && sent.channel ? { ...challenge, channel: sent.channel } : challenge
    funds?.noteSend(target.lane, result)
    if (superseded !== undefined && result !== 'not-sent') {
      emit({ type: 'challenge.superseded', ...about(target, superseded) })
    }
    emit({ ...eventOf(dispatched), ...about(target, travelled) })
    if (result === 'sent') {
      const { provider } = dispatched.about
      const by = provider === undefined ? {} : { provider }
      deliveries?.watch({ ...about(target, travelled), ...by }, dispatched.askState)
    }
    return dispatched
  }

  return {
    async start(command: StartCommand): Promise<StartOutcome> {
      const { bound } = command
      const purpose = purposes.find(command.purpose)
      // Only the purpose keeps the codes of both lanes apart at the provider.
      const ofThisLane = purpose?.browserStartable === (command.lane !== 'enrol')
      const accepted = acceptedBy(command.purpose, command.methods)
      const channel = accepted.find((one) => one === (command.channel ?? one))
      if (!ofThisLane || channel === undefined) return refused('invalid_request')
      const target = await targets.of(command)
      if ('outcome' in target) return target
      const details = command.details && targets.sealDetails(target, command.details)
      const order = { sendId: newCommandId(), challengeId: newChallengeId(), details }
      return send(command, target, order.sendId, (ledger, now, who, chosen = channel) => {
        const binding = { ...who, purpose: purpose.name, bound }
        return start(ledger, { ...order, channel: chosen, binding }, now, target.limits)
      })
    },

    async resend(command: ResendCommand): Promise<StartOutcome> {
      const target = await targets.of(command)
      if ('outcome' in target) return refused('challenge_gone')
      const { channel, methods, shown = {} } = command
      const order = { sendId: newCommandId(), shown }
      return send(command, target, order.sendId, (ledger, now, who, chosen = channel) => {
        const decideFor = (by: Channel | undefined) =>
          resend(ledger, { ...order, channel: by, ...who }, now, target.limits)
        const decision = decideFor(chosen)
        if (decision.outcome.outcome !== 'booked') return decision
        const { purpose, channel: used } = decision.outcome.challenge
        const accepted = acceptedBy(purpose, methods)
        if (accepted.includes(used)) return decision
        // The provider may have sent the one before by another channel than asked for.
        const [instead] = chosen === undefined ? accepted : []
        return instead === undefined ? { outcome: refused('invalid_request') } : decideFor(instead)
      })
    },
  }
}

function eventOf({ sent: { result }, about: exchange }: Dispatched) {
  if (result === 'sent') return { type: 'challenge.sent', ...exchange } as const
  if (result === 'unconfirmed') return { type: 'challenge.unconfirmed', ...exchange } as const
  const { reason: failure, ...others } = exchange
  const cause = failure === undefined ? {} : { failure }
  return { type: 'challenge.undelivered', reason: result, ...cause, ...others } as const
}

function notDelivered(sent: SendResult): TwoFactorError {
  const { result } = sent
  if ('tooLong' in sent) {
    // A row left out could be the payee.
    const message = `Details: "${sent.tooLong}" is too long for a text message.`
    return new TwoFactorError('invalid_request', { message })
  }
  if (result === 'failed' || result === 'foreign-number') {
    return new TwoFactorError('delivery_failed', { message: 'The provider did not take the code.' })
  }
  return new TwoFactorError('provider_unavailable', {
    message: 'The provider cannot be asked to send a code.',
  })
}
