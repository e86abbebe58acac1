import { z } from 'zod'
import { int64, integer, list, number, object, phoneInteger, text } from './answer-schemas.js'
import * as given from './parameter-schemas.js'
import { optional, type Parameter, required } from './parameter-schemas.js'

/** The provider's ten operations, named like the methods of the client. */
export type OperationName =
  | 'balance'
  | 'blockPhone'
  | 'sendSms'
  | 'sendCall'
  | 'messageState'
  | 'sendSmsCode'
  | 'sendCallCode'
  | 'verifyCode'
  | 'shortenUrl'
  | 'urlStatistics'

/**
 * One endpoint of the provider. Parameters and response members have their names on the wire. Schemas are created at
 * first use: at the import they would take as long as the rest of the import.
 */
export interface Operation {
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** Path below the base URL, which ends in the version segment. */
  readonly path: string
  /** Parameters besides `client` and `key`, which every operation carries. */
  readonly params: () => Readonly<Record<string, Parameter>>
  /** Returns the problem of parameters that are valid separately but not together. */
  readonly contradiction?: (params: Readonly<Record<string, unknown>>) => string | undefined
  /** Name of the HTTP 200 response. */
  readonly response: string
  /** Members of the response. All are optional, because the documentation guarantees none. */
  readonly fields: () => z.ZodRawShape
}

/** Returns the account identifiers, which every operation requires. */
export const accountParameters = () => ({
  client: required(z.number().meta(int64), 'Account client identifier.'),
  key: required(z.string(), 'Account key.'),
})

/** The body of a failure, HTTP 520. */
export const errorResponse = { name: 'ErrorResponse', fields: () => ({ error: text(), msg: text() }) }

const countryCode = () => optional(given.country(), 'ISO 3166 country code, CO for Colombia.')
const onePhone = () => required(given.phone(), 'Phone number.')
const manyPhones = () => required(given.phones(), 'One number, or several separated by commas.')
const appName = () => required(given.text(), 'Name of the application for which the code is generated.')
const sentSms = () => ({ id: text(), status: text(), credits: integer(), sms: text(), phone: text() })
const tally = () => ({ property: text(), clicks: integer() })
const share = () => ({ ...tally(), percent: number() })

/** The wire contract of the provider. All other code reads paths and parameters here. */
export const operations = {
  balance: {
    summary: 'Credits available on the account',
    method: 'GET',
    path: '/balance',
    params: () => ({}),
    response: 'ResponseBalance',
    fields: () => ({ status: integer() }),
  },
  blockPhone: {
    summary: 'Block a phone number, so that no SMS is sent to it',
    method: 'POST',
    path: '/block-phone',
    params: () => ({
      phone: required(given.phone(), 'Number to block.'),
      name: optional(given.text(), 'Contact name.'),
    }),
    response: 'ResponseSecurity',
    fields: () => ({ id: text(), status: text(), phone: text(), name: text() }),
  },
  sendSms: {
    summary: 'Send an SMS to one or several numbers',
    method: 'POST',
    path: '/send-sms',
    params: () => ({
      phone: manyPhones(),
      sms: required(given.text(), 'Text sent to every number.'),
      'country-code': countryCode(),
    }),
    response: 'ResponseSMS',
    fields: () => ({
      id: text(),
      status: integer(),
      data: list(sentSms()),
    }),
  },
  sendCall: {
    summary: 'Place a voice call to one or several numbers',
    method: 'POST',
    path: '/call/send',
    params: () => ({
      phone: manyPhones(),
      message: optional(given.text(), 'Text spoken. Required when audio-code is not sent.'),
      voice: optional(
        given.voiceOf(given.callVoices),
        'Voice of the call. Required when audio-code is not sent.',
      ),
      retries: optional(given.attempts(), 'Number of call attempts, at most 3.'),
      'leave-voicemail': optional(given.flag(), 'Leave a voicemail when nobody answers.'),
      'country-code': countryCode(),
      'audio-code': optional(
        given.text(),
        'Id of an uploaded audio. Must not be sent together with voice and message.',
      ),
    }),
    contradiction({ message, voice, 'audio-code': audioCode }) {
      if (audioCode === undefined) {
        if (message === undefined) return 'message is required without audio-code'
        return voice === undefined ? 'voice is required without audio-code' : undefined
      }
      const speaks = message !== undefined || voice !== undefined
      return speaks ? 'audio-code must not be given together with message or voice' : undefined
    },
    response: 'ResponseCall',
    fields: () => ({
      status: text(),
      id: text(),
      data: list({
        id: text(),
        state: text(),
        credits: integer(),
        message: text(),
        phone: text(),
        voice: text(),
      }),
    }),
  },
  messageState: {
    summary: 'Delivery state of a group of SMS or calls',
    method: 'GET',
    path: '/messages-state',
    params: () => ({ id: required(given.text(), 'Identifier of the message group.') }),
    response: 'ResponseStatusSMS',
    fields: () => ({
      state: text(),
      credits: integer(),
      phone: phoneInteger(),
      created: text(),
      sms: text(),
      dispatch_id: text(),
      id: text(),
    }),
  },
  sendSmsCode: {
    summary: 'Send a two-factor code by SMS',
    method: 'POST',
    path: '/2fa/send-sms',
    params: () => ({ phone: onePhone(), 'app-name': appName(), 'country-code': countryCode() }),
    response: 'ResponseSMS2fa',
    fields: () => ({
      id: text(),
      status: text(),
      minutes_to_expire: integer(),
      data: list(sentSms()),
    }),
  },
  sendCallCode: {
    summary: 'Send a two-factor code by voice call',
    method: 'POST',
    path: '/call/2fa/send-call',
    params: () => ({
      phone: onePhone(),
      'app-name': appName(),
      voice: required(given.voiceOf(given.codeCallVoices), 'Voice of the call.'),
      retries: required(given.count(), 'Number of call attempts.'),
      'country-code': countryCode(),
    }),
    response: 'ResponseCALL2fa',
    fields: () => ({
      status: text(),
      id: text(),
      minutes_to_expire: integer(),
      data: list({ id: text(), state: text(), credits: integer(), phone: phoneInteger(), voice: text() }),
    }),
  },
  verifyCode: {
    summary: 'Verify a two-factor code',
    method: 'POST',
    path: '/2fa/verification-code',
    params: () => ({
      phone: required(given.phone(), 'Number the code was sent to.'),
      'app-name': required(given.text(), 'The name used when the code was generated.'),
      code: required(given.text(), 'Code that was delivered.'),
      'country-code': countryCode(),
    }),
    response: 'ResponseSucces',
    fields: () => ({ status: text() }),
  },
  shortenUrl: {
    summary: 'Create a short URL',
    method: 'POST',
    path: '/url/short',
    params: () => ({
      name: required(given.text(), 'Name of the URL.'),
      'url-long': required(given.url(), 'The long URL.'),
      alias: optional(given.text(), 'Alias for the short URL.'),
      'is-premium': optional(given.flag(), 'Premium URL; default false.'),
      'group-name': optional(given.text(), 'Group to associate.'),
      'domain-name': optional(given.text(), 'Domain to associate.'),
      'expiration-time-statistics': optional(given.months(), 'Expiration in months; 0 for the default.'),
    }),
    response: 'ResponseURLShort',
    fields: () => ({ urlShort: text(), urlLong: text(), msg: text() }),
  },
  urlStatistics: {
    summary: 'Click statistics of a short URL',
    method: 'POST',
    path: '/url/short-statistic',
    params: () => ({
      'name-url': required(given.text(), 'Name of the short URL.'),
      since: required(given.day(), 'First day, YYYY-MM-DD.'),
      until: required(given.day(), 'Last day, YYYY-MM-DD.'),
      category: optional(
        given.oneOf([...given.statisticCategories, ...given.premiumCategories]),
        'Category with detailed information; the last six only for premium URLs.',
      ),
    }),
    contradiction: ({ since, until }) =>
      String(since) > String(until) ? 'since must not be after until' : undefined,
    response: 'ResponseStatistic',
    fields: () => ({
      urlShort: text(),
      urlLong: text(),
      clicksNumber: integer(),
      metrics: list({
        date: object(tally()),
        hour: object({ ...tally(), date: text() }),
        country: object(tally()),
        region: object(tally()),
        city: object({ ...share(), countryIsoCode: text(), region: text() }),
        device: object(tally()),
        brand: object(share()),
        model: object(share()),
        operatingSystem: object(tally()),
        browser: object(tally()),
        lang: object(tally()),
      }),
    }),
  },
} as const satisfies Record<OperationName, Operation>
