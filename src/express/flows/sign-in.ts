import type { Request, Response } from 'express'
import {
  type Actor,
  type BeforeSend,
  type Challenges,
  type Refusal,
  refused,
} from '../../challenge/commands.js'
import type { Grant, GrantQuery, Grants, NewGrant, Standing } from '../../challenge/proofs/grants.js'
import type { Purposes } from '../../challenge/purposes.js'
import { TwoFactorError } from '../../errors.js'
import { acceptedChannel } from '../guard/accepted.js'
import type { Requirement, Requirements } from '../guard/requirement.js'
import { type Identify, identified, type Requester } from '../host/requester.js'
import type { Sessions } from '../host/sessions.js'
import type { AddressOf } from '../http/address.js'
import { invalid, readChannel, text } from '../http/request-body.js'
import type { RequestContext } from '../http/request-context.js'
import type { BrowserOfRequest, DeviceCookies } from './device-cookies.js'
import type { Flow, Verified } from './handlers.js'
import type { Renewal, Renewed } from './renewal.js'
import type { SuccessPaths } from './success-path.js'

/** The number on file of a subject. */
export type PhoneOf = (req: Request, subject: string) => string | undefined | Promise<string | undefined>
export type OnVerified = (req: Request, res: Response, grant: Grant) => void | Promise<void>

/** What was read while the request began, and what success does with it. */
interface InHand {
  readonly standing: Standing
  readonly browser: BrowserOfRequest | undefined
  readonly trustDevice: boolean
}

/** Sign-in and step-up: the number on file, a grant as the result. */
export function createSignIn(parts: {
  readonly identify: Identify
  readonly phoneOf: PhoneOf
  readonly addressOf: AddressOf
  readonly requirements: Requirements
  readonly sessions: Sessions
  readonly renewal: Renewal
  readonly purposes: Purposes
  readonly challenges: Challenges
  readonly grants: Grants
  readonly devices: DeviceCookies | undefined
  readonly localeOf: (req: Request) => string
  readonly beforeSendOf: (req: Request) => BeforeSend | undefined
  readonly onVerified: OnVerified
  readonly successPaths: SuccessPaths
}): Flow {
  const { identify, requirements, sessions, renewal, purposes, challenges, grants, devices, onVerified } =
    parts

  async function actorOf(
    req: Request,
    { subject, session }: Requester,
    { epoch }: Standing,
    knownBrowser: Actor['knownBrowser'],
  ): Promise<Actor> {
    const phone = (await parts.phoneOf(req, subject)) ?? ''
    if (phone === '') throw new TwoFactorError('no_phone')
    if (typeof phone !== 'string') {
      throw new TypeError(
        `phone returned a value of type ${typeof phone}; it must return a string or undefined`,
      )
    }
    return { subject, session, phone, epoch, knownBrowser, ...parts.addressOf(req) }
  }

  /** Whether the browser is known; without its cookie the store is not read. */
  const knownIn = (req: Request, { subject }: Requester) =>
    devices?.isShown(req) ? devices.open(req, subject).known : undefined

  /** What is to be proven: what the guard required, else just a purpose. */
  function wanted({ req, fields }: RequestContext, fixedPurpose: string | undefined): Requirement {
    const token = text(fields, 'requirement')
    const named = fixedPurpose ?? text(fields, 'purpose')
    const asked = token === undefined ? { purpose: named ?? 'login' } : requirements.read(req, token)
    // Signed for another session, too old, or put together with another purpose.
    if (asked === undefined || (named !== undefined && named !== asked.purpose)) {
      throw invalid('requirement is invalid or has expired.')
    }
    if (purposes.find(asked.purpose)?.browserStartable !== true) throw invalid('purpose is unknown.')
    return asked
  }

  /** Revokes grant and device after a failed sign-in. Never rejects: the first failure is reported. */
  async function takeBack(
    { req, res }: RequestContext,
    grant: GrantQuery,
    browser: BrowserOfRequest | undefined,
  ): Promise<void> {
    try {
      await browser?.undo(res)
      // The host may have renewed the session, and the grant moved along.
      for (const session of new Set([grant.session, sessions.idOf(req)])) {
        await grants.take({ ...grant, session, maxAgeMs: Number.MAX_SAFE_INTEGER })
      }
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

  /** Renews the session and writes the grant under its new id, then calls the host's onVerified. */
  async function admit(
    context: RequestContext,
    subject: string,
    proven: Pick<NewGrant, 'purpose' | 'bound' | 'method'>,
    { standing, browser, trustDevice }: InHand,
  ): Promise<Verified | Refusal> {
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
      await onVerified(req, res, grant)
      const last = await renewal.follow(req, ids)
      if (last !== after) await written.moveTo(last)
      successPath = await parts.successPaths.of(grant)
      // Trust outlives every grant, so it is not left behind by a sign-in that was revoked meanwhile.
      if (trustDevice && (await standing.isRevoked())) {
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

  return {
    async actor(req) {
      const requester = identified(identify, req)
      return actorOf(req, requester, grants.prefetch(requester), knownIn(req, requester))
    },

    async start(context, fixedPurpose) {
      const { req, res, fields } = context
      const requester = identified(identify, req)
      const { subject } = requester
      const given = readChannel(fields)
      const asked = wanted(context, fixedPurpose)
      const { purpose, bound, requireCode, details } = asked
      const standing = grants.prefetch(requester)
      const browser = devices?.isShown(req) ? devices.open(req, subject) : undefined
      if (!requireCode && devices?.serves(purpose) && (await browser?.isTrusted())) {
        const inHand = { standing, browser, trustDevice: false }
        return admit(context, subject, { purpose, method: 'trusted-device' }, inHand)
      }
      const accepted = acceptedChannel(given, purposes.find(purpose)?.channels ?? [], asked)
      if (accepted.outcome === 'refused') return accepted
      const { channel } = accepted
      await sessions.keep(req, res)
      const actor = await actorOf(req, requester, standing, browser?.known)
      const how = { channel, details, locale: parts.localeOf(req), beforeSend: parts.beforeSendOf(req) }
      return challenges.start({ ...actor, purpose, bound, ...how })
    },

    async submission(context) {
      const requester = identified(identify, context.req)
      const { subject } = requester
      const standing = grants.prefetch(requester)
      // Read without a token too: success will leave one.
      const browser = devices?.open(context.req, subject)
      return {
        actor: await actorOf(context.req, requester, standing, browser?.known),
        approve({ purpose, bound, channel }, asksForTrust) {
          const proven = { purpose, method: channel, ...(bound !== undefined && { bound }) }
          const trustDevice = asksForTrust && devices?.serves(purpose) === true
          return admit(context, subject, proven, { standing, browser, trustDevice })
        },
      }
    },
  }
}
