import type { Request } from 'express'
import type { Outlook } from '../../challenge/challenges.js'
import type { ChallengeRef, ChallengeView, RequesterContext } from '../../challenge/commands.js'
import { appMethod, type Channel, passkeyMethod } from '../../challenge/exchange/code-provider.js'
import { acceptedChannels, type ProofRequirement, takesRecoveryCode } from '../../challenge/purposes.js'
import { type DestinationView, mayHaveSeveral } from '../../challenge/reach/destinations.js'
import type { ProblemCode } from '../../errors.js'
import type { ApprovedProof, Flow } from '../flows/flow.js'
import { challengeFor, type PageIntent, readIntent } from '../guard/requirement.js'
import type { Resumed } from '../guard/resumption.js'
import { probeIn } from '../http/cookies.js'
import type { Problem } from '../http/problems.js'
import { type Body, findField, invalid, type RequestContext } from '../http/request-body.js'
import { isRepeatable } from '../http/site-paths.js'
import type { HttpParts } from '../http-parts.js'
import { fixedLength } from './code-length.js'
import { preferredRegion } from './language.js'
import { pageUrl } from './links.js'
import { createNumbers, type Typed, typedIn } from './numbers.js'
import { isOfNobody, pageFor } from './page-for.js'
import type { PageView } from './page-view.js'

/** Facts of a page besides its request. */
interface Found {
  readonly live?: ChallengeView | undefined
  readonly outlook?: Outlook | undefined
  /** A challenge for the passkeys, if the account has any. */
  readonly passkey?: ChallengeView | undefined
  /** Present if the code was entered in another tab. */
  readonly proven?: ApprovedProof | undefined
  /** At a sign-up: the number of this session, as typed and as people write it. */
  readonly typed?: Typed | undefined
  /** At a sign-up: a country that the number fits, other than the chosen one. */
  readonly other?: string | undefined
  /** The masked number on file, if there is one. */
  readonly destination?: string | undefined
  /** True if the app counts no recovery code of the account. */
  readonly noRecoveryCode?: boolean
  /** At a sign-up: the calling codes of the countries. */
  readonly codes?: PageView['callingCodes']
}

/** After these problems, reading more would wait for the store again, or add requests to this session. */
const busy: ReadonlySet<ProblemCode> = new Set(['store_unavailable', 'capacity'])

/** After these problems, the input can be submitted again unchanged. */
const resubmittable: ReadonlySet<ProblemCode> = new Set([
  'verification_unavailable',
  'verification_in_progress',
  'provider_unavailable',
])

const wrongCode = 'code_not_accepted'

/** Creates the pages of one flow. */
export function createViews(http: HttpParts, flow: Flow) {
  const { settings, responder, sessions } = http
  const { challenges, purposes, limits, now, hasNoRecoveryCode } = http.domain
  const { code, trustedDevices } = settings
  const countries = settings.countries === 'any' ? [] : settings.countries
  const numbers = createNumbers(countries)
  const codeLength = fixedLength(code.pattern)
  const { wantsScreen } = responder
  const { fromBrowser, pageBefore, returnPathOf } = http.sitePaths
  const isSignup = flow.name === 'enrol'

  /** Finds the user's challenge, or its replacement, as far as the problem allows. */
  async function lookUp(context: RequestContext, intent: PageIntent, problem?: Problem): Promise<Found> {
    const { req, res, fields } = context
    const tellsAll = problem && (busy.has(problem.code) || isOfNobody(problem))
    // A recovery code needs the first factor only: neither a number nor a challenge.
    const wanted = wantedIn(fields)
    if (tellsAll || wanted === 'recovery-code') return {}
    const actor = await flow.actor(req)
    // JSON contains only the challenge.
    const isShown = problem !== undefined || wantsScreen(req)
    const { challenge, purpose = flow.defaultPurpose, issuedRequirement } = intent
    const displayed = { challenge, purpose, bound: issuedRequirement?.bound }
    // Started together, which is one round trip to a network store.
    const [live, outlook, typed, destination, passkey, noRecoveryCode] = await Promise.all([
      // The user confirms the details on the page, so a page for one purpose must not accept the code of another.
      actor && liveOf(actor, intent, isShown || intent.purpose !== undefined ? displayed : undefined, wanted),
      actor && (isShown || mayHaveSeveral(actor))
        ? challenges.preview({
            purpose,
            bound: issuedRequirement?.bound,
            methods: intent.requirement?.methods,
            ...actor,
          })
        : undefined,
      actor?.lane === 'enrol' && isShown ? numbers.typedBy(actor) : undefined,
      actor && isShown && !mayHaveSeveral(actor) ? numbers.maskedOf(actor) : undefined,
      actor?.signer && isShown ? sealedOf(actor, intent, passkeyMethod) : undefined,
      actor && !isSignup && isShown && takesRecoveryCode(purposes.find(purpose), intent.requirement)
        ? hasNoRecoveryCode(actor.subject)
        : false,
    ])
    // The ids of the destinations are for this session, which may not be saved yet.
    if (outlook?.destinations !== undefined) await sessions.save(req, res)
    const found = { live, outlook, typed, destination, passkey, noRecoveryCode }
    if (live !== undefined || !wantsScreen(req) || !mayBeProven(problem, intent)) return found
    // A page that is opened later than a code lives is for a new verification. An old form never is.
    const earliest = isRepeatable(req) ? now() - limits.codeLifetimeMs : 0
    const since = Math.max(outlook?.untypedSince ?? 0, earliest)
    return { ...found, proven: await flow.proven(context, intent, since) }
  }

  /** Finds the challenge whose code the page accepts. A start for an app stores none, so its page starts one. */
  async function liveOf(
    actor: RequesterContext,
    intent: PageIntent,
    displayed: ChallengeRef | undefined,
    wanted: PageView['method'],
  ) {
    if (wanted !== 'app' || intent.challenge !== undefined) return challenges.find(actor, displayed)
    return sealedOf(actor, intent, appMethod)
  }

  /** Returns a challenge of this page for which nothing is sent. */
  async function sealedOf(
    actor: RequesterContext,
    { requirement, issuedRequirement, purpose = flow.defaultPurpose }: PageIntent,
    channel: Channel,
  ) {
    const { details, methods } = requirement ?? {}
    return challenges.sealedChallenges({
      purpose,
      bound: issuedRequirement?.bound,
      details,
      methods,
      channel,
      ...actor,
    })
  }

  function view(
    { req, fields }: RequestContext,
    intent: PageIntent,
    { live, outlook, passkey, proven, typed: remembered, destination, noRecoveryCode, other, codes }: Found,
    more: { readonly problem?: Problem | undefined; readonly formless?: boolean; readonly resumed?: Resumed },
  ): PageView {
    const { requirement, isExpired, requirementToken, returnTo } = intent
    const { problem, formless = false, resumed } = more
    // A page that requires another method ignores it. After a submitted code, the page reports about it in any case.
    const useless = live !== undefined && acceptedChannels([live.channel], requirement).length === 0
    const isOfPasskey = Object.hasOwn(fields, 'passkey')
    const challenge = isOfPasskey || ((isExpired || useless) && req.method !== 'POST') ? undefined : live
    const purpose = purposes.find(challenge?.purpose ?? intent.purpose ?? flow.defaultPurpose)
    const typed = isSignup ? { ...remembered, ...typedIn(fields) } : undefined
    const chosen = [other, typed?.country, preferredRegion(req.headers['accept-language'], countries)]
    const basePath = flow.basePathOf(req)
    const method = wantedIn(fields)
    const ownPage = { requirement: requirementToken, returnTo, purpose: intent.purpose, method } as const
    const isOfApp = challenge?.channel === appMethod
    return pageFor({
      basePath,
      address: req.method === 'POST' && !formless ? pageUrl(basePath, ownPage) : undefined,
      challenge: challenge && challengeFor(requirement, challenge),
      details: resumed ? resumed.form?.details : (challenge?.details ?? requirement?.details),
      methods: requirement?.methods,
      unconfirmed: challenge !== undefined && challenge.delivery !== 'sent',
      passkey,
      problem: problem && { ...(isOfPasskey ? asWrong(problem) : problem), signedOut: hadCode(fields) },
      outlook,
      proven: proven !== undefined,
      resumed: resumed !== undefined,
      form: resumed?.form,
      formSent: resumed?.isSent,
      formless,
      pageBefore: isRepeatable(req) ? pageBefore(req, http.path) : (returnTo ?? returnPathOf(req)),
      method,
      requirement: requirementToken,
      returnTo: proven?.returnTo ?? returnTo ?? (proven && flow.successPathOf(proven.purpose)),
      purpose: purpose?.name,
      isExpired: isExpired || formless,
      channels: acceptedChannels(outlook?.channels ?? purpose?.channels ?? [], requirement).filter(
        (channel) => channel !== passkeyMethod,
      ),
      // A challenge for which nothing was sent exists on this page only.
      destinations: isOfApp ? outlook?.destinations?.map(atApp) : outlook?.destinations,
      destination,
      offerTrust: purpose !== undefined && flow.offersTrust(purpose.name, requirement),
      offersPasskey: !isSignup && purpose?.name === flow.defaultPurpose && http.passkeyOffer.isSet(),
      trustForMs: trustedDevices?.maxAgeMs,
      lettersInCode: code.letters,
      codeLength,
      changeableNumber: isSignup,
      // In the account settings, the first page has mentioned it.
      tellsRisk: isSignup && settings.authenticator !== undefined && flow.backPath === undefined,
      typedPhone: typed?.phone,
      typedCode: problem && resubmittable.has(problem.code) ? findField(fields, 'code') : undefined,
      chosenCountry: chosen.find((one) => one !== undefined && countries.includes(one)) ?? countries[0],
      fullPhone: typed?.full,
      probesCookies: !sessions.bearer && probeIn(req) === undefined,
      emptyField: typedFields.every((name) => findField(fields, name) === undefined),
      takesRecoveryCode: !isSignup && !formless && !noRecoveryCode && takesRecoveryCode(purpose, requirement),
      formInterrupted: problem?.code === 'second_factor_required',
      formKept: requirement?.formId !== undefined,
      completes: requirement?.completes === true,
      links: http.linksOf(req),
      backPath: flow.backPath,
      // These pages have no form, and their request often has no session with a token.
      formFields: isOfNobody(problem) ? {} : http.formFieldsOf(req),
      countries,
      callingCodes: codes,
      now: now(),
    })
  }

  async function destinationsFor(
    req: Request,
    requirement: ProofRequirement,
  ): Promise<PageView['destinations']> {
    const actor = await flow.actorOfSeveral?.(req)
    if (actor === undefined) return undefined
    const { purpose, methods } = requirement
    return (await challenges.preview({ purpose, methods, ...actor })).destinations
  }

  const intentOf = (context: RequestContext) =>
    readIntent(context, { requirements: flow.requirements, fromBrowser }, purposes)

  /** Returns the problem that a page shows again after a reload: a wrong code of the live challenge. */
  function problemBefore({ req, fields }: RequestContext, { live }: Found): Problem | undefined {
    if (!isRepeatable(req) || findField(fields, 'wrong') === undefined) return undefined
    if (wantedIn(fields) === 'recovery-code') return { code: wrongCode, page: 'recovery' }
    const attemptsRemaining = live?.attemptsRemaining ?? limits.attemptsPerChallenge
    return attemptsRemaining < limits.attemptsPerChallenge
      ? { code: wrongCode, attemptsRemaining }
      : undefined
  }

  async function createView(
    context: RequestContext,
    { problem, formless = false }: { readonly problem?: Problem | undefined; readonly formless?: boolean },
  ): Promise<PageView> {
    const isUnknown = isOfNobody(problem)
    const { requirement: _, ...fields } = context.fields
    const intent = intentOf(isUnknown ? { ...context, fields } : context)
    const found = await lookUp(context, intent, problem).catch((error: unknown): Found => {
      // The current problem came first.
      if (problem === undefined) throw error
      return {}
    })
    if (intent.isExpired && problem === undefined && found.proven === undefined) {
      throw invalid('requirement is invalid or has expired.')
    }
    const shownProblem = problem ?? problemBefore(context, found)
    return view(
      context,
      intent,
      { ...found, ...(isSignup && (await numbers.choice(context.fields, problem))) },
      { problem: shownProblem, formless },
    )
  }

  return {
    /** Returns the page of a request, with the live challenge if it fits. */
    of: (context: RequestContext, problem?: Problem) => createView(context, { problem }),
    /** Returns the explanation only, on a route of the app, where the forms of the pages do not work. */
    formless: (context: RequestContext, problem: Problem) => createView(context, { problem, formless: true }),
    /**
     * Returns the destinations for a client that draws its own page, or undefined for a single number. The refusal is
     * more important: the start reports other failures.
     */
    destinationsFor: (req: Request, requirement: ProofRequirement) =>
      destinationsFor(req, requirement).catch(() => undefined),
    /** Returns the page that submits a saved form again, or reports that it is gone. */
    resume: (context: RequestContext, resumed: Resumed) => view(context, intentOf(context), {}, { resumed }),
  }
}

/** The page of an expired challenge has a new one, so that the passkey can be used again. */
const asWrong = (problem: Problem): Problem =>
  problem.code === 'challenge_gone' ? { ...problem, code: wrongCode } : problem

const atApp = (destination: DestinationView) => ({
  ...destination,
  isCurrent: destination.method === appMethod,
})

/**
 * Returns whether the problem may come from a success in another tab, which ends the challenge and the session of the
 * requirement.
 */
function mayBeProven(problem: Problem | undefined, { isExpired }: PageIntent): boolean {
  if (problem === undefined || problem.code === 'challenge_gone') return true
  return isExpired && problem.code === 'invalid_request'
}

/** Returns the page that a link or its own form requests instead of the code page. */
function wantedIn(fields: Body): PageView['method'] {
  if (Object.hasOwn(fields, 'recoveryCode')) return 'recovery-code'
  const method = findField(fields, 'method')
  return method === 'recovery-code' || method === 'any' || method === 'app' ? method : undefined
}

/** Returns whether the request comes from a page that was made for a user. */
const hadCode = (fields: Body) => ['challenge', 'requirement'].some((name) => Object.hasOwn(fields, name))

const typedFields = ['code', 'phone', 'recoveryCode']
