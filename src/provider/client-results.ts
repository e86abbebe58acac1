import type { VerifyAnswer } from './verdict.js'

/** Member of every result. */
interface Raw {
  /** The unchanged response. Not enumerable, so logs and copies do not contain it. */
  readonly raw: unknown
}

/** An object that may have undocumented members. */
interface Open {
  /** Undocumented members, unchanged. */
  readonly [member: string]: unknown
}

/** Members that every result has besides its own. */
interface Result extends Raw, Open {}

/** Result of `balance`. */
export interface BalanceResult extends Result {
  /** Credits available on the account. Absent if the response contains no figure. */
  readonly credits?: number
}

/** Result of `blockPhone`. */
export interface BlockPhoneResult extends Result {
  /** Id of the entry in the provider's list. */
  readonly id?: string
  /** The provider's name of the state. Its values are not documented. */
  readonly status?: string
  /** The number that is blocked. */
  readonly phone?: string
  /** Name of the contact. */
  readonly name?: string
}

/** One message or call of a group. */
interface SentMessage extends Open {
  /** Id of this message or call. */
  readonly id?: string
  /** Cost in credits. */
  readonly credits?: number
  /** Number of the recipient. */
  readonly phone?: string
}

/** One message of a group. */
export interface SentSms extends SentMessage {
  /** The provider's name of the state. Its values are not documented. */
  readonly status?: string
  /** Text of the message. In an SMS with a code it may contain the code: never log it. */
  readonly sms?: string
}

/** The call that speaks a code. */
export interface SentCodeCall extends SentMessage {
  /** The provider's name of the state. Its values are not documented. */
  readonly state?: string
  /** Voice that speaks. */
  readonly voice?: string
}

/** One call of a group. */
export interface SentCall extends SentCodeCall {
  /** Text that is spoken. */
  readonly message?: string
}

/** A group of messages or calls. */
interface Group<Entry> extends Result {
  /** Id of the group, for `messageState`. */
  readonly id?: string
  /** One entry per number. Empty if the response has none. */
  readonly data: readonly Entry[]
}

/** Result of `sendSms`. */
export interface SendSmsResult extends Group<SentSms> {
  /** The provider's number of the state. Its values are not documented. */
  readonly status?: number
}

/** Result of `sendCall`. */
export interface SendCallResult extends Group<SentCall> {
  /** The provider's name of the state. Its values are not documented. */
  readonly status?: string
}

/** State of one message or call. */
export interface MessageState extends Open {
  /** The provider's name of the state, such as `Entregado`. Its values are not documented. */
  readonly state?: string
  /** Cost in credits. */
  readonly credits?: number
  /** Number of the recipient. */
  readonly phone?: string
  /** Time of creation, in the provider's format. */
  readonly created?: string
  /** Text of the message. */
  readonly sms?: string
  /** Id of the dispatch. */
  readonly dispatchId?: string
  /** Id of this message. */
  readonly id?: string
}

/** One entry per message of the group. */
export type MessageStateResult = readonly MessageState[] & Raw

/** A code that was sent. */
interface SentCode<Entry> extends Group<Entry> {
  /** The provider's name of the state. Its values are not documented. */
  readonly status?: string
  /** Minutes until the code expires. */
  readonly minutesToExpire?: number
}

/** Result of `sendSmsCode`. */
export interface SendSmsCodeResult extends SentCode<SentSms> {}

/** Result of `sendCallCode`. */
export interface SendCallCodeResult extends SentCode<SentCodeCall> {}

/** The complete response to a code. It is not a verdict: call `judge`. */
export type VerifyCodeResult = VerifyAnswer & Raw

/** Result of `shortenUrl`. */
export interface ShortenUrlResult extends Result {
  /** The short URL. */
  readonly urlShort?: string
  /** Target address. */
  readonly urlLong?: string
  /** A remark of the provider. A success may have one too. */
  readonly msg?: string
}

/** Clicks of one value, such as one country or one day. */
export interface Clicks extends Open {
  /** The value that is counted, such as `CO` or `2026-03-01`. */
  readonly property?: string
  /** Number of clicks. */
  readonly clicks?: number
}

/** Clicks in one hour of the day. */
export interface HourClicks extends Clicks {
  /** Day of the hour. */
  readonly date?: string
}

/** Clicks with one property, such as a browser. */
export interface ClickShare extends Clicks {
  /** Share of all clicks, in percent. */
  readonly percent?: number
}

/** Clicks from one city. */
export interface CityClicks extends ClickShare {
  /** ISO 3166-1 alpha-2 code of the city's country. */
  readonly countryIsoCode?: string
  /** Region of the city. */
  readonly region?: string
}

/** Clicks by category. Only the requested category is present. */
export interface UrlMetrics extends Open {
  /** Clicks of a day. */
  readonly date?: Clicks
  /** Clicks of an hour. */
  readonly hour?: HourClicks
  /** Clicks from a country. */
  readonly country?: Clicks
  /** Clicks from a region; premium URLs only. */
  readonly region?: Clicks
  /** Clicks from a city; premium URLs only. */
  readonly city?: CityClicks
  /** Clicks on a kind of device. */
  readonly device?: Clicks
  /** Clicks on devices of a brand; premium URLs only. */
  readonly brand?: ClickShare
  /** Clicks on a model of device; premium URLs only. */
  readonly model?: ClickShare
  /** Clicks on an operating system. */
  readonly operatingSystem?: Clicks
  /** Clicks in a browser; premium URLs only. */
  readonly browser?: Clicks
  /** Clicks in a language; premium URLs only. */
  readonly lang?: Clicks
}

/** Result of `urlStatistics`. */
export interface UrlStatisticsResult extends Result {
  /** The short URL. */
  readonly urlShort?: string
  /** Target address. */
  readonly urlLong?: string
  /** All clicks in the period. */
  readonly clicksNumber?: number
  /** Clicks by category. Empty if the response has none. */
  readonly metrics: readonly UrlMetrics[]
}
