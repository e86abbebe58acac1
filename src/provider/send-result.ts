import type { CodeSend, ExchangeReport, SendResult } from '../challenge/exchange/code-provider.js'
import { isJsonObject } from '../lib/json.js'
import { minuteMs } from '../lib/time.js'
import { askProvider } from './failure.js'
import { numberEchoIn } from './number-echo.js'
import type { OperationName } from './operations.js'
import { messageIdIn, ProviderError } from './provider-error.js'
import { isFromService } from './service-status.js'
import { effectiveError, judge, type VerdictRules } from './verdict.js'

/** Sends one message with a code, reports the exchange and returns the result. */
export async function sendResultOf(
  { destination, report }: Pick<CodeSend, 'destination' | 'report'>,
  operation: OperationName,
  rules: VerdictRules,
  ask: () => Promise<unknown>,
): Promise<SendResult> {
  try {
    const answer = await ask()
    report?.({ operation, httpStatus: 200, messageId: messageIdIn(answer) })
    return await acceptedSend(answer, destination)
  } catch (error) {
    reportFailure(error, report)
    return failedSend(error, rules)
  }
}

async function acceptedSend(answer: unknown, destination: string): Promise<SendResult> {
  const { raw = answer, minutesToExpire }: Readonly<Record<string, unknown>> = Object(answer)
  if ((await numberEchoIn(raw, destination)) === 'others') return { result: 'foreign-number' }
  const lifetimeMs = Math.floor(Number(minutesToExpire) * minuteMs)
  return { result: 'sent', ...(Number.isSafeInteger(lifetimeMs) && lifetimeMs > 0 && { lifetimeMs }) }
}

/** Returns the result of a send that the client rejected. */
function failedSend(error: unknown, rules: VerdictRules): SendResult {
  if (!(error instanceof ProviderError)) return { result: 'unconfirmed' }
  if (error.delivery === 'not-sent') return { result: 'not-sent' }
  if (error.delivery === 'unknown') return { result: 'unconfirmed' }
  if (error.httpStatus === 429) return postponed(error)
  if (!isFromService(error.httpStatus ?? 0)) return { result: 'unconfirmed' }
  if (refusesAccount(error, rules)) return { result: 'misconfigured' }
  return { result: isRefusal(error) ? 'failed' : 'unconfirmed' }
}

/**
 * Returns the result of a response that postpones the send. A gateway may have sent a response that is not the JSON of
 * the service.
 */
function postponed({ retryAfterMs, raw }: ProviderError): SendResult {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  return { result: 'later', ...wait, ...(!isJsonObject(raw) && { unrecognized: true as const }) }
}

/** Reports a failed exchange. The error of the client describes the failure without a secret. */
export function reportFailure(error: unknown, report: ((report: ExchangeReport) => void) | undefined): void {
  if (error instanceof ProviderError) {
    const { operation, httpStatus, providerError, reason, advice } = error
    // An event contains neither `providerMessage` nor `raw`.
    const cause = advice.replace(`; ${askProvider}`, '.')
    report?.({ operation, httpStatus, providerError, reason, cause })
  } else {
    report?.({ reason: 'error' })
  }
}

/**
 * Returns whether the service refused. A gateway may return 520 with its own page although the service accepted the
 * message. Treated as failed, the code would not be accepted when it arrives.
 */
function isRefusal({ httpStatus = 0, raw }: ProviderError): boolean {
  if (httpStatus < 500 && httpStatus !== 200) return true
  return isJsonObject(raw) && effectiveError(raw) !== undefined
}

/** Returns whether a response that is no success refuses the account. */
export function refusesAccount({ httpStatus = 0, raw }: ProviderError, rules: VerdictRules): boolean {
  return judge({ ...(isJsonObject(raw) ? raw : {}), httpStatus }, rules) === 'misconfigured'
}
