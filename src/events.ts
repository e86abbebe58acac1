import { channel } from 'node:diagnostics_channel'
import type { ProblemCode } from './errors.js'

/** Members of every challenge event. They contain no number, code or session id. */
export interface AboutChallenge {
  readonly lane: 'auth' | 'enrol'
  readonly purpose: string
  readonly channel: 'sms' | 'call'
  /** Id of the challenge, as the browser sees it. */
  readonly challengeId: string
  /** The account, as the option `subject` returned it. */
  readonly subject: string
  /** ISO 3166 code of the destination. */
  readonly country: string
}

/** Which code provider it is about: its `name`, when it has one. */
export interface AboutProvider {
  readonly provider?: string
}

/**
 * What auditors, fraud analysts and dashboards need. Narrow on `type`.
 *
 * @example
 * twoFactor({ onEvent: (event) => counter.inc({ type: event.type }) })
 */
export type TwoFactorEvent =
  | ({ readonly type: 'challenge.started' } & AboutChallenge)
  | ({ readonly type: 'challenge.sent' } & AboutChallenge & AboutProvider)
  | ({ readonly type: 'challenge.unconfirmed' } & AboutChallenge & AboutProvider)
  | ({ readonly type: 'challenge.undelivered'; readonly reason: UndeliveredReason } & AboutChallenge &
      AboutProvider)
  | ({
      readonly type: 'challenge.rejected'
      readonly attemptsRemaining: number
      readonly used: boolean
    } & AboutChallenge)
  | ({ readonly type: 'challenge.approved' } & AboutChallenge)
  | ({ readonly type: 'challenge.superseded' } & AboutChallenge)
  | ({ readonly type: 'challenge.cancelled' } & AboutChallenge)
  | ({ readonly type: 'number.locked'; readonly lockedForMs: number } & AboutChallenge)
  | ({ readonly type: 'number.disabled' } & AboutChallenge)
  | { readonly type: 'number.enabled' }
  | { readonly type: 'subject.enabled'; readonly subject: string }
  | {
      readonly type: 'request.refused'
      readonly command: 'start' | 'resend' | 'verify'
      readonly code: ProblemCode
      readonly lane: 'auth' | 'enrol'
      readonly subject: string
      /** The rate limit that was reached, if any: `address`, `session`, `subject`, `service`. */
      readonly limit?: string
    }
  | { readonly type: 'device.trusted' | 'device.used' | 'device.revoked'; readonly subject: string }
  /** A token of a device was shown after its replacement: somebody has copied it, and the device is revoked. */
  | { readonly type: 'device.reused'; readonly subject: string }
  | { readonly type: 'grant.revoked'; readonly subject: string }
  /** The host's session could not be renewed, so a correct code did not lead to a sign-in. */
  | { readonly type: 'session.failed' }
  | { readonly type: 'store.failed'; readonly command: string }
  | { readonly type: 'store.pressure'; readonly kind: string }
  | ({ readonly type: 'provider.misconfigured' } & AboutProvider)
  | ({
      readonly type: 'provider.unavailable'
      readonly command: 'send' | 'check'
      readonly sent: boolean
    } & AboutProvider)
  | ({ readonly type: 'provider.paused'; readonly pausedForMs: number } & AboutProvider)
  | { readonly type: 'clock.leads'; readonly byMs: number }

/** Why a code was not delivered. */
export type UndeliveredReason = 'failed' | 'foreign-number' | 'not-sent' | 'misconfigured'

/** Receives one event. Errors that it throws are ignored. */
export type Emit = (event: TwoFactorEvent) => void

const diagnostics = channel('express-two-factor:event')

/** Publishes to the host and to the diagnostics channel `express-two-factor:event`. */
export function createEmit(onEvent: Emit | undefined): Emit {
  return (event) => {
    diagnostics.publish(event)
    try {
      // An async listener also has the type of one that returns nothing.
      const answer = onEvent?.(event) as unknown
      if (answer instanceof Promise) answer.catch(() => undefined)
    } catch {
      // A broken metric must not change who is admitted.
    }
  }
}
