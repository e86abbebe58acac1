import type { ProblemCode } from './errors.js'

/** Fields of every challenge event. They contain no number, code or session id. */
export interface ChallengeFields {
  readonly lane: 'auth' | 'enrol'
  readonly purpose: string
  /** Method by which the code was sent, such as `sms`. */
  readonly channel: string
  /** Id of the challenge, as in the JSON responses. */
  readonly challengeId: string
  /** Account id, as your option `subject` returned it. */
  readonly subject: string
  /** ISO 3166 code of the number's country. Empty for an authenticator app. */
  readonly country: string
}

/** `known` if the account signed in with this browser before. For `new`, consider a notice to the user. */
export interface BrowserFields {
  /** Absent if browsers are not tracked: at a sign-up, with bearer tokens and with `knownBrowsers: false`. */
  readonly browser?: 'known' | 'new'
}

/** Scope of the limit: requests of one address, session, subject or country, or of the whole service. */
export type LimitName = 'address' | 'session' | 'subject' | 'service' | 'country'

/** Service-wide limits, as the option `limits` names them. */
export type ServiceLimit = 'serviceSendsPerMinute' | 'serviceEnrolSendsPerHour' | 'serviceEnrolSendsPerDay'

/** A service-wide limit that was reached, or `pause` if an operator paused sign-ups. */
export type ClosedLimitFields = ServiceLimit | 'pause'

/** Identifies the code provider of an event. */
export interface ProviderFields {
  /** Name of the provider, if it has one. */
  readonly provider?: string | undefined
}

/** Facts about one request to a provider and its response. Absent if no request was made. No field is secret. */
export interface ExchangeFields extends ProviderFields {
  /** Time until the provider's response, in milliseconds. Absent if no request was made. */
  readonly durationMs?: number | undefined
  /** Operation of the client, such as `sendSmsCode`. */
  readonly operation?: string | undefined
  /** HTTP status of the response. Absent without a response. */
  readonly httpStatus?: number | undefined
  /** The provider's own `error`. Secrets in it are masked. */
  readonly providerError?: string | undefined
  /** Reason of the failure: a `FailureReason` of the client, `error` if an adapter threw, or the adapter's own word. */
  readonly reason?: string | undefined
  /** Problem and fix in one or two sentences, without values. Absent if the cause is unknown. */
  readonly cause?: string | undefined
  /**
   * The `status` of a complete response that is not approved. Either the code was wrong, or the account changed its
   * statuses.
   */
  readonly status?: string | undefined
}

/** Identifies the message that carries a code. */
interface MessageFields {
  /** The provider's id of the message, if it returned one. */
  readonly messageId?: string | undefined
}

/** An event without its time. */
export type EventBody =
  /** A code was requested and every limit allowed it. */
  | ({ readonly type: 'challenge.started' } & ChallengeFields & BrowserFields)
  /** The provider accepted the code for delivery. */
  | ({ readonly type: 'challenge.sent' } & ChallengeFields & ExchangeFields & MessageFields)
  /** The provider's response was lost. The code may arrive. */
  | ({ readonly type: 'challenge.unconfirmed' } & ChallengeFields & ExchangeFields & MessageFields)
  /** A code could not be sent and will not arrive. */
  | ({
      readonly type: 'challenge.undelivered'
      readonly reason: UndeliveredReason
      /** The `reason` of the other provider events. */
      readonly failure?: string | undefined
    } & ChallengeFields &
      Omit<ExchangeFields, 'reason'>)
  /**
   * A wrong code was submitted.
   *
   * If `used` is true, this was the code of an earlier success.
   */
  | ({
      readonly type: 'challenge.rejected'
      readonly attemptsRemaining: number
      readonly used: boolean
      /** Consecutive wrong codes of the account, this one included. */
      readonly inARow: number
    } & ChallengeFields &
      ExchangeFields)
  /** A correct code was verified. */
  | ({
      readonly type: 'challenge.approved'
      /** Time between the last send of this challenge and its approval, in milliseconds. */
      readonly ageMs?: number | undefined
    } & ChallengeFields &
      ExchangeFields &
      BrowserFields)
  /** A newer start, in this or another session, replaced the challenge. */
  | ({ readonly type: 'challenge.superseded' } & ChallengeFields)
  /** The user canceled the challenge. */
  | ({ readonly type: 'challenge.cancelled' } & ChallengeFields)
  /**
   * The account was locked for a while after too many wrong codes.
   *
   * Five for one challenge, or ten of unknown browsers since the last success.
   */
  | ({ readonly type: 'subject.locked'; readonly lockedForMs: number } & ChallengeFields)
  /**
   * Too many consecutive wrong codes disabled the account for a year, or until an operator unlocks it.
   *
   * A hundred in total, or sixty of unknown browsers.
   */
  | ({ readonly type: 'subject.disabled' } & ChallengeFields)
  /** An operator ended an account's lock or disabling, and reset its counters. */
  | { readonly type: 'subject.unlocked'; readonly subject: string }
  /**
   * A limit or a rule refused to send or check a code, or a request came from another site.
   *
   * A guard that refuses a request emits nothing, except when it also tries to send the code and that is refused. Wrong
   * codes are `challenge.rejected`.
   */
  | {
      readonly type: 'request.refused'
      /** Absent for `cross_site`, like `lane` and `subject`: such a request is refused before it is read. */
      readonly command?: 'start' | 'resend' | 'verify'
      readonly code: ProblemCode
      readonly lane?: 'auth' | 'enrol'
      readonly subject?: string
      /** The limit that was reached, if a limit refused. */
      readonly limit?: LimitName
      /**
       * The problem of the number, for one that was typed or is on file. For `send_refused`, the reason that
       * `beforeSend` returned. For `cross_site`, `origin-null` or `other-origin`.
       */
      readonly reason?: string
    }
  /** A browser became trusted, replaced a code, or is no longer trusted. */
  | { readonly type: 'device.trusted' | 'device.used' | 'device.revoked'; readonly subject: string }
  /** A grant was revoked. */
  | { readonly type: 'grant.revoked'; readonly subject: string }
  /**
   * A recovery code was used. Notify the user.
   *
   * `remaining` is present if your app has the option of this name.
   */
  | { readonly type: 'recovery.used'; readonly subject: string; readonly remaining?: number }
  /** A wrong or used recovery code was submitted. */
  | { readonly type: 'recovery.failed'; readonly subject: string }
  /**
   * A factor or recovery codes were added or removed, or your app is about to store them. Notify the user.
   *
   * For a number: after your app saved it, and also after a 5xx of its request, because it may be saved. For an app:
   * after its first correct code. For recovery codes: when they are made.
   */
  | {
      readonly type: 'factor.changed'
      readonly kind: 'phone' | 'app' | 'passkey' | 'recovery-codes'
      readonly subject: string
      /** The number on file, masked. Absent if there was none. */
      readonly before?: string
      /** The verified number, masked. */
      readonly after?: string
      /** True if the factor was removed and not replaced. */
      readonly removed?: true
    }
  /**
   * A number, authenticator secret or passkey on file cannot be read, so the account cannot use that factor.
   *
   * Emitted once per account and process for a number, otherwise once per request.
   */
  | {
      readonly type: 'factor.unreadable'
      readonly kind: 'phone' | 'app' | 'passkey'
      readonly subject: string
      /**
       * Such as `not-a-number` or `wrong-length`. For an app `invalid-secret`, or the code or class of the error that
       * `secretOf` threw. For passkeys the code or class of the error that `list` threw.
       */
      readonly reason: string
    }
  /**
   * The counter of a passkey did not increase, so a copy may be in use. The passkey was refused.
   */
  | { readonly type: 'passkey.copied'; readonly subject: string }
  /** The session could not be renewed after a correct code, so the user was not signed in. */
  | { readonly type: 'session.failed' }
  /** A store command failed or missed its deadline. */
  | {
      readonly type: 'store.failed'
      readonly command: string
      readonly durationMs?: number
      /** The cause in words to search for, such as `ECONNREFUSED`, `OOM` or `no response within 250 ms`. */
      readonly cause?: string | undefined
    }
  /**
   * A country's sign-ups look like SMS pumping, or an hour or day has passed without that suspicion.
   *
   * Emitted once by each process.
   */
  | {
      readonly type: 'spend.suspected' | 'spend.cleared'
      /** ISO 3166 code, or `all` for the sum over all countries. */
      readonly country: string
      /** UTC hour or day of the count. */
      readonly window: 'hour' | 'day'
      /** Codes sent in the window to numbers without a verification. */
      readonly sent: number
      /** Numbers verified in the window. */
      readonly approved: number
    }
  /**
   * A service-wide limit was reached, or an operator paused sign-ups.
   *
   * Emitted once in each window by each process.
   */
  | {
      readonly type: 'limit.closed'
      /** Name of the limit in the option `limits`, or `pause` for `npx express-two-factor signups`. */
      readonly limit: ClosedLimitFields
      /** `auth` for sends to numbers on file, `enrol` for sends of sign-ups. */
      readonly lane: 'auth' | 'enrol'
    }
  /**
   * The provider refuses your credentials or account, so no code is sent or checked.
   *
   * Emitted once an hour by each process.
   */
  | ({ readonly type: 'provider.misconfigured' } & ExchangeFields)
  /** The provider returned no usable response. */
  | ({
      readonly type: 'provider.unavailable'
      readonly command: 'send' | 'check'
      /** False with the `reason` `busy`: the maximum of concurrent requests was reached. */
      readonly sent: boolean
    } & ExchangeFields)
  /**
   * For five accounts in a row, the provider returned a `status` that is not approved.
   *
   * Either `approvedStatuses` is incomplete, or an attacker is guessing: `npx express-two-factor calibrate` shows which.
   * Emitted once a minute by each process.
   */
  | ({ readonly type: 'provider.unexpected'; readonly status: string } & ExchangeFields)

/** Why a code was not delivered. */
export type UndeliveredReason = 'failed' | 'foreign-number' | 'not-sent' | 'misconfigured' | 'later'

/**
 * Every event, for audits, fraud analysis and dashboards. Narrow on `type`.
 *
 * @example
 * twoFactor({ onEvent: (event) => counter.inc({ type: event.type }) })
 */
export type TwoFactorEvent = EventBody & {
  /** Time of the event in milliseconds since 1970, from the option `now`. */
  readonly at: number
}

/** Receives one event. The package ignores errors that it throws. */
export type OnEvent = (event: TwoFactorEvent) => void

/** Emits one event without its time. */
export type Emit = (event: EventBody) => void
