import type { Request } from 'express'
import type { Channel, CodeProvider } from './challenge/code-provider.js'
import type { BeforeSend } from './challenge/commands.js'
import type { RecoveryCodeStore } from './challenge/recovery.js'
import type { OnEvent } from './events.js'
import type { SubjectOf } from './express/host/requester.js'
import type { SessionAdapter } from './express/host/session.js'
import type { BrandOptions } from './express/pages/brand.js'
import type { FormFieldsOf } from './express/pages/form-fields.js'
import type { LocaleOf } from './express/pages/language.js'
import type { LinkOptions } from './express/pages/links.js'
import type { Messages } from './express/pages/messages/en.js'
import type { Render } from './express/pages/pages.js'
import type { AuthenticatorOptions, OnCancelled, OnVerified, PhoneOf } from './express/settings.js'
import type { LimitsOption } from './options/limits.js'
import type { BalanceOptions, DeliveryWatchOptions, SignupGuardOptions } from './options/operator-options.js'
import type { Store } from './store/store.js'

/** What a purpose may say about itself. */
export interface PurposeOptions {
  /** Age in milliseconds up to which a grant admits: `limits.loginMaxAgeMs` for `login`, else `limits.maxAgeMs`. */
  readonly maxAgeMs?: number
  /** Whether a grant admits a single request. Default false. */
  readonly once?: boolean
  /** The channels that its codes may take. Default: those of the option `channels`. */
  readonly channels?: readonly Channel[]
  /** Whether a trusted device may stand in for the code. Default: for `login` only. */
  readonly trustedDevice?: boolean
  /** Whether a recovery code may. Default: for `login` only, where a guard asks for no more than a sign-in. */
  readonly recoveryCode?: boolean
}

/** What a code looks like. */
export interface CodeOptions {
  /** Default `/^[0-9A-Za-z]{4,10}$/`. */
  readonly pattern?: RegExp
  /** Whether codes hold letters: phones then show their whole keyboard. Default false. */
  readonly letters?: boolean
}

/** The built-in pages. */
export interface PagesOptions {
  /**
   * Ways out of pages that cannot help by themselves: a path, an https URL or `(req) => string` each. `signIn` is
   * told where to come back to by `?returnTo=`. Default of `home`: `/`.
   */
  readonly links?: LinkOptions
  /** Their look. */
  readonly brand?: BrandOptions
  /**
   * Further fields for the forms of the pages, such as the token of a CSRF library that guards the whole app.
   * They go out as hidden fields and are not read by the package.
   *
   * @example
   * formFields: (req) => ({ _csrf: generateToken(req) })
   */
  readonly formFields?: FormFieldsOf
  /** A fixed language of the pages, or one per request. Default: the visitor's preferred one among en, es, pt and those of `messages`, otherwise en. */
  readonly locale?: string | LocaleOf
  /** Own texts per locale, each key on its own. */
  readonly messages?: Messages
  /** Makes the HTML of a page in place of, or around, the built-in one. */
  readonly render?: Render
}

/** What is looked at besides requests. */
export interface WatchOptions {
  /** What sign-ups cost. On by default, and then it only observes. */
  readonly signups?: SignupGuardOptions
  /** The credits of the account, where the provider has a `balance()`. Off by default. */
  readonly balance?: BalanceOptions
  /** What became of each code, where the provider has a `messageState()`. Off by default. */
  readonly delivery?: DeliveryWatchOptions
}

/** Options of `twoFactor`. Durations are milliseconds. */
export interface TwoFactorOptions {
  /** Sends codes and checks them: `providerCodes(…)`, `ownCodes(…)`, `failover([…])`, or an adapter to any other service. */
  readonly provider: CodeProvider
  /**
   * The provider's `app-name`, one for all purposes or one each. A purpose that is missing uses that
   * of `login`; a phone verification needs one of its own.
   */
  readonly appName: string | Readonly<Record<string, string>>
  /** Who is signing in or signed in. Synchronous, because the guard asks on every request. */
  readonly subject: SubjectOf
  /** The number on file, or up to five; nothing, where there is none. It is never read from the request. */
  readonly phone: PhoneOf
  /** 32 bytes or more. For a rotation a list: the first signs, all verify. Unset is refused at start-up. */
  readonly secret: string | readonly string[] | undefined
  /** ISO 3166 codes of the countries that codes may go to. */
  readonly countries?: readonly string[]
  /** Instead of `countries`: codes may go anywhere, and so may the cost of abuse. */
  readonly dangerouslyAnyCountry?: true
  /**
   * What the browser may ask to prove. Default `{ login: {} }`, and what guards bring along. As soon as it names
   * others than `login`, a guard for one that it does not name is refused when it is made.
   */
  readonly purposes?: Readonly<Record<string, PurposeOptions>>
  /** Methods of the provider, the preferred one first. Default: `sms` and `call` as far as it has them, else all. */
  readonly channels?: readonly Channel[]
  /** What a code looks like. */
  readonly code?: CodeOptions
  /** Where `routes()` is mounted. Default `/two-factor`. */
  readonly path?: string
  /** Default: a memory store, for a single process. */
  readonly store?: Store
  /** Part of every key, for several apps or tenants on one store. */
  readonly namespace?: string
  /** Default `expressSession()`. */
  readonly session?: SessionAdapter
  /** Single limits, or a whole stricter set: `{ profile: 'psd2' }`. */
  readonly limits?: LimitsOption
  /** Lets browsers stand in for the code at sign-in, up to 30 days. Off by default. */
  readonly trustedDevices?: { readonly maxAgeMs: number }
  /**
   * Remembers by a cookie, for so long after its last success, that a subject has succeeded in a browser.
   * That keeps its budget apart from that of strangers, who could otherwise use it up; it never replaces a
   * code. Default 90 days; `false` switches it off.
   */
  readonly knownBrowsers?: { readonly maxAgeMs: number } | false
  /**
   * Codes for a person who has lost the phone, from `tf.recoveryCodes.generate`. Ten tries a day and subject,
   * apart from those by phone.
   */
  readonly recoveryCodes?: RecoveryCodeStore
  /**
   * Authenticator apps, as the method `app`: where the host keeps what `tf.authenticators` has made, and what the app
   * calls the account. Where codes by phone and by app are both taken, the app comes first.
   */
  readonly authenticator?: AuthenticatorOptions
  /** What is looked at besides requests: the cost of sign-ups, the credits of the account, the delivery of codes. */
  readonly watch?: WatchOptions
  /** Further sites that may post to the routes. */
  readonly allowedOrigins?: readonly string[]
  /** Texts and look of the built-in pages, and the ways out of them. */
  readonly pages?: PagesOptions
  /** After the session id was renewed and the grant written, before the response. If it throws, or responds with 4xx or 5xx, the grant is revoked. */
  readonly onVerified?: OnVerified
  /**
   * Ends a sign-in that the person gives up by "Cancel" on its page, or a client by `POST /cancel`: forget who had given
   * a password. Called before the response, which leads to `pages.links.signIn`. Not called for a step-up.
   *
   * @example
   * onCancelled: (req) => { delete req.session.pendingUserId }
   */
  readonly onCancelled?: OnCancelled
  /** The host's last word before a code is sent: captcha, risk engine. Anything but `true`, or `allow: true`, refuses. `suspicion` says when a captcha is due. */
  readonly beforeSend?: (req: Request, send: Parameters<BeforeSend>[0]) => ReturnType<BeforeSend>
  /** Also published on the diagnostics channel `express-two-factor:event`. */
  readonly onEvent?: OnEvent
  /** Clock in milliseconds since 1970. */
  readonly now?: () => number
}
