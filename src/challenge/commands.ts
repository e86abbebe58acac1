import type { ProblemCode } from '../errors.js'
import type { LimitName } from '../events.js'
import type { Awaitable } from '../lib/promises.js'
import type { PhoneNumber, PhoneRefusal } from '../phone-number.js'
import type { Channel, Details } from './exchange/code-provider.js'
import type { Lane } from './limits.js'
import type { OnFile } from './reach/destinations.js'

/** Content of a store entry. It is read at the first call, and only once. */
export interface Fact<Value> {
  read(): Promise<Value>
}

/** The revocations of an account. They are read at the first call, and only once. */
export interface Revocations {
  /** Returns the id of the last one in this session, or undefined if there was none recently. */
  readRevocationId(): Promise<string | undefined>
}

/** Facts about the browser of a request. */
export interface BrowserFacts {
  /** False if no browser ever becomes known. */
  readonly isTracked: boolean
  /** Returns whether this account has signed in here before. */
  isKnown(): Promise<boolean>
  /** Returns whether a code that was sent to this number for this account was correct here, recently. */
  isKnownAt(phone: PhoneNumber): Promise<boolean>
}

/** Account id and session id, as the app returned them. */
export interface Requester {
  readonly subject: string
  readonly session: string
}

/**
 * Everything that a decision needs to know about one request. `loadDecisionContext` reads it together with the ledger.
 * A fact that was read earlier is not read again.
 */
export interface RequesterContext extends OnFile, Requester {
  /** Default: `auth`. */
  readonly lane?: Lane | undefined
  /** Owner of the challenge at a sign-up, where account and session may change meanwhile. */
  readonly visitor?: Fact<string> | undefined
  /** ISO 3166 code for a number typed without its country code. */
  readonly country?: string | undefined
  /** Network address for the limits per address. Without it, these limits do not apply. */
  readonly address?: string | undefined
  /** Absent if browsers are not tracked, as in a call without one. */
  readonly browser?: BrowserFacts | undefined
  /** Last revocation of this account in this session. Absent if revocations are not checked. */
  readonly record?: Revocations | undefined
  /** True if the address may be that of a proxy. All clients behind it share ten times the limit. */
  readonly proxied?: boolean | undefined
  /** Registers a callback for a client disconnect. Omit it without a client. */
  readonly onGone?: ((leave: () => void) => void) | undefined
}

/** A request to send a code. */
export interface SendCommand extends RequesterContext {
  readonly channel?: Channel | undefined
  /** Accepted kinds of codes, of `code` and `app`. Default: both. */
  readonly methods?: readonly string[] | undefined
  /** Language tag of the message, for providers that write it. Default: `en`. */
  readonly locale?: string | undefined
  /** The details that the code confirms, for providers that include them in the message. */
  readonly details?: Details | undefined
  readonly beforeSend?: BeforeSend | undefined
  /** Called after every check has passed and before anything is sent. If it fails, nothing is sent. */
  readonly onPassed?: (() => Promise<void>) | undefined
}

export interface StartCommand extends SendCommand {
  readonly purpose: string
  /** Id of the destination. Default: the first one for the channel. */
  readonly destination?: string | undefined
  /** Hash of the bound fields, from `hashBoundFields`. */
  readonly bound?: string | undefined
  /** The guard sends the code without a click. It never replaces a live challenge of any session. */
  readonly isAutomatic?: true | undefined
}

/**
 * The challenge that the client displayed, by its own account. The code may approve only this challenge. Every member
 * must match the live challenge. Without any member it means a sign-in.
 */
export interface ChallengeRef {
  /** Id of the challenge. */
  readonly challenge?: string | undefined
  /** Purpose of the challenge. */
  readonly purpose?: string | undefined
  /** Hash of the bound fields. A purpose without it means that no fields are bound. */
  readonly bound?: string | undefined
}

/** A request to send another code. The details of the start stay with the challenge. */
export interface ResendCommand extends Omit<SendCommand, 'details'> {
  readonly displayed?: ChallengeRef | undefined
}

/** Decision of `beforeSend` about one send, with more than a boolean. */
export interface SendDecision {
  /** Any value but `true` refuses. */
  readonly allow: boolean
  /**
   * Reason for the event `request.refused`. The client does not see it. At most 200 characters; long numbers are
   * masked.
   */
  readonly reason?: string | undefined
  /** Another method for the code, such as `call`: one of `channels`. Any other value refuses. */
  readonly method?: Channel | undefined
}

/** A country in which too few sign-ups are completed in the current UTC hour or day. */
export interface Suspicion {
  /** ISO 3166 code. In events for operators also `all`, for the sum over all countries. */
  readonly country: string
  /** Codes sent to numbers without a verification. */
  readonly sent: number
  /** Verified numbers. */
  readonly approved: number
}

/**
 * Your decision before a send is recorded. Any result but `true` or `{ allow: true }` refuses, and the start then
 * changes nothing. Several parallel requests may call it; one of them sends.
 */
export type BeforeSend = (send: {
  readonly subject: string
  readonly destination: PhoneNumber
  readonly channel: Channel
  /** Other methods that the request accepts. */
  readonly channels: readonly Channel[]
  readonly purpose: string
  /** Present at a sign-up whose country looks like SMS pumping. Require a captcha, for example. */
  readonly suspicion?: Suspicion | undefined
}) => Awaitable<boolean | SendDecision>

export interface VerifyCommand extends RequesterContext {
  /** The submitted code without spaces and hyphens. Undefined if it does not have the format of a sent code. */
  readonly code: string | undefined
  /** The submitted code as a code of an app. Undefined if it does not have that format. */
  readonly appCode?: string | undefined
  /** The response of the browser to a challenge that it signs. Absent for a code. */
  readonly signature?: unknown
  readonly displayed?: ChallengeRef | undefined
}

/** A live challenge as the client may see it. */
export interface ChallengeView {
  /** Id of the challenge. Submit it with the code, which then approves this challenge only. */
  readonly id: string
  /** Purpose of the code, such as `login`. */
  readonly purpose: string
  /** Method by which the last code was sent. */
  readonly channel: Channel
  /** The masked number. Empty for an authenticator app and for passkeys. */
  readonly destination: string
  /** Milliseconds since 1970, like `resendAt`. */
  readonly expiresAt: number
  /** Time from which a new code can be sent by the same method. */
  readonly resendAt: number
  /** Like `resendAt`, for each of `channels`. */
  readonly resendAtBy: Readonly<Record<string, number>>
  /** Codes that can still be submitted for this challenge. */
  readonly attemptsRemaining: number
  /**
   * State of the last code. `booked`: the outcome is not known yet. `unconfirmed`: the provider's response was lost.
   */
  readonly delivery: 'booked' | 'sent' | 'unconfirmed'
  /** True if a new code was sent for this challenge. Only the newest one works. */
  readonly isRenewed?: true
  /** Methods for a new code, the preferred one first. */
  readonly channels: readonly Channel[]
  /** Details that the code confirms, if the guard describes them. */
  readonly details?: Details | undefined
  /** For passkeys: the options for `navigator.credentials.get({ publicKey })`. */
  readonly publicKey?: object | undefined
}

/**
 * Result of a send of which nobody may claim that it was sent. `unconfirmed`: the provider has not responded, and the
 * code may arrive. Otherwise the problem code of the send.
 */
export type UnsentResult = 'unconfirmed' | 'delivery_failed' | 'provider_unavailable'

/** An expected refusal. */
export interface Refusal {
  readonly outcome: 'refused'
  /** The problem code. */
  readonly code: ProblemCode
  /** Milliseconds until a retry can succeed, if this is known. */
  readonly retryAfterMs?: number
  /** The limit that refused, if a limit refused. */
  readonly limit?: LimitName
  /** For `resend_too_soon`: the result of the last send, unless a code was sent. */
  readonly delivery?: UnsentResult
  /** The problem of the typed number, if the number is the reason. */
  readonly reason?: PhoneRefusal
  /** Reason for events only: the problem of the number on file (enumeration), or the reason of `beforeSend`. */
  readonly eventReason?: string
  /** True if codes of the challenge had no verdict. They must not be called wrong. */
  readonly undecided?: true
  /** The correct input, for developers. */
  readonly detail?: string
  /** Accepted kinds of factors, if no code that can be sent is accepted. */
  readonly methods?: readonly string[]
}

/** Result of a start or a resend. Narrow on `outcome`. */
export type StartOutcome =
  | {
      readonly outcome: 'started'
      /** The live challenge. */
      readonly challenge: ChallengeView
      /** `unconfirmed`: the provider's response was lost. The code works if it arrives. */
      readonly delivery: 'sent' | 'unconfirmed'
    }
  /** A code for exactly this challenge is on its way, so nothing was sent. */
  | { readonly outcome: 'already-sent'; readonly challenge: ChallengeView }
  | Refusal

/** A code that was not accepted. */
export interface Rejection {
  readonly outcome: 'rejected'
  /** Codes that can still be submitted for this challenge. */
  readonly attemptsRemaining: number
  /** Milliseconds until the next code can be submitted, if this code locked the account, or at a sign-up the number. */
  readonly retryAfterMs?: number
  /** The code was submitted before without a verdict. It may have been correct then, so only a new code helps. */
  readonly undecided?: true
  /** A new code was sent for this challenge. Only the newest one works. */
  readonly isRenewed?: true
  /** The code is an earlier one of this challenge. It used no attempt. */
  readonly isReplaced?: true
}

/** Result of a submitted code. Narrow on `outcome`. */
export type VerifyOutcome =
  | {
      readonly outcome: 'approved'
      /** Purpose that the code approved. */
      readonly purpose: string
      /** Method by which the last code was sent. */
      readonly channel: Channel
      /** Hash of the bound fields of the challenge. */
      readonly bound?: string
      /** The verified number in E.164. Absent if no code was sent. */
      readonly phone?: PhoneNumber | undefined
    }
  | Rejection
  | Refusal

/** Creates a refusal as a value. */
export function refused(code: ProblemCode, retryAfterMs?: number): Refusal {
  return { outcome: 'refused', code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
