import type { Request } from 'express'
import type { Challenges } from '../../challenge/challenges.js'
import { type ChallengeRef, type RequesterContext, refused } from '../../challenge/commands.js'
import { kindOf } from '../../challenge/exchange/code-provider.js'
import { firstPurpose, takesRecoveryCode } from '../../challenge/purposes.js'
import { choicesOf, mayHaveSeveral } from '../../challenge/reach/destinations.js'
import { type Recover, readRecoveryCode } from '../../challenge/recovery.js'
import { TwoFactorError } from '../../errors.js'
import { ignoreRejection } from '../../lib/promises.js'
import { whenGone } from '../../lib/when-gone.js'
import type { PageIntent, Requirement } from '../guard/requirement.js'
import { isOurs } from '../host/boundary.js'
import { invalid, type RequestContext, readChannel, text } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import { signInUrl } from '../pages/links.js'
import { createAdmit, type RequesterRecord } from './admission.js'
import type { Flow } from './flow.js'

type SignInContext = RequesterContext & RequesterRecord

/** Sign-in and step-up: the number on file, a grant as the result. */
export function createSignIn(http: HttpParts): Flow<SignInContext> {
  const { settings, domain, identify, identified, sessions, addressOf, numbersOf, secretOf } = http
  const { requirements, devices, path, successPaths } = http
  const { challenges, grants, purposes, now } = domain
  const admit = createAdmit(http)

  /** Nobody is signed out for a requirement that this session cannot read: a proof in another tab may have renewed it. */
  const isSignIn: Flow['isSignIn'] = ({ purpose, issued, spent }) =>
    purpose === firstPurpose && (issued === undefined ? !spent : issued.isStepUp !== true)

  /** Who acts. Nothing is read of the store yet. */
  function callerOf(req: Request): RequesterRecord {
    const { subject, session } = identified(req)
    const record = grants.open({ subject, session })
    const browser = devices?.open(req, subject, () => record.devicesEndedAt())
    return { subject, session, record, browser }
  }

  /** With what the host has on file; nothing of ours is read. */
  async function acting(
    req: Request,
    { subject, session, record, browser }: RequesterRecord,
  ): Promise<SignInContext> {
    const [numbers, secret] = await Promise.all([numbersOf(req, subject), secretOf?.(req, subject)])
    const { address, proxied } = addressOf(req)
    const onGone = whenGone(req)
    const actor = { subject, session, record, browser, address, proxied, onGone, secret, ...numbers }
    if (choicesOf(actor) === 0) throw new TwoFactorError('no_phone')
    return actor
  }

  function actorOf(req: Request, caller: RequesterRecord): Promise<SignInContext> {
    // ASVS 5.0, 7.4.1: before the host is asked for the number, so that a revocation meanwhile ends this.
    ignoreRejection(caller.record.read())
    return acting(req, caller)
  }

  /** Whether the browser stands in for the code. What is revoked from here on ends this. */
  async function isTrusted({ browser, record }: RequesterRecord): Promise<boolean> {
    ignoreRejection(record.read())
    return (await browser?.trusted()) !== undefined
  }

  /** What is to be proven: what the guard required, else just a purpose. */
  function demandOf({ fields }: RequestContext, { demand }: PageIntent): Requirement {
    const named = text(fields, 'purpose')
    const isRequired = text(fields, 'requirement') !== undefined
    const wanted = isRequired ? demand : { purpose: named ?? firstPurpose }
    // Signed for another session, too old, or put together with another purpose.
    if (wanted === undefined || (named !== undefined && named !== wanted.purpose)) {
      throw invalid('requirement is invalid or has expired.')
    }
    if (purposes.find(wanted.purpose)?.browserStartable !== true) throw invalid('purpose is unknown.')
    return wanted
  }

  /** An expired requirement still says what the person was shown. */
  async function shown(
    { req, fields }: RequestContext,
    { issued }: PageIntent,
  ): Promise<ChallengeRef & Pick<Requirement, 'recoveryCode'>> {
    const challenge = text(fields, 'challenge')
    const purpose = text(fields, 'purpose')
    const token = text(fields, 'requirement')
    if (purpose !== undefined && purposes.find(purpose) === undefined) throw invalid('purpose is unknown.')
    if (token === undefined) return { challenge, purpose }
    const known = issued ?? (await issuedEarlier(req, token))
    if (known === undefined || (purpose ?? known.purpose) !== known.purpose) {
      throw invalid('requirement is invalid.')
    }
    return { challenge, ...known }
  }

  /**
   * Looked up in the store only for what this session cannot read: a proof in another tab has renewed it. It says what
   * was shown and what is proven; nothing is asked for by it (session fixation).
   */
  async function issuedEarlier(req: Request, token: string): Promise<PageIntent['issued']> {
    const who = identify(req)
    return who && requirements.readIssuedFor(who.subject, await grants.earlierSessions(who), token)
  }

  /** What the live challenge is for; a subject without a number has none. */
  async function live(
    req: Request,
    caller: RequesterRecord,
    wasShown: ChallengeRef,
  ): ReturnType<Challenges['demandOf']> {
    try {
      return await challenges.demandOf(await actorOf(req, caller), wasShown)
    } catch (error) {
      if (isOurs(error) && error.code === 'no_phone') return undefined
      throw error
    }
  }

  /** In place of a code by phone: for the same first factor, whatever has become of the number. */
  const recoverBy =
    (recover: Recover): NonNullable<Flow['recover']> =>
    async (context, intent) => {
      const code = readRecoveryCode(text(context.fields, 'recoveryCode') ?? '')
      if (code === undefined) throw invalid('recoveryCode does not match the expected format.')
      const caller = callerOf(context.req)
      const wasShown = await shown(context, intent)
      const started = await live(context.req, caller, wasShown)
      if (started !== undefined && 'outcome' in started) return started
      const demand = started ? { ...wasShown, ...started } : demandOf(context, intent)
      // Before the code is used up: it would be lost on a guard that does not take it.
      if (!takesRecoveryCode(purposes.find(demand.purpose), demand)) {
        throw invalid('A recovery code will not do here.')
      }
      const outcome = await recover(caller, code)
      if (outcome.outcome !== 'accepted') return outcome
      const { purpose, bound } = demand
      return admit(context, caller, { purpose, bound, method: 'recovery-code' })
    }

  return {
    name: 'auth',
    defaultPurpose: firstPurpose,
    requirements,
    basePathOf: () => path,
    offersTrust: (purpose, demand) => devices?.serves(purpose) === true && demand?.requireCode !== true,
    openForm: http.resumption.open,
    isSignIn,

    wayOut(req, intent) {
      const { purpose, issued, returnTo } = intent
      if (purpose === undefined) return undefined
      const { signIn, home = '/' } = http.linksOf(req)
      if (isSignIn(intent)) return signIn === undefined ? home : signInUrl(signIn, returnTo)
      return issued?.cameFrom ?? home
    },

    shown,
    actor: async (req) => actorOf(req, callerOf(req)),
    async actorOfSeveral(req) {
      const actor = await acting(req, callerOf(req))
      return mayHaveSeveral(actor) ? actor : undefined
    },

    async start(context, intent, hostSays) {
      const { req, res, fields } = context
      const caller = callerOf(req)
      const channel = readChannel(fields, settings.methods)
      const destination = text(fields, 'destination')
      const demand = demandOf(context, intent)
      const { purpose, bound, requireCode, details, methods } = demand
      if (!requireCode && devices?.serves(purpose) && (await isTrusted(caller))) {
        return admit(context, caller, { purpose, method: 'trusted-device' })
      }
      const actor = await actorOf(req, caller)
      // Whoever has several destinations chooses, and an authenticator app costs nothing.
      if (hostSays.isAutomatic && choicesOf(actor) > 1) return refused('invalid_request')
      const onPassed = () => sessions.save(req, res)
      const { locale, beforeSend, isAutomatic } = hostSays
      return challenges.start({
        channel,
        destination,
        onPassed,
        purpose,
        bound,
        methods,
        details,
        locale,
        beforeSend,
        isAutomatic,
        ...actor,
      })
    },

    async approve(context, actor, { purpose, bound, channel }, trustDevice) {
      const method = kindOf(channel)
      const proven = { purpose, bound, method, channel: method === 'code' ? channel : undefined }
      const trust = trustDevice && devices?.serves(purpose) ? devices.trustIn(context.req) : undefined
      return admit(context, actor, proven, trust)
    },

    recover: domain.recover && recoverBy(domain.recover),

    /** A grant that came after the requirement, or after the last code that was sent. */
    async proven({ req, fields }, { issued }, since) {
      const who = identify(req)
      if (who === undefined) return undefined
      const token = text(fields, 'requirement')
      const required = token === undefined ? undefined : (issued ?? (await issuedEarlier(req, token)))
      // IDOR: issued for another session than those that became this one.
      if (token !== undefined && required === undefined) return undefined
      const { issuedAt, returnTo, ...demand } = required ?? {
        purpose: text(fields, 'purpose') ?? firstPurpose,
        issuedAt: since,
        returnTo: undefined,
        recoveryCode: true,
      }
      const grant = await grants.read({ ...demand, ...who, maxAgeMs: now() - issuedAt + 1 })
      return grant && { purpose: grant.purpose, returnTo }
    },
    successPathOf: successPaths.of,
  }
}
