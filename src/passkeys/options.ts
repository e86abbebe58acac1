import { type Check, type Checks, func, list, nonEmptyString, that, withMethods } from '../lib/options.js'
import { originOf } from '../lib/origin.js'
import type { Awaitable } from '../lib/promises.js'
import type { WebAuthn } from './webauthn.js'

/**
 * A passkey that a browser has just created. All members are JSON. Store them with the account, and with a `usedAt` that
 * is null until the first use. `id` must be unique over all accounts.
 */
export interface NewPasskey {
  /** Id of the credential, in base64url. */
  readonly id: string
  /** The public key (COSE), in base64url. */
  readonly publicKey: string
  /** Number of uses that the authenticator has reported, an integer. 0 if it does not count, as with synced passkeys. */
  readonly counter: number
  /** How the browser reaches the authenticator, such as `internal`. */
  readonly transports: readonly string[]
  /** Name for the user, such as the name of the device. At most 60 characters. */
  readonly label: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A passkey as your app returns it. */
export interface StoredPasskey extends NewPasskey {
  /** Time of the last use, in milliseconds since 1970. */
  readonly usedAt?: number | null | undefined
}

/** One use of a passkey. */
export interface PasskeyUse {
  /** The counter from now on. */
  readonly counter: number
  /** Milliseconds since 1970. */
  readonly usedAt: number
}

/** Options of `passkeys`. The subject is the account, as the option `subject` of `twoFactor()` returns it. */
export interface PasskeysOptions {
  /**
   * The package `@simplewebauthn/server`, version 14.
   *
   * @example
   * import * as webauthn from '@simplewebauthn/server'
   */
  readonly webauthn: WebAuthn
  /** Name of your app. The browser shows it when it creates a passkey. */
  readonly rpName: string
  /** Origin of your pages, such as `https://acme.example` or `http://localhost:3000`, or several. Browsers refuse an IP address. */
  readonly origin: string | readonly string[]
  /**
   * Domain to which the passkeys belong: the host of each origin or a parent domain of it. Default: the host of the
   * first origin.
   */
  readonly rpId?: string
  /** Returns the passkeys of an account. If it throws, only the passkeys are unavailable. */
  readonly list: (subject: string) => Awaitable<readonly StoredPasskey[]>
  /**
   * Adds a passkey. If any account has this `id`, change nothing and return false: browsers choose the ids, and an attacker
   * must not replace the passkey of a user. The account pages count ten passkeys before they call it: two processes may
   * exceed this limit at the same moment, unless your statement counts too.
   *
   * @example
   * save: async (subject, { id, counter, label, ...passkey }) => (await db.query(
   *   `INSERT INTO passkeys (id, subject, counter, label, passkey) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
   *   [id, subject, counter, label, passkey])).rowCount === 1
   */
  readonly save: (subject: string, passkey: NewPasskey) => unknown
  /**
   * Changes the name of a passkey. If the account does not have it any more, add nothing and return false.
   *
   * @example
   * rename: async (subject, id, label) => (await db.query(
   *   `UPDATE passkeys SET label = $1 WHERE id = $2 AND subject = $3`, [label, id, subject])).rowCount === 1
   */
  readonly rename: (subject: string, id: string, label: string) => unknown
  /**
   * Deletes a passkey of this account. For the account pages, change nothing and return false if the account has no other
   * factor: another process was first.
   */
  readonly remove: (subject: string, id: string) => unknown
  /**
   * Stores the counter and the time of a use. If the stored counter is not lower, change nothing and return false: two copies
   * of a passkey may sign at the same moment. Both are 0 if the authenticator does not count. The user is refused if it
   * returns false or throws.
   *
   * @example
   * used: async (subject, id, { counter, usedAt }) => (await db.query(
   *   `UPDATE passkeys SET counter = $1, used_at = $2
   *    WHERE id = $3 AND subject = $4 AND (counter < $1 OR (counter = 0 AND $1 = 0))`,
   *   [counter, usedAt, id, subject])).rowCount === 1
   */
  readonly used: (subject: string, id: string, use: PasskeyUse) => unknown
}

const isOrigin = (origin: unknown) => typeof origin === 'string' && originOf(origin) !== undefined
const origin = that('must be an origin without a path, such as https://acme.example', isOrigin)
const origins = list(origin, 'must be an origin, or list at least one', 1)

/** Required options as source to paste. */
export const passkeysRequired = {
  webauthn: "webauthn, // import * as webauthn from '@simplewebauthn/server'",
  rpName: "'Acme',",
  origin: "'https://acme.example', // of your pages",
  list: '(subject) => passkeys.of(subject),',
  save: '(subject, passkey) => passkeys.save(subject, passkey),',
  rename: '(subject, id, label) => passkeys.rename(subject, id, label),',
  remove: '(subject, id) => passkeys.remove(subject, id),',
  used: '(subject, id, { counter, usedAt }) => passkeys.update(subject, id, { counter, usedAt }),',
}

/** The check of each option. */
export const passkeysChecks = {
  webauthn: withMethods(
    ['verifyAuthenticationResponse', 'verifyRegistrationResponse'],
    "must be the package @simplewebauthn/server: import * as webauthn from '@simplewebauthn/server'",
  ),
  rpName: nonEmptyString('the name of your app'),
  origin: (value: unknown, name: string) => (typeof value === 'string' ? origin : origins)(value, name),
  rpId: nonEmptyString('a domain, such as acme.example'),
  list: func('(subject) => passkeys'),
  save: func('(subject, passkey) => saved'),
  rename: func('(subject, id, label) => renamed'),
  remove: func('(subject, id)'),
  used: func('(subject, id, { counter, usedAt })'),
} satisfies Checks<PasskeysOptions>

const base64url = /^[\w-]+$/

/** A list of stored passkeys. A wrong counter would accept copies. */
export const storedPasskeys: Check = that(
  'must return a list of passkeys as they were saved: { id, publicKey, counter, transports, label, createdAt }',
  (value) =>
    Array.isArray(value) &&
    value.every((one) => {
      const stored: Partial<Record<keyof StoredPasskey, unknown>> = Object(one)
      const { id, publicKey, counter, transports, label } = stored
      const areTexts = [id, publicKey].every((text) => typeof text === 'string' && base64url.test(text))
      const isCount = Number.isSafeInteger(counter) && Number(counter) >= 0
      return areTexts && isCount && Array.isArray(transports) && typeof label === 'string'
    }),
)
