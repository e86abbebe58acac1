import { TwoFactorError } from '../../errors.js'
import type { ChallengeFields, EventBody, ExchangeFields } from '../../events.js'
import { present } from '../../lib/json.js'
import { type Refusal, refused, type SendCommand } from '../commands.js'
import type { DomainServices } from '../keys.js'
import type { Challenge, LedgerSnapshot } from '../ledger/ledger.js'
import { roomAt } from '../ledger/pacing.js'
import type { Booked } from '../ledger/sends.js'
import type { Purposes } from '../purposes.js'
import type { SendRateLimits } from '../rate-limits/counters.js'
import { type Account, challengeFields, exchangeContextOf } from '../reach/account.js'
import type { Accounts } from '../reach/accounts.js'
import type { PhoneFactor } from '../reach/factors.js'
import type { Channel, SendResult } from './code-provider.js'
import type { Codes } from './codes.js'
import type { ExchangeResult } from './exchanges.js'
import { withoutNumbers } from './provider-answer.js'

// On the way out: the host is asked whether a code may go, and the provider to send it.

/** The host's yes, and how it wants the code to go out; absent where it was not asked. */
interface Permitted {
  readonly outcome: 'permitted'
  readonly chosen?: Channel
}

const maxReasonLength = 200

/** Asks the host about a send that nothing else refuses. */
export async function permission(
  { subject }: Account,
  { phone: destination }: PhoneFactor,
  { channel, purpose }: Challenge,
  beforeSend: SendCommand['beforeSend'],
  /** The methods whose codes will do. */
  channels: readonly Channel[],
  { question, suspected }: SendRateLimits,
): Promise<Refusal | Permitted> {
  const { suspicion, refusal } = suspected(beforeSend !== undefined) ?? {}
  // SMS pumping: without a captcha to ask for, nobody passes while the country is suspected.
  if (beforeSend === undefined) return refusal ?? { outcome: 'permitted' }
  const planned = { subject, destination, channel, channels, purpose }
  // Cost: an assessment is billed, and no address has more of them at once than it may have codes.
  const tooMany = await question.take()
  if (tooMany !== undefined) return tooMany
  const asked = async () => beforeSend(suspicion === undefined ? planned : { ...planned, suspicion })
  const said: unknown = await asked().catch(async (error: unknown) => {
    await question.refund()
    throw error
  })
  const { allow = said, method = channel, reason }: Readonly<Record<string, unknown>> = Object(said)
  // A method that this request does not take would be paid for in vain.
  const chosen = channels.find((accepted) => accepted === method)
  if (allow !== true || chosen === undefined) {
    await question.refund()
    const eventReason = typeof reason === 'string' && {
      eventReason: withoutNumbers(reason).slice(0, maxReasonLength),
    }
    return { ...refused('send_refused'), ...eventReason }
  }
  return { outcome: 'permitted', chosen }
}

/** What was booked, and how it goes out. */
interface Order extends Pick<Booked, 'challenge' | 'superseded' | 'previousHandle'> {
  readonly locale?: string | undefined
  /** By which it may go out. */
  readonly channels: readonly Channel[]
  /** The number has room for a call, whatever was booked. */
  readonly mayCall: boolean
}

/** Which parts of the domain a code goes out through. */
export interface DispatchParts extends DomainServices {
  readonly codes: Codes
  readonly accounts: Accounts
  readonly purposes: Purposes
}

/** Hands a booked code over to the provider, and reports what became of it. */
export function createDispatch(parts: DispatchParts) {
  const { codes, accounts, purposes, emit } = parts

  return async function dispatch(
    account: Account,
    factor: PhoneFactor,
    { challenge, superseded, previousHandle, locale = 'en', channels, mayCall }: Order,
    snapshot: LedgerSnapshot,
  ): Promise<ExchangeResult<SendResult>> {
    const { channel } = challenge
    // It is booked as a text: as a call it would count as two.
    const maySpeak =
      channel === 'call' || (mayCall && roomAt(snapshot, challenge.browserKind, 'sms') <= snapshot.now)
    emit({ type: 'challenge.started', ...challengeFields(account, factor, challenge) })
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
      previousHandle,
    })
    const { result: sent, fields: exchange, messageId } = dispatched
    const { result } = sent
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

export function notDelivered({ result }: SendResult): TwoFactorError {
  if (result === 'failed' || result === 'foreign-number') {
    return new TwoFactorError('delivery_failed', { message: 'The provider did not take the code.' })
  }
  return new TwoFactorError('provider_unavailable', {
    message: 'The provider cannot be asked to send a code.',
  })
}
