import type { ProblemCode } from './errors.js'

/** Members of every challenge event. They contain no number, code or session id. */
export interface ChallengeFields {
  readonly lane: 'auth' | 'enrol'
  readonly purpose: string
  /** How the code travels: the name of a provider's method. */
  readonly channel: string
  /** Id of the challenge, as the browser sees it. */
  readonly challengeId: string
  /** The account, as the option `subject` returned it. */
  readonly subject: string
  /** ISO 3166 code of the destination; empty for an authenticator app. */
  readonly country: string
}

/** What a limit counts by: one address, one session, one subject, all of them, or one country. */
export type LimitName = 'address' | 'session' | 'subject' | 'service' | 'country'

/** The limits of the whole service, as the option `limits` names them. */
export type ServiceLimit = 'serviceSendsPerMinute' | 'serviceEnrolSendsPerHour' | 'serviceEnrolSendsPerDay'

/** What has nothing left for anybody: a limit of the whole service, or what an operator has paused. */
export type ClosedLimitFields = ServiceLimit | 'pause'

/** Which code provider it is about: its `name`, when it has one. */
export interface ProviderFields {
  /** Its `name`, when it has one. */
  readonly provider?: string | undefined
}

/** One question to a provider and what came back. Absent when nobody was asked; nothing in it is secret. */
export interface ExchangeFields extends ProviderFields {
  /** How long the provider took, in milliseconds; absent when it was not asked. */
  readonly durationMs?: number | undefined
  /** The operation of the client, such as `sendSmsCode`. */
  readonly operation?: string | undefined
  /** HTTP status of the response, if one came. */
  readonly httpStatus?: number | undefined
  /** The provider's own `error`, with anything secret masked. */
  readonly providerError?: string | undefined
  /** Why there was no success: a `FailureReason` of the client, `error` when an adapter threw, or its own word. */
  readonly reason?: string | undefined
  /** What is wrong and what to do about it, in a sentence or two without values; absent where nobody can tell. */
  readonly cause?: string | undefined
  /** The `status` of a complete answer to a code, where it is not approved: of a wrong code, or of a changed account. */
  readonly status?: string | undefined
}

/** The message that a code travels in. */
interface MessageFields {
  /** The provider's id of it, where it named one. */
  readonly messageId?: string | undefined
}

/** An event before its time is stamped on it. */
export type EventBody =
  /** A code was asked for, and every limit allowed it. */
  | ({ readonly type: 'challenge.started' } & ChallengeFields)
  /** The provider took the code. */
  | ({ readonly type: 'challenge.sent' } & ChallengeFields & ExchangeFields & MessageFields)
  /** The response of the provider was lost; the code may arrive. */
  | ({ readonly type: 'challenge.unconfirmed' } & ChallengeFields & ExchangeFields & MessageFields)
  /** No code will arrive. */
  | ({
      readonly type: 'challenge.undelivered'
      readonly reason: UndeliveredReason
      /** What other events call `reason`. */
      readonly failure?: string | undefined
    } & ChallengeFields &
      Omit<ExchangeFields, 'reason'>)
  /** A wrong code; with `used` that of an earlier success. */
  | ({
      readonly type: 'challenge.rejected'
      readonly attemptsRemaining: number
      readonly used: boolean
      /** Wrong codes of the account since its last success, this one included. */
      readonly inARow: number
    } & ChallengeFields &
      ExchangeFields)
  /** The right code. */
  | ({
      readonly type: 'challenge.approved'
      /** Milliseconds between the last send of its code and the approval. */
      readonly ageMs?: number | undefined
    } & ChallengeFields &
      ExchangeFields)
  /** A newer start replaced it, of this session or another. */
  | ({ readonly type: 'challenge.superseded' } & ChallengeFields)
  /** The person gave up. */
  | ({ readonly type: 'challenge.cancelled' } & ChallengeFields)
  /**
   * Too many wrong codes, for a while.
   *
   * Five for one challenge, or ten of strangers since the last success.
   */
  | ({ readonly type: 'subject.locked'; readonly lockedForMs: number } & ChallengeFields)
  /**
   * Too many wrong codes since the last right one, until an operator lifts it.
   *
   * A hundred, or of strangers sixty.
   */
  | ({ readonly type: 'subject.disabled' } & ChallengeFields)
  /** An operator lifted what locked or disabled an account, and its counts. */
  | { readonly type: 'subject.unlocked'; readonly subject: string }
  /** A limit or a rule refused. */
  | {
      readonly type: 'request.refused'
      readonly command: 'start' | 'resend' | 'verify'
      readonly code: ProblemCode
      readonly lane: 'auth' | 'enrol'
      readonly subject: string
      /** The limit that was reached, if any. */
      readonly limit?: LimitName
      /** What is wrong with the number, typed or on file; of `send_refused` what `beforeSend` gave. */
      readonly reason?: string
    }
  /** A browser was trusted, replaced a code, or is trusted no longer. */
  | { readonly type: 'device.trusted' | 'device.used' | 'device.revoked'; readonly subject: string }
  /** A proof was taken back. */
  | { readonly type: 'grant.revoked'; readonly subject: string }
  /** A recovery code was used up: write to the person. `remaining` is there where the option of that name is. */
  | { readonly type: 'recovery.used'; readonly subject: string; readonly remaining?: number }
  /** A wrong or used recovery code. */
  | { readonly type: 'recovery.failed'; readonly subject: string }
  /**
   * A number, an app or recovery codes were put on file, or are about to be, or were removed: write to the person.
   *
   * A number is told when the host has taken it over, and where its request fails with a 5xx, since it may have; an app
   * once its first code was right, recovery codes when they are made.
   */
  | {
      readonly type: 'factor.changed'
      readonly kind: 'phone' | 'app' | 'recovery-codes'
      readonly subject: string
      /** The number on file, masked; absent where there was none. */
      readonly before?: string
      /** The number that was proven, masked. */
      readonly after?: string
      /** It was taken off file, and nothing in its place. */
      readonly removed?: true
    }
  /** A right code did not lead to a sign-in, because the session could not be renewed. */
  | { readonly type: 'session.failed' }
  /** The store failed or was late. */
  | {
      readonly type: 'store.failed'
      readonly command: string
      readonly durationMs?: number
      /** Why, in the words to look for, such as `ECONNREFUSED`, `OOM` or `no response within 250 ms`. */
      readonly cause?: string | undefined
    }
  /**
   * An hour or a day of a country's sign-ups looks like SMS pumping; or as long again has passed without one.
   *
   * Once from each process.
   */
  | {
      readonly type: 'spend.suspected' | 'spend.cleared'
      /** ISO 3166 code, or `all` for the sum over all countries. */
      readonly country: string
      /** The UTC hour or day in which it was counted. */
      readonly window: 'hour' | 'day'
      /** Codes sent in the window to numbers that were not yet proven. */
      readonly sent: number
      /** Numbers proven in the window. */
      readonly approved: number
    }
  /**
   * A limit of the whole service has nothing left, or an operator paused sign-ups.
   *
   * Once in each window, by each process.
   */
  | {
      readonly type: 'limit.closed'
      /** Its name in the option `limits`; `pause`: by `npx express-two-factor signups`. */
      readonly limit: ClosedLimitFields
      /** Whose sends it counts: of numbers on file, or of sign-ups. */
      readonly lane: 'auth' | 'enrol'
    }
  /** The provider refuses the account, and nobody can sign in. Once an hour, by each process. */
  | ({ readonly type: 'provider.misconfigured' } & ExchangeFields)
  /** The provider gave no usable response. */
  | ({
      readonly type: 'provider.unavailable'
      readonly command: 'send' | 'check'
      /** `false` with the `reason` `busy`: as many exchanges as it takes at once were under way. */
      readonly sent: boolean
    } & ExchangeFields)
  /**
   * Codes of five accounts in a row got a `status` that is not approved: right codes are refused, or somebody guesses.
   *
   * `cause` has the line to paste. Once a minute, by each process.
   */
  | ({ readonly type: 'provider.unexpected'; readonly status: string } & ExchangeFields)

/** Why a code was not delivered. */
export type UndeliveredReason = 'failed' | 'foreign-number' | 'not-sent' | 'misconfigured'

/**
 * What auditors, fraud analysts and dashboards need. Narrow on `type`.
 *
 * @example
 * twoFactor({ onEvent: (event) => counter.inc({ type: event.type }) })
 */
export type TwoFactorEvent = EventBody & {
  /** When it happened, in milliseconds since 1970, by the option `now`. */
  readonly at: number
}

/** Receives one event. Errors that it throws are ignored. */
export type OnEvent = (event: TwoFactorEvent) => void

/** Takes one event as the parts of the package report it. */
export type Emit = (event: EventBody) => void
