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
import { invalid, type RequestContext, readChannel, readField } from '../http/request-body.js'
import type { HttpParts } from '../http-parts.js'
import { signInUrl } from '../pages/links.js'
import { createAdmit, type RequesterRecord } from './admission.js'
import type { Flow } from './flow.js'

type SignInContext = RequesterContext & RequesterRecord

/** Creates sign-in and step-up: a code to the number on file leads to a grant. */
export function createSignIn(http: HttpParts): Flow<SignInContext> {
  const { settings, domain, identify, identified, sessions, addressOf, numbersOf, appOf, signerOf } = http
  const { requirements, devices, path, sitePaths, successPaths } = http
  const { challenges, grants, purposes, now } = domain
  const admit = createAdmit(http)

  /** An unreadable requirement signs no user out: a code in another tab may have renewed the session. */
  const isSignIn: Flow['isSignIn'] = ({ purpose, issuedRequirement, isExpired }) =>
    purpose === firstPurpose &&
    (issuedRequirement === undefined ? !isExpired : issuedRequirement.isStepUp !== true)

  /** Returns the requester without reading the store. */
  function callerOf(req: Request): RequesterRecord {
    const { subject, session } = identified(req)
    const record = grants.open({ subject, session })
    const browser = devices?.open(req, subject, () => record.devicesEndedAt())
    return { subject, session, record, browser }
  }

  /** Adds the factors on file, which your app returns. The store is not read. */
  async function loadContext(
    req: Request,
    { subject, session, record, browser }: RequesterRecord,
  ): Promise<SignInContext> {
    const [numbers, app, passkeys] = await Promise.all([
      numbersOf(req, subject),
      appOf(req, subject),
      signerOf(req, subject),
    ])
    const { address, proxied } = addressOf(req)
    const onGone = whenGone(req)
    const factors = { ...numbers, secret: app.found, signer: passkeys.found }
    const actor = { subject, session, record, browser, address, proxied, onGone, ...factors }
    if (choicesOf(actor) === 0) throw app.failure ?? passkeys.failure ?? new TwoFactorError('no_phone')
    return actor
  }

  function loadUnrevokedContext(req: Request, caller: RequesterRecord): Promise<SignInContext> {
    // Read before the app is called for the number, so that a revocation during that call ends this request (ASVS 5.0,
    // 7.4.1).
    ignoreRejection(caller.record.readRevocationId())
    return loadContext(req, caller)
  }

  /** Returns whether the browser replaces the code. A later revocation ends this request. */
  async function isTrusted({ browser, record }: RequesterRecord): Promise<boolean> {
    ignoreRejection(record.readRevocationId())
    return (await browser?.trusted()) !== undefined
  }

  /** Returns the guard's requirement, or one for the purpose alone. */
  function demandOf({ fields }: RequestContext, { requirement }: PageIntent): Requirement {
    const named = readField(fields, 'purpose')
    const isRequired = readField(fields, 'requirement') !== undefined
    const wanted = isRequired ? requirement : { purpose: named ?? firstPurpose }
    // Issued for another session, expired, or combined with another purpose.
    if (wanted === undefined || (named !== undefined && named !== wanted.purpose)) {
      throw invalid('requirement is invalid or has expired.')
    }
    if (purposes.find(wanted.purpose)?.browserStartable !== true) throw invalid('purpose is unknown.')
    return wanted
  }

  /** Returns the displayed challenge. An expired requirement still identifies it. */
  async function readDisplayed(
    { req, fields }: RequestContext,
    { issuedRequirement }: PageIntent,
  ): Promise<ChallengeRef & Pick<Requirement, 'recoveryCode'>> {
    const challenge = readField(fields, 'challenge')
    const purpose = readField(fields, 'purpose')
    const token = readField(fields, 'requirement')
    if (purpose !== undefined && purposes.find(purpose) === undefined) throw invalid('purpose is unknown.')
    if (token === undefined) return { challenge, purpose }
    const claims = issuedRequirement ?? (await issuedEarlier(req, token))
    if (claims === undefined || (purpose ?? claims.purpose) !== claims.purpose) {
      throw invalid('requirement is invalid.')
    }
    return { challenge, ...claims }
  }

  /**
   * Reads a requirement of an earlier id of this session, because a code in another tab has renewed it. It identifies
   * what was displayed and verified, and never starts anything (session fixation).
   */
  async function issuedEarlier(req: Request, token: string): Promise<PageIntent['issuedRequirement']> {
    const requester = identify(req)
    return (
      requester &&
      requirements.readIssuedFor(requester.subject, await grants.earlierSessions(requester), token)
    )
  }

  /** Returns the requirement of the live challenge. An account without a number has none. */
  async function live(
    req: Request,
    caller: RequesterRecord,
    displayed: ChallengeRef,
  ): ReturnType<Challenges['demandOf']> {
    try {
      return await challenges.demandOf(await loadUnrevokedContext(req, caller), displayed)
    } catch (error) {
      if (isOurs(error) && error.code === 'no_phone') return undefined
      throw error
    }
  }

  /**
   * Accepts a recovery code instead of a code by phone, after the same first factor and whatever the state of the
   * number.
   */
  const recoverBy =
    (recover: Recover): NonNullable<Flow['recover']> =>
    async (context, intent) => {
      const code = readRecoveryCode(readField(context.fields, 'recoveryCode') ?? '')
      if (code === undefined) throw invalid('recoveryCode does not match the expected format.')
      const caller = callerOf(context.req)
      const displayed = await readDisplayed(context, intent)
      const started = await live(context.req, caller, displayed)
      if (started !== undefined && 'outcome' in started) return started
      const requirement = started ? { ...displayed, ...started } : demandOf(context, intent)
      // Checked before the code is used up, because a guard that does not accept it would waste it.
      if (!takesRecoveryCode(purposes.find(requirement.purpose), requirement)) {
        throw invalid('A recovery code is not accepted here.')
      }
      const outcome = await recover(caller, code)
      if (outcome.outcome !== 'accepted') return outcome
      const { purpose, bound } = requirement
      return admit(context, caller, { purpose, bound, method: 'recovery-code' })
    }

  return {
    name: 'auth',
    defaultPurpose: firstPurpose,
    requirements,
    basePathOf: () => path,
    offersTrust: (purpose, requirement) =>
      devices?.serves(purpose) === true && requirement?.requireCode !== true,
    openForm: http.resumption.open,
    isSignIn,

    wayOut(req, intent) {
      const { purpose, issuedRequirement, returnTo } = intent
      if (purpose === undefined) return undefined
      const { signIn, home = '/' } = http.linksOf(req)
      if (isSignIn(intent)) return signIn === undefined ? home : signInUrl(signIn, returnTo)
      return issuedRequirement?.cameFrom ?? home
    },

    readDisplayed,
    actor: async (req) => loadUnrevokedContext(req, callerOf(req)),
    async actorOfSeveral(req) {
      const actor = await loadContext(req, callerOf(req))
      return mayHaveSeveral(actor) ? actor : undefined
    },

    async start(context, intent, hostSays) {
      const { req, res, fields } = context
      const caller = callerOf(req)
      const channel = readChannel(fields, settings.methods)
      const destination = readField(fields, 'destination')
      const requirement = demandOf(context, intent)
      const { purpose, bound, requireCode, details, methods } = requirement
      if (!requireCode && devices?.serves(purpose) && (await isTrusted(caller))) {
        return admit(context, caller, { purpose, method: 'trusted-device' })
      }
      const actor = await loadUnrevokedContext(req, caller)
      // A user with several destinations chooses one, and an authenticator app costs nothing.
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

    async approve(context, actor, { purpose, bound, channel, phone }, trustDevice) {
      const method = kindOf(channel)
      const proven = { purpose, bound, method, channel: method === 'code' ? channel : undefined }
      const trust = trustDevice && devices?.serves(purpose) ? devices.trustIn(context.req) : undefined
      return admit(context, actor, proven, { trust, phone })
    },

    recover: domain.recover && recoverBy(domain.recover),

    /** Finds a grant that is newer than the requirement, or than the last code. */
    async proven({ req, fields }, { issuedRequirement }, since) {
      const requester = identify(req)
      if (requester === undefined) return undefined
      const token = readField(fields, 'requirement')
      const requirement =
        token === undefined ? undefined : (issuedRequirement ?? (await issuedEarlier(req, token)))
      // Issued for a session that did not become this one (IDOR).
      if (token !== undefined && requirement === undefined) return undefined
      const { issuedAt, returnTo, ...proof } = requirement ?? {
        purpose: readField(fields, 'purpose') ?? firstPurpose,
        issuedAt: since,
        returnTo: undefined,
        recoveryCode: true,
      }
      const grant = await grants.read({ ...proof, ...requester, maxAgeMs: now() - issuedAt + 1 })
      return grant && { purpose: grant.purpose, returnTo }
    },
    successPathOf: (purpose) => sitePaths.fromApp(successPaths.of(purpose)),
  }
}
