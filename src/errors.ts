/** HTTP status of each problem code. A new code without a status does not compile. */
export const httpStatusOf = {
  /**
   * The body, code, purpose or `requirement` is not valid, or the request does not name the challenge of the code.
   */
  invalid_request: 400,
  /** `subject` returned no user. Sign in first. */
  not_identified: 401,
  /**
   * The guard requires a code: `POST` the `requirement` to `startUrl`. With a bearer token the status is 401 (RFC
   * 9470).
   */
  second_factor_required: 403,
  /**
   * The country is not in `countries`, or the number cannot be read. At sign-up, it may also be a landline, or belong
   * to another country than the chosen one.
   */
  destination_not_allowed: 403,
  /** `beforeSend` refused to send the code. */
  send_refused: 403,
  /** The request came from another site. If that site is yours, list it in `allowedOrigins`. */
  cross_site: 403,
  /** Too many consecutive wrong codes were entered. `tf.subjects.unlock` enables the account again. */
  account_disabled: 403,
  /** The route accepts only other methods: see `Allow`. */
  method_not_allowed: 405,
  /** A newer challenge, perhaps of another session, replaced the one on the page. Start again. */
  challenge_superseded: 409,
  /**
   * Another code of this account is being checked. Wait `retryAfterMs`, then try again.
   *
   * Or a check of this code ended without a verdict less than 5 s ago.
   */
  verification_in_progress: 409,
  /** The account has no number, authenticator or passkey for this request. */
  no_phone: 409,
  /**
   * The challenge is unknown, expired, used or belongs to another session. Start again.
   *
   * If the provider returns no id (`handle`) for each code, the number may also have received a newer code for another
   * account.
   *
   * Or its fields are bound, its send got no response, and an earlier code may be the newest one.
   */
  challenge_gone: 410,
  /** The body is too large. */
  payload_too_large: 413,
  /** The body is neither JSON nor a form, or your app does not parse its type before the guard. */
  unsupported_media_type: 415,
  /** The code is wrong, used or expired: see `attemptsRemaining`. */
  code_not_accepted: 422,
  /** The challenge has no attempts left. Wait `retryAfterMs`, then start again. */
  attempts_exhausted: 429,
  /** Too many wrong codes were entered. Wait `retryAfterMs`, or call `tf.subjects.unlock`. */
  account_locked: 429,
  /** The pause after the last code has not ended. Wait `retryAfterMs`. */
  resend_too_soon: 429,
  /** A limit on codes was reached. Wait `retryAfterMs`. */
  send_limit: 429,
  /** The provider refused to send the code. */
  delivery_failed: 502,
  /** The provider returned no verdict, or its response was lost. The attempt stays used. */
  verification_unavailable: 503,
  /** Nothing was sent and no attempt was used, or the provider refuses your credentials or account. */
  provider_unavailable: 503,
  /** The store did not respond in time. */
  store_unavailable: 503,
  /** The memory store is full. With status 429 and `limit: 'session'`: this session has 16 requests in progress. */
  capacity: 503,
  /** The session id could not be renewed, the session adapter returned none, or the browser blocks cookies. */
  session_unavailable: 503,
  /** Sending is paused by a service-wide limit, by the sign-up guard for one country, or by an operator. */
  sending_paused: 503,
} as const satisfies Record<string, number>

/** Why a request was refused or failed. The codes are stable, so programs can branch on them. */
export type ProblemCode = keyof typeof httpStatusOf

export interface TwoFactorErrorOptions {
  /** Text for the caller. It must not contain a key, a code, a full number or a URL. */
  message?: string
  /** Response headers. Express sends the headers of an error. */
  headers?: Readonly<Record<string, string>>
  /** Replaces the status of the code, such as 401 for `second_factor_required` with a bearer token. */
  status?: number
  cause?: unknown
}

/**
 * A failure of provider, store or session, or a refusal raised as an error. A wrong code is never an error.
 *
 * @example
 * app.use((err, req, res, next) => {
 *   if (err instanceof TwoFactorError && err.code === 'store_unavailable') metrics.storeDown.inc()
 *   next(err)
 * })
 */
export class TwoFactorError extends Error {
  /** The problem code. It is stable. */
  readonly code: ProblemCode
  /** HTTP status of the response. */
  readonly status: number
  /** True if the caller may see `message`: for statuses below 500 only. */
  readonly expose: boolean
  /** Response headers that Express sends with the error. */
  declare readonly headers?: Readonly<Record<string, string>>

  constructor(code: ProblemCode, options: TwoFactorErrorOptions = {}) {
    super(options.message ?? code, options.cause === undefined ? undefined : { cause: options.cause })
    // A literal, because a minifier renames the class.
    this.name = 'TwoFactorError'
    this.code = code
    this.status = options.status ?? httpStatusOf[code]
    this.expose = this.status < 500
    if (options.headers !== undefined) this.headers = options.headers
  }
}
