import type { Request, Response } from 'express'
import type { BeforeSend } from '../challenge/commands.js'
import type { Method } from '../challenge/exchange/code-provider.js'
import type { Grant } from '../challenge/proofs/grants.js'
import type { SignatureFactor } from '../challenge/reach/signer.js'
import type { RecoveryCodeStore } from '../challenge/recovery.js'
import type { AuthenticatorOptions, PhoneOf, SubjectOf } from './host/requester.js'
import type { SessionAdapter } from './host/session.js'
import type { PageSettings, PagesOptions } from './pages/pages.js'

export type OnVerified = (req: Request, res: Response, grant: Grant) => void | Promise<void>

export type OnCancelled = (req: Request, res: Response) => void | Promise<void>

/** Format of a code. */
export interface CodeOptions {
  /** Format of a code. Other input gets 400 and does not use an attempt. Default: `/^[0-9A-Za-z]{4,10}$/`. */
  readonly pattern?: RegExp
  /** If true, codes contain letters, and phones show the whole keyboard. Default: false. */
  readonly letters?: boolean
}

/** Options of trusted browsers, which replace the code at sign-in. */
export interface TrustedDevicesOptions {
  /** How long a browser stays trusted, in milliseconds: at most 30 days. */
  readonly maxAgeMs: number
  /**
   * Returns the name of the browser in `tf.trustedDevices.list`. Default: for example `Firefox, Linux`.
   *
   * Names are cut to 100 characters.
   */
  readonly label?: (req: Request) => string
}

/** Options of the HTTP parts. Durations are milliseconds. */
export interface HttpOptions {
  /**
   * Returns the id of the user who is signing in or signed in: `(req) => id`. Must be synchronous: the guard calls it on
   * every request.
   */
  readonly subject: SubjectOf
  /**
   * Returns the number on file, such as `+573001234567`, or up to five: `(req, subject) => number`. Never return a
   * number from the request. Without a number, a start gets 409 `no_phone`.
   */
  readonly phone: PhoneOf
  /** Format of codes. */
  readonly code?: CodeOptions
  /**
   * Path at which you mount `tf.routes()`. Default: `/two-factor`.
   *
   * If another Express app mounts yours, the path begins with that mount, such as `/app/two-factor`.
   */
  readonly path?: string
  /**
   * Start of every path that a proxy removes, such as `/shop`. Default: none.
   *
   * Paths in your options are paths of your app. Redirects, forms, links and JSON of the package start with the prefix,
   * and a `returnTo` must lie under it.
   *
   * @example
   * prefix: '/shop' // nginx: location /shop/ { proxy_pass http://app/; }
   */
  readonly prefix?: string
  /** Adapter that reads and renews the session id: `tokenSession(…)` or your own. Default: `expressSession()`. */
  readonly session?: SessionAdapter
  /**
   * Lets trusted browsers replace the code at sign-in: `{ maxAgeMs, label?: (req) => name }`. Default: off. Not available
   * with bearer tokens.
   */
  readonly trustedDevices?: TrustedDevicesOptions
  /**
   * Reserves part of each limit for browsers in which the account has signed in: `{ maxAgeMs }`, or `false`. An attacker
   * then cannot lock the owner out. Default: 90 days after the last success.
   *
   * A signed cookie identifies the browser and never replaces a code. All other browsers have 60% of the limits. Safari
   * stores the cookie only over https, even on localhost.
   */
  readonly knownBrowsers?: { readonly maxAgeMs: number } | false
  /**
   * Accepts recovery codes from users who lost their phone: `{ consume(subject, hash), remaining?(subject) }`.
   * `tf.recoveryCodes.generate` makes them. Ten attempts a day and account, separate from those by phone.
   */
  readonly recoveryCodes?: RecoveryCodeStore
  /**
   * Accepts authenticator codes, as the method `app`: `{ issuer, secretOf(req, subject), label?(req, subject) }`.
   *
   * `app` is the first method unless `channels` sets another order.
   */
  readonly authenticator?: AuthenticatorOptions
  /**
   * Accepts passkeys as the method `passkey`: `passkeys(…)` of `express-two-factor/passkeys`.
   *
   * `passkey` is the first method unless `channels` sets another order.
   */
  readonly passkeys?: SignatureFactor
  /** Other origins that may post to the routes, such as a front end or `capacitor://localhost`. Default: none. */
  readonly allowedOrigins?: readonly string[]
  /** Wording, look and exit links of the built-in pages. */
  readonly pages?: PagesOptions
  /**
   * Called after a successful verification, once the grant is stored under a new session id: `(req, res, grant)`. The
   * user entered a correct code or recovery code, used a passkey, or has a trusted browser. Sign the user in here. If it throws, or responds with 4xx or 5xx, the grant is revoked.
   */
  readonly onVerified?: OnVerified
  /**
   * Called when a user cancels a sign-in: `(req, res)`. Remove the pending user from the session here.
   *
   * It is called for "Cancel" on the page and for `POST /cancel`, before the response, which redirects to
   * `pages.links.signIn`. It is not called for a step-up.
   *
   * @example
   * onCancelled: (req) => { delete req.session.pendingUserId }
   */
  readonly onCancelled?: OnCancelled
  /**
   * Called before each code is sent: `(req, { subject, destination, channel, purpose, suspicion? }) => decision`. Any
   * result but `true` or `{ allow: true }` refuses it. `suspicion` is present when a captcha is due.
   *
   * @example
   * beforeSend: async (req, { destination, channel, suspicion }) => {
   *   if (suspicion !== undefined && !captchaSolved(req)) return { allow: false, reason: 'captcha' }
   *   const { simSwappedAt, lineType } = await risk.lookUp(destination) // billed by the look-up: cache it for a day
   *   if (Date.now() - simSwappedAt < 7 * 24 * 3_600_000) return { allow: false, reason: 'recent SIM swap' }
   *   return { allow: true, method: lineType === 'landline' ? 'call' : channel }
   * }
   */
  readonly beforeSend?: (req: Request, send: Parameters<BeforeSend>[0]) => ReturnType<BeforeSend>
}

type OptionWithDefault = 'path' | 'prefix' | 'knownBrowsers' | 'allowedOrigins'

/** The checked HTTP options, with values that depend on several options. */
export interface HttpSettings
  extends Required<Pick<HttpOptions, OptionWithDefault>>,
    Omit<HttpOptions, OptionWithDefault | 'code' | 'pages'>,
    PageSettings {
  /** The pattern without `g` and `y`, so that it keeps no position between two codes. */
  readonly code: Required<CodeOptions>
  /** Methods that a start can request: those of the provider, `app` and `passkey`. */
  readonly methods: readonly Method[]
  /** Maximum age that a step-up may accept, if a profile sets one. */
  readonly maxStepUpAgeMs: number
  /** True if the profile requires that a payment shows amount and payee (PSD2 RTS, article 5). */
  readonly dynamicLinking: boolean
  /** True if the provider accepts a code only for the challenge that it was sent for. */
  readonly tellsCodesApart: boolean
}
