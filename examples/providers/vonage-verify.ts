// Vonage Verify v2 as a code provider. https://developer.vonage.com/en/api/verify.v2
// A number has one request at a time. The earlier one is cancelled first; if that fails, it is moved to its next step.
// A sign-in replaces a request of a sign-up, so an attacker who signs up with the number of a user does not block the user.
import type { CodeCheck, CodeProvider, SendResult, Verdict } from 'express-two-factor'
import { type Answer, basicAuth, later, post } from './ask.js'

export interface VonageVerifyOptions {
  readonly apiKey: string
  readonly apiSecret: string
  /** `code.pattern` of `twoFactor`. If it fixes the length of a code, the service makes codes of that length. */
  readonly codePattern?: RegExp
  /** Number of your WhatsApp Business account, digits only. Without it there is no method `whatsapp`. */
  readonly whatsappFrom?: string
  readonly baseUrl?: string
}

/** How long the service waits for the code, in seconds: 15 to 900. */
const channelTimeout = 300
const maxBrandLength = 16
/** A number has a request already. */
const conflict = 409
/** Maximum duration of a cancellation, during which its send waits. */
const cancelMs = 3_000

export function vonageVerify(options: VonageVerifyOptions): CodeProvider {
  const { apiKey, apiSecret, codePattern, whatsappFrom, baseUrl = 'https://api.nexmo.com' } = options
  const whatsapp = { channel: 'whatsapp', from: whatsappFrom }
  const steps: Readonly<Record<string, object>> = {
    sms: { channel: 'sms' },
    call: { channel: 'voice' },
    rcs: { channel: 'rcs' },
    ...(whatsappFrom !== undefined && { whatsapp }),
  }
  const codeLength = codePattern && fixedLengthOf(codePattern)
  const headers = { ...basicAuth(apiKey, apiSecret), 'content-type': 'application/json' }
  const urlOf = (handle: string) => `${baseUrl}/v2/verify/${encodeURIComponent(handle)}`
  const ask = (
    operation: string,
    url: string,
    body: object | undefined,
    { signal, report }: Pick<CodeCheck, 'signal' | 'report'>,
  ) => post(url, { operation, headers, ...(body && { body: JSON.stringify(body) }), signal, report })

  /** Requests of sign-ups by number. Several processes need one store for them, such as your Redis. */
  const signUps = new Map<string, string>()
  function remember(to: string, handle: string): void {
    signUps.set(to, handle)
    const forget = () => signUps.get(to) === handle && signUps.delete(to)
    setTimeout(forget, channelTimeout * 1_000).unref()
  }

  /** Returns whether the request has ended, or may have. The service cancels no request in its first half minute. */
  async function cancel(handle: string, signal: AbortSignal): Promise<boolean> {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(cancelMs)])
    const answer = await post(urlOf(handle), { operation: 'cancel', method: 'DELETE', headers, signal: soon })
    return answer === 'lost' || (typeof answer === 'object' && answer.httpStatus === 204)
  }

  return {
    name: 'vonage-verify',
    tellsCodesApart: true,
    methods: Object.keys(steps).map((name) => ({ name, label: labels[name] })),
    async sendCode({ destination, channel, appName, locale, lane, previousHandle, ...exchange }) {
      const to = destination.replace('+', '')
      const request = {
        brand: appName.slice(0, maxBrandLength),
        locale: locales[locale.slice(0, 2)] ?? 'en-us',
        channel_timeout: channelTimeout,
        ...(codeLength !== undefined && { code_length: codeLength }),
        workflow: [{ ...steps[channel], to }],
      }
      const isEnded = previousHandle !== undefined && (await cancel(previousHandle, exchange.signal))
      const cancelled = isEnded && { cancelled: true as const }
      const verify = () => ask('verify', `${baseUrl}/v2/verify`, request, exchange)
      let answer = await verify()
      const signUp = lane === 'enrol' ? undefined : signUps.get(to)
      if (isConflict(answer) && signUp !== undefined && (await cancel(signUp, exchange.signal))) {
        answer = await verify()
      }
      if (!isConflict(answer) || previousHandle === undefined) {
        const result = { ...sendResult(answer), ...cancelled }
        if (lane === 'enrol' && 'handle' in result && result.handle) remember(to, result.handle)
        return result
      }
      // The earlier request could not be cancelled. It may have another step, which sends its code again.
      const next = await ask('nextWorkflow', `${urlOf(previousHandle)}/next_workflow`, undefined, exchange)
      const moved = typeof next === 'object' && next.httpStatus === 200
      return moved ? { result: 'sent', handle: previousHandle } : { ...sendResult(answer), ...cancelled }
    },
    async checkCode({ handle, code, ...exchange }) {
      if (handle === undefined) return 'not-sent'
      return verdict(await ask('check', urlOf(handle), { code }, exchange))
    },
  }
}

const isConflict = (answer: Answer): boolean => typeof answer === 'object' && answer.httpStatus === conflict

const labels: Readonly<Record<string, string>> = { rcs: 'RCS', whatsapp: 'WhatsApp' }
const locales: Readonly<Record<string, string>> = { en: 'en-us', es: 'es-mx', pt: 'pt-br' }

/** Returns the only length of digits that the pattern accepts, or undefined for several. The service makes 4 to 10. */
function fixedLengthOf(pattern: RegExp): number | undefined {
  const lengths = [4, 5, 6, 7, 8, 9, 10].filter((length) => pattern.test('1'.repeat(length)))
  return lengths.length === 1 ? lengths[0] : undefined
}

function sendResult(answer: Answer): SendResult {
  if (answer === 'not-sent') return { result: 'not-sent' }
  if (answer === 'lost' || answer.json === undefined) return { result: 'unconfirmed' }
  const { httpStatus, json } = answer
  if (isOfAccount(httpStatus)) return { result: 'misconfigured' }
  // The number has a request of another account, or the account has sent too many.
  if (httpStatus === conflict || httpStatus === 429) return later(answer)
  if (httpStatus === 408) return { result: 'unconfirmed' }
  if (httpStatus >= 400 && httpStatus < 500) return { result: 'failed' }
  if (httpStatus !== 202 || typeof json.request_id !== 'string') return { result: 'unconfirmed' }
  return { result: 'sent', handle: json.request_id, lifetimeMs: channelTimeout * 1_000 }
}

function verdict(answer: Answer): Verdict {
  if (answer === 'not-sent') return 'not-sent'
  if (answer === 'lost' || answer.json === undefined) return 'unavailable'
  const { httpStatus, json } = answer
  if (isOfAccount(httpStatus)) return 'misconfigured'
  if (httpStatus === 400) return 'rejected'
  // Verified, expired, or checked too often.
  if (httpStatus === 404 || httpStatus === 410) return 'over'
  return httpStatus === 200 && json.status === 'completed' ? 'approved' : 'unavailable'
}

/** 401: the key. 402: no balance left. 403: a permission that the account lacks. */
function isOfAccount(httpStatus: number): boolean {
  return [401, 402, 403].includes(httpStatus)
}
