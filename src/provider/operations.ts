import { z } from 'zod'
import {
  int64,
  lenientInteger,
  lenientList,
  lenientNumber,
  lenientObject,
  lenientText,
  phoneInteger,
} from './answer-schemas.js'
import * as given from './parameter-schemas.js'
import { optionalParameter, type Parameter, requiredParameter } from './parameter-schemas.js'

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
  client: requiredParameter(z.number().meta(int64), 'Account client identifier.'),
  key: requiredParameter(z.string(), 'Account key.'),
})

/** The body of a failure, HTTP 520. */
export const errorResponse = {
  name: 'ErrorResponse',
  fields: () => ({ error: lenientText(), msg: lenientText() }),
}

const countryCode = () => optionalParameter(given.country(), 'ISO 3166 country code, CO for Colombia.')
const onePhone = () => requiredParameter(given.phone(), 'Phone number.')
const manyPhones = () => requiredParameter(given.phones(), 'One number, or several separated by commas.')
const appName = () =>
  requiredParameter(given.text(), 'Name of the application for which the code is generated.')
const sentSms = () => ({
  id: lenientText(),
  status: lenientText(),
  credits: lenientInteger(),
  sms: lenientText(),
  phone: lenientText(),
})
const clickCount = () => ({ property: lenientText(), clicks: lenientInteger() })
const clickShare = () => ({ ...clickCount(), percent: lenientNumber() })

/** The wire contract of the provider. All other code reads paths and parameters here. */
export const operations = {
  balance: {
    summary: 'Credits available on the account',
    method: 'GET',
    path: '/balance',
    params: () => ({}),
    response: 'ResponseBalance',
    fields: () => ({ status: lenientInteger() }),
  },
  blockPhone: {
    summary: 'Block a phone number, so that no SMS is sent to it',
    method: 'POST',
    path: '/block-phone',
    params: () => ({
      phone: requiredParameter(given.phone(), 'Number to block.'),
      name: optionalParameter(given.text(), 'Contact name.'),
    }),
    response: 'ResponseSecurity',
    fields: () => ({ id: lenientText(), status: lenientText(), phone: lenientText(), name: lenientText() }),
  },
  sendSms: {
    summary: 'Send an SMS to one or several numbers',
    method: 'POST',
    path: '/send-sms',
    params: () => ({
      phone: manyPhones(),
      sms: requiredParameter(given.text(), 'Text sent to every number.'),
      'country-code': countryCode(),
    }),
    response: 'ResponseSMS',
    fields: () => ({
      id: lenientText(),
      status: lenientInteger(),
      data: lenientList(sentSms()),
    }),
  },
  sendCall: {
    summary: 'Place a voice call to one or several numbers',
    method: 'POST',
    path: '/call/send',
    params: () => ({
      phone: manyPhones(),
      message: optionalParameter(given.text(), 'Text spoken. Required when audio-code is not sent.'),
      voice: optionalParameter(
        given.voiceOf(given.callVoices),
        'Voice of the call. Required when audio-code is not sent.',
      ),
      retries: optionalParameter(given.attempts(), 'Number of call attempts, at most 3.'),
      'leave-voicemail': optionalParameter(given.flag(), 'Leave a voicemail when nobody answers.'),
      'country-code': countryCode(),
      'audio-code': optionalParameter(
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
      status: lenientText(),
      id: lenientText(),
      data: lenientList({
        id: lenientText(),
        state: lenientText(),
        credits: lenientInteger(),
        message: lenientText(),
        phone: lenientText(),
        voice: lenientText(),
      }),
    }),
  },
  messageState: {
    summary: 'Delivery state of a group of SMS or calls',
    method: 'GET',
    path: '/messages-state',
    params: () => ({ id: requiredParameter(given.text(), 'Identifier of the message group.') }),
    response: 'ResponseStatusSMS',
    fields: () => ({
      state: lenientText(),
      credits: lenientInteger(),
      phone: phoneInteger(),
      created: lenientText(),
      sms: lenientText(),
      dispatch_id: lenientText(),
      id: lenientText(),
    }),
  },
  sendSmsCode: {
    summary: 'Send a two-factor code by SMS',
    method: 'POST',
    path: '/2fa/send-sms',
    params: () => ({ phone: onePhone(), 'app-name': appName(), 'country-code': countryCode() }),
    response: 'ResponseSMS2fa',
    fields: () => ({
      id: lenientText(),
      status: lenientText(),
      minutes_to_expire: lenientInteger(),
      data: lenientList(sentSms()),
    }),
  },
  sendCallCode: {
    summary: 'Send a two-factor code by voice call',
    method: 'POST',
    path: '/call/2fa/send-call',
    params: () => ({
      phone: onePhone(),
      'app-name': appName(),
      voice: requiredParameter(given.voiceOf(given.codeCallVoices), 'Voice of the call.'),
      retries: requiredParameter(given.count(), 'Number of call attempts.'),
      'country-code': countryCode(),
    }),
    response: 'ResponseCALL2fa',
    fields: () => ({
      status: lenientText(),
      id: lenientText(),
      minutes_to_expire: lenientInteger(),
      data: lenientList({
        id: lenientText(),
        state: lenientText(),
        credits: lenientInteger(),
        phone: phoneInteger(),
        voice: lenientText(),
      }),
    }),
  },
  verifyCode: {
    summary: 'Verify a two-factor code',
    method: 'POST',
    path: '/2fa/verification-code',
    params: () => ({
      phone: requiredParameter(given.phone(), 'Number the code was sent to.'),
      'app-name': requiredParameter(given.text(), 'The name used when the code was generated.'),
      code: requiredParameter(given.text(), 'Code that was delivered.'),
      'country-code': countryCode(),
    }),
    response: 'ResponseSucces',
    fields: () => ({ status: lenientText() }),
  },
  shortenUrl: {
    summary: 'Create a short URL',
    method: 'POST',
    path: '/url/short',
    params: () => ({
      name: requiredParameter(given.text(), 'Name of the URL.'),
      'url-long': requiredParameter(given.url(), 'The long URL.'),
      alias: optionalParameter(given.text(), 'Alias for the short URL.'),
      'is-premium': optionalParameter(given.flag(), 'Premium URL; default false.'),
      'group-name': optionalParameter(given.text(), 'Group to associate.'),
      'domain-name': optionalParameter(given.text(), 'Domain to associate.'),
      'expiration-time-statistics': optionalParameter(
        given.months(),
        'Expiration in months; 0 for the default.',
      ),
    }),
    response: 'ResponseURLShort',
    fields: () => ({ urlShort: lenientText(), urlLong: lenientText(), msg: lenientText() }),
  },
  urlStatistics: {
    summary: 'Click statistics of a short URL',
    method: 'POST',
    path: '/url/short-statistic',
    params: () => ({
      'name-url': requiredParameter(given.text(), 'Name of the short URL.'),
      since: requiredParameter(given.day(), 'First day, YYYY-MM-DD.'),
      until: requiredParameter(given.day(), 'Last day, YYYY-MM-DD.'),
      category: optionalParameter(
        given.choiceOf([...given.statisticCategories, ...given.premiumCategories]),
        'Category with detailed information; the last six only for premium URLs.',
      ),
    }),
    contradiction: ({ since, until }) =>
      String(since) > String(until) ? 'since must not be after until' : undefined,
    response: 'ResponseStatistic',
    fields: () => ({
      urlShort: lenientText(),
      urlLong: lenientText(),
      clicksNumber: lenientInteger(),
      metrics: lenientList({
        date: lenientObject(clickCount()),
        hour: lenientObject({ ...clickCount(), date: lenientText() }),
        country: lenientObject(clickCount()),
        region: lenientObject(clickCount()),
        city: lenientObject({ ...clickShare(), countryIsoCode: lenientText(), region: lenientText() }),
        device: lenientObject(clickCount()),
        brand: lenientObject(clickShare()),
        model: lenientObject(clickShare()),
        operatingSystem: lenientObject(clickCount()),
        browser: lenientObject(clickCount()),
        lang: lenientObject(clickCount()),
      }),
    }),
  },
} as const satisfies Record<OperationName, Operation>
