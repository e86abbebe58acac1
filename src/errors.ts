/** The HTTP status of every problem code: a new code without a status does not compile. */
export const httpStatusOf = {
  /** A body or code of the wrong shape, an unknown purpose or `requirement`, or a code that does not say what it is for. */
  invalid_request: 400,
  /** `subject` returned nobody: sign in first. */
  not_identified: 401,
  /** The guard wants a code: `POST` the `requirement` to `startUrl`. For a bearer token 401 (RFC 9470). */
  second_factor_required: 403,
  /**
   * The country is not in `countries`, or the number cannot be read; at a sign-up also a landline, or a number of
   * another country than was chosen.
   */
  destination_not_allowed: 403,
  /** `beforeSend` said no. */
  send_refused: 403,
  /** Another site posted this: list it in `allowedOrigins` if it is yours. */
  cross_site: 403,
  /** Too many wrong codes since the last right one: `tf.subjects.unlock` lifts it. */
  account_disabled: 403,
  /** See `Allow`. */
  method_not_allowed: 405,
  /** Another code is good now than the one that was shown: start again. A newer one may have gone to another session. */
  challenge_superseded: 409,
  /** A code is being checked: wait and look again. */
  verification_in_progress: 409,
  /** `phone` returned no number. */
  no_phone: 409,
  /** Unknown, expired, used or somebody else's, or its number got a code for another account: start again. */
  challenge_gone: 410,
  /** The body is too large. */
  payload_too_large: 413,
  /** Send JSON or a form. */
  unsupported_media_type: 415,
  /** Wrong, used or expired: see `attemptsRemaining`. */
  code_not_accepted: 422,
  /** Wait `retryAfterMs`, then start again. */
  attempts_exhausted: 429,
  /** Wait `retryAfterMs`; `tf.subjects.unlock` lifts it, too. */
  account_locked: 429,
  /** The cooldown runs. */
  resend_too_soon: 429,
  /** One of the limits on sends. */
  send_limit: 429,
  /** The provider refused the send. */
  delivery_failed: 502,
  /** The provider gave no verdict, or its response was lost. The attempt is spent. */
  verification_unavailable: 503,
  /** Nothing was sent, and an attempt came back; or the provider refuses the account. */
  provider_unavailable: 503,
  /** The store did not respond in time. */
  store_unavailable: 503,
  /** The memory store is full. 429 with `limit: 'session'`: 16 requests of this session are under way. */
  capacity: 503,
  /** The session could not be renewed, its adapter gave none, or the browser takes no cookies. */
  session_unavailable: 503,
  /** A limit of the whole service, a country whose sign-ups nobody completes, or an operator. */
  sending_paused: 503,
} as const satisfies Record<string, number>

/** Why a request was refused or failed. Stable, so that programs can branch on it. */
export type ProblemCode = keyof typeof httpStatusOf

export interface TwoFactorErrorOptions {
  /** Shown to callers. Must not contain a key, code, full number or URL. */
  message?: string
  /** Response headers; Express sends those of an error. */
  headers?: Readonly<Record<string, string>>
  /** Overrides the status of the code, such as 401 for `second_factor_required` with a bearer token. */
  status?: number
  cause?: unknown
}

/**
 * A failure of the outside world (provider, store, session), or a refusal raised as an error.
 * A wrong code is never an error: it is an outcome.
 *
 * @example
 * app.use((err, req, res, next) => {
 *   if (err instanceof TwoFactorError && err.code === 'store_unavailable') metrics.storeDown.inc()
 *   next(err)
 * })
 */
export class TwoFactorError extends Error {
  /** Stable reason, one of the problem codes. */
  readonly code: ProblemCode
  /** HTTP status of the response. */
  readonly status: number
  /** Whether `message` may be shown to the caller: only for statuses below 500. */
  readonly expose: boolean
  /** Response headers, which Express sends with the error. */
  declare readonly headers?: Readonly<Record<string, string>>

  constructor(code: ProblemCode, options: TwoFactorErrorOptions = {}) {
    super(options.message ?? code, options.cause === undefined ? undefined : { cause: options.cause })
    // Not the name of the class, which a minifier takes away.
    this.name = 'TwoFactorError'
    this.code = code
    this.status = options.status ?? httpStatusOf[code]
    this.expose = this.status < 500
    if (options.headers !== undefined) this.headers = options.headers
  }
}
