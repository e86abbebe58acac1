import type { Request, Response } from 'express'
import type { BeforeSend } from '../challenge/commands.js'
import type { Method } from '../challenge/exchange/code-provider.js'
import type { Grant } from '../challenge/proofs/grants.js'
import type { RecoveryCodeStore } from '../challenge/recovery.js'
import type { AuthenticatorOptions, PhoneOf, SubjectOf } from './host/requester.js'
import type { SessionAdapter } from './host/session.js'
import type { PageSettings, PagesOptions } from './pages/pages.js'

export type OnVerified = (req: Request, res: Response, grant: Grant) => void | Promise<void>

export type OnCancelled = (req: Request, res: Response) => void | Promise<void>

/** What a code looks like. */
export interface CodeOptions {
  /** Anything else is 400 and costs no attempt. Default `/^[0-9A-Za-z]{4,10}$/`. */
  readonly pattern?: RegExp
  /** Whether codes hold letters: phones then show their whole keyboard. Default false. */
  readonly letters?: boolean
}

/** Browsers that replace the code at sign-in. */
export interface TrustedDevicesOptions {
  /** For how long after the person asked for it: 30 days at most. */
  readonly maxAgeMs: number
  /**
   * What `tf.trustedDevices.list` calls the browser. Default such as `Firefox, Linux`.
   *
   * Longer names end after 100 characters.
   */
  readonly label?: (req: Request) => string
}

/** The options that HTTP goes by. Durations are milliseconds. */
export interface HttpOptions {
  /** Who is signing in or signed in; synchronous, because the guard asks on every request. */
  readonly subject: SubjectOf
  /**
   * The number on file, such as `+573001234567`, or up to five of them; never one that the request brings. Nothing is
   * 409 `no_phone`.
   */
  readonly phone: PhoneOf
  /** What a code looks like. */
  readonly code?: CodeOptions
  /** Where `routes()` is mounted. Default `/two-factor`. */
  readonly path?: string
  /** What gives the session its id and a new one: `tokenSession(…)` or an adapter. Default `expressSession()`. */
  readonly session?: SessionAdapter
  /** Lets browsers replace the code at sign-in. Off by default. Not with bearer tokens. */
  readonly trustedDevices?: TrustedDevicesOptions
  /**
   * Keeps a share of the limits for browsers in which the account has signed in before. Default: for 90 days after the
   * last success; `false` switches it off.
   *
   * By a signed cookie, which never replaces a code: all other browsers have three fifths of the limits.
   */
  readonly knownBrowsers?: { readonly maxAgeMs: number } | false
  /**
   * Takes recovery codes, made by `tf.recoveryCodes.generate`, from a person who has lost the phone. Ten tries a day and
   * subject, apart from those by phone.
   */
  readonly recoveryCodes?: RecoveryCodeStore
  /**
   * Takes the codes of authenticator apps, as the method `app`.
   *
   * `app` is the first method unless `channels` says otherwise.
   */
  readonly authenticator?: AuthenticatorOptions
  /** Other origins that may post to the routes, such as that of a front end or `capacitor://localhost`. */
  readonly allowedOrigins?: readonly string[]
  /** Texts and look of the built-in pages, and the ways out of them. */
  readonly pages?: PagesOptions
  /**
   * Signs the person in after a right code, once the session has a new id and the grant is written. If it throws, or
   * responds with 4xx or 5xx, the grant is revoked.
   */
  readonly onVerified?: OnVerified
  /**
   * Called when a person cancels a sign-in: forget that the password was right.
   *
   * By "Cancel" on its page, or by `POST /cancel`. Called before the response, which leads to `pages.links.signIn`. Not
   * called for a step-up.
   *
   * @example
   * onCancelled: (req) => { delete req.session.pendingUserId }
   */
  readonly onCancelled?: OnCancelled
  /**
   * Your last word before a code is sent: anything but `true` or `{ allow: true }` refuses. `suspicion` says when a
   * captcha is due.
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

type OptionWithDefault = 'path' | 'knownBrowsers' | 'allowedOrigins'

/** The same, settled, with what follows from all options together. */
export interface HttpSettings
  extends Required<Pick<HttpOptions, OptionWithDefault>>,
    Omit<HttpOptions, OptionWithDefault | 'code' | 'pages'>,
    PageSettings {
  /** The pattern without `g` and `y`: it keeps no position between two codes. */
  readonly code: Required<CodeOptions>
  /** By which a code may be asked for: the provider's, and `app`. */
  readonly methods: readonly Method[]
  /** The longest age that a step-up may accept, when a profile sets one. */
  readonly maxStepUpAgeMs: number
  /** Whether a payment must show amount and payee, by the profile (PSD2 RTS, article 5). */
  readonly dynamicLinking: boolean
}
