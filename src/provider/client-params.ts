// Written out beside the schemas of `operations.ts`, and compared with them by a test: an editor shows a docstring
// here, and none of a member that was inferred from a schema. It also keeps zod out of the declarations.

import type {
  callVoices,
  codeCallVoices,
  premiumCategories,
  statisticCategories,
} from './parameter-schemas.js'

/** A voice of either call operation. `Marian` and `Mariana` are the same voice in both. */
export type Voice = (typeof callVoices | typeof codeCallVoices)[number]

/** What click statistics can be broken down by; the last six only for premium short URLs. */
export type StatisticsCategory = (typeof statisticCategories | typeof premiumCategories)[number]

/** `balance` takes the account only. */
export type BalanceParams = Readonly<Record<never, never>>

/** Parameters of `blockPhone`. */
export interface BlockPhoneParams {
  /** The number to block: an optional `+`, country code and number, 7 to 15 digits. */
  readonly phone: string
  /** Name of the contact, as the provider lists it. */
  readonly name?: string | undefined
}

/** What goes to one number or several. */
interface ToMany {
  /** One number, several separated by commas, or a list: each 7 to 15 digits with an optional `+`. */
  readonly phone: string | readonly string[]
  /** ISO 3166-1 alpha-2 code of the country of the numbers, such as `CO`. */
  readonly countryCode?: string | undefined
}

/** Parameters of `sendSms`. */
export interface SendSmsParams extends ToMany {
  /** Text of the message, the same to every number. */
  readonly sms: string
}

/** What both kinds of calls take. */
interface CallParams extends ToMany {
  /** How often the call is attempted, 1 to 3. */
  readonly retries?: number | string | undefined
  /** Whether to leave a voicemail when nobody answers. */
  readonly leaveVoicemail?: boolean | undefined
}

/** A call that speaks a text. */
export interface SpokenCallParams extends CallParams {
  /** Text that is spoken when the call is answered. */
  readonly message: string
  /** Voice that speaks it. */
  readonly voice: Voice
  /** Not together with a message. */
  readonly audioCode?: undefined
}

/** A call that plays an audio. */
export interface AudioCallParams extends CallParams {
  /** Id of an audio uploaded to the provider before. */
  readonly audioCode: string
  /** Not together with an audio. */
  readonly message?: undefined
  /** Not together with an audio. */
  readonly voice?: undefined
}

/** Parameters of a call: a text to speak, or the id of an audio that was uploaded before. */
export type SendCallParams = SpokenCallParams | AudioCallParams

/** Parameters of `messageState`. */
export interface MessageStateParams {
  /** The `id` in the result of `sendSms`, `sendCall` or a code that was sent. */
  readonly id: string
}

/** Parameters of `sendSmsCode`. */
export interface SendSmsCodeParams {
  /** Exactly one number: 7 to 15 digits with an optional `+`. */
  readonly phone: string
  /** Name of the application for which the code is generated, as it exists in the account. */
  readonly appName: string
  /** ISO 3166-1 alpha-2 code of the country of the number, such as `CO`. */
  readonly countryCode?: string | undefined
}

/** Parameters of `sendCallCode`. */
export interface SendCallCodeParams extends SendSmsCodeParams {
  /** Voice that speaks the code. */
  readonly voice: Voice
  /** How often the call is attempted, at least 1. */
  readonly retries: number | string
}

/** Parameters of `verifyCode`: number and `appName` are those that the code was sent with. */
export interface VerifyCodeParams extends SendSmsCodeParams {
  /** The code as the person typed it; upper and lower case are kept. */
  readonly code: string
}

/** Parameters of `shortenUrl`. */
export interface ShortenUrlParams {
  /** Name of the short URL, by which its statistics are read. */
  readonly name: string
  /** The address it leads to. URLs that run a script, such as `javascript:`, are refused. */
  readonly urlLong: string
  /** Last part of the short URL, in place of a random one. */
  readonly alias?: string | undefined
  /** Whether it is a premium URL, with detailed statistics at a higher price. Default `false`. */
  readonly isPremium?: boolean | undefined
  /** Group to file it under. */
  readonly groupName?: string | undefined
  /** Domain of the short URL, one of those of the account. */
  readonly domainName?: string | undefined
  /** For how many months statistics are kept, 0 for the default of the account. */
  readonly expirationTimeStatistics?: number | string | undefined
}

/** Parameters of `urlStatistics`. */
export interface UrlStatisticsParams {
  /** The `name` of the short URL. */
  readonly nameUrl: string
  /** First day, included: `YYYY-MM-DD`, or a Date, of which the UTC day counts. */
  readonly since: string | Date
  /** Last day, included: `YYYY-MM-DD`, or a Date, of which the UTC day counts. */
  readonly until: string | Date
  /** What the clicks are broken down by. */
  readonly category?: StatisticsCategory | undefined
}
