import type { CodeProvider, SendResult, Verdict } from '../challenge/code-provider.js'
import { effectiveError, isJsonObject, memberOf } from './answers.js'
import type { ProviderClient } from './client.js'
import type { Voice } from './parameters.js'
import { ProviderError } from './provider-error.js'
import type { ResultOf } from './results.js'
import { judge } from './verdict.js'

export interface CodeServiceOptions {
  readonly approvedStatuses: readonly string[]
  readonly rejectedCodes: readonly string[]
  readonly accountErrorCodes: readonly string[]
  readonly voice: Voice
  /** How often a call is tried, 1 to 3. */
  readonly callRetries: number
  readonly countryCode?: string | undefined
  readonly verifyTimeoutMs: number
  readonly sendTimeoutMs: number
}

type Sent = ResultOf<'sendSmsCode'> | ResultOf<'sendCallCode'>

/** Speaks to the provider for the domain: every answer, and every lack of one, becomes a value. */
export function createCodeAdapter(client: ProviderClient, options: CodeServiceOptions): CodeProvider {
  const { voice, callRetries: retries, countryCode } = options
  const sending = { timeoutMs: Math.min(options.sendTimeoutMs, client.timeoutMs) }
  const checking = { timeoutMs: Math.min(options.verifyTimeoutMs, client.timeoutMs) }

  return {
    async sendCode({ destination, appName, channel }) {
      const to = { phone: destination, appName, countryCode }
      try {
        const sent =
          channel === 'sms'
            ? await client.sendSmsCode(to, sending)
            : await client.sendCallCode({ ...to, voice, retries }, sending)
        return acceptedSend(sent, destination)
      } catch (error) {
        return failedSend(error, options)
      }
    },

    async checkCode({ destination, appName, code }) {
      try {
        return judge(
          await client.verifyCode({ phone: destination, appName, code, countryCode }, checking),
          options,
        )
      } catch (error) {
        return failedCheck(error, options)
      }
    },
  }
}

function acceptedSend({ raw, minutesToExpire }: Sent, destination: string): SendResult {
  if (namesOthers(raw, destination)) return { result: 'foreign-number' }
  const lifetimeMs = Math.floor((minutesToExpire ?? 0) * 60_000)
  return Number.isSafeInteger(lifetimeMs) && lifetimeMs > 0
    ? { result: 'sent', lifetimeMs }
    : { result: 'sent' }
}

/**
 * Whether the code went to another phone, or may have: the provider sends to comma lists elsewhere, and a
 * second entry is a second message whatever it holds. Reads the raw answer, so that a list of numbers in
 * one member is seen too.
 */
function namesOthers(raw: unknown, destination: string): boolean {
  if (!isJsonObject(raw)) return false
  const entries = [memberOf(raw, 'data')].flat(2)
  if (entries.length > 1) return true
  return [raw, ...entries]
    .filter(isJsonObject)
    .map((entry) => digitsOf(memberOf(entry, 'phone')))
    .some((digits) => digits !== '' && digits !== digitsOf(destination))
}

function digitsOf(phone: unknown): string {
  return String(phone ?? '').replace(/\D/g, '')
}

function failedSend(error: unknown, rules: CodeServiceOptions): SendResult {
  if (!(error instanceof ProviderError)) return { result: 'unconfirmed' }
  if (error.delivery === 'not-sent') return { result: 'not-sent' }
  if (error.delivery === 'unknown') return { result: 'unconfirmed' }
  if (refusesAccount(error, rules)) return { result: 'misconfigured' }
  return { result: isRefusal(error) ? 'failed' : 'unconfirmed' }
}

/**
 * Whether the provider itself refused. A gateway in front of it answers 502, 504 or 520 with a page of its
 * own while the message is already on its way: called failed, its code would be worth nothing on arrival.
 */
function isRefusal({ httpStatus = 0, raw }: ProviderError): boolean {
  if (httpStatus >= 400 && httpStatus < 500) return true
  return isJsonObject(raw) && effectiveError(raw) !== undefined
}

function failedCheck(error: unknown, rules: CodeServiceOptions): Verdict {
  // Anything unforeseen counts as asked: an attempt is returned only when nothing was provably sent.
  if (!(error instanceof ProviderError)) return 'unavailable'
  if (error.delivery === 'not-sent') return 'not-sent'
  return refusesAccount(error, rules) ? 'misconfigured' : 'unavailable'
}

/** Asks the judge, who knows the account's errors, about an answer that was no success. */
function refusesAccount({ httpStatus = 0, raw }: ProviderError, rules: CodeServiceOptions): boolean {
  return judge({ ...(isJsonObject(raw) ? raw : {}), httpStatus }, rules) === 'misconfigured'
}
