import type { RequestListener, Server } from 'node:http'
import type { Sandbox, SandboxOptions } from '../../sandbox/index.js'
import type { GuardCoverage } from '../guard-coverage.js'
import type { RehearsalAgent } from './agent.js'

/** Somebody with an account and a number of their own; the host adds what its sign-in needs, such as a password. */
export interface RehearsalPerson {
  /** In E.164, of a country that the app allows. */
  readonly phone: string
}

/** A request for something that has to be guarded. */
export interface RehearsalAction<Person extends RehearsalPerson = RehearsalPerson> {
  /** Names it in the result. */
  readonly name: string
  /** HTTP method; POST by default. */
  readonly method?: string
  /** Path of this site. */
  readonly path: string
  /** The fields that it is done with; from `agent`, such as the token that a cookie is compared with. */
  readonly body?: Fields | ((person: Person, agent: RehearsalAgent) => Fields)
  /** How the fields are sent: as JSON by default. */
  readonly type?: 'json' | 'form'
  /** Other values for fields that make it another action, where one that is made up would be refused for its form. */
  readonly changed?: Fields
  /** Fields that a code need not cover, such as a remark. Each of the others is tried with another value. */
  readonly mayChange?: readonly string[]
  /** True where one code is good for several within a few minutes: a guard without `once`. */
  readonly repeatable?: boolean
  /** False where being signed in with a code is enough, and no fresh one is asked for. */
  readonly stepUp?: boolean
  /**
   * How often it was done for this person, where a test can see that. Otherwise a response counts as done that
   * looks like that after the right code; where all look alike, as in GraphQL, give this.
   */
  readonly done?: (person: Person) => number | Promise<number>
}

/** Members of a body. */
export type Fields = Readonly<Record<string, string | number | boolean>>

/** How accounts are opened with a proven number. */
export interface RehearsalSignUp<Person extends RehearsalPerson = RehearsalPerson> {
  /** Where `phoneVerification().routes()` is mounted. */
  readonly path: string
  /** Opens an account: the request that needs the proof. The number is that of the person. */
  readonly account: RehearsalAction<Person>
  /** The n-th person without an account. */
  readonly newcomer: (index: number) => Person | Promise<Person>
  /** Field of the body of `account` that names the account, to see that nobody gets a taken one. */
  readonly nameField?: string
}

/** Options of `rehearse`. */
export interface RehearsalOptions<Person extends RehearsalPerson = RehearsalPerson> {
  /** An Express app or any other listener, a server, or the address of one: on this machine in every case. */
  readonly app: RequestListener | Server | string | URL
  /**
   * The sandbox that the app sends its codes through, the address of one that runs on this machine, or the options of
   * one to be started: port 4010 by default.
   */
  readonly sandbox?: Sandbox | SandboxOptions | string | URL
  /** The n-th person, with an account and a number that no other has. Some hundred are asked for at most. */
  readonly person: (index: number) => Person | Promise<Person>
  /** The host's own requests up to where a code is asked for: the password. */
  readonly signIn: (agent: RehearsalAgent, person: Person) => unknown
  /** What must not happen without a code. */
  readonly actions?: readonly RehearsalAction<Person>[]
  /** Paths of pages that only the signed-in see. */
  readonly pages?: readonly string[]
  /** Ends the session. */
  readonly signOut?: Omit<RehearsalAction<Person>, 'changed' | 'mayChange' | 'done'>
  /** Sets another password; a code that it asks for is given. */
  readonly changePassword?: Omit<RehearsalAction<Person>, 'changed' | 'mayChange' | 'done'>
  /** How accounts are opened, where a proven number is needed for it. */
  readonly signUp?: RehearsalSignUp<Person>
  /** Where `accountPages` of `express-two-factor/account` is mounted. Its people have a number on file. */
  readonly account?: string
  /**
   * Other origins whose pages may call the app: whether one that looks alike may, too. The session cookie may be
   * SameSite=None only where one of these may read with it (CORS).
   */
  readonly origins?: readonly string[]
  /** Where `routes()` is mounted; `/two-factor` by default. */
  readonly path?: string
  /** What the app has logged so far. */
  readonly logs?: () => string | Promise<string>
  /** Guard coverage of the app, mounted in it. */
  readonly coverage?: GuardCoverage
  /** Routes that need no guard, as for `coverage.report`. */
  readonly ignore?: readonly (string | RegExp)[]
  /**
   * Rows to try, by their `code`, while one of them is being mended. `sign-in` and `confirmed-action` always are, and
   * all where one is asked for that judges the whole traffic: `secrets`, `unguarded`, `warnings`.
   */
  readonly only?: readonly string[]
  /** 20,000 by default and at most; with fewer than 5,000 the bursts become smaller. */
  readonly maxRequests?: number
  /** Two minutes by default and at most. */
  readonly timeoutMs?: number
}

/** What one attack came to. */
export interface RehearsalRow {
  /** Stable name, for programs. */
  readonly code: string
  /** What has to be true. */
  readonly claim: string
  /** What was tried; why not, when nothing was. */
  readonly tried: string
  /** What the app did. */
  readonly seen: string
  /** Only `held` is good news: what was not tried proves nothing. */
  readonly verdict: 'held' | 'fell' | 'not tried'
  /** What the plan or the app has nothing of, where that is why it was not tried: nothing is wrong then. */
  readonly lacks?: string
  /** The row that tells the mistake by which this one fell too, or what hinders both. */
  readonly under?: string
  /** What to change, when it fell. */
  readonly fix?: string
  /** The request to repeat, as a `curl` line, when it fell. */
  readonly repeat?: string
  /** Where to read on, when it fell. */
  readonly docs?: string
}

/** What a rehearsal came to. */
export interface Rehearsal {
  /** Whether the sign-in worked, and every row was tried and held for which plan and app have something to try. */
  readonly ok: boolean
  /** What could not be tried and why, where that alone is why it is not `ok`. */
  readonly hindrance?: string
  /** One for each attack, in the order of the table. */
  readonly rows: readonly RehearsalRow[]
  /** Routes that change something and were not reached: of an Express app in this process, without those in `ignore`. */
  readonly notAttacked: readonly string[]
  /** How many requests were sent to the app. */
  readonly requests: number
  /** How long it took, in ms. */
  readonly durationMs: number
}
