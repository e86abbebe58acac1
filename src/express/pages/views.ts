import type { Request } from 'express'
import type { Purposes } from '../../challenge/purposes.js'
import type { Proven } from '../flows/proven.js'
import { acceptedChannels, challengeFor, takesRecoveryCode } from '../guard/accepted.js'
import type { Requirement, Requirements } from '../guard/requirement.js'
import type { Resumed } from '../guard/resumption.js'
import type { Problem } from '../http/problems.js'
import { type Body, invalid, oneString, type RequestContext } from '../http/request-body.js'
import { safePath } from '../http/return-path.js'
import type { FormFieldsOf } from './form-fields.js'
import type { PageLinks } from './links.js'
import { createLookUp, type Found, type LookUpParts, unidentified, type Wanted } from './look-up.js'
import { withOutlook } from './outlook.js'
import { pageUrl } from './page-url.js'
import type { PageView } from './page-view.js'

/** What the pages of one lane show, and where its forms lead. */
export interface Views {
  /** The page for what this request asks for: with the live challenge when that is for it. */
  of(context: RequestContext, problem?: Problem): Promise<PageView>
  /** What this request asks for, when it says so by a requirement that is worth something. */
  asked(context: RequestContext): Requirement | undefined
  /** The page again, with what came along. */
  page(context: RequestContext): string
  /** The page of a code that was sent just now. */
  codePage(context: RequestContext): string
  /** Where this request wants to go after success. Asked before the session is renewed: requirements end with the old id. */
  back(context: RequestContext): string | undefined
  /** The page that posts an interrupted form again, or says that it is gone. */
  resume(context: RequestContext, resumed: Resumed): PageView
}

/** What a form or link brings along from the page before. */
interface Carried extends Wanted {
  readonly asked: Requirement | undefined
  readonly requirement: string | undefined
  readonly returnTo: string | undefined
}

export interface ViewParts extends LookUpParts {
  readonly lane: 'auth' | 'enrol'
  readonly basePathOf: (req: Request) => string
  readonly purposes: Purposes
  /** In the auth lane alone. */
  readonly requirements?: Requirements | undefined
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

export function createViews(parts: ViewParts): Views {
  const { lane, basePathOf, purposes, now } = parts
  const lookUp = createLookUp(parts)

  function carriedBy({ req, fields }: RequestContext, problem?: Problem): Carried {
    const token = problem && unidentified.has(problem.code) ? undefined : oneString(fields, 'requirement')
    const issued = token === undefined ? undefined : parts.requirements?.readIssued(req, token, [])
    const asked = issued && parts.requirements?.read(req, String(token))
    const purpose = purposes.find(oneString(fields, 'purpose') ?? '')?.name
    const spent = token !== undefined && asked === undefined
    const returnTo =
      safePath(oneString(fields, 'returnTo')) ??
      (spent ? parts.requirements?.returnPath(req, token) : undefined)
    return {
      asked,
      spent,
      requirement: asked && token,
      returnTo: asked?.returnTo ?? returnTo,
      purpose: issued?.purpose ?? purpose,
      bound: issued?.bound,
      challenge: oneString(fields, 'challenge'),
    }
  }

  function view(
    { req, fields }: RequestContext,
    carried: Carried,
    { live, typed: remembered }: Pick<Found, 'live' | 'typed'>,
    problem?: Problem,
  ): PageView {
    const { asked, spent, requirement, returnTo, purpose } = carried
    // A page that is asked for by it is refused; a code that is posted is told about, whatever came along.
    const useless = live !== undefined && acceptedChannels([live.channel], asked).length === 0
    const challenge = (spent || useless) && req.method !== 'POST' ? undefined : live
    const settled = purposes.find(challenge?.purpose ?? purpose ?? parts.defaultPurpose)
    const channels = acceptedChannels(settled?.channels ?? [], asked)
    const takesRecovery = lane === 'auth' && takesRecoveryCode(settled, asked)
    const noCode = asked?.methods !== undefined && channels.length === 0
    const byRecovery = takesRecovery && !spent && (wantsRecovery(fields) || noCode)
    // No code will do here, only a factor of the host's own.
    const elsewhere = noCode && !byRecovery
    const typed = lane === 'enrol' ? { ...remembered, ...typedIn(fields) } : undefined
    const first = lane === 'auth' ? 'start' : 'phone'
    const byPhone = challenge !== undefined ? 'code' : spent || elsewhere ? 'problem' : first
    const page = byRecovery ? 'recovery' : byPhone
    return {
      page,
      basePath: basePathOf(req),
      challenge: challenge && challengeFor(asked, challenge),
      details: challenge?.details ?? asked?.details,
      methods: asked?.methods,
      problem: elsewhere ? (problem ?? { code: 'second_factor_required' }) : problem,
      requirement,
      returnTo,
      purpose: settled?.name,
      spent,
      channels,
      attemptsPerChallenge: parts.attemptsPerChallenge,
      offerTrust: settled !== undefined && parts.offersTrust(settled.name, asked),
      trustForMs: parts.trustForMs,
      lettersInCode: parts.codeLetters,
      changeableNumber: lane === 'enrol',
      typedPhone: typed?.phone,
      typedCountry: typed?.country?.toUpperCase(),
      nationalPhone: typed?.national,
      probesCookies: page === 'phone' && parts.probesCookies && req.headers.cookie === undefined,
      emptyField: oneString(fields, byRecovery ? 'recoveryCode' : challenge ? 'code' : 'phone') === undefined,
      takesRecoveryCode: takesRecovery,
      method: byRecovery ? 'recovery-code' : undefined,
      formInterrupted: problem?.code === 'second_factor_required',
      formKept: asked?.formId !== undefined,
      links: parts.linksOf(req),
      // These pages have no form, and their request often no session to take a token from.
      formFields: problem && unidentified.has(problem.code) ? {} : parts.formFieldsOf(req),
      countries: parts.countries,
      now: now(),
    }
  }

  /** The proof was given in another tab: the form of this one is over. */
  function done(context: RequestContext, carried: Carried, { returnTo, successPath }: Proven): PageView {
    const way = returnTo ?? carried.returnTo ?? successPath
    return { ...view(context, carried, {}), page: 'done', returnTo: way }
  }

  async function shown(context: RequestContext, carried: Carried, problem?: Problem): Promise<PageView> {
    // It needs nothing but the first factor: neither a number nor a challenge.
    const isRecovery = wantsRecovery(context.fields)
    const lookedUp: Found = isRecovery ? {} : await lookUp(context, carried, problem)
    const { outlook, proven } = lookedUp
    if (proven !== undefined) return done(context, carried, proven)
    if (carried.spent && problem === undefined) throw invalid('requirement is invalid or has expired.')
    const found = view(context, carried, lookedUp, problem)
    return outlook === undefined ? found : withOutlook(found, outlook)
  }

  return {
    of(context, problem) {
      const carried = carriedBy(context, problem)
      return shown(context, carried, problem)
    },

    asked: (context) => carriedBy(context).asked,

    page(context) {
      const { requirement, purpose, returnTo } = carriedBy(context)
      return pageUrl(basePathOf(context.req), { requirement, purpose, returnTo })
    },

    codePage(context) {
      const { asked, purpose, returnTo } = carriedBy(context)
      // Often the purpose says it all, and it never gets too old.
      const byPurpose = takesRecoveryCode(purposes.find(asked?.purpose ?? ''), undefined)
      const requirement =
        asked && saysMore(asked, byPurpose) ? parts.requirements?.reissue(context.req, asked) : undefined
      return pageUrl(basePathOf(context.req), { requirement, purpose, returnTo })
    },

    back(context) {
      const { asked, returnTo } = carriedBy(context)
      const formId = asked?.formId
      return formId === undefined ? returnTo : pageUrl(basePathOf(context.req), { formId, returnTo })
    },

    resume(context, { form, isSent }) {
      const shown = view(context, carriedBy(context), {})
      return { ...shown, page: 'resume', form, formSent: isSent, details: form?.details }
    },
  }
}

/** Whether a requirement says more than its purpose does. */
function saysMore(requirement: Requirement, recoveryByPurpose: boolean): boolean {
  const { bound, details, methods, formId, recoveryCode } = requirement
  return (
    recoveryCode !== recoveryByPurpose ||
    [bound, details, methods, formId].some((particular) => particular !== undefined)
  )
}

/** Whether the page of recovery codes is asked for, by a link or by its own form. */
function wantsRecovery(fields: Body): boolean {
  return oneString(fields, 'method') === 'recovery-code' || Object.hasOwn(fields, 'recoveryCode')
}

/** What came with the form: without a field, what the session remembers is shown. */
function typedIn(fields: Body): { readonly phone?: string; readonly country?: string } {
  const phone = oneString(fields, 'phone')
  const country = oneString(fields, 'country')
  return { ...(phone && { phone }), ...(country && { country }) }
}
