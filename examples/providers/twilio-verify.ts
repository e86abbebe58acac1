// Twilio Verify as a code provider: it makes, sends and checks the codes of one Verify service.
// https://www.twilio.com/docs/verify/api
import type { CodeCheck, CodeProvider, SendResult, Verdict } from 'express-two-factor'
import { type Answer, basicAuth, post } from './ask.js'

export interface TwilioVerifyOptions {
  readonly accountSid: string
  readonly authToken: string
  /** Of the Verify service (`VA…`), whose friendly name is in the message. */
  readonly serviceSid: string
  readonly baseUrl?: string
}

/** Codes of a Verify service live ten minutes unless its support was asked for another time. */
const lifetimeMs = 600_000

export function twilioVerify(options: TwilioVerifyOptions): CodeProvider {
  const { accountSid, authToken, serviceSid, baseUrl = 'https://verify.twilio.com' } = options
  const headers = {
    ...basicAuth(accountSid, authToken),
    'content-type': 'application/x-www-form-urlencoded',
  }
  const ask = (
    resource: string,
    params: Record<string, string>,
    { signal, report }: Pick<CodeCheck, 'signal' | 'report'>,
  ) =>
    post(`${baseUrl}/v2/Services/${serviceSid}/${resource}`, {
      operation: resource,
      headers,
      body: new URLSearchParams(params).toString(),
      signal,
      report,
    })

  return {
    name: 'twilio-verify',
    async sendCode({ destination, channel, locale, ...exchange }) {
      return sendResult(
        await ask('Verifications', { To: destination, Channel: channel, Locale: locale }, exchange),
      )
    },
    async checkCode({ handle, code, ...exchange }) {
      if (handle === undefined) return 'unavailable'
      return verdict(await ask('VerificationCheck', { VerificationSid: handle, Code: code }, exchange))
    },
  }
}

function sendResult(answer: Answer): SendResult {
  if (answer === 'not-sent') return { result: 'not-sent' }
  if (answer === 'lost' || answer.json === undefined) return { result: 'unconfirmed' }
  const { httpStatus, json } = answer
  if (httpStatus === 401 || httpStatus === 403) return { result: 'misconfigured' }
  if (httpStatus >= 400 && httpStatus < 500) return { result: 'failed' }
  if (httpStatus !== 201 || typeof json.sid !== 'string') return { result: 'unconfirmed' }
  return { result: 'sent', handle: json.sid, lifetimeMs }
}

function verdict(answer: Answer): Verdict {
  if (answer === 'not-sent') return 'not-sent'
  if (answer === 'lost' || answer.json === undefined) return 'unavailable'
  const { httpStatus, json } = answer
  if (httpStatus === 401 || httpStatus === 403) return 'misconfigured'
  // A verification that expired, was approved or had too many checks is gone.
  if (httpStatus === 404) return 'rejected'
  if (httpStatus !== 200 || typeof json.status !== 'string') return 'unavailable'
  return json.status === 'approved' ? 'approved' : 'rejected'
}
