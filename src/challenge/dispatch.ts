import { TwoFactorError } from '../errors.js'
import type { AboutChallenge, AboutExchange, Emit, EventBody } from '../events.js'
import type { Channel, SendResult } from './code-provider.js'
import type { Codes } from './codes.js'
import type { Exchanged } from './exchange.js'
import type { LedgerView } from './ledger/ledgers.js'
import { callableAt } from './ledger/pacing.js'
import type { Booked } from './ledger/sends.js'
import type { Lane } from './limits.js'
import { about, type NumberTarget, type Targets } from './targets.js'
import type { BalanceWatch } from './watch/balance-watch.js'
import type { DeliveryWatch } from './watch/delivery-watch.js'

interface Order {
  readonly locale?: string | undefined
  /** By which it may go out. */
  readonly channels: readonly Channel[]
}

export type Dispatch = ReturnType<typeof createDispatch>

/** Hands a booked code over to the provider, and reports what became of it. */
export function createDispatch(parts: {
  readonly codes: Codes
  readonly funds: BalanceWatch | undefined
  readonly deliveries: DeliveryWatch | undefined
  readonly targets: Targets
  readonly appNameOf: (lane: Lane, purpose: string) => string
  readonly emit: Emit
}) {
  const { codes, funds, deliveries, targets, appNameOf, emit } = parts

  return async function dispatch(
    target: NumberTarget,
    { challenge, superseded, previousHandle }: Booked,
    { ledger, now, locale = 'en', channels }: LedgerView & Order,
  ): Promise<Exchanged<SendResult>> {
    const { channel } = challenge
    const mayCall = channel === 'call' || callableAt(ledger[challenge.budget], now, target.limits) <= now
    emit({ type: 'challenge.started', ...about(target, challenge) })
    const dispatched = await codes.send(target, {
      lane: target.lane,
      destination: target.phone,
      channel,
      channels: channels.filter((one) => one !== 'call' || mayCall),
      appName: appNameOf(target.lane, challenge.purpose),
      purpose: challenge.purpose,
      locale,
      details: targets.detailsOf(target, challenge),
      expiresInMs: challenge.maxExpiresAt - now,
      previousHandle,
    })
    const { result: sent, about: exchange, askState } = dispatched
    const { result } = sent
    const travelled = 'channel' in sent && sent.channel ? { ...challenge, channel: sent.channel } : challenge
    funds?.noteSend(target.lane, result)
    if (superseded !== undefined && result !== 'not-sent') {
      emit({ type: 'challenge.superseded', ...about(target, superseded) })
    }
    emit(eventOf(result, about(target, travelled, exchange)))
    const { provider } = exchange
    const by = provider === undefined ? {} : { provider }
    // What an empty account refuses says nothing about the country.
    if (funds?.state()?.condition !== 'empty') {
      deliveries?.noteSend(about(target, travelled, by), result, askState)
    }
    return dispatched
  }
}

function eventOf(result: SendResult['result'], told: AboutChallenge & AboutExchange): EventBody {
  if (result === 'sent') return { type: 'challenge.sent', ...told }
  if (result === 'unconfirmed') return { type: 'challenge.unconfirmed', ...told }
  const { reason: failure, ...others } = told
  const cause = failure === undefined ? {} : { failure }
  return { type: 'challenge.undelivered', reason: result, ...cause, ...others }
}

export function notDelivered(sent: SendResult): TwoFactorError {
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
