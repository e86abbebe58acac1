import type { Request } from 'express'
import {
  boolean,
  type Check,
  type Checks,
  func,
  mountPath,
  nonEmptyString,
  object,
  oneOf,
  record,
  type Settled,
  withDefault,
  withMethods,
} from '../lib/options.js'
import type { Awaitable } from '../lib/promises.js'
import type { Passkeys } from '../passkeys/index.js'
import type { ChangeKind, MustKeep } from './changes.js'
import type { AccountMessages } from './texts.js'

/** False: nothing was stored, because the stored value was not the expected one. Every other value: stored. */
type Saved = Awaitable<unknown>

/** As `Saved`. `taken`: nothing was stored, because the number belongs to another account. */
type SavedNumbers = Saved | Awaitable<'taken'>

/** Time of last use by factor: a number in E.164, or `app`. */
type LastUsed = Readonly<Record<string, Date | number | null | undefined>>

/** A change that was made, with the data for a message to the person. */
export interface AccountChange {
  /** Kind of the change, such as `number-added`. */
  readonly kind: ChangeKind
  /** The account, as the option `subject` of `twoFactor()` returns it. */
  readonly subject: string
  /** The number that was added, removed or put first, masked. Undefined for other changes. */
  readonly number?: string | undefined
  /** Name of the passkey that was renamed or removed. Undefined for other changes. */
  readonly passkey?: string | undefined
  /** Label of the browser that is no longer trusted. Undefined for other changes, and for a browser without a label. */
  readonly device?: string | undefined
  /**
   * Numbers before the change, in E.164. A message to each of them reaches the owner even if an intruder added or
   * removed a number.
   */
  readonly before: readonly string[]
}

/** Options of `accountPages`. */
export interface AccountPagesOptions {
  /**
   * Path at which your app mounts the pages, without parameters.
   *
   * @example
   * path: '/account/security'
   */
  readonly path: string
  /** Reads and stores the numbers of an account. The option `phone` of `twoFactor()` must return the stored list. */
  readonly numbers: {
    /**
     * Returns the numbers in E.164, the preferred number first. If your table has national numbers, return `phone` of
     * `parseNumberOnFile` for each of them, and throw if one cannot be read. `save` must then compare this list with
     * `from`.
     */
    readonly list: (subject: string) => Awaitable<readonly string[]>
    /**
     * Replaces the whole list `from` by `numbers`. If the stored list is not `from`, change nothing and return false:
     * another tab was first. Unless you change `mustKeep`, also return false for an empty list without an app and a
     * passkey: another process was first. For a number of another account, store nothing and return `'taken'`: the
     * person reads that it belongs to another account. Errors go to your error handler. If it throws, it must have
     * changed nothing.
     *
     * @example
     * save: (subject, numbers, from) => db.prepare(
     *   `UPDATE users SET numbers = :to WHERE id = :id AND numbers = :from AND (:to <> '[]' OR app IS NOT NULL)`,
     * ).run({ id: subject, to: JSON.stringify(numbers), from: JSON.stringify(from) }).changes === 1
     */
    readonly save: (subject: string, numbers: readonly string[], from: readonly string[]) => SavedNumbers
  }
  /**
   * Stores the authenticator app of an account. Requires the option `authenticator` of `twoFactor()`, whose `secretOf`
   * returns the saved secret. Default: no app.
   */
  readonly authenticator?: {
    readonly has: (subject: string) => Awaitable<boolean>
    /** Replaces the stored secret. Encrypt it. */
    readonly save: (subject: string, secret: string) => Saved
    /**
     * Deletes the secret. Unless you change `mustKeep`, change nothing and return false if the account has no number
     * and no passkey: another process was first.
     *
     * @example
     * remove: (subject) => db.prepare(`UPDATE users SET app = NULL WHERE id = ? AND numbers <> '[]'`).run(subject).changes === 1
     */
    readonly remove: (subject: string) => Saved
  }
  /** The passkeys: the value of the option `passkeys` of `twoFactor()`. Default: none. */
  readonly passkeys?: Passkeys
  /**
   * If true, offers a passkey once per browser after a sign-in by text or call, to users who have only numbers, on a page
   * that they can skip: "Not now" continues to `returnTo`. Adding the passkey requires one more code. Default: true.
   */
  readonly offerPasskey?: boolean
  /** Stores the recovery codes of an account. Requires the option `recoveryCodes` of `twoFactor()`. Default: none. */
  readonly recoveryCodes?: {
    /** Returns the number of unused codes. */
    readonly remaining: (subject: string) => Awaitable<number>
    /** Replaces all stored hashes. */
    readonly save: (subject: string, hashes: readonly string[]) => Saved
  }
  /**
   * Returns when each factor was last used, as a Date or in milliseconds since 1970, by number in E.164 or `app`. The
   * pages show the time, so that the person can notice another user. Other names are ignored. Default: no times.
   *
   * @example
   * lastUsed: (subject) => users.lastUsed(subject) // { '+573001234567': 1772539200000, app: new Date() }
   */
  readonly lastUsed?: (subject: string) => Awaitable<LastUsed>
  /**
   * Returns the account name for the file of recovery codes, such as the e-mail address. Default: `subject`.
   *
   * @example
   * label: (req) => req.user.email
   */
  readonly label?: (req: Request, subject: string) => Awaitable<string>
  /**
   * Called after each change, to send a message through a channel that the change did not affect. The pages await it.
   * If it fails, the change remains and your error handler receives the error. For new recovery codes the pages show
   * the codes first and call your error handler after the response (`res.headersSent`). Default: no message.
   *
   * @example
   * onChanged: (req, { kind, number }) => mail.send(req.user.email, `Your account: ${kind} ${number ?? ''}`)
   */
  readonly onChanged?: (req: Request, change: AccountChange) => unknown
  /**
   * Factors that must remain after a factor is removed. Default: `factor`, another number, a passkey or the app.
   * `recovery-codes`: recovery codes are enough. `nothing`: no requirement; choose it if your guards exempt accounts
   * without a second factor. The person reads the effect before entering the code.
   */
  readonly mustKeep?: MustKeep
  /** Purpose of the codes that confirm a change. Default: `account`. */
  readonly purpose?: string
  /**
   * Purpose of the codes that verify a new number. The option `appName` of `twoFactor()` must name it. Default:
   * `new-number`.
   */
  readonly newNumberPurpose?: string
  /**
   * Your texts by locale and key. Each text must contain the placeholders of the built-in text, such as `{number}`.
   * Languages: those of `pages.messages` of `twoFactor()` and the built-in ones. Default: built-in texts.
   *
   * @example
   * messages: { es: { title: 'Verificación en dos pasos' } }
   */
  readonly messages?: AccountMessages
}

/** Requires an object with all of these members and returns the given object: its functions may need their class. */
function whole(checks: Checks): Check {
  const check = object(checks, Object.keys(checks))
  return (value, name) => {
    check(value, name)
    return value
  }
}

const texts = 'must be an object of texts'

/** Required options as source to paste. */
export const accountRequired = {
  path: "'/account/security', // where the pages are mounted",
  numbers: '{ list: (subject) => numbers, save: (subject, numbers, from) => saved },',
}

/** The check of each option. */
export const accountChecks = {
  path: mountPath,
  numbers: whole({ list: func('(subject) => numbers'), save: func('(subject, numbers, from) => saved') }),
  authenticator: whole({
    has: func('(subject) => boolean'),
    save: func('(subject, secret) => saved'),
    remove: func('(subject) => saved'),
  }),
  passkeys: withMethods(
    ['signerOf', 'list', 'creationOptions', 'create', 'rename', 'remove'],
    "must be passkeys({ … }) of 'express-two-factor/passkeys'",
  ),
  offerPasskey: withDefault(true, boolean),
  recoveryCodes: whole({ remaining: func('(subject) => number'), save: func('(subject, hashes) => saved') }),
  lastUsed: func('(subject) => times'),
  label: withDefault((_req: Request, subject: string) => subject, func('(req, subject) => name')),
  onChanged: withDefault(() => undefined, func('(req, change)')),
  mustKeep: withDefault('factor', oneOf('factor', 'recovery-codes', 'nothing')),
  purpose: withDefault('account', nonEmptyString()),
  newNumberPurpose: withDefault('new-number', nonEmptyString()),
  messages: withDefault({}, record(record(nonEmptyString(), texts), `${texts} by locale`)),
} satisfies Checks<AccountPagesOptions>

/** The options with their defaults. */
export type AccountSettings = Settled<AccountPagesOptions, typeof accountChecks>
