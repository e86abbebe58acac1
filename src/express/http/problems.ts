import type { Details } from '../../challenge/code-provider.js'
import { httpStatusOf, type ProblemCode, type TwoFactorError } from '../../errors.js'

/** A refusal or a failure as it is told to the caller (RFC 9457). */
export interface Problem {
  readonly code: ProblemCode
  /** When it is not the usual one of the code. */
  readonly status?: number | undefined
  readonly detail?: string | undefined
  readonly attemptsRemaining?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** From the guard: what must be proven, how fresh, and where to start. */
  readonly purpose?: string
  readonly maxAgeMs?: number
  readonly requirement?: string
  readonly startUrl?: string
  /** Which methods will do, when not all of them do. */
  readonly methods?: readonly string[]
  /** What the person is to confirm. */
  readonly details?: Details
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What a caller who has no better knowledge should wait. */
const usualRetryMs: Readonly<Record<number, number>> = { 429: 60_000, 503: 5_000 }

const titles: Readonly<Record<ProblemCode, string>> = {
  invalid_request: 'The request cannot be understood',
  not_identified: 'Nobody is signing in or signed in',
  second_factor_required: 'A fresh second factor is required',
  destination_not_allowed: 'No code may be sent to this number',
  send_refused: 'No code may be sent now',
  cross_site: 'The request comes from another site',
  phone_disabled: 'This number is disabled',
  method_not_allowed: 'Method not allowed',
  challenge_superseded: 'A newer code was sent from another session',
  verification_in_progress: 'A code is being checked at this moment',
  no_phone: 'No phone number is on file',
  challenge_gone: 'There is no code to check any more',
  payload_too_large: 'The body is too large',
  unsupported_media_type: 'The body must be JSON or a form',
  code_not_accepted: 'The code is not right',
  attempts_exhausted: 'No attempts are left for now',
  phone_locked: 'This number is locked for a while',
  resend_too_soon: 'A code was sent a moment ago',
  send_limit: 'Too many codes were sent',
  delivery_failed: 'The code could not be sent',
  verification_unavailable: 'The code could not be checked',
  provider_unavailable: 'Codes can be neither sent nor checked now',
  store_unavailable: 'The service is unavailable for a moment',
  capacity: 'The service is full for a moment',
  session_unavailable: 'The session could not be renewed',
  sending_paused: 'Sending is paused for a moment',
}

export function statusOf(problem: Problem): number {
  return problem.status ?? httpStatusOf[problem.code]
}

/** The members of the problem document. */
export function problemDocument(problem: Problem): object {
  const { code, detail, headers: _headers, ...members } = problem
  const title = titles[code]
  return {
    type: `urn:express-two-factor:${code}`,
    title,
    ...members,
    status: statusOf(problem),
    detail: detail ?? `${title}.`,
    code,
  }
}

/** Headers that go with it: clients back off by `Retry-After`, in whole seconds. */
export function problemHeaders(problem: Problem): Readonly<Record<string, string>> {
  const waitMs = problem.retryAfterMs ?? usualRetryMs[statusOf(problem)]
  return {
    ...(waitMs !== undefined && { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1_000))) }),
    ...problem.headers,
  }
}

/** How a thrown failure is told. Its message only when it may be shown. */
export function problemOf(error: TwoFactorError): Problem {
  const { code, status, headers, message } = error
  const detail = error.expose && message !== code ? message : undefined
  return { code, status, detail, headers }
}
