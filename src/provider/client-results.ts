import type { VerifyAnswer } from './verdict.js'

/** What comes with every result. */
interface Raw {
  /** The untouched answer. Not enumerable, so it stays out of logs and copies. */
  readonly raw: unknown
}

/** What may hold more than its documented members. */
interface Open {
  /** Members that the documentation does not list, as they came. */
  readonly [member: string]: unknown
}

/** What every result carries besides its own members. */
interface Result extends Raw, Open {}

/** What `balance` resolves with. */
export interface BalanceResult extends Result {
  /** Credits available on the account; absent when the answer names no figure. */
  readonly credits?: number
}

/** What `blockPhone` resolves with. */
export interface BlockPhoneResult extends Result {
  /** Id of the entry in the provider's list. */
  readonly id?: string
  /** What the provider calls its state. No list of values is documented. */
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
  /** Credits that it cost. */
  readonly credits?: number
  /** The number it goes to. */
  readonly phone?: string
}

/** One message of a group. */
export interface SentSms extends SentMessage {
  /** What the provider calls its state. No list of values is documented. */
  readonly status?: string
  /** Text of the message. In an SMS with a code it may hold the code: never log it. */
  readonly sms?: string
}

/** The call that speaks a code. */
export interface SentCodeCall extends SentMessage {
  /** What the provider calls its state. No list of values is documented. */
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
  /** One entry per number; empty when the answer has none. */
  readonly data: readonly Entry[]
}

/** What `sendSms` resolves with. */
export interface SendSmsResult extends Group<SentSms> {
  /** What the provider calls its state, as a number. No list of values is documented. */
  readonly status?: number
}

/** What `sendCall` resolves with. */
export interface SendCallResult extends Group<SentCall> {
  /** What the provider calls its state. No list of values is documented. */
  readonly status?: string
}

/** State of one message or call. */
export interface MessageState extends Open {
  /** What the provider calls its state, such as `Entregado`. No list of values is documented. */
  readonly state?: string
  /** Credits that it cost. */
  readonly credits?: number
  /** The number it went to. */
  readonly phone?: string
  /** When it was created, in the provider's own format. */
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
  /** What the provider calls its state. No list of values is documented. */
  readonly status?: string
  /** Minutes until the code expires. */
  readonly minutesToExpire?: number
}

/** What `sendSmsCode` resolves with. */
export interface SendSmsCodeResult extends SentCode<SentSms> {}

/** What `sendCallCode` resolves with. */
export interface SendCallCodeResult extends SentCode<SentCodeCall> {}

/** The complete answer to a code. It is no verdict: that is for `judge`. */
export type VerifyCodeResult = VerifyAnswer & Raw

/** What `shortenUrl` resolves with. */
export interface ShortenUrlResult extends Result {
  /** The short URL. */
  readonly urlShort?: string
  /** The address it leads to. */
  readonly urlLong?: string
  /** A remark of the provider. It also comes with a success. */
  readonly msg?: string
}

/** Clicks of one value, such as one country or one day. */
export interface Clicks extends Open {
  /** The value that is counted, such as `CO` or `2026-03-01`. */
  readonly property?: string
  /** How many clicks it has. */
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

/** Clicks by category; only the category that was asked for is present. */
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

/** What `urlStatistics` resolves with. */
export interface UrlStatisticsResult extends Result {
  /** The short URL. */
  readonly urlShort?: string
  /** The address it leads to. */
  readonly urlLong?: string
  /** All clicks in the period. */
  readonly clicksNumber?: number
  /** Clicks by category; empty when the answer has none. */
  readonly metrics: readonly UrlMetrics[]
}
