import type { Request, Response } from 'express'
import { type Refusal, refused } from '../../challenge/commands.js'
import type { Grant, GrantQuery, Grants, NewGrant, Standing } from '../../challenge/proofs/grants.js'
import type { Sessions } from '../host/requester.js'
import type { RequestContext } from '../http/request-body.js'
import type { SuccessPaths } from '../http/return-path.js'
import type { BrowserOfRequest } from './device-cookies.js'
import type { Verified } from './handlers.js'
import type { Renewal, Renewed } from './renewal.js'

export type OnVerified = (req: Request, res: Response, grant: Grant) => void | Promise<void>

/** What was read while the request began, and what success does with it. */
export interface InHand {
  readonly standing: Standing
  readonly browser: BrowserOfRequest | undefined
  readonly trustDevice: boolean
}

/**
 * Renews the session and writes the grant under its new id, then calls the host's onVerified. A subject that
 * was revoked meanwhile is refused; whatever fails leaves no grant behind.
 */
export type Admit = (
  context: RequestContext,
  subject: string,
  proven: Pick<NewGrant, 'purpose' | 'bound' | 'method'>,
  inHand: InHand,
) => Promise<Verified | Refusal>

export function createAdmit(parts: {
  readonly sessions: Sessions
  readonly renewal: Renewal
  readonly grants: Grants
  readonly onVerified: OnVerified | undefined
  readonly successPaths: SuccessPaths
}): Admit {
  const { sessions, renewal, grants, onVerified, successPaths } = parts

  /** Revokes grant and device after a failed sign-in. Never rejects: the first failure is reported. */
  async function takeBack(
    { req, res }: RequestContext,
    grant: GrantQuery,
    browser: BrowserOfRequest | undefined,
  ): Promise<void> {
    try {
      await browser?.undo(res)
      const anyAge = { maxAgeMs: Number.MAX_SAFE_INTEGER, recoveryCode: true }
      await grants.take({ ...grant, ...anyAge })
      // The host may have renewed the session, and the grant moved along.
      await grants.take({ ...grant, session: sessions.idOf(req), ...anyAge })
    } catch {
      // The store fails: under another new id the session finds no grant, whatever is left in the store.
      await renewal.abandon(req, res)
    }
  }

  /** Undefined when the session is gone because the person signed out meanwhile. */
  async function renewed({ req, res }: RequestContext, standing: Standing): Promise<Renewed | undefined> {
    try {
      return await renewal.renew(req, res)
    } catch (error) {
      if (await standing.isRevoked()) return undefined
      throw error
    }
  }

  return async function admit(context, subject, proven, { standing, browser, trustDevice }) {
    const { req, res } = context
    const ids = await renewed(context, standing)
    if (ids === undefined) return refused('challenge_gone')
    const { before, after } = ids
    const query = { ...proven, subject, session: after }
    // A bearer token is not renewed, so its grant counts only once a successful response is certain.
    const provisional = before === after
    const recorded = browser?.succeed(res, trustDevice)
    const forget = async () => {
      await recorded
      await browser?.undo(res).catch(() => undefined)
    }
    const written = await grants
      .write({ ...query, previousSession: before, provisional }, standing)
      .catch(async (error: unknown) => {
        await Promise.all([renewal.abandon(req, res), forget()])
        throw error
      })
    if (written === undefined) {
      await forget()
      return refused('challenge_gone')
    }
    const { grant } = written
    let successPath: string | undefined
    try {
      await Promise.all([ids.moved, recorded])
      await onVerified?.(req, res, grant)
      const last = await renewal.follow(req, ids)
      if (last !== after) await written.moveTo(last)
      successPath = await successPaths.of(grant)
      // Trust outlives every grant, so it is not left behind by a sign-in that was revoked meanwhile.
      if (hasRefused(res) || (trustDevice && (await standing.isRevoked()))) {
        await takeBack(context, query, browser)
        return refused('challenge_gone')
      }
    } catch (error) {
      await takeBack(context, query, browser)
      throw error
    }
    // The response is a success either way; the next request shall find the grant.
    await written.confirm().catch(() => undefined)
    return { outcome: 'verified', purpose: grant.purpose, verifiedAt: grant.verifiedAt, successPath }
  }
}

/** Whether the host's onVerified has refused in its own words: a response of 4xx or 5xx leaves no grant behind. */
function hasRefused({ headersSent, statusCode }: Response): boolean {
  return headersSent && statusCode >= 400
}
