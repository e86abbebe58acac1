/** The HTTP status of every problem code: a new code without a status does not compile. */
export const httpStatusOf = {
  invalid_request: 400,
  not_identified: 401,
  second_factor_required: 403,
  destination_not_allowed: 403,
  send_refused: 403,
  cross_site: 403,
  phone_disabled: 403,
  method_not_allowed: 405,
  challenge_superseded: 409,
  verification_in_progress: 409,
  no_phone: 409,
  challenge_gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  code_not_accepted: 422,
  attempts_exhausted: 429,
  phone_locked: 429,
  resend_too_soon: 429,
  send_limit: 429,
  delivery_failed: 502,
  verification_unavailable: 503,
  provider_unavailable: 503,
  store_unavailable: 503,
  capacity: 503,
  session_unavailable: 503,
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
