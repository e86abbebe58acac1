import type { Request } from 'express'
import type { OwnVisit, TwoFactor } from '../index.js'
import type { Awaitable } from '../lib/promises.js'
import { maskPhoneNumber } from '../phone-number.js'
import {
  boundTo,
  type Change,
  detailsOf,
  endsTrust,
  isWithoutWay,
  type MustKeep,
  type Objection,
  objectionTo,
  type Ways,
  waysAfter,
} from './changes.js'
import type { AccountChange, AccountPagesOptions } from './options.js'
import { passes } from './passes.js'
import { createReadWays } from './read-ways.js'
import type { AccountTexts } from './texts/en.js'

/** How a proof of a first way is called in its grants: the session, where nothing was on file that could confirm it. */
export const firstWay = 'first-way'

/** What the guard binds and shows for a request. `isConfirmed` notes it before it calls the guard. */
interface Asked {
  readonly change: Change
  readonly ways: Ways
}

/** What a change is made with. */
interface Parts {
  readonly tf: TwoFactor
  readonly options: AccountPagesOptions
  readonly mustKeep: MustKeep
  readonly textsOf: (locale: string) => AccountTexts
}

/** What became of a change; `answered` where the response was sent already. */
export type Made = 'made' | 'answered' | Objection

/** What became of storing it: `stale` where something else is on file, `answered` where the response was sent already. */
type Stored = 'stored' | 'stale' | 'answered'

/** What the answer of a `save` or `remove` of the host means: by false nothing was stored, by anything else it was. */
export const storedBy = async (saved: Awaitable<unknown>): Promise<Stored> =>
  (await saved) === false ? 'stale' : 'stored'

/** The one way in which anything is changed: judged, confirmed by a code for just this, stored, told. */
export function createMaking({ tf, options, mustKeep, textsOf }: Parts) {
  const { recoveryCodes, onChanged, path, purpose = 'account' } = options
  const asked = new WeakMap<Request, Asked>()
  const read = createReadWays(options)
  const inTurn = createTurns()

  const askedOf = (req: Request) => asked.get(req) as Asked
  const guardOptions = {
    purpose,
    once: true,
    resume: true,
    formPath: path,
    bind(req: Request) {
      const { change, ways } = askedOf(req)
      return boundTo(change, ways)
    },
    describe(req: Request, { locale }: { readonly locale: string }) {
      const { change, ways } = askedOf(req)
      return detailsOf(change, ways, mustKeep, textsOf(locale))
    },
    exempt: (req: Request) => isWithoutWay(askedOf(req).ways, mustKeep),
  }
  const guard = tf.requireTwoFactor(guardOptions)
  // A recovery code must not bring the next ones: whoever finds the list would keep it for ever.
  const withoutRecovery = tf.requireTwoFactor({ ...guardOptions, methods: ['code', 'app', firstWay] })

  /** Whether a code confirms it. Where none does yet, the guard has answered. */
  function isConfirmed(visit: OwnVisit, change: Change, ways: Ways): Promise<boolean> {
    asked.set(visit.req, { change, ways })
    return passes(change.kind === 'recovery-codes-made' ? withoutRecovery : guard, visit)
  }

  /**
   * Makes a change. What `store` throws leaves nothing changed, and the code is used up. `before`: the change was
   * confirmed by an earlier request, and `store` checks that it was.
   */
  async function make(
    visit: OwnVisit,
    change: Change,
    store: (ways: Ways) => Promise<Stored>,
    confirmedBy: 'code' | 'before' = 'code',
  ): Promise<Made> {
    const { subject } = visit
    const ways = await read(subject)
    const objection = objectionTo(change, ways, mustKeep)
    if (objection !== undefined) return objection
    if (confirmedBy === 'code' && !(await isConfirmed(visit, change, ways))) return 'answered'
    // Race: another tab may have been first, and what was the last but one is the last then.
    const stored = await inTurn(subject, async () =>
      isSame(ways, await read(subject)) ? store(ways) : 'stale',
    )
    if (stored !== 'stored') return stored
    await announce(visit, change, ways)
    return 'made'
  }

  /** To the host, to events and to other sessions. Whatever of it fails, the rest is done: no change is silent. */
  async function announce(visit: OwnVisit, change: Change, before: Ways): Promise<void> {
    const { req, subject } = visit
    // What is put on file says so by itself.
    if (change.kind === 'app-removed') tf.subjects.factorRemoved(subject, { kind: 'app' })
    if (change.kind === 'number-removed') {
      tf.subjects.factorRemoved(subject, { kind: 'phone', phone: change.number })
    }
    const told = async () => onChanged?.(req, tellingOf(change, before, subject))
    const done = await Promise.allSettled([renewProofs(visit, change, before), told()])
    const failed = done.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** Every other session gives a code again, and codes under way end. This one has just confirmed the change. */
  async function renewProofs(
    { req, subject, session }: OwnVisit,
    change: Change,
    before: Ways,
  ): Promise<void> {
    const isFirst = isWithoutWay(before, mustKeep)
    // Where that cannot be read, this session is asked again: better than that no other is.
    const loginGrant = await tf.grants.read(req, 'login').catch(() => undefined)
    if (endsTrust(change, before)) await tf.subjects.revokeEverything(subject)
    else await tf.grants.revokeSubject(subject)
    // A recovery code signs in and proves nothing more: its session is asked for a better proof.
    const isFullProof = req.twoFactor?.grant.method !== 'recovery-code'
    const staysIn = isFullProof && (loginGrant !== undefined || isFirst)
    const who = { subject, session, method: isFirst ? firstWay : 'account' }
    if (staysIn) await tf.grants.write({ ...who, purpose: 'login' })
    // Led on to recovery codes, nobody needs the new way once more.
    if (isFirst && recoveryCodes !== undefined) {
      const bound = boundTo({ kind: 'recovery-codes-made' }, waysAfter(change, before))
      await tf.grants.write({ ...who, purpose, bound })
    }
  }

  return { read, make, isConfirmed }
}

/** What `onChanged` gets: whole numbers to write to, and the changed one masked, as a message shows it. */
function tellingOf(change: Change, { numbers }: Ways, subject: string): AccountChange {
  return {
    kind: change.kind,
    subject,
    ...('number' in change && { number: maskPhoneNumber(change.number) }),
    ...('device' in change && { device: change.device.label }),
    before: numbers,
  }
}

const isSame = (one: Ways, other: Ways): boolean => JSON.stringify(one) === JSON.stringify(other)

/** One at a time of each subject. Stale where another is under way: a queue would hang with a host that never answers. */
function createTurns() {
  const underWay = new Set<string>()
  return async (subject: string, run: () => Promise<Stored>): Promise<Stored> => {
    if (underWay.has(subject)) return 'stale'
    underWay.add(subject)
    try {
      return await run()
    } finally {
      underWay.delete(subject)
    }
  }
}
