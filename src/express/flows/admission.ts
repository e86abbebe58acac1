import { once } from 'node:events'
import type { Response } from 'express'
import { type Refusal, type Requester, refused } from '../../challenge/commands.js'
import type { BrowserDevice, BrowserSuccess } from '../../challenge/proofs/devices.js'
import type { Grant, OpenSubject } from '../../challenge/proofs/grants.js'
import type { ProvenFacts } from '../../challenge/proofs/stored-grant.js'
import { hostFunction } from '../../lib/host-function.js'
import { withinDeadline } from '../../lib/promises.js'
import type { RequestContext } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import type { Verified } from './flow.js'
import type { Renewed } from './renewal.js'

/** A requester with its store record and its device cookie opened. Nothing has been read yet. */
export interface RequesterRecord extends Requester {
  readonly record: OpenSubject
  /** Undefined if browsers are not tracked. */
  readonly browser: BrowserDevice | undefined
}

const ownResponseMs = 5_000

/** A success that is written but not yet passed to `onVerified`. */
interface Written {
  readonly grant: Grant
  readonly ids: Renewed
  /** Resolves when the browser is recorded. Never rejects. */
  readonly recorded: Promise<void> | undefined
  /** Removes the record of the browser. */
  forget(): Promise<void>
}

export function createAdmit({ settings, renewal, devices }: HttpParts) {
  const onVerified = settings.onVerified && hostFunction(settings.onVerified)

  /**
   * Renews the session, records the browser and writes the grant under the new id, in parallel. A browser that replaces
   * the code is recorded first. Returns undefined after a revocation. A revocation or a failure leaves no grant behind.
   */
  async function write(
    context: RequestContext,
    { subject, record, browser }: RequesterRecord,
    proven: ProvenFacts,
    success: BrowserSuccess,
  ): Promise<Written | undefined> {
    const { req, res } = context
    // Asked before the success makes it known.
    const isKnown = browser?.isTracked ? await browser.isKnown() : undefined
    const ids = await renewal.renew(req, res, { subject }).catch(async (error: unknown) => {
      // The session is gone because the user signed out meanwhile.
      if (await record.isRevoked()) return undefined
      throw error
    })
    if (ids === undefined) return undefined

    // Before the grant: a copied cookie that was revoked during the renewal must not sign in.
    const standsIn = proven.method === 'trusted-device'
    if (standsIn && !(await browser?.standIn())) return undefined
    // A cookie that cannot be set must not refuse the sign-in. The browser is then unknown next time.
    const recorded = browser
      ?.succeed(success)
      .then((token) => devices?.keep(context, subject, token))
      .catch(() => undefined)
    const forget = async () => {
      // A command that is still on its way to the store cannot be undone yet.
      await recorded
      devices?.takeBack(res)
      await browser?.undo()
    }

    const grant = await record.write(proven, ids).catch(async (error: unknown) => {
      await Promise.allSettled([renewal.abandon(req, res), forget()])
      throw error
    })
    if (grant !== undefined) {
      const kind = isKnown ? 'known' : 'new'
      return {
        grant: isKnown === undefined ? grant : { ...grant, browser: kind },
        ids,
        recorded,
        forget,
      }
    }
    await forget().catch(() => undefined)
    return undefined
  }

  /**
   * Calls `onVerified` and then confirms the grant. With a cookie session the grant is valid already. It is provisional
   * only with a bearer token, or if `onVerified` renewed the session again. Returns false if `onVerified` refused or a
   * revocation came meanwhile. A refusal, a revocation or a failure removes everything that was written.
   */
  async function complete(
    { req, res }: RequestContext,
    { subject, record }: RequesterRecord,
    { grant, ids, recorded, forget }: Written,
    { trust }: BrowserSuccess,
  ): Promise<boolean> {
    /** Never rejects, because the first failure is reported. */
    const takeBack = async () => {
      const undone = await Promise.allSettled([record.takeBack(), forget()])
      // The store fails. Under another new id the session finds no grant, whatever stays in the store.
      if (undone.some(({ status }) => status === 'rejected')) await renewal.abandon(req, res)
    }
    const statusBefore = res.statusCode
    let isRefused = false
    try {
      await Promise.all([ids.numberMoved, recorded])
      await onVerified?.(req, res, grant)
      // `onVerified` may have renewed the session once more.
      const last = await renewal.follow(req, ids, { subject })
      if (last !== ids.after) await record.moveTo(last)
      isRefused = isRefusedByHost(res, statusBefore)
      // Trust outlives every grant, so a sign-in that was revoked meanwhile must not leave it behind.
      if (!isRefused && !(trust && (await record.isRevoked()))) {
        // The response is a success in any case. The next request should find the grant.
        await record.confirm().catch(() => undefined)
        return true
      }
    } catch (error) {
      await takeBack()
      throw error
    }
    await takeBack()
    if (isRefused) await ownResponse(res)
    return false
  }

  /** Signs a user in after a verification: writes the success, then completes it with `onVerified`. */
  return async function admit(
    context: RequestContext,
    caller: RequesterRecord,
    proven: ProvenFacts,
    success: BrowserSuccess = {},
  ): Promise<Verified | Refusal> {
    const written = await write(context, caller, proven, success)
    if (written === undefined || !(await complete(context, caller, written, success))) {
      return refused('challenge_gone')
    }
    const { purpose, verifiedAt } = written.grant
    return { outcome: 'verified', purpose, verifiedAt }
  }
}

/** Returns whether `onVerified` has refused. An app may set every response to 404 until something responds. */
function isRefusedByHost(res: Response, statusBefore: number): boolean {
  return res.statusCode >= 400 && (res.headersSent || res.statusCode !== statusBefore)
}

/**
 * Waits until the app's own refusal is sent, because a template or a file may still be on its way after `onVerified`.
 * Afterwards the package responds.
 */
async function ownResponse(res: Response): Promise<void> {
  if (!res.headersSent) await withinDeadline(ownResponseMs, () => once(res, 'close')).catch(() => undefined)
}
