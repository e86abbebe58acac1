import type { UnsentResult } from '../../challenge/commands.js'
import type { Details } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import { httpStatusOf, type ProblemCode, type TwoFactorError } from '../../errors.js'
import type { LimitName } from '../../events.js'
import { minuteMs, secondMs } from '../../lib/time.js'
import type { PhoneRefusal } from '../../phone-number.js'

/** A refusal or failure for the client: problem details (RFC 9457). */
export interface Problem {
  /** The problem code. */
  readonly code: ProblemCode
  /** Replaces the status of the code. */
  readonly status?: number | undefined
  readonly detail?: string | undefined
  readonly attemptsRemaining?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** The limit that refused, if a limit refused. */
  readonly limit?: LimitName | undefined
  /** For `resend_too_soon`: the result of the last send, unless a code was sent. */
  readonly delivery?: UnsentResult | undefined
  /** The code was submitted before without a verdict. It may have been correct then. */
  readonly undecided?: true | undefined
  /** A new code was sent for this challenge. */
  readonly isRenewed?: true | undefined
  /** The code is an earlier one of this challenge. */
  readonly isReplaced?: true | undefined
  /** The problem of the number, if the number is the reason. */
  readonly reason?: PhoneRefusal | undefined
  /** From the guard: what to verify, the maximum age, and where to start. */
  readonly purpose?: string
  readonly maxAgeMs?: number
  readonly requirement?: string
  readonly startUrl?: string
  /** Accepted factors, if not all are accepted. */
  readonly methods?: readonly string[] | undefined
  /** Destinations of a code, if there may be more than a number. */
  readonly destinations?: readonly DestinationView[] | undefined
  /** Details that the user confirms. */
  readonly details?: Details | undefined
  /** Selects the texts of another page than that of codes by phone. */
  readonly page?: 'recovery' | 'phone' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Problem of a session with more requests than a browser sends. */
export const tooManyAtOnce: Problem = {
  code: 'capacity',
  status: 429,
  limit: 'session',
  retryAfterMs: secondMs,
}

/** `Retry-After` if the exact wait is unknown. */
const defaultRetryMs: Readonly<Record<number, number>> = { 429: minuteMs, 503: 5 * secondMs }

const titles: Readonly<Record<ProblemCode, string>> = {
  invalid_request: 'The request is invalid',
  not_identified: 'Not signed in',
  second_factor_required: 'A fresh second factor is required',
  destination_not_allowed: 'Codes cannot be sent to this number',
  send_refused: 'The app refused to send a code',
  cross_site: 'Cross-site request refused',
  account_disabled: 'This account is disabled',
  method_not_allowed: 'Method not allowed',
  challenge_superseded: 'A newer challenge replaced this challenge',
  verification_in_progress: 'Another code is being checked',
  no_phone: 'No phone number is on file',
  challenge_gone: 'The challenge has expired or does not exist',
  payload_too_large: 'The request body is too large',
  unsupported_media_type: 'The request body must be JSON or a form',
  code_not_accepted: 'The code is incorrect',
  attempts_exhausted: 'No attempts remain',
  account_locked: 'This account is temporarily locked',
  resend_too_soon: 'A new code cannot be sent yet',
  send_limit: 'Too many codes were requested',
  delivery_failed: 'The code could not be sent',
  verification_unavailable: 'The code could not be checked',
  provider_unavailable: 'Codes cannot be sent or checked right now',
  store_unavailable: 'The service is temporarily unavailable',
  capacity: 'The service is at capacity',
  session_unavailable: 'The session could not be renewed',
  sending_paused: 'Sending is temporarily paused',
}

/** Returns the failure of the last send, if the user must wait although no code was sent. Its text is shown. */
export function failedSendOf({ code, delivery }: Pick<Problem, 'code' | 'delivery'>) {
  return code === 'resend_too_soon' && delivery !== 'unconfirmed' ? delivery : undefined
}

export function statusOf(problem: Problem): number {
  return problem.status ?? httpStatusOf[problem.code]
}

/** Returns the problem document (RFC 9457). `sentence` is the detail in the user's language. */
export function problemDocument(problem: Problem, sentence: string): object {
  const { code, detail, page: _page, headers: _headers, ...facts } = problem
  const { undecided: _, isRenewed: _isRenewed, isReplaced: _isReplaced, ...members } = facts
  const title = titles[code]
  return {
    type: `urn:express-two-factor:${code}`,
    title,
    ...members,
    status: statusOf(problem),
    detail: detail ?? sentence,
    code,
  }
}

/** Returns the headers of a problem. `Retry-After` is in whole seconds. */
export function problemHeaders(problem: Problem): Readonly<Record<string, string>> {
  const { code, limit, headers } = problem
  const status = statusOf(problem)
  const waitMs = problem.retryAfterMs ?? defaultRetryMs[status]
  if (waitMs === undefined) return headers ?? {}
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return {
    'Retry-After': String(seconds),
    ...(status === 429 && rateLimitHeaders(limit ?? code, seconds)),
    ...headers,
  }
}

/**
 * Returns `RateLimit` and `RateLimit-Policy` as structured fields, after draft-ietf-httpapi-ratelimit-headers-11: one
 * request after a wait, under the name of the current refusal. They contain nothing that the body does not: a quota or
 * a window would show what others have used (enumeration).
 */
export function rateLimitHeaders(policy: string, waitSeconds: number): Readonly<Record<string, string>> {
  return {
    'RateLimit-Policy': `"${policy}";q=1`,
    RateLimit: waitSeconds > 0 ? `"${policy}";r=0;t=${waitSeconds}` : `"${policy}";r=1`,
  }
}

/** Returns the problem of an error, with the wait of its headers, and with its message if the caller may see it. */
export function problemOf(error: TwoFactorError): Problem {
  const { code, status, headers, message } = error
  const detail = error.expose && message !== code ? message : undefined
  // Users and programs read the body rather than the header.
  const seconds = Number(headers?.['Retry-After'])
  return { code, status, detail, headers, retryAfterMs: seconds > 0 ? seconds * secondMs : undefined }
}
