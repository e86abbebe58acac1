import { TwoFactorError } from '../errors.js'
import type { Emit } from '../events.js'
import type { Counters, SendBudget } from './budgets/counters.js'
import type { Suspected } from './budgets/signup-guard.js'
import type { SendResult } from './code-provider.js'
import type { Codes, Dispatched } from './codes.js'
import {
  type Refusal,
  type ResendCommand,
  refused,
  type SendCommand,
  type StartCommand,
  type StartOutcome,
} from './commands.js'
import type { Challenge, Decision, Ledger, Who } from './ledger/ledger.js'
import type { Decided, OpenLedger } from './ledger/ledgers.js'
import { type Booked, resend, type SendOutcome, type SettledSend, settleSend, start } from './ledger/sends.js'
import type { Lane } from './limits.js'
import type { Purposes } from './purposes.js'
import { about, type Target, type Targets } from './targets.js'
import { newChallengeId, newCommandId } from './updater.js'
import type { BalanceWatch } from './watch/balance-watch.js'
import type { DeliveryWatch } from './watch/delivery-watch.js'

type SendStep = (ledger: Ledger, now: number) => Decision<SendOutcome | Refusal>
type Settle = (sent: SendResult, cancelled?: boolean) => Promise<Decided<SettledSend>>

/** Start and resend: book the send, hand the code over to the provider, record what became of it. */
export function createSending(parts: {
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
    target: Target,
    sendId: string,
    stepOf: (who: Who) => SendStep,
    command: SendCommand,
  ): Promise<StartOutcome> {
    const paused = codes.refusal(target)
    if (paused !== undefined) return paused
    const budget = counters.forSend(target)
    const updater = openLedger(target.key, target.limits)
    // Issued together: over a network store they cost one round trip.
    const [seen, broke, tooMany, who] = await Promise.all([
      updater.read(),
      funds?.check(target.lane),
      budget.check(),
      target.who(),
    ])
    if (broke !== undefined) return broke
    if (tooMany !== undefined) return tooMany
    const step = stepOf(who)
    // Previewed first: a refused send needs no captcha, and a send that the host refuses changes nothing.
    const { outcome: planned } = step(seen.ledger, seen.now)
    if (planned.outcome === 'booked') {
      const refusal =
        (await permission(target, planned.challenge, command, budget, budget.suspected())) ??
        (await funds?.take(target.lane))
      if (refusal !== undefined) return refusal
    }
    // SMS pumping: nothing is booked unasked, not even where a cooldown has ended since the preview.
    const { outcome, ledger, now } =
      planned.outcome === 'booked' ? await updater.run(step) : { ...seen, outcome: planned }
    if (outcome.outcome === 'refused') return outcome
    if (outcome.outcome === 'live') {
      return { outcome: 'already-sent', challenge: targets.view(target, outcome.challenge, ledger, now) }
    }
    const settle: Settle = (sent, cancelled = false) => {
      const order = { ...outcome, cancelled }
      return updater.run((booked, time) => settleSend(booked, sendId, sent, time, target.limits, order))
    }
    const unbook = async (error: unknown) => {
      await settle({ result: 'not-sent' })
      throw error
    }
    // Counted after the send was booked: of parallel requests only one costs budget.
    const refusal = await budget.take().catch(unbook)
    if (refusal === undefined) {
      await command.onPassed?.().catch(async (error: unknown) => {
        // Denial of service: a session store that is down must not use up what sign-ups may cost in a day.
        await budget.refund('not-sent').catch(() => undefined)
        return unbook(error)
      })
      return deliver(target, outcome, command, budget, now, settle)
    }
    await settle({ result: 'not-sent' })
    return refusal
  }

  async function permission(
    { subject, phone: destination }: Target,
    { channel, purpose }: Challenge,
    { beforeSend }: SendCommand,
    { question }: SendBudget,
    { suspicion, refusal }: Partial<Suspected> = {},
  ): Promise<Refusal | undefined> {
    // SMS pumping: without a captcha to ask for, nobody passes while the country is suspected.
    if (beforeSend === undefined) return refusal
    const asked = { subject, destination, channel, purpose }
    // Cost: an assessment is billed, and whoever is refused, or does not wait for the answer, can ask again.
    const tooMany = await question?.take()
    if (tooMany !== undefined) return tooMany
    const allowed = await beforeSend(suspicion === undefined ? asked : { ...asked, suspicion })
    if (allowed !== true) return refused('send_refused')
    await question?.refund()
    return undefined
  }

  async function deliver(
    target: Target,
    { challenge, superseded, previousHandle }: Booked,
    { locale = 'en' }: SendCommand,
    budget: SendBudget,
    now: number,
    settle: Settle,
  ): Promise<StartOutcome> {
    emit({ type: 'challenge.started', ...about(target, challenge) })
    const dispatched = await codes.send(target, {
      destination: target.phone,
      channel: challenge.channel,
      appName: appNameOf(target.lane, challenge.purpose),
      purpose: challenge.purpose,
      locale,
      details: targets.detailsOf(target, challenge),
      expiresInMs: challenge.maxExpiresAt - now,
      previousHandle,
    })
    const { sent } = dispatched
    funds?.noteSend(target.lane, sent.result)
    if (superseded !== undefined && sent.result !== 'not-sent') {
      emit({ type: 'challenge.superseded', ...about(target, superseded) })
    }
    emit({ ...eventOf(dispatched), ...about(target, challenge) })
    if (sent.result === 'sent') {
      const { provider } = dispatched.about
      const by = provider === undefined ? {} : { provider }
      deliveries?.watch({ ...about(target, challenge), ...by }, dispatched.askState)
    }
    const settled = await settle(sent, dispatched.cancelled)
    // A refused send delivered nothing, so hourly and daily budgets come back: the account may be empty.
    if (settled.outcome.uncounted) await budget.refund(sent.result)
    if (sent.result !== 'sent' && sent.result !== 'unconfirmed') throw notDelivered(sent)
    // Another session may have started, or this one cancelled, while the send was under way.
    const live = settled.outcome.challenge
    if (live === undefined) return refused('challenge_superseded')
    const view = targets.view(target, live, settled.ledger, settled.now)
    return { outcome: 'started', challenge: view, delivery: sent.result }
  }

  return {
    async start(command: StartCommand): Promise<StartOutcome> {
      const purpose = purposes.find(command.purpose)
      // Only the purpose keeps the codes of both lanes apart at the provider.
      const ofThisLane = purpose?.browserStartable === (command.lane !== 'enrol')
      const channel = command.channel ?? purpose?.channels[0]
      if (!ofThisLane || channel === undefined || !purpose.channels.includes(channel)) {
        return refused('invalid_request')
      }
      const target = await targets.of(command)
      if ('outcome' in target) return target
      const details = command.details && targets.sealDetails(target, command.details)
      const order = { sendId: newCommandId(), challengeId: newChallengeId(), channel, details }
      const wanted = { purpose: purpose.name, bound: command.bound }
      const stepOf =
        (who: Who): SendStep =>
        (ledger, now) =>
          start(ledger, { ...order, binding: { ...who, ...wanted } }, now, target.limits)
      return send(target, order.sendId, stepOf, command)
    },

    async resend(command: ResendCommand): Promise<StartOutcome> {
      const target = await targets.of(command)
      if ('outcome' in target) return refused('challenge_gone')
      const { channel, shown = {} } = command
      const order = { sendId: newCommandId(), channel, shown }
      const stepOf =
        (who: Who): SendStep =>
        (ledger, now) => {
          const decision = resend(ledger, { ...order, ...who }, now, target.limits)
          if (decision.outcome.outcome !== 'booked') return decision
          const { purpose, channel: used } = decision.outcome.challenge
          const isAllowed = purposes.find(purpose)?.channels.includes(used) === true
          return isAllowed ? decision : { outcome: refused('invalid_request') }
        }
      return send(target, order.sendId, stepOf, command)
    },
  }
}

function eventOf({ sent: { result }, about: asked }: Dispatched) {
  if (result === 'sent') return { type: 'challenge.sent', ...asked } as const
  if (result === 'unconfirmed') return { type: 'challenge.unconfirmed', ...asked } as const
  const { reason: failure, ...others } = asked
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
