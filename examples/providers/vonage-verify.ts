// Vonage Verify v2 as a code provider. https://developer.vonage.com/en/api/verify.v2
// A number has one request at a time: another send before that has ended is refused, as `failed`.
import type { CodeCheck, CodeProvider, SendResult, Verdict } from 'express-two-factor'
import { type Answer, basicAuth, post } from './ask.js'

export interface VonageVerifyOptions {
  readonly apiKey: string
  readonly apiSecret: string
  readonly baseUrl?: string
}

/** How long the service waits for the code, in seconds; it takes 15 to 900. */
const channelTimeout = 300
const maxBrandLength = 16

export function vonageVerify(options: VonageVerifyOptions): CodeProvider {
  const { apiKey, apiSecret, baseUrl = 'https://api.nexmo.com' } = options
  const headers = { ...basicAuth(apiKey, apiSecret), 'content-type': 'application/json' }
  const ask = (path: string, body: unknown, { signal, report }: Pick<CodeCheck, 'signal' | 'report'>) =>
    post(`${baseUrl}/v2/verify${path}`, {
      operation: path === '' ? 'verify' : 'check',
      headers,
      body: JSON.stringify(body),
      signal,
      report,
    })

  return {
    name: 'vonage-verify',
    async sendCode({ destination, channel, appName, locale, ...exchange }) {
      const to = destination.replace('+', '')
      const request = {
        brand: appName.slice(0, maxBrandLength),
        locale: locales[locale.slice(0, 2)] ?? 'en-us',
        channel_timeout: channelTimeout,
        workflow: [{ channel: channel === 'sms' ? 'sms' : 'voice', to }],
      }
      return sendResult(await ask('', request, exchange))
    },
    async checkCode({ handle, code, ...exchange }) {
      if (handle === undefined) return 'unavailable'
      return verdict(await ask(`/${encodeURIComponent(handle)}`, { code }, exchange))
    },
  }
}

const locales: Readonly<Record<string, string>> = { en: 'en-us', es: 'es-mx', pt: 'pt-br' }

function sendResult(answer: Answer): SendResult {
  if (answer === 'not-sent') return { result: 'not-sent' }
  if (answer === 'lost' || answer.json === undefined) return { result: 'unconfirmed' }
  const { httpStatus, json } = answer
  // 402: no balance left.
  if ([401, 402, 403].includes(httpStatus)) return { result: 'misconfigured' }
  if (httpStatus >= 400 && httpStatus < 500) return { result: 'failed' }
  if (httpStatus !== 202 || typeof json.request_id !== 'string') return { result: 'unconfirmed' }
  return { result: 'sent', handle: json.request_id, lifetimeMs: channelTimeout * 1_000 }
}

function verdict(answer: Answer): Verdict {
  if (answer === 'not-sent') return 'not-sent'
  if (answer === 'lost' || answer.json === undefined) return 'unavailable'
  const { httpStatus, json } = answer
  if ([401, 402, 403].includes(httpStatus)) return 'misconfigured'
  // 400: another code. 404 and 410: verified, expired, or checked too often.
  if ([400, 404, 410].includes(httpStatus)) return 'rejected'
  return httpStatus === 200 && json.status === 'completed' ? 'approved' : 'unavailable'
}
