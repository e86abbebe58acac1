// Twilio Verify as a code provider: it makes, sends and checks the codes of two Verify services. A service allows one
// verification per number and five checks of it. An attacker who signs up with the number of a user would otherwise use
// up the checks of that user's sign-in.
// https://www.twilio.com/docs/verify/api and https://www.twilio.com/docs/api/errors
import type { Channel, CodeCheck, CodeProvider, Details, SendResult, Verdict } from 'express-two-factor'
import { type Answer, basicAuth, later, post } from './ask.js'

export interface TwilioVerifyOptions {
  readonly accountSid: string
  readonly authToken: string
  /** The Verify service (`VA…`) of users with a number on file. Its friendly name is in the message. */
  readonly serviceSid: string
  /** Another Verify service, for numbers that are verified at a sign-up. */
  readonly signUpServiceSid: string
  /** For a service with PSD2: the labels of the rows of `describe` that hold amount and payee. */
  readonly psd2?: { readonly amount: string; readonly payee: string }
  readonly baseUrl?: string
}

/** Codes of a Verify service live ten minutes unless its support was asked for another time. */
const lifetimeMs = 600_000

/** Errors that concern the account or the service. All others concern a number, such as 60605: its country is not enabled. */
const accountErrors = new Set([10001, 20003, 20005, 20006, 20008])
/** Marks the handle of a sign-up. */
const signUp = 'sign-up/'

const notFound = 20404
const maxChecksReached = 60202
/** Too many sends to this number; too many requests of this account. */
const postponed = new Set([60203, 20429])

export function twilioVerify(options: TwilioVerifyOptions): CodeProvider {
  const {
    accountSid,
    authToken,
    serviceSid,
    signUpServiceSid,
    psd2,
    baseUrl = 'https://verify.twilio.com',
  } = options
  const headers = {
    ...basicAuth(accountSid, authToken),
    'content-type': 'application/x-www-form-urlencoded',
  }
  const ask = (
    service: string,
    resource: string,
    params: Record<string, string>,
    { details, signal, report }: Pick<CodeCheck, 'details' | 'signal' | 'report'>,
  ) =>
    post(`${baseUrl}/v2/Services/${service}/${resource}`, {
      operation: resource,
      headers,
      body: new URLSearchParams({ ...params, ...transactionIn(details) }).toString(),
      signal,
      report,
    })

  /** Fields to which the service binds the code, equal at send and at check. */
  function transactionIn(details: Details | undefined): Record<string, string> {
    const rows = new Map(details?.rows)
    const [amount, payee] = [rows.get(psd2?.amount ?? ''), rows.get(psd2?.payee ?? '')]
    return amount === undefined || payee === undefined ? {} : { Amount: amount, Payee: payee }
  }

  return {
    name: 'twilio-verify',
    // WhatsApp and RCS need a sender: name them in the option `channels` once your service has one.
    methods: [
      { name: 'sms' },
      { name: 'call' },
      { name: 'whatsapp', label: 'WhatsApp' },
      { name: 'rcs', label: 'RCS' },
    ],
    async sendCode({ destination, channel, locale, lane, ...exchange }) {
      const isSignUp = lane === 'enrol'
      const service = isSignUp ? signUpServiceSid : serviceSid
      const params = { To: destination, Channel: channel, Locale: locale }
      const result = sendResult(await ask(service, 'Verifications', params, exchange), channel)
      // A check does not contain its lane, so the handle marks a sign-up.
      return isSignUp && 'handle' in result ? { ...result, handle: signUp + result.handle } : result
    },
    async checkCode({ handle, code, ...exchange }) {
      if (handle === undefined) return 'not-sent'
      const service = handle.startsWith(signUp) ? signUpServiceSid : serviceSid
      const params = {
        VerificationSid: handle.replace(signUp, ''),
        Code: code,
      }
      return verdict(await ask(service, 'VerificationCheck', params, exchange))
    },
  }
}

function sendResult(answer: Answer, asked: Channel): SendResult {
  if (answer === 'not-sent') return { result: 'not-sent' }
  if (answer === 'lost' || answer.json === undefined) return { result: 'unconfirmed' }
  const { httpStatus, json } = answer
  // At a send, only the service can be missing.
  if (isOfAccount(httpStatus, json.code) || json.code === notFound) return { result: 'misconfigured' }
  if (httpStatus === 429 || postponed.has(Number(json.code))) return later(answer)
  if (httpStatus === 408) return { result: 'unconfirmed' }
  if (httpStatus >= 400 && httpStatus < 500) return { result: 'failed' }
  if (httpStatus !== 201 || typeof json.sid !== 'string') return { result: 'unconfirmed' }
  // A service may choose another channel: its support enables WhatsApp before SMS by country, and RCS instead of it.
  const channel = typeof json.channel === 'string' && json.channel !== asked && { channel: json.channel }
  return {
    result: 'sent',
    handle: json.sid,
    // For all accounts, a number has one verification and one code until it ends.
    byNumber: true,
    lifetimeMs: lifetimeOf(json.date_created),
    ...channel,
  }
}

/** A resend continues the verification, whose code expires ten minutes after the first send. */
function lifetimeOf(createdAt: unknown): number {
  const leftMs = Date.parse(String(createdAt)) + lifetimeMs - Date.now()
  return Number.isNaN(leftMs) ? lifetimeMs : Math.min(Math.max(leftMs, 1_000), lifetimeMs)
}

function verdict(answer: Answer): Verdict {
  if (answer === 'not-sent') return 'not-sent'
  if (answer === 'lost' || answer.json === undefined) return 'unavailable'
  const { httpStatus, json } = answer
  if (isOfAccount(httpStatus, json.code)) return 'misconfigured'
  // A verification that has expired, was approved or was checked too often accepts no code.
  if (httpStatus === 404 || (httpStatus === 429 && json.code === maxChecksReached)) return 'over'
  if ((httpStatus !== 200 && httpStatus !== 201) || typeof json.status !== 'string') return 'unavailable'
  return json.status === 'approved' ? 'approved' : 'rejected'
}

function isOfAccount(httpStatus: number, code: unknown): boolean {
  return httpStatus === 401 || (httpStatus < 500 && accountErrors.has(Number(code)))
}
