import type { RequestListener, Server } from 'node:http'
import type { Sandbox, SandboxOptions } from '../../sandbox/index.js'
import type { RehearsalAgent } from './agent.js'

/** A person with an account and a number of their own. Add what your sign-in needs, such as a password. */
export interface RehearsalPerson {
  /** In E.164, of a country that the app allows. */
  readonly phone: string
}

/** A path of your app. A function returns the path of one person, such as `/accounts/7`. */
export type RehearsalPath<Person extends RehearsalPerson = RehearsalPerson> =
  | string
  | ((person: Person) => string)

/**
 * Shows what actions change: paths of pages, read as the person after a sign-in with a code, or a function that returns
 * a number, a text, a list or an object. An action counts as done if the state changes as it does after a correct code.
 *
 * Of a page, the number of each word and tag counts, and the sum of the numbers after each word. Of a text that a
 * function returns, the whole text counts.
 */
export type RehearsalState<Person extends RehearsalPerson = RehearsalPerson> =
  | readonly RehearsalPath<Person>[]
  | ((person: Person) => unknown)

/** Members of a body. Lists and objects are sent in JSON only. */
export type Fields = Readonly<Record<string, unknown>>

/** A request that requires a code. */
export interface RehearsalAction<Person extends RehearsalPerson = RehearsalPerson> {
  /** Name of the action in the result. */
  readonly name: string
  /** HTTP method. Default: POST. */
  readonly method?: string
  /** Path of the request, without a query. */
  readonly path: RehearsalPath<Person>
  /**
   * Fields of the request. A function may read a token first, from a cookie of `agent` or from a page that it gets.
   * After a code the same fields are sent again; only those named like `csrf`, `xsrf` or `token` are read anew.
   */
  readonly body?: Fields | ((person: Person, agent: RehearsalAgent) => Fields | Promise<Fields>)
  /** Format of the body. Default: json. */
  readonly type?: 'json' | 'form' | 'multipart'
  /**
   * Other values for fields, for an app that refuses the values that the rehearsal makes up. The rehearsal tries both. It
   * changes one value at a time, and in a list each value of the last member.
   */
  readonly changed?: Fields
  /** Fields that a code need not cover, such as a remark. The rehearsal changes each of the others after the code. */
  readonly mayChange?: readonly string[]
  /**
   * True if one code is enough for several such actions within minutes (a guard without `once`), or if a second one
   * changes nothing more. Default: false.
   */
  readonly repeatable?: boolean
  /** False if a sign-in with a code is enough, without another code for the action. Default: true. */
  readonly stepUp?: boolean
  /** Shows what this action changes. Default: `state` of the plan. */
  readonly state?: RehearsalState<Person>
}

/** A request that ends a session or sets a password. */
export type RehearsalRequestOf<Person extends RehearsalPerson = RehearsalPerson> = Pick<
  RehearsalAction<Person>,
  'name' | 'method' | 'path' | 'body' | 'type'
>

/** How your app opens accounts for verified numbers. */
export interface RehearsalSignUp<Person extends RehearsalPerson = RehearsalPerson> {
  /** Mount path of `phoneVerification().routes()`. */
  readonly path: string
  /** Request that opens an account and needs the verified number. */
  readonly account: RehearsalRequestOf<Person>
  /** Returns the n-th person without an account. */
  readonly newcomer: (index: number) => Person | Promise<Person>
  /**
   * Field of the body of `account` that names the account. With it, the rehearsal signs up under a name that is taken.
   */
  readonly nameField?: string
}

/** A part of the package that your app replaces. */
export type RehearsalPart = 'store' | 'provider' | 'session' | 'page'

/** Options of `rehearse`: the app, the sandbox, and the members of a plan. */
export interface RehearsalOptions<Person extends RehearsalPerson = RehearsalPerson> {
  /** An Express app or any other listener, a server, or an address. All of them must be on this machine. */
  readonly app: RequestListener | Server | string | URL
  /** The sandbox that the app uses, the address of a running sandbox, or options for a new one. Default: port 4010. */
  readonly sandbox?: Sandbox | SandboxOptions | string | URL
  /** Returns or creates the n-th person. A rehearsal needs some hundred people with different numbers. */
  readonly person: (index: number) => Person | Promise<Person>
  /** Signs in with the password, up to the point at which your app requires a code. */
  readonly signIn: (agent: RehearsalAgent, person: Person) => unknown
  /** Requests that need a code. A plan has actions or pages. */
  readonly actions?: readonly RehearsalAction<Person>[]
  /**
   * Pages for people who have signed in with a code, with a query if needed. Each must show three or more characters that
   * belong to the user.
   *
   * A row falls if a request without permission gets most of the page, or a value of `person`, such as the name, that no
   * other page shows to its sender. It also falls if a browser gets the phone number before its code, in any response,
   * unless that browser has sent the number.
   */
  readonly pages?: readonly RehearsalPath<Person>[]
  /** Shows what the actions change. Without it, no action is attacked. */
  readonly state?: RehearsalState<Person>
  /** Ends the session. */
  readonly signOut?: RehearsalRequestOf<Person>
  /** Sets another password. The rehearsal enters a code if the app requires one. */
  readonly changePassword?: RehearsalRequestOf<Person>
  /** How accounts are opened, if this needs a verified number. */
  readonly signUp?: RehearsalSignUp<Person>
  /** Mount path of `accountPages` from `express-two-factor/account`. The people must have a number on file. */
  readonly account?: string
  /**
   * Other origins whose pages call the app. The session cookie may be SameSite=None only if one of these reads with it.
   */
  readonly origins?: readonly string[]
  /** Mount path of `routes()`. Default: `/two-factor`. */
  readonly path?: string
  /** Returns what the app has logged so far. */
  readonly logs?: () => string | Promise<string>
  /** Routes that change something and need no guard, each by method and path: `POST /newsletter`. */
  readonly ignore?: readonly string[]
  /** Parts of the package that your app replaces. The rehearsal attacks the package's own routes only for these. */
  readonly own?: readonly RehearsalPart[]
  /** True to attack all routes of the package, as if `own` had every part. Default: false. */
  readonly all?: boolean
  /**
   * Codes of the rows to run (`npx express-two-factor rehearse --help` lists them), for a slow app or while you fix one
   * of them. `sign-in` always runs.
   */
  readonly only?: readonly string[]
  /** Most requests to the app. Default and limit: 20,000. With fewer than 5,000, bursts are smaller. */
  readonly maxRequests?: number
  /** Most milliseconds for all rows. Default: 2 minutes. Limit: 30 minutes. */
  readonly timeoutMs?: number
}

/** Result of one attack. */
export interface RehearsalRow {
  /** Stable name, for programs. */
  readonly code: string
  /** The sentence that must be true of the app. */
  readonly claim: string
  /** The requests of the attack, or the reason why there were none. */
  readonly tried: string
  /** The behaviour of the app. */
  readonly seen: string
  /** `fell`: the attack succeeded. `not tried`: the row proves nothing. */
  readonly verdict: 'held' | 'fell' | 'not tried'
  /** The part that plan or app does not have, so that the row does not apply. */
  readonly lacks?: string
  /** Code of the row that reports the cause of this row's verdict. */
  readonly under?: string
  /** The change that fixes it, if it fell. */
  readonly fix?: string
  /** The successful request as a `curl` line, if it fell. */
  readonly repeat?: string
  /** Document and section, if it fell. */
  readonly docs?: string
}

/** A route of an Express app in this process that changes something. */
export interface RehearsalRoute {
  /** Method and path, such as `POST /transfers/:id`. */
  readonly route: string
  /**
   * `attacked`: an action of the plan. `guarded`: a guard refused or admitted a request. `exempt`: named elsewhere in the
   * plan, or used by `signIn`. `answered`: the app refused requests without a code by itself. `unknown`: none of these.
   */
  readonly kind: 'attacked' | 'guarded' | 'exempt' | 'answered' | 'unknown'
}

/** Result of a rehearsal. */
export interface Rehearsal {
  /** True if each row held for which the plan has material, and no route is `unknown`. */
  readonly ok: boolean
  /** The first reason why `ok` is false, if no row fell. */
  readonly hindrance?: string
  /** One row for each attack. */
  readonly rows: readonly RehearsalRow[]
  /** Routes that change something, of an Express app in this process, without those of the package. */
  readonly routes: readonly RehearsalRoute[]
  /** Parts of the app that the rehearsal cannot see. */
  readonly notSeen: readonly string[]
  /** Number of requests to the app. */
  readonly requests: number
  /** Duration in milliseconds. */
  readonly durationMs: number
}
