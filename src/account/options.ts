import type { Request } from 'express'
import {
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
} from '../lib/options.js'
import type { Awaitable } from '../lib/promises.js'
import type { ChangeKind, MustKeep } from './changes.js'
import type { AccountMessages } from './texts.js'

/** False where nothing was stored, because something else was on file than the change was made from; else it was. */
type Saved = Awaitable<unknown>

/** As `Saved`, or `taken` where nothing was stored because the number belongs to another account. */
type SavedNumbers = Saved | Awaitable<'taken'>

/** When ways were last used, by the name of each. */
type LastUsed = Readonly<Record<string, Date | number | null | undefined>>

/** What was changed, and what there is to tell the person by. */
export interface AccountChange {
  /** Such as `number-added`. */
  readonly kind: ChangeKind
  /** The account, as the option `subject` of `twoFactor()` names it. */
  readonly subject: string
  /** The number that was added, removed or put first, masked. */
  readonly number?: string | undefined
  /** The label of the browser that is no longer trusted. */
  readonly device?: string | undefined
  /**
   * The numbers that were on file before, in E.164: a message to each of them reaches the person whatever somebody else has
   * added or removed.
   */
  readonly before: readonly string[]
}

/** Options of `accountPages`. */
export interface AccountPagesOptions {
  /**
   * Where the pages are mounted: a path of this site without parameters.
   *
   * @example
   * path: '/account/security'
   */
  readonly path: string
  /** The numbers of an account, as the option `phone` of `twoFactor()` returns them. */
  readonly numbers: {
    /** In E.164, the preferred one first. */
    readonly list: (subject: string) => Awaitable<readonly string[]>
    /**
     * Stores the whole list in place of `from`. Where something else than `from` is stored, it must change nothing and
     * return false: another tab was first. So it must where the list is empty and there is no app: another process was
     * first (but for another `mustKeep`). For a number of another account, store nothing and return `'taken'`: the person
     * reads that it belongs to another account. What it throws goes to your error handler, and must have changed nothing either.
     *
     * @example
     * save: (subject, numbers, from) => db.prepare(
     *   `UPDATE users SET numbers = :to WHERE id = :id AND numbers = :from AND (:to <> '[]' OR app IS NOT NULL)`,
     * ).run({ id: subject, to: JSON.stringify(numbers), from: JSON.stringify(from) }).changes === 1
     */
    readonly save: (subject: string, numbers: readonly string[], from: readonly string[]) => SavedNumbers
  }
  /** The app of an account. Needs the option `authenticator` of `twoFactor()`, whose `secretOf` returns what was saved. */
  readonly authenticator?: {
    readonly has: (subject: string) => Awaitable<boolean>
    /** Stores the secret in place of an earlier one: keep it encrypted. */
    readonly save: (subject: string, secret: string) => Saved
    /**
     * Where there is no number, it must change nothing and return false: another process was first (but for another
     * `mustKeep`).
     *
     * @example
     * remove: (subject) => db.prepare(`UPDATE users SET app = NULL WHERE id = ? AND numbers <> '[]'`).run(subject).changes === 1
     */
    readonly remove: (subject: string) => Saved
  }
  /** The recovery codes of an account. Needs the option `recoveryCodes` of `twoFactor()`. */
  readonly recoveryCodes?: {
    /** How many are left. */
    readonly remaining: (subject: string) => Awaitable<number>
    /** Stores the hashes in place of all earlier ones. */
    readonly save: (subject: string, hashes: readonly string[]) => Saved
  }
  /**
   * When each way was last used, as a date or in milliseconds since 1970: of a number by its name in E.164, of the app by
   * `app`. Shown beside it, for the person to see what was somebody else. Other names are ignored.
   *
   * @example
   * lastUsed: (subject) => users.lastUsed(subject) // { '+573001234567': 1772539200000, app: new Date() }
   */
  readonly lastUsed?: (subject: string) => Awaitable<LastUsed>
  /**
   * Returns the name of the account for the file of recovery codes, such as its e-mail address. Default: `subject`.
   *
   * @example
   * label: (req) => req.user.email
   */
  readonly label?: (req: Request, subject: string) => Awaitable<string>
  /**
   * Called after each change, for a message by a way that the change did not touch. Awaited; where it fails your error
   * handler learns of it, and the change stands. New recovery codes are shown all the same, and your error handler is
   * called after that (`res.headersSent`).
   *
   * @example
   * onChanged: (req, { kind, number }) => mail.send(req.user.email, `Your account: ${kind} ${number ?? ''}`)
   */
  readonly onChanged?: (req: Request, change: AccountChange) => unknown
  /**
   * What has to be left when a number or the app is removed: `factor`, another one of them, by default; `recovery-codes`, where
   * they will do; `nothing`, where your guards let accounts pass that have no second factor. The code for such a change
   * names what follows from it.
   */
  readonly mustKeep?: MustKeep
  /** The purpose of the codes that confirm a change: `account` by default. */
  readonly purpose?: string
  /** The purpose under which new numbers are proven: `new-number` by default. The option `appName` of `twoFactor()` names it. */
  readonly newNumberPurpose?: string
  /**
   * Own texts per locale, each key on its own, with all that is filled in the built-in one, such as `{number}`. The pages
   * are in a language of the code pages: one that `pages.messages` of `twoFactor()` has, or a built-in one.
   *
   * @example
   * messages: { es: { title: 'Verificación en dos pasos' } }
   */
  readonly messages?: AccountMessages
}

/** An object that has all of these, as it was given: it may be of a class, and its functions need it. */
function whole(checks: Checks): Check {
  const check = object(checks, Object.keys(checks))
  return (value, name) => {
    check(value, name)
    return value
  }
}

const texts = 'must be an object of texts'

/** What cannot be left out, as source to paste. */
export const accountRequired = {
  path: "'/account/security', // where the pages are mounted",
  numbers: '{ list: (subject) => numbers, save: (subject, numbers, from) => saved },',
}

/** What each option has to be. */
export const accountChecks = {
  path: mountPath,
  numbers: whole({ list: func('(subject) => numbers'), save: func('(subject, numbers, from) => saved') }),
  authenticator: whole({
    has: func('(subject) => boolean'),
    save: func('(subject, secret) => saved'),
    remove: func('(subject) => saved'),
  }),
  recoveryCodes: whole({ remaining: func('(subject) => number'), save: func('(subject, hashes) => saved') }),
  lastUsed: func('(subject) => times'),
  label: withDefault((_req: Request, subject: string) => subject, func('(req, subject) => name')),
  onChanged: withDefault(() => undefined, func('(req, change)')),
  mustKeep: withDefault('factor', oneOf('factor', 'recovery-codes', 'nothing')),
  purpose: withDefault('account', nonEmptyString()),
  newNumberPurpose: withDefault('new-number', nonEmptyString()),
  messages: withDefault({}, record(record(nonEmptyString(), texts), `${texts} by locale`)),
} satisfies Checks<AccountPagesOptions>

/** The options as they are settled. */
export type AccountSettings = Settled<AccountPagesOptions, typeof accountChecks>
