import type { Request, Response } from 'express'
import type { Actor, BeforeSend, Challenges } from '../../challenge/commands.js'
import type { Grant, GrantQuery, Grants, GrantsUpdater, NewGrant } from '../../challenge/proofs/grants.js'
import type { Purposes } from '../../challenge/purposes.js'
import { TwoFactorError } from '../../errors.js'
import type { Requirement, Requirements } from '../guard/requirement.js'
import { type Identify, identified, type Requester } from '../host/requester.js'
import type { SessionAdapter } from '../host/session.js'
import { invalid, readChannel, text } from '../http/request-body.js'
import type { RequestContext } from '../http/request-context.js'
import type { DeviceCookies } from './device-cookies.js'
import type { Flow, Verified } from './handlers.js'
import type { Renew } from './renewal.js'

/** The number on file of a subject. */
export type PhoneOf = (req: Request, subject: string) => string | undefined | Promise<string | undefined>
export type OnVerified = (req: Request, res: Response, grant: Grant) => void | Promise<void>

/** Sign-in and step-up: the number on file, a grant as the result. */
export function createSignIn(parts: {
  readonly identify: Identify
  readonly phoneOf: PhoneOf
  readonly addressOf: (req: Request) => string | undefined
  readonly requirements: Requirements
  readonly sessions: SessionAdapter
  readonly renew: Renew
  readonly purposes: Purposes
  readonly challenges: Challenges
  readonly grants: Grants
  readonly devices: DeviceCookies | undefined
  readonly beforeSendOf: (req: Request) => BeforeSend | undefined
  readonly onVerified: OnVerified
}): Flow {
  const { identify, requirements, sessions, renew, purposes, challenges, grants, devices, onVerified } = parts

  async function actorOf(req: Request, { subject, session }: Requester): Promise<Actor> {
    const phone = (await parts.phoneOf(req, subject)) ?? ''
    if (phone === '') throw new TwoFactorError('no_phone')
    if (typeof phone !== 'string') {
      throw new TypeError(
        `phone answered a value of type ${typeof phone}; it must be the number as a text, or undefined.`,
      )
    }
    return { subject, session, phone, address: parts.addressOf(req) }
  }

  /** What is to be proven: what the guard asked for, else a purpose alone. */
  function wanted({ req, fields }: RequestContext, fixedPurpose: string | undefined): Requirement {
    const token = text(fields, 'requirement')
    const named = fixedPurpose ?? text(fields, 'purpose')
    const asked = token === undefined ? { purpose: named ?? 'login' } : requirements.read(req, token)
    // Signed for another session, too old, or put together with another purpose.
    if (asked === undefined || (named !== undefined && named !== asked.purpose)) {
      throw invalid('requirement is not valid here, or not any more.')
    }
    if (purposes.find(asked.purpose)?.browserStartable !== true) throw invalid('purpose is not known.')
    return asked
  }

  /** Nobody was let in, so grant and device must let nobody in either. Fails never: what went wrong first is told. */
  async function takeBack(
    { req, res }: RequestContext,
    grant: GrantQuery,
    device: string | undefined,
  ): Promise<void> {
    try {
      if (device !== undefined) await devices?.distrust(res, grant.subject, device)
      await grants.take({ ...grant, maxAgeMs: Number.MAX_SAFE_INTEGER })
    } catch {
      // The store fails. Under one more id the session finds no grant, whatever is left in the store.
      await renew(req, res).catch(() => undefined)
    }
  }

  /** Renews the session and leaves the grant under its new id, then tells the host. */
  async function admit(
    context: RequestContext,
    subject: string,
    proven: Pick<NewGrant, 'purpose' | 'bound' | 'method'>,
    trustDevice: boolean,
    updater?: GrantsUpdater,
  ): Promise<Verified> {
    const { req, res } = context
    const { before, after, moved } = await renew(req, res)
    const query = { ...proven, subject, session: after }
    const grant = await grants.write({ ...query, previousSession: before }, updater)
    let device: string | undefined
    try {
      await moved
      if (trustDevice) device = await devices?.trust(res, subject, grant.purpose)
      await onVerified(req, res, grant)
    } catch (error) {
      await takeBack(context, query, device)
      throw error
    }
    return { outcome: 'verified', purpose: grant.purpose, verifiedAt: grant.verifiedAt }
  }

  return {
    actor: async (req) => actorOf(req, identified(identify, req)),

    async start(context, fixedPurpose) {
      const { req, res, fields } = context
      const requester = identified(identify, req)
      const channel = readChannel(fields)
      const { purpose, bound, requireCode } = wanted(context, fixedPurpose)
      if (!requireCode && (await devices?.admits(req, res, requester.subject, purpose))) {
        return admit(context, requester.subject, { purpose, method: 'trusted-device' }, false)
      }
      sessions.keep?.(req)
      const actor = await actorOf(req, requester)
      return challenges.start({ ...actor, purpose, bound, channel, beforeSend: parts.beforeSendOf(req) })
    },

    approval(context, { subject }) {
      const updater = grants.prefetch(subject)
      return ({ purpose, bound, channel }, trustDevice) => {
        const proven = { purpose, method: channel, ...(bound !== undefined && { bound }) }
        return admit(context, subject, proven, trustDevice, updater)
      }
    },
  }
}
