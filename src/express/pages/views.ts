import type { Request } from 'express'
import type { Actor, Challenges, ChallengeView, Outlook } from '../../challenge/commands.js'
import type { Purposes } from '../../challenge/purposes.js'
import type { ProblemCode } from '../../errors.js'
import { nationalForm } from '../../phone-number.js'
import type { Intent, Intents } from '../flows/intent.js'
import type { FindProven, Proven } from '../flows/proven.js'
import { acceptedChannels, challengeFor, takesRecoveryCode } from '../guard/accepted.js'
import type { Requirement } from '../guard/requirement.js'
import type { Resumed } from '../guard/resumption.js'
import type { Problem } from '../http/problems.js'
import { type Body, invalid, oneString, type RequestContext } from '../http/request-body.js'
import type { FormFieldsOf } from './form-fields.js'
import type { PageLinks } from './links.js'
import { pageFor } from './page-for.js'
import type { PageView } from './page-view.js'

/** What the pages of one lane show. */
export interface Views {
  /** The page for what this request asks for: with the live challenge when that is for it. */
  of(context: RequestContext, problem?: Problem): Promise<PageView>
  /** The explanation alone, on a route of the host, from which the forms of the pages do not work. */
  formless(context: RequestContext, problem: Problem): Promise<PageView>
  /** The page that posts an interrupted form again, or says that it is gone. */
  resume(context: RequestContext, resumed: Resumed): PageView
}

export interface ViewParts {
  readonly lane: 'auth' | 'enrol'
  readonly basePathOf: (req: Request) => string
  readonly purposes: Purposes
  readonly defaultPurpose: string
  readonly intents: Intents
  readonly actor: (req: Request) => Promise<Actor | undefined>
  readonly challenges: Pick<Challenges, 'find' | 'preview'>
  readonly findProven: FindProven
  /** Whether a person is shown the response, as a page or in a dialog. */
  readonly wantsScreen: (req: Request) => boolean
  readonly offersTrust: (purpose: string, demand: Requirement | undefined) => boolean
  /** For how long a trusted device stands in for the code, in milliseconds. */
  readonly trustForMs?: number | undefined
  /** Whether codes hold letters: phones then show their whole keyboard. */
  readonly codeLetters: boolean
  readonly linksOf: (req: Request) => PageLinks
  readonly formFieldsOf: FormFieldsOf
  readonly countries: readonly string[]
  readonly attemptsPerChallenge: number
  /** Whether sessions live in cookies: pages then notice a browser that blocks them. */
  readonly probesCookies: boolean
  readonly now: () => number
}

/** What a page depends on besides its request. */
interface Found {
  readonly live?: ChallengeView | undefined
  readonly outlook?: Outlook | undefined
  readonly proven?: Proven | undefined
  /** At a signup: the number that this session wants to prove, as typed, and as people in its country write it. */
  readonly typed?: {
    readonly phone: string
    readonly country?: string | undefined
    readonly national: string
  }
}

/** After these nobody is known well enough to be shown anything of theirs. */
const unidentified: ReadonlySet<ProblemCode> = new Set([
  'not_identified',
  'cross_site',
  'session_unavailable',
])

/** After these the store has been waited for in vain, or this session has too many requests that wait already. */
const busy: ReadonlySet<ProblemCode> = new Set(['store_unavailable', 'capacity'])

export function createViews(parts: ViewParts): Views {
  const { lane, purposes, intents, challenges, wantsScreen, now } = parts

  /** Looks up the person's challenge, or what stands in its place, as far as the problem that is told leaves it open. */
  async function lookUp(context: RequestContext, intent: Intent, problem?: Problem): Promise<Found> {
    const { req, fields } = context
    // A recovery code needs nothing but the first factor: neither a number nor a challenge.
    if (wantsRecovery(fields) || (problem && (busy.has(problem.code) || unidentified.has(problem.code)))) {
      return {}
    }
    const actor = await parts.actor(req)
    // JSON tells nothing but the challenge.
    const isShown = problem !== undefined || wantsScreen(req)
    const { challenge, purpose = parts.defaultPurpose, issued } = intent
    const shown = { challenge, purpose, bound: issued?.bound }
    // Together: over a network store they cost one round trip.
    const [live, outlook, typed] = await Promise.all([
      // Shown is signed: a page that is for one thing must not take the code for another.
      actor && challenges.find(actor, isShown || intent.purpose !== undefined ? shown : undefined),
      actor && isShown ? challenges.preview({ ...actor, purpose, bound: issued?.bound }) : undefined,
      actor?.lane === 'enrol' && isShown ? typedBy(actor) : undefined,
    ])
    const found = { live, outlook, ...(typed && { typed }) }
    if (live !== undefined || !wantsScreen(req) || !mayBeProven(problem, intent)) return found
    return { ...found, proven: await parts.findProven(context, outlook?.untypedSince ?? 0) }
  }

  function view(
    { req, fields }: RequestContext,
    intent: Intent,
    { live, outlook, proven, typed: remembered }: Found,
    more: { readonly problem?: Problem | undefined; readonly formless?: boolean; readonly resumed?: Resumed },
  ): PageView {
    const { demand, spent, requirement, returnTo } = intent
    const { problem, formless = false, resumed } = more
    // A page that is asked for by it is refused; a code that is posted is told about, whatever came along.
    const useless = live !== undefined && acceptedChannels([live.channel], demand).length === 0
    const challenge = (spent || useless) && req.method !== 'POST' ? undefined : live
    const purpose = purposes.find(challenge?.purpose ?? intent.purpose ?? parts.defaultPurpose)
    const typed = lane === 'enrol' ? { ...remembered, ...typedIn(fields) } : undefined
    return pageFor({
      basePath: parts.basePathOf(req),
      challenge: challenge && challengeFor(demand, challenge),
      details: resumed ? resumed.form?.details : (challenge?.details ?? demand?.details),
      methods: demand?.methods,
      problem,
      outlook,
      proven: proven !== undefined,
      resumed: resumed !== undefined,
      form: resumed?.form,
      formSent: resumed?.isSent,
      formless,
      wantsRecovery: wantsRecovery(fields),
      requirement,
      returnTo: proven?.returnTo ?? returnTo ?? proven?.successPath,
      purpose: purpose?.name,
      spent: spent || formless,
      channels: acceptedChannels(purpose?.channels ?? [], demand),
      attemptsPerChallenge: parts.attemptsPerChallenge,
      offerTrust: purpose !== undefined && parts.offersTrust(purpose.name, demand),
      trustForMs: parts.trustForMs,
      lettersInCode: parts.codeLetters,
      changeableNumber: lane === 'enrol',
      typedPhone: typed?.phone,
      typedCountry: typed?.country?.toUpperCase(),
      nationalPhone: typed?.national,
      probesCookies: parts.probesCookies && req.headers.cookie === undefined,
      emptyField: typedFields.every((name) => oneString(fields, name) === undefined),
      takesRecoveryCode: lane === 'auth' && takesRecoveryCode(purpose, demand),
      formInterrupted: problem?.code === 'second_factor_required',
      formKept: demand?.formId !== undefined,
      links: parts.linksOf(req),
      // These pages have no form, and their request often no session to take a token from.
      formFields: problem && unidentified.has(problem.code) ? {} : parts.formFieldsOf(req),
      countries: parts.countries,
      now: now(),
    })
  }

  async function shown(context: RequestContext, problem?: Problem, formless?: boolean): Promise<PageView> {
    const isUnknown = problem !== undefined && unidentified.has(problem.code)
    const { requirement: _, ...fields } = context.fields
    const intent = intents.of(isUnknown ? { ...context, fields } : context)
    const found = await lookUp(context, intent, problem).catch((error: unknown): Found => {
      // The problem that is being told came first.
      if (problem === undefined) throw error
      return {}
    })
    if (intent.spent && problem === undefined && found.proven === undefined) {
      throw invalid('requirement is invalid or has expired.')
    }
    return view(context, intent, found, { problem, ...(formless && { formless }) })
  }

  return {
    of: shown,
    formless: (context, problem) => shown(context, problem, true),
    resume: (context, resumed) => view(context, intents.of(context), {}, { resumed }),
  }
}

/** Success in another tab ends the challenge, and the session that requirements were sealed for. */
function mayBeProven(problem: Problem | undefined, { spent }: Intent): boolean {
  if (problem === undefined || problem.code === 'challenge_gone') return true
  return spent && problem.code === 'invalid_request'
}

/** Whether the page of recovery codes is asked for, by a link or by its own form. */
function wantsRecovery(fields: Body): boolean {
  return oneString(fields, 'method') === 'recovery-code' || Object.hasOwn(fields, 'recoveryCode')
}

const typedFields = ['code', 'phone', 'recoveryCode']

async function typedBy({ phone, country }: Actor): Promise<NonNullable<Found['typed']>> {
  return { phone, country, national: await nationalForm(phone, country) }
}

/** What came with the form: without a field, what the session remembers is shown. */
function typedIn(fields: Body): { readonly phone?: string; readonly country?: string } {
  const phone = oneString(fields, 'phone')
  const country = oneString(fields, 'country')
  return { ...(phone && { phone }), ...(country && { country }) }
}
