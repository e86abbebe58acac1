import type { CodeSend, ExchangeReport, SendResult } from '../challenge/code-provider.js'
import { isJsonObject } from '../lib/json.js'
import { minuteMs } from '../lib/time.js'
import type { OperationName } from './operations.js'
import { ProviderError } from './provider-error.js'
import { effectiveError, judge, type VerdictRules } from './verdict.js'

/** Has one message with a code sent, reports the exchange, and says what came of it. */
export async function sendResultOf(
  { destination, report }: Pick<CodeSend, 'destination' | 'report'>,
  operation: OperationName,
  rules: VerdictRules,
  ask: () => Promise<unknown>,
): Promise<SendResult> {
  try {
    const answer = await ask()
    report?.({ operation, httpStatus: 200, messageId: Object(answer).id })
    return acceptedSend(answer, destination)
  } catch (error) {
    reportFailure(error, report)
    return failedSend(error, rules)
  }
}

function acceptedSend(answer: unknown, destination: string): SendResult {
  const { raw = answer, minutesToExpire }: Readonly<Record<string, unknown>> = Object(answer)
  if (namesOthers(raw, destination)) return { result: 'foreign-number' }
  const lifetimeMs = Math.floor(Number(minutesToExpire) * minuteMs)
  return { result: 'sent', ...(Number.isSafeInteger(lifetimeMs) && lifetimeMs > 0 && { lifetimeMs }) }
}

/** Members that hold a number wherever they stand. Others may hold ids and times, which look like one. */
const phoneMembers = /phone|mobile|msisdn|recipient|destination|^to$|^numbers?$/i
const fewestDigits = 8

/**
 * Whether the code went to another phone, or may have: the provider sends to comma lists elsewhere, and a
 * second entry is a second message whatever it holds. Reads the raw answer in every depth, because no
 * specification says where else a number may be named.
 */
function namesOthers(raw: unknown, destination: string): boolean {
  const own = digitsOf(destination)
  const isOther = (digits: string, fewest: number) => digits.length >= fewest && digits !== own
  // A list in place of recursion: an answer may be nested ten thousand deep.
  const left: (readonly [member: string, value: unknown])[] = [['', raw]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [member, value] = next
    if (Array.isArray(value)) {
      if (member === 'data' && value.flat(1).length > 1) return true
      for (const entry of value) left.push([member, entry])
    } else if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (isNumber(name) && isOther(digitsOf(name), fewestDigits)) return true
        left.push([name, inner])
      }
    } else if (phoneMembers.test(member)) {
      if (isOther(digitsOf(value), member === 'phone' ? 1 : fewestDigits)) return true
    }
  }
  return false
}

const isNumber = (name: string) => /^\+?\d{9,15}$/.test(name)

function digitsOf(phone: unknown): string {
  return String(phone ?? '').replace(/\D/g, '')
}

/** The outcome of a send that the client rejected. */
function failedSend(error: unknown, rules: VerdictRules): SendResult {
  if (!(error instanceof ProviderError)) return { result: 'unconfirmed' }
  if (error.delivery === 'not-sent') return { result: 'not-sent' }
  if (error.delivery === 'unknown') return { result: 'unconfirmed' }
  if (refusesAccount(error, rules)) return { result: 'misconfigured' }
  return { result: isRefusal(error) ? 'failed' : 'unconfirmed' }
}

/** Reports a failed exchange: an error of the client says what happened, without a secret. */
export function reportFailure(error: unknown, report: ((report: ExchangeReport) => void) | undefined): void {
  if (error instanceof ProviderError) {
    const { operation, httpStatus, providerError, reason } = error
    report?.({ operation, httpStatus, providerError, reason })
  } else {
    report?.({ reason: 'error' })
  }
}

/**
 * Whether the provider itself refused. A gateway in front of it answers 502, 504 or 520 with a page of its
 * own while the message is already on its way: called failed, its code would be worth nothing on arrival.
 */
function isRefusal({ httpStatus = 0, raw }: ProviderError): boolean {
  if (httpStatus >= 400 && httpStatus < 500) return true
  return isJsonObject(raw) && effectiveError(raw) !== undefined
}

/** Asks the judge, who knows the account's errors, about an answer that was no success. */
export function refusesAccount({ httpStatus = 0, raw }: ProviderError, rules: VerdictRules): boolean {
  return judge({ ...(isJsonObject(raw) ? raw : {}), httpStatus }, rules) === 'misconfigured'
}
