import { once } from 'node:events'
import type { Response } from 'express'
import { type Refusal, type Requester, refused } from '../../challenge/commands.js'
import type { BrowserDevice, Trust } from '../../challenge/proofs/devices.js'
import type { Grant, OpenSubject } from '../../challenge/proofs/grants.js'
import type { ProvenFacts } from '../../challenge/proofs/stored-grant.js'
import { hostFunction } from '../../lib/host-function.js'
import { withinDeadline } from '../../lib/promises.js'
import type { RequestContext } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import type { Verified } from './flow.js'
import type { Renewed } from './renewal.js'

/** Who acts, with what the store keeps of them. */
export interface RequesterRecord extends Requester {
  readonly record: OpenSubject
  /** Undefined where browsers are not told apart. */
  readonly browser: BrowserDevice | undefined
}

const ownResponseMs = 5_000

/** A success that the host has not heard of yet. */
interface Written {
  readonly grant: Grant
  readonly ids: Renewed
  /** Settles once the browser is recorded. Never rejects. */
  readonly recorded: Promise<void> | undefined
  /** Takes the record of the browser back. */
  forget(): Promise<void>
}

export function createAdmit({ settings, renewal, devices }: HttpParts) {
  const onVerified = settings.onVerified && hostFunction(settings.onVerified)

  /**
   * Renews the session, records the browser and writes the grant under the new id, side by side. A browser that stands
   * in for the code is recorded first. Undefined where a revocation came meanwhile; that, and whatever fails, leaves no
   * grant behind.
   */
  async function write(
    context: RequestContext,
    { subject, record, browser }: RequesterRecord,
    proven: ProvenFacts,
    trust: Trust | undefined,
  ): Promise<Written | undefined> {
    const { req, res } = context
    const ids = await renewal.renew(req, res, { subject }).catch(async (error: unknown) => {
      // The session is gone because the person signed out meanwhile.
      if (await record.isRevoked()) return undefined
      throw error
    })
    if (ids === undefined) return undefined

    // Before the grant: a copied cookie that was revoked while the session was renewed must not get in.
    const standsIn = proven.method === 'trusted-device'
    if (standsIn && !(await browser?.standIn())) return undefined
    // A cookie that cannot be set must not refuse the sign-in: this browser is a stranger next time.
    const recorded = browser
      ?.succeed(trust)
      .then((token) => devices?.keep(context, subject, token))
      .catch(() => undefined)
    const forget = async () => {
      // What is still on its way to the store cannot be undone yet.
      await recorded
      devices?.takeBack(res)
      await browser?.undo()
    }

    const grant = await record.write(proven, ids).catch(async (error: unknown) => {
      await Promise.allSettled([renewal.abandon(req, res), forget()])
      throw error
    })
    if (grant !== undefined) return { grant, ids, recorded, forget }
    await forget().catch(() => undefined)
    return undefined
  }

  /**
   * Calls the host's onVerified and confirms the grant, last. False where the host has refused, or a revocation came
   * meanwhile; that, and whatever fails, takes back all that was written.
   */
  async function complete(
    { req, res }: RequestContext,
    { subject, record }: RequesterRecord,
    { grant, ids, recorded, forget }: Written,
    trust: Trust | undefined,
  ): Promise<boolean> {
    /** Never rejects: the first failure is reported. */
    const takeBack = async () => {
      const undone = await Promise.allSettled([record.takeBack(), forget()])
      // The store fails: under another new id the session finds no grant, whatever is left in the store.
      if (undone.some(({ status }) => status === 'rejected')) await renewal.abandon(req, res)
    }
    const statusBefore = res.statusCode
    let isRefused = false
    try {
      await Promise.all([ids.moved, recorded])
      await onVerified?.(req, res, grant)
      // The host may have renewed the session once more.
      const last = await renewal.follow(req, ids, { subject })
      if (last !== ids.after) await record.moveTo(last)
      isRefused = isRefusal(res, statusBefore)
      // Trust outlives every grant, so it is not left behind by a sign-in that was revoked meanwhile.
      if (!isRefused && !(trust && (await record.isRevoked()))) {
        // The response is a success either way; the next request shall find the grant.
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

  /** Lets in whoever has proven it: writes that down, then has the host complete it. */
  return async function admit(
    context: RequestContext,
    caller: RequesterRecord,
    proven: ProvenFacts,
    trust?: Trust,
  ): Promise<Verified | Refusal> {
    const written = await write(context, caller, proven, trust)
    if (written === undefined || !(await complete(context, caller, written, trust))) {
      return refused('challenge_gone')
    }
    const { purpose, verifiedAt } = written.grant
    return { outcome: 'verified', purpose, verifiedAt }
  }
}

/** Whether onVerified has refused. An app may give every response a status of 404 until somebody has responded. */
function isRefusal(res: Response, statusBefore: number): boolean {
  return res.statusCode >= 400 && (res.headersSent || res.statusCode !== statusBefore)
}

/**
 * Waits until the host's own refusal has been sent: a template or a file may still be on its way when onVerified
 * is through. After that, ours takes its place.
 */
async function ownResponse(res: Response): Promise<void> {
  if (!res.headersSent) await withinDeadline(ownResponseMs, () => once(res, 'close')).catch(() => undefined)
}
