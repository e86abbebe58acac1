import type { Request } from 'express'
import type { Details, GuardOptions, RouteContext, TwoFactor } from '../index.js'
import { hostFunction } from '../lib/host-function.js'
import { optionError } from '../lib/options.js'
import { whenGone } from '../lib/when-gone.js'
import { formatPhoneNumber, maskPhoneNumber } from '../phone-number.js'
import {
  type AccountChangeRequest,
  boundTo,
  detailsOf,
  endsTrust,
  type Factors,
  factorsAfter,
  hasNoFactor,
  type MustKeep,
  type Objection,
  objectionTo,
} from './changes.js'
import type { AccountSettings } from './options.js'
import { passes } from './passes.js'
import { pathAfterCode } from './path-after-code.js'
import { createReadFactors } from './read-factors.js'
import { createTexts } from './texts.js'

/** How a proof of a first way is called in its grants: the session, where nothing was on file that could confirm it. */
export const firstWay = 'first-way'
/** Method of the grants that these pages write after a code whose page named the change. */
export const confirmedChange = 'account'

/**
 * What became of a change: made, as the first way or after it; why it was not; `unasked` where a link led to it;
 * undefined where a guard has responded.
 */
export type Made = 'made' | 'made-first' | 'unasked' | Objection | undefined

/** A change that a guard is called for. */
interface Asked {
  readonly visit: RouteContext
  readonly change: AccountChangeRequest
  readonly factors: Factors
}

/** How a change is confirmed, where not as usual. */
export interface Confirmation {
  /** In place of a code for it. */
  readonly confirm?: ((factors: Factors) => Promise<boolean>) | undefined
  /** Whether a request by GET may ask for the code: one that nothing but an act of the person leads to. */
  readonly isAsked?: boolean | undefined
}

/** What `numbers.save` returns for a number of another account. */
export const taken = 'taken'

/** The one way in which anything is changed: judged, confirmed by a code for just this, stored, told. */
export function createMaking(tf: TwoFactor, settings: AccountSettings) {
  const { recoveryCodes, onChanged, path, purpose, mustKeep, messages } = settings
  /** What the guard binds and shows for a request, noted before it is called. */
  const asked = new WeakMap<Request, Asked>()
  // A message that fails, by a client of this package: it is no word about the change, which stands.
  const tell = hostFunction(onChanged)
  const read = createReadFactors(settings)
  const textsOf = createTexts(messages)
  const inTurn = createTurns()

  /** Whether the session alone will do: nothing is on file that could confirm a change. */
  const isFirst = (factors: Factors) => hasNoFactor(factors, mustKeep)
  /** Whether this change puts the first way on file: others prove nothing, and lead nobody on. */
  const addsFirst = (change: AccountChangeRequest, before: Factors) =>
    isFirst(before) && !isFirst(factorsAfter(change, before))
  const askedOf = (req: Request) => asked.get(req) as Asked

  async function describe(req: Request, { locale }: { readonly locale: string }): Promise<Details> {
    const { change, factors } = askedOf(req)
    const shownNumber =
      change.kind === 'number-added' ? await formatPhoneNumber(change.number, 'international') : undefined
    return detailsOf(change, { factors, mustKeep, texts: textsOf(locale), shownNumber })
  }

  const guardOptions: GuardOptions = {
    purpose,
    once: true,
    formPath: path,
    continueAt: (req) => pathAfterCode(path, askedOf(req).visit, askedOf(req).change),
    // The person has just typed the code of the new number: the next one goes out by that.
    sendAtOnce: (req) => askedOf(req).change.kind === 'number-added',
    bind: (req) => boundTo(askedOf(req).change, askedOf(req).factors),
    describe,
    exempt: (req) => isFirst(askedOf(req).factors),
  }
  const guard = tf.requireTwoFactor(guardOptions)
  // A recovery code must not bring the next ones: whoever finds the list would keep it for ever.
  const withoutRecovery = tf.requireTwoFactor({ ...guardOptions, methods: ['code', 'app', firstWay] })
  checkMustKeep(tf, guardOptions, mustKeep)

  /** Whether a code confirms it. Where none does yet, the guard has answered. */
  function isConfirmed(
    visit: RouteContext,
    change: AccountChangeRequest,
    factors: Factors,
  ): Promise<boolean> {
    asked.set(visit.req, { visit, change, factors })
    return passes(change.kind === 'recovery-codes-made' ? withoutRecovery : guard, visit)
  }

  /** Whether the code for it was given just now. */
  const hasGrant = async ({ req }: RouteContext, change: AccountChangeRequest, factors: Factors) =>
    (await tf.grants.read(req, purpose, boundTo(change, factors))) !== undefined

  /**
   * Makes a change. `store` returns false where something else is on file than the change was made from, or nothing was
   * stored; what it throws leaves nothing changed, and the code is used up.
   */
  async function make(
    visit: RouteContext,
    change: AccountChangeRequest,
    store: (factors: Factors) => unknown,
    { confirm, isAsked = visit.req.method === 'POST' }: Confirmation = {},
  ): Promise<Made> {
    const { subject } = visit
    const factors = await read(subject)
    const objection = objectionTo(change, factors, mustKeep)
    if (objection !== undefined) return objection
    // CSRF: a link asks for nothing, and changes nothing that no code was given for.
    if (!isAsked && !(await hasGrant(visit, change, factors))) return 'unasked'
    if (!(await (confirm?.(factors) ?? isConfirmed(visit, change, factors)))) return undefined
    // Race: another tab may have been first, and what was the last but one is the last then.
    const stored = await inTurn(subject, async () => isSame(factors, await read(subject)) && store(factors))
    if (stored === false) return 'stale'
    if (stored === taken) return taken
    const told = announce(visit, change, factors)
    // Lock-out: the new codes are shown this once, and those that were printed are worth nothing already.
    await (change.kind === 'recovery-codes-made' ? told.catch(afterAnswer(visit)) : told)
    return addsFirst(change, factors) ? 'made-first' : 'made'
  }

  /** To the host, to events and to other sessions. Whatever of it fails, the rest is done: no change is silent. */
  async function announce(visit: RouteContext, change: AccountChangeRequest, before: Factors): Promise<void> {
    const { req, subject } = visit
    // What is put on file says so by itself.
    if (change.kind === 'app-removed') tf.subjects.factorRemoved(subject, { kind: 'app' })
    if (change.kind === 'number-removed') {
      tf.subjects.factorRemoved(subject, { kind: 'phone', phone: change.number })
    }
    const number = 'number' in change ? maskPhoneNumber(change.number) : undefined
    const device = 'device' in change ? change.device.label : undefined
    try {
      await renewProofs(visit, change, before)
    } finally {
      await tell(req, { kind: change.kind, subject, number, device, before: before.numbers })
    }
  }

  /** Every other session gives a code again, and codes under way end. This one has just confirmed the change. */
  async function renewProofs(
    visit: RouteContext,
    change: AccountChangeRequest,
    before: Factors,
  ): Promise<void> {
    const { req, subject, session } = visit
    const wasFirst = addsFirst(change, before)
    // Where that cannot be read, this session is asked again: better than that no other is.
    const loginGrant = await tf.grants.read(req, 'login').catch(() => undefined)
    if (endsTrust(change, before)) await tf.subjects.revokeEverything(subject)
    else await tf.grants.revokeSubject(subject)
    // A recovery code signs in and proves nothing more: its session is asked for a better proof.
    const isFullProof = req.twoFactor?.grant.method !== 'recovery-code'
    const who = { subject, session, method: wasFirst ? firstWay : confirmedChange }
    // Crossing: the code was for the change. It does not make an old sign-in a fresh one.
    const verifiedAt = wasFirst ? undefined : loginGrant?.verifiedAt
    if (isFullProof && (loginGrant || wasFirst))
      await tf.grants.write({ ...who, purpose: 'login', verifiedAt })
    // Led on to recovery codes, nobody needs the new way once more.
    if (wasFirst && recoveryCodes !== undefined) {
      const bound = boundTo({ kind: 'recovery-codes-made' }, factorsAfter(change, before))
      await tf.grants.write({ ...who, purpose, bound })
    }
  }

  return { textsOf, read, make, isConfirmed, isFirst, hasGrant }
}

/** Lock-out: whoever has nothing but recovery codes left adds a way by one of them, or never again. */
function checkMustKeep(tf: TwoFactor, guardOptions: GuardOptions, mustKeep: MustKeep): void {
  if (mustKeep !== 'recovery-codes') return
  try {
    tf.requireTwoFactor({ ...guardOptions, methods: ['recovery-code'] })
  } catch (error) {
    const { message } = error as TypeError
    throw optionError(`accountPages: mustKeep 'recovery-codes' needs codes that confirm changes: ${message}`)
  }
}

const isSame = (one: Factors, other: Factors): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Hands a failure to the host's error handler once the answer is out. */
const afterAnswer =
  (visit: RouteContext) =>
  (failure: unknown): void =>
    whenGone(visit)(() => visit.req.next?.(failure))

/** One at a time of each subject. False where another is under way: a queue would hang with a host that never answers. */
function createTurns() {
  const underWay = new Set<string>()
  return async (subject: string, run: () => Promise<unknown>): Promise<unknown> => {
    if (underWay.has(subject)) return false
    underWay.add(subject)
    try {
      return await run()
    } finally {
      underWay.delete(subject)
    }
  }
}
