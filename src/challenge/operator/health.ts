import type { Emit, EventBody } from '../../events.js'
import { present } from '../../lib/json.js'
import { version } from '../../lib/version.js'
import type { Finding } from '../../store/store.js'
import type { Suspicion } from '../commands.js'
import type { ClosedLimit, ServiceLimits } from '../rate-limits/service-limits.js'
import type { SignupGuard } from '../rate-limits/signup-guard.js'

/** One failure, without account, number or code. */
export interface Failure {
  /** Milliseconds since 1970, from the option `now`. */
  readonly at: number
  /** Type of the event, such as `provider.unavailable`. */
  readonly type: EventBody['type']
  /** Name of the code provider, if it has one. */
  readonly provider?: string
  /** The operation in progress: `send` or `check` for a provider; `read`, `swap` or `increment` for a store. */
  readonly command?: string
  /** The cause in one word, such as `timeout`. */
  readonly reason?: string
  /** HTTP status of the provider's response. Absent without a response. */
  readonly httpStatus?: number
  /** Problem and fix, if they are known. */
  readonly cause?: string
}

/** Observations of one process about its dependencies. It is a plain object from memory without secrets. */
export interface Health {
  /** Milliseconds since 1970, from the option `now`. */
  readonly at: number
  /** Versions of this package and of Node. */
  readonly versions: { readonly package: string; readonly node: string }
  /** The code provider. */
  readonly provider: {
    /** `failing` for 30 seconds after each failure that is not specific to one number or code. */
    readonly state: 'ok' | 'failing'
    readonly lastSentAt?: number
    readonly lastFailure?: Failure
    /** The last status outside `approvedStatuses` in a response to a code, and the fix if that code was correct. */
    readonly lastUnexpected?: { readonly at: number; readonly status: string; readonly fix: string }
  }
  /** The store of challenges and grants. */
  readonly store: {
    /** `failing` for 30 seconds after each failure. */
    readonly state: 'ok' | 'failing'
    readonly lastFailure?: Failure
  }
  /** Service-wide limits that this process has seen reached. */
  readonly limits: readonly ClosedLimit[]
  /** Countries whose sign-ups look like SMS pumping to this process. */
  readonly spend: { readonly suspected: readonly Suspicion[] }
  /** The last ten failures, newest first. */
  readonly lastFailures: readonly Failure[]
}

const maxFailures = 10
const failingMs = 30_000

/** Records the events of this process that an operator asks about first. */
export function createHealth(now: () => number) {
  let last: readonly Failure[] = []
  let lastSentAt: number | undefined
  let ofProvider: Failure | undefined
  let ofStore: Failure | undefined
  let providerFailedAt: number | undefined
  let lastUnexpected: Health['provider']['lastUnexpected']
  /**
   * The last unexpected status. An approval by the service clears it, because it shows that `approvedStatuses` is
   * right.
   */
  let unlisted: Health['provider']['lastUnexpected']

  function note(event: EventBody): void {
    if (event.type === 'challenge.sent') lastSentAt = now()
    // An approval by an app or by this package shows nothing about the service.
    if (event.type === 'challenge.approved' && event.durationMs !== undefined) unlisted = undefined
    if (event.type === 'challenge.rejected' && event.status !== undefined) {
      const { status, cause: fix = 'check which statuses its adapter treats as an approval' } = event
      lastUnexpected = { at: now(), status, fix }
      unlisted = lastUnexpected
    }
    const failure = failureOf(event, now())
    if (failure === undefined) return
    last = [failure, ...last.slice(0, maxFailures - 1)]
    if (event.type === 'store.failed') ofStore = failure
    else if (event.type !== 'session.failed') ofProvider = failure
    if (isOfAllCodes(event)) providerFailedAt = failure.at
  }

  return {
    over:
      (emit: Emit): Emit =>
      (event) => {
        note(event)
        emit(event)
      },

    /** Returns the findings of the self-test about responses to codes. */
    findings(): readonly Finding[] {
      if (unlisted === undefined) return []
      const { status, fix } = unlisted
      const message = `The provider returned the status "${status}" for the last code, and approvedStatuses does not contain it.`
      return [{ code: 'status_unexpected', message, fix }]
    },

    read(parts: {
      readonly signups: Pick<SignupGuard, 'suspected'>
      readonly serviceLimits: Pick<ServiceLimits, 'closed'>
    }): Health {
      const at = now()
      const stateAfter = (failedAt = Number.NEGATIVE_INFINITY) =>
        at - failedAt < failingMs ? 'failing' : 'ok'
      return {
        at,
        versions: { package: version, node: process.versions.node },
        provider: {
          state: stateAfter(providerFailedAt),
          ...present({ lastSentAt, lastFailure: ofProvider, lastUnexpected }),
        },
        store: { state: stateAfter(ofStore?.at), ...present({ lastFailure: ofStore }) },
        limits: parts.serviceLimits.closed(),
        spend: { suspected: parts.signups.suspected() },
        lastFailures: last,
      }
    },
  }
}

const failures: readonly EventBody['type'][] = [
  'store.failed',
  'session.failed',
  'challenge.undelivered',
  'provider.unavailable',
  'provider.misconfigured',
]

/** A refused number is no failure of the provider. */
const isOfAllCodes = (event: EventBody): boolean =>
  event.type === 'provider.unavailable' ||
  event.type === 'provider.misconfigured' ||
  (event.type === 'challenge.undelivered' && event.reason === 'misconfigured')

/** Copies single members, so that account, number and the provider's text stay out. */
function failureOf(event: EventBody, at: number): Failure | undefined {
  if (!failures.includes(event.type)) return undefined
  const { provider, command, reason, httpStatus, cause } = event as Partial<Failure>
  return { at, type: event.type, ...present({ provider, command, reason, httpStatus, cause }) }
}
