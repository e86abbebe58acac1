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
import { createAccountTexts } from './texts.js'

/** Method of grants for a first factor: no factor was on file that could confirm it, so the session is enough. */
export const firstWay = 'first-way'
/** Method of the grants that these pages write after a code whose page named the change. */
export const confirmedChange = 'account'

/**
 * Result of a change: `made`, `made-first` for a first factor, or the objection. `unasked`: a link led to it.
 * Undefined: a guard has responded.
 */
export type Made = 'made' | 'made-first' | 'unasked' | Objection | undefined

/** A change for which a guard is called. */
interface Asked {
  readonly visit: RouteContext
  readonly change: AccountChangeRequest
  readonly factors: Factors
}

/** Exceptions from the usual confirmation of a change. */
export interface Confirmation {
  /** Replaces the code for the change. */
  readonly confirm?: ((factors: Factors) => Promise<boolean>) | undefined
  /** True if a GET request may require the code, because only an action of the user leads to it. */
  readonly isAsked?: boolean | undefined
}

/** Result of `numbers.save` for a number of another account. */
export const taken = 'taken'
/** Result of storing a passkey that the browser did not create for this request. */
export const noPasskey = 'no_passkey'

/** Result of renaming a passkey that the account does not have any more. */
export const passkeyGone = 'passkey_gone'

/** Creates the function that makes every change: it checks, confirms by a code for this change, stores and notifies. */
export function createMaking(tf: TwoFactor, settings: AccountSettings) {
  const { recoveryCodes, passkeys, onChanged, path, purpose, mustKeep, messages } = settings
  /** The change that the guard binds and shows for a request, set before the guard is called. */
  const asked = new WeakMap<Request, Asked>()
  // A notice may fail in a client of this package. The change stays.
  const tell = hostFunction(onChanged)
  const read = createReadFactors(settings)
  const textsOf = createAccountTexts(messages)
  const inTurn = createTurns()

  /** Returns whether the session is enough, because no factor is on file that could confirm a change. */
  const isFirst = (factors: Factors) => hasNoFactor(factors, mustKeep)
  /**
   * Returns whether this change adds the first factor. Other changes verify nothing and continue to no further page.
   */
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
    // The user has just entered the code of the new number, so the next code is sent without a click.
    sendAtOnce: (req) => askedOf(req).change.kind === 'number-added',
    bind: (req) => boundTo(askedOf(req).change, askedOf(req).factors),
    describe,
    exempt: (req) => isFirst(askedOf(req).factors),
  }
  const guard = tf.requireTwoFactor(guardOptions)
  // A recovery code must not create new ones. Otherwise a thief of the list would keep access for ever.
  const methods = ['code', 'app', firstWay, ...(passkeys === undefined ? [] : ['passkey'])]
  const withoutRecovery = tf.requireTwoFactor({ ...guardOptions, methods })
  checkMustKeep(tf, guardOptions, mustKeep)

  /** Returns whether a code confirms the change. If not, the guard has responded. */
  function isConfirmed(
    visit: RouteContext,
    change: AccountChangeRequest,
    factors: Factors,
  ): Promise<boolean> {
    asked.set(visit.req, { visit, change, factors })
    return passes(change.kind === 'recovery-codes-made' ? withoutRecovery : guard, visit)
  }

  /** Returns whether the code for the change was entered just now. */
  const hasGrant = async ({ req }: RouteContext, change: AccountChangeRequest, factors: Factors) =>
    (await tf.grants.read(req, purpose, boundTo(change, factors))) !== undefined

  /**
   * Makes a change. `store` returns false if the stored factors differ from those before the change, or nothing was
   * stored. If it throws, nothing was changed and the code is used.
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
    // A link requires no code, and makes no change that no code confirmed (CSRF).
    if (!isAsked && !(await hasGrant(visit, change, factors))) return 'unasked'
    if (!(await (confirm?.(factors) ?? isConfirmed(visit, change, factors)))) return undefined
    // Another tab may have been faster, and the second last factor may be the last one now (race).
    const stored = await inTurn(
      subject,
      async () => areSameFactors(factors, await read(subject)) && store(factors),
    )
    if (stored === false) return 'stale'
    if (stored === taken || stored === noPasskey || stored === passkeyGone) return stored
    const notice = announce(visit, change, factors)
    // The new codes are shown only once and the printed ones no longer work, so a failed notice must not hide them
    // (lock-out).
    await (change.kind === 'recovery-codes-made' ? notice.catch(afterAnswer(visit)) : notice)
    return addsFirst(change, factors) ? 'made-first' : 'made'
  }

  /**
   * Notifies the app, the events and the other sessions. If one of them fails, the others still follow, so that no
   * change is silent.
   */
  async function announce(visit: RouteContext, change: AccountChangeRequest, before: Factors): Promise<void> {
    const { req, subject } = visit
    // A number and an app that are added emit their own event.
    if (change.kind === 'app-removed') tf.subjects.factorRemoved(subject, { kind: 'app' })
    if (change.kind === 'passkey-added') tf.subjects.factorAdded(subject, { kind: 'passkey' })
    if (change.kind === 'passkey-removed') tf.subjects.factorRemoved(subject, { kind: 'passkey' })
    if (change.kind === 'number-removed') {
      tf.subjects.factorRemoved(subject, { kind: 'phone', phone: change.number })
    }
    const number = 'number' in change ? maskPhoneNumber(change.number) : undefined
    const device = 'device' in change ? change.device.label : undefined
    const passkey = 'passkey' in change ? change.passkey.label : undefined
    try {
      await renewProofs(visit, change, before)
    } finally {
      await tell(req, { kind: change.kind, subject, number, device, passkey, before: before.numbers })
    }
  }

  /** Requires a new code in all other sessions, and ends pending codes. This session has just confirmed the change. */
  async function renewProofs(
    visit: RouteContext,
    change: AccountChangeRequest,
    before: Factors,
  ): Promise<void> {
    const { req, subject, session } = visit
    const wasFirst = addsFirst(change, before)
    // If it cannot be read, this session needs a new code. This is better than that no other session needs one.
    const loginGrant = await tf.grants.read(req, 'login').catch(() => undefined)
    if (endsTrust(change, before)) await tf.subjects.revokeEverything(subject)
    else await tf.grants.revokeSubject(subject)
    // A recovery code signs in but is no full verification, so its session needs a better one.
    const isFullProof = req.twoFactor?.grant.method !== 'recovery-code'
    const grantFields = { subject, session, method: wasFirst ? firstWay : confirmedChange }
    // The code was for the change and does not renew an old sign-in (crossing).
    const verifiedAt = wasFirst ? undefined : loginGrant?.verifiedAt
    if (isFullProof && (loginGrant || wasFirst))
      await tf.grants.write({ ...grantFields, purpose: 'login', verifiedAt })
    // The next page offers recovery codes, which must not require the new factor again.
    if (wasFirst && recoveryCodes !== undefined) {
      const bound = boundTo({ kind: 'recovery-codes-made' }, factorsAfter(change, before))
      await tf.grants.write({ ...grantFields, purpose, bound })
    }
  }

  return { textsOf, read, make, isConfirmed, isFirst, hasGrant }
}

/**
 * Requires that a recovery code can confirm a new factor. Otherwise users with only recovery codes left could never add
 * one (lock-out).
 */
function checkMustKeep(tf: TwoFactor, guardOptions: GuardOptions, mustKeep: MustKeep): void {
  if (mustKeep !== 'recovery-codes') return
  try {
    tf.requireTwoFactor({ ...guardOptions, methods: ['recovery-code'] })
  } catch (error) {
    const { message } = error as TypeError
    throw optionError(
      `accountPages: mustKeep 'recovery-codes' requires that a recovery code confirms changes: ${message}`,
    )
  }
}

const areSameFactors = (one: Factors, other: Factors): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Passes a failure to the app's error handler after the response was sent. */
const afterAnswer =
  (visit: RouteContext) =>
  (failure: unknown): void =>
    whenGone(visit)(() => visit.req.next?.(failure))

/**
 * Creates a lock per subject. False if another change is in progress: a queue would hang with an app that never
 * answers.
 */
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
