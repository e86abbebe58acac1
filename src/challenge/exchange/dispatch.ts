import { TwoFactorError } from '../../errors.js'
import type { ChallengeFields, EventBody, ExchangeFields } from '../../events.js'
import { present } from '../../lib/json.js'
import { secondMs } from '../../lib/time.js'
import { type BeforeSend, type Refusal, refused } from '../commands.js'
import type { DomainServices } from '../keys.js'
import type { LedgerSnapshot } from '../ledger/ledger.js'
import { pauseAfterLater, roomAt } from '../ledger/pacing.js'
import type { Booked } from '../ledger/sends.js'
import type { Purposes } from '../purposes.js'
import type { SendRateLimits } from '../rate-limits/counters.js'
import type { Accounts } from '../reach/accounts.js'
import { type Account, browserFields, challengeFields, exchangeContextOf } from '../reach/decision-context.js'
import type { PhoneFactor } from '../reach/factors.js'
import type { Channel, SendResult } from './code-provider.js'
import type { Codes } from './codes.js'
import type { ExchangeResult } from './exchanges.js'
import { maskNumbers } from './provider-answer.js'

// Before a send: `beforeSend` decides whether a code may be sent, then the provider sends it.

/** Permission of the app, with the method that it chose. Absent if the app was not asked. */
interface Permitted {
  readonly outcome: 'permitted'
  readonly chosen?: Channel
}

const maxReasonLength = 200

/** A send before `beforeSend` decides. `channels` are the methods that the request accepts. */
type PlannedSend = Omit<Parameters<BeforeSend>[0], 'suspicion'>

/** Calls `beforeSend` for a planned send that no limit refuses. */
export async function requestPermission(
  planned: PlannedSend,
  beforeSend: BeforeSend | undefined,
  { question, suspected }: Pick<SendRateLimits, 'question' | 'suspected'>,
): Promise<Refusal | Permitted> {
  const { suspicion, refusal } = suspected(beforeSend !== undefined) ?? {}
  // Without a captcha, no request is accepted while the country looks like SMS pumping.
  if (beforeSend === undefined) return refusal ?? { outcome: 'permitted' }
  // An assessment costs money, so an address has no more of them at a time than it may have codes.
  const tooMany = await question.consume()
  if (tooMany !== undefined) return tooMany
  const asked = async () => beforeSend(suspicion === undefined ? planned : { ...planned, suspicion })
  const said: unknown = await asked().catch(async (error: unknown) => {
    await question.refund()
    throw error
  })
  const { allow = said, method = planned.channel, reason }: Readonly<Record<string, unknown>> = Object(said)
  // A code by a method that this request does not accept would be paid for in vain.
  const chosen = planned.channels.find((accepted) => accepted === method)
  if (allow !== true || chosen === undefined) {
    await question.refund()
    const eventReason = typeof reason === 'string' && {
      eventReason: maskNumbers(reason).slice(0, maxReasonLength),
    }
    return { ...refused('send_refused'), ...eventReason }
  }
  return { outcome: 'permitted', chosen }
}

/** A booked code and how to send it. */
interface Order extends Pick<Booked, 'challenge' | 'superseded' | 'previousHandle' | 'previousUnanswered'> {
  readonly locale?: string | undefined
  /** Methods by which it may be sent. */
  readonly channels: readonly Channel[]
  /** True if the number's limits have room for a call, whatever was booked. */
  readonly mayCall: boolean
}

/** Parts of the domain that a send needs. */
export interface DispatchParts extends DomainServices {
  readonly codes: Codes
  readonly accounts: Accounts
  readonly purposes: Purposes
}

/** Creates the function that passes a booked code to the provider and emits the outcome. */
export function createDispatch(parts: DispatchParts) {
  const { codes, accounts, purposes, emit } = parts

  return async function dispatch(
    account: Account,
    factor: PhoneFactor,
    { challenge, superseded, locale = 'en', channels, mayCall, ...previous }: Order,
    snapshot: LedgerSnapshot,
  ): Promise<ExchangeResult<SendResult>> {
    const { channel } = challenge
    // A booked text counts as one, and a call would count as two.
    const maySpeak =
      channel === 'call' || (mayCall && roomAt(snapshot, challenge.browserKind, 'sms') <= snapshot.now)
    const started = { ...challengeFields(account, factor, challenge), ...browserFields(account, challenge) }
    emit({ type: 'challenge.started', ...started })
    const dispatched = await codes.send(exchangeContextOf(account, factor), {
      lane: account.lane,
      destination: factor.phone,
      channel,
      channels: channels.filter((one) => one !== 'call' || maySpeak),
      appName: purposes.appNameOf(challenge.purpose),
      purpose: challenge.purpose,
      locale,
      details: accounts.detailsOf(account, challenge),
      expiresInMs: challenge.maxExpiresAt - snapshot.now,
      ...previous,
    })
    const { result: sent, fields: exchange, messageId } = dispatched
    const { result } = sent
    if (dispatched.isDisconnected) return dispatched
    const travelled = 'channel' in sent && sent.channel ? { ...challenge, channel: sent.channel } : challenge
    if (superseded !== undefined && result !== 'not-sent') {
      emit({ type: 'challenge.superseded', ...challengeFields(account, factor, superseded) })
    }
    emit(eventOf(result, challengeFields(account, factor, travelled, exchange), messageId))
    return dispatched
  }
}

function eventOf(
  result: SendResult['result'],
  eventFields: ChallengeFields & ExchangeFields,
  messageId: string | undefined,
): EventBody {
  if (result === 'sent' || result === 'unconfirmed') {
    return { type: `challenge.${result}`, ...eventFields, ...present({ messageId }) }
  }
  const { reason: failure, ...others } = eventFields
  const cause = failure === undefined ? {} : { failure }
  return { type: 'challenge.undelivered', reason: result, ...cause, ...others }
}

export function notDelivered(sent: SendResult): TwoFactorError {
  const { result } = sent
  if (sent.result === 'later') {
    const seconds = Math.ceil(pauseAfterLater(sent) / secondMs)
    return new TwoFactorError('provider_unavailable', {
      message: 'The provider sends no codes at the moment.',
      headers: { 'Retry-After': String(seconds) },
    })
  }
  if (result === 'failed' || result === 'foreign-number') {
    return new TwoFactorError('delivery_failed', { message: 'The provider refused to send the code.' })
  }
  return new TwoFactorError('provider_unavailable', {
    message: 'The provider cannot send a code.',
  })
}
