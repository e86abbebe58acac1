import type { Request } from 'express'
import type { Actor, Challenges, Shown } from '../../challenge/commands.js'
import type { Grants, OpenSubject } from '../../challenge/proofs/grants.js'
import { firstPurpose, type Purposes } from '../../challenge/purposes.js'
import type { Recover } from '../../challenge/recovery.js'
import { TwoFactorError } from '../../errors.js'
import { acceptedChannel } from '../guard/accepted.js'
import type { Requirement, Requirements } from '../guard/requirement.js'
import { isOurs } from '../host/boundary.js'
import { type Identify, identified, type Requester, type Sessions } from '../host/requester.js'
import type { AddressOf } from '../http/address.js'
import { invalid, type RequestContext, readChannel, text } from '../http/request-body.js'
import type { SuccessPaths } from '../http/return-path.js'
import { createAdmit, type OnVerified } from './admission.js'
import type { DeviceCookies } from './device-cookies.js'
import type { Flow } from './handlers.js'
import { createRecovery } from './recovery.js'
import type { Renewal } from './renewal.js'
import { createReadShown } from './shown.js'

/** The number on file of a subject, in international form such as `+573001234567`; nothing when there is none. */
export type PhoneOf = (
  req: Request,
  subject: string,
) => string | null | undefined | Promise<string | null | undefined>

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
  readonly onVerified: OnVerified | undefined
  readonly successPaths: SuccessPaths
  /** Undefined without the option `recoveryCodes`. */
  readonly recover: Recover | undefined
}): Flow {
  const { identify, requirements, sessions, purposes, challenges, grants, devices, recover } = parts
  const admit = createAdmit(parts)
  const shown = createReadShown(parts)

  async function actorOf(
    req: Request,
    { subject, session }: Requester,
    { epoch }: OpenSubject,
    knownBrowser: Actor['knownBrowser'],
  ): Promise<Actor> {
    const phone = (await parts.phoneOf(req, subject)) ?? ''
    if (phone === '') throw new TwoFactorError('no_phone')
    if (typeof phone !== 'string') {
      throw new TypeError(
        `phone returned a value of type ${typeof phone}; it must return a string or undefined`,
      )
    }
    // Where there is no device cookie, browsers are not told apart.
    const isKnown = devices && (knownBrowser ?? false)
    return { subject, session, phone, epoch, knownBrowser: isKnown, ...parts.addressOf(req) }
  }

  /** Whether the browser is known; without its cookie the store is not read. */
  const knownIn = (req: Request, { subject }: Requester) =>
    devices?.isShown(req) ? devices.open(req, subject).known : undefined

  /** What is to be proven: what the guard required, else just a purpose. */
  function wanted({ req, fields }: RequestContext): Requirement {
    const token = text(fields, 'requirement')
    const named = text(fields, 'purpose')
    const asked =
      token === undefined
        ? { purpose: named ?? firstPurpose }
        : requirements.unexpired(requirements.readIssued(req, token))
    // Signed for another session, too old, or put together with another purpose.
    if (asked === undefined || (named !== undefined && named !== asked.purpose)) {
      throw invalid('requirement is invalid or has expired.')
    }
    if (purposes.find(asked.purpose)?.browserStartable !== true) throw invalid('purpose is unknown.')
    return asked
  }

  /** What the live challenge is for; a subject without a number has none. */
  async function live(
    wasShown: Shown,
    ...[req, requester, record, known]: Parameters<typeof actorOf>
  ): ReturnType<Challenges['asked']> {
    try {
      return await challenges.asked(await actorOf(req, requester, record, known), wasShown)
    } catch (error) {
      if (isOurs(error) && error.code === 'no_phone') return undefined
      throw error
    }
  }

  return {
    ...(recover && { recover: createRecovery({ ...parts, recover, shown, wanted, live, admit }) }),
    shown,

    async actor(req) {
      const requester = identified(identify, req)
      return actorOf(req, requester, grants.open(requester), knownIn(req, requester))
    },

    async start(context, hostSays) {
      const { req, res, fields } = context
      const requester = identified(identify, req)
      const { subject } = requester
      const given = readChannel(fields)
      const asked = wanted(context)
      const { purpose, bound, requireCode, details } = asked
      const record = grants.open(requester)
      const browser = devices?.isShown(req) ? devices.open(req, subject) : undefined
      if (!requireCode && devices?.serves(purpose) && (await browser?.isTrusted())) {
        const inHand = { record, browser, trustDevice: false }
        return admit(context, subject, { purpose, method: 'trusted-device' }, inHand)
      }
      const accepted = acceptedChannel(given, purposes.find(purpose)?.channels ?? [], asked)
      if (accepted.outcome === 'refused') return accepted
      const { channel } = accepted
      const actor = await actorOf(req, requester, record, browser?.known)
      const onPassed = () => sessions.keep(req, res)
      return challenges.start({ ...actor, ...hostSays, onPassed, purpose, bound, channel, details })
    },

    async submission(context) {
      const requester = identified(identify, context.req)
      const { subject } = requester
      const record = grants.open(requester)
      // Read without a token too: success will leave one.
      const browser = devices?.open(context.req, subject)
      return {
        actor: await actorOf(context.req, requester, record, browser?.known),
        approve({ purpose, bound, channel, channels }, asksForTrust) {
          const proven = { purpose, bound, method: channel, channels }
          const trustDevice = asksForTrust && devices?.serves(purpose) === true
          return admit(context, subject, proven, { record, browser, trustDevice })
        },
      }
    },
  }
}
