import type { Response } from 'express'
import { type Refusal, refused } from '../../challenge/commands.js'
import type { NewGrant, OpenSubject, WrittenGrant } from '../../challenge/proofs/grants.js'
import { TwoFactorError } from '../../errors.js'
import { HostTimeoutError, hostFunction } from '../host/boundary.js'
import type { Requester } from '../host/requester.js'
import type { RequestContext } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import type { BrowserOfRequest } from './device-cookies.js'
import type { Verified } from './lane.js'
import type { Renewed } from './renewal.js'

/** Who acts, with what was asked of the store as the request began. */
export interface Caller extends Requester {
  readonly record: OpenSubject
  /** Undefined where browsers are not told apart, and for one that shows no cookie and gets none. */
  readonly browser: BrowserOfRequest | undefined
}

const ownResponseMs = 5_000

/**
 * Renews the session and writes the grant under its new id, then calls the host's onVerified. A subject that
 * was revoked meanwhile is refused; whatever fails leaves no grant behind.
 */
export type Admit = (
  context: RequestContext,
  caller: Caller,
  proven: Pick<NewGrant, 'purpose' | 'bound' | 'method' | 'channels'>,
  trustDevice?: boolean,
) => Promise<Verified | Refusal>

export function createAdmit({ settings, renewal, successPaths }: HttpParts): Admit {
  const { hostTimeoutMs } = settings.limits
  const onVerified =
    settings.onVerified && hostFunction(settings.onVerified, { name: 'onVerified', timeoutMs: hostTimeoutMs })

  /** Revokes grant and device after a failed sign-in. Never rejects: the first failure is reported. */
  async function takeBack(
    { req, res }: RequestContext,
    written: WrittenGrant,
    forget: () => Promise<void>,
  ): Promise<void> {
    const undone = await Promise.allSettled([written.takeBack(), forget()])
    // The store fails: under another new id the session finds no grant, whatever is left in the store.
    if (undone.some(({ status }) => status === 'rejected')) await renewal.abandon(req, res)
  }

  /** Undefined when the session is gone because the person signed out meanwhile. */
  async function renewed(
    { req, res }: RequestContext,
    subject: string,
    record: OpenSubject,
  ): Promise<Renewed | undefined> {
    try {
      return await renewal.renew(req, res, { subject })
    } catch (error) {
      if (await record.isRevoked()) return undefined
      throw error
    }
  }

  /** Undefined after a revocation. Where the grant cannot be written, the session is given up. */
  async function write(
    { req, res }: RequestContext,
    grant: NewGrant,
    record: OpenSubject,
    forget: () => Promise<void>,
  ): Promise<WrittenGrant | undefined> {
    const written = await record.write(grant).catch(async (error: unknown) => {
      await Promise.allSettled([renewal.abandon(req, res), forget()])
      throw error
    })
    if (written === undefined) await forget().catch(() => undefined)
    return written
  }

  /** The host's turn, which may renew the session once more. */
  async function handOver({ req, res }: RequestContext, ids: Renewed, written: WrittenGrant): Promise<void> {
    await onVerified?.(req, res, written.grant)
    const last = await renewal.follow(req, ids)
    if (last !== ids.after) await written.moveTo(last)
  }

  return async function admit(context, { subject, record, browser }, proven, trustDevice = false) {
    const { res } = context
    const ids = await renewed(context, subject, record)
    if (ids === undefined) return refused('challenge_gone')
    const { before, after, provisional } = ids
    const standsIn = proven.method === 'trusted-device'
    // Before the grant: a copied cookie that was revoked while the session was renewed must not get in.
    if (standsIn && !(await browser?.standIn(res))) return refused('challenge_gone')
    const recorded = standsIn ? undefined : browser?.succeed(res, trustDevice)
    const forget = async () => {
      // What is still on its way to the store cannot be undone yet.
      await recorded
      await browser?.undo(res)
    }
    const statusBefore = res.statusCode
    const grant = { ...proven, session: after, previousSession: before, provisional }
    const written = await write(context, grant, record, forget)
    if (written === undefined) return refused('challenge_gone')
    try {
      await Promise.all([ids.moved, recorded])
      await handOver(context, ids, written)
      if (isRefusal(res, statusBefore)) {
        await takeBack(context, written, forget)
        await ownResponse(res)
        return refused('challenge_gone')
      }
      // Trust outlives every grant, so it is not left behind by a sign-in that was revoked meanwhile.
      if (trustDevice && (await record.isRevoked())) {
        await takeBack(context, written, forget)
        return refused('challenge_gone')
      }
    } catch (error) {
      await takeBack(context, written, forget)
      if (!(error instanceof HostTimeoutError)) throw error
      await renewal.giveUp(context.req, res)
      throw new TwoFactorError('session_unavailable', { cause: error })
    }
    // The response is a success either way; the next request shall find the grant.
    await written.confirm().catch(() => undefined)
    const { purpose, verifiedAt } = written.grant
    return { outcome: 'verified', purpose, verifiedAt, successPath: successPaths.of(purpose) }
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
function ownResponse(res: Response): Promise<void> {
  return new Promise((resolve) => {
    if (res.headersSent) return resolve()
    const timer = setTimeout(resolve, ownResponseMs)
    res.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
