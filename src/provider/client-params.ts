// These types repeat the schemas of `operations.ts`, and a test compares both. Editors show these docstrings, but no
// docstrings of a type inferred from a schema. The types also keep zod out of the declarations.

import type {
  callVoices,
  codeCallVoices,
  premiumCategories,
  statisticCategories,
} from './parameter-schemas.js'

/** A voice of either call operation. `Marian` and `Mariana` are the same voice in both. */
export type Voice = (typeof callVoices | typeof codeCallVoices)[number]

/** Categories of click statistics. The last six need a premium short URL. */
export type StatisticsCategory = (typeof statisticCategories | typeof premiumCategories)[number]

/** Parameters of `balance`: none. */
export type BalanceParams = Readonly<Record<never, never>>

/** Parameters of `blockPhone`. */
export interface BlockPhoneParams {
  /** The number to block: an optional `+`, country code and number, 7 to 15 digits. */
  readonly phone: string
  /** Name of the contact in the provider's list. Default: none. */
  readonly name?: string | undefined
}

/** Parameters of an operation that accepts several numbers. */
interface ToMany {
  /** One number, several numbers separated by commas, or a list. Each has 7 to 15 digits and an optional `+`. */
  readonly phone: string | readonly string[]
  /** ISO 3166-1 alpha-2 code of the country of the numbers, such as `CO`. */
  readonly countryCode?: string | undefined
}

/** Parameters of `sendSms`. */
export interface SendSmsParams extends ToMany {
  /** Text of the message for every number. */
  readonly sms: string
}

/** Parameters of both kinds of calls. */
interface CallParams extends ToMany {
  /** Number of call attempts, 1 to 3. Default: the provider's. */
  readonly retries?: number | string | undefined
  /** If true, leaves a voicemail when the call is not answered. Default: the provider's. */
  readonly leaveVoicemail?: boolean | undefined
}

/** Parameters of a call that speaks a text. */
export interface SpokenCallParams extends CallParams {
  /** Text that is spoken when the call is answered. */
  readonly message: string
  /** Voice that speaks the text. */
  readonly voice: Voice
  /** Not allowed with a message. */
  readonly audioCode?: undefined
}

/** Parameters of a call that plays an audio. */
export interface AudioCallParams extends CallParams {
  /** Id of an audio that you uploaded to the provider. */
  readonly audioCode: string
  /** Not allowed with an audio. */
  readonly message?: undefined
  /** Not allowed with an audio. */
  readonly voice?: undefined
}

/** Parameters of `sendCall`: a text to speak, or the id of an uploaded audio. */
export type SendCallParams = SpokenCallParams | AudioCallParams

/** Parameters of `messageState`. */
export interface MessageStateParams {
  /** The `id` in the result of `sendSms`, `sendCall`, `sendSmsCode` or `sendCallCode`. */
  readonly id: string
}

/** Parameters of `sendSmsCode`. */
export interface SendSmsCodeParams {
  /** Exactly one number: 7 to 15 digits with an optional `+`. */
  readonly phone: string
  /** Name of the application that the code is for, as your provider account lists it. */
  readonly appName: string
  /** ISO 3166-1 alpha-2 code of the country of the number, such as `CO`. */
  readonly countryCode?: string | undefined
}

/** Parameters of `sendCallCode`. */
export interface SendCallCodeParams extends SendSmsCodeParams {
  /** Voice that speaks the code. */
  readonly voice: Voice
  /** Number of call attempts, at least 1. */
  readonly retries: number | string
}

/** Parameters of `verifyCode`. Pass the number and the `appName` of the send. */
export interface VerifyCodeParams extends SendSmsCodeParams {
  /** The code as the person entered it. Case is kept. */
  readonly code: string
}

/** Parameters of `shortenUrl`. */
export interface ShortenUrlParams {
  /** Name of the short URL. `urlStatistics` needs it. */
  readonly name: string
  /** Target address. URLs that run a script, such as `javascript:`, are refused. */
  readonly urlLong: string
  /** Last part of the short URL. Default: random. */
  readonly alias?: string | undefined
  /** If true, creates a premium URL, with detailed statistics at a higher price. Default: `false`. */
  readonly isPremium?: boolean | undefined
  /** Group of the short URL. Default: none. */
  readonly groupName?: string | undefined
  /** Domain of the short URL, from the domains of your account. */
  readonly domainName?: string | undefined
  /** Number of months for which the provider keeps statistics. 0: default of your account. */
  readonly expirationTimeStatistics?: number | string | undefined
}

/** Parameters of `urlStatistics`. */
export interface UrlStatisticsParams {
  /** The `name` of the short URL. */
  readonly nameUrl: string
  /** First day, inclusive: `YYYY-MM-DD`, or a Date, whose UTC day counts. */
  readonly since: string | Date
  /** Last day, inclusive: `YYYY-MM-DD`, or a Date, whose UTC day counts. */
  readonly until: string | Date
  /** Category by which the clicks are counted. */
  readonly category?: StatisticsCategory | undefined
}
