import type { Request, Response } from 'express'
import type { Method } from '../challenge/code-provider.js'
import type { BeforeSend } from '../challenge/commands.js'
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
   * What `tf.trustedDevices.list` calls the browser of this request, 100 characters at most. Default such as `Firefox,
   * Linux`.
   */
  readonly label?: (req: Request) => string
}

/** The options that HTTP goes by. Durations are milliseconds. */
export interface HttpOptions {
  /** Who is signing in or signed in; synchronous, because the guard asks on every request. */
  readonly subject: SubjectOf
  /**
   * The number on file, with `+` and country code, or up to five, never read from the request; nothing is 409
   * `no_phone`.
   */
  readonly phone: PhoneOf
  /** What a code looks like. */
  readonly code?: CodeOptions
  /** Where `routes()` is mounted. Default `/two-factor`. */
  readonly path?: string
  /** What gives the session its id and a new one: `tokenSession(…)` or an adapter. Default `expressSession()`. */
  readonly session?: SessionAdapter
  /** Lets browsers stand in for the code at sign-in, up to 30 days. Off by default; not with bearer tokens. */
  readonly trustedDevices?: TrustedDevicesOptions
  /**
   * Remembers by a cookie in which browsers a subject has succeeded; all others have three fifths of its limits. Default
   * `{ maxAgeMs }` of 90 days after the last success; `false` switches it off.
   *
   * It never replaces a code.
   */
  readonly knownBrowsers?: { readonly maxAgeMs: number } | false
  /**
   * Codes for a person who has lost the phone, from `tf.recoveryCodes.generate`. Ten tries a day and subject,
   * apart from those by phone.
   */
  readonly recoveryCodes?: RecoveryCodeStore
  /**
   * Authenticator apps, as the method `app`: where their secrets are on file, and what they show.
   *
   * `app` is the first method unless `channels` says otherwise.
   */
  readonly authenticator?: AuthenticatorOptions
  /** Further sites that may post to the routes, and apps by their origin, such as `capacitor://localhost`. */
  readonly allowedOrigins?: readonly string[]
  /** Texts and look of the built-in pages, and the ways out of them. */
  readonly pages?: PagesOptions
  /**
   * Signs the person in, after the session id was renewed and the grant written; if it throws, or responds with 4xx or
   * 5xx, the grant is revoked.
   */
  readonly onVerified?: OnVerified
  /**
   * Ends a sign-in that the person gives up by "Cancel" on its page, or a client by `POST /cancel`.
   *
   * Forget who had given a password. Called before the response, which leads to `pages.links.signIn`. Not called for a
   * step-up.
   *
   * @example
   * onCancelled: (req) => { delete req.session.pendingUserId }
   */
  readonly onCancelled?: OnCancelled
  /**
   * The host's last word before a code is sent: anything but `true`, or `allow: true`, refuses. `suspicion` says when a
   * captcha is due.
   */
  readonly beforeSend?: (req: Request, send: Parameters<BeforeSend>[0]) => ReturnType<BeforeSend>
}

type WithDefault = 'path' | 'knownBrowsers' | 'allowedOrigins'

/** The same, settled, with what follows from all options together. */
export interface HttpSettings
  extends Required<Pick<HttpOptions, WithDefault>>,
    Omit<HttpOptions, WithDefault | 'code' | 'pages'>,
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
