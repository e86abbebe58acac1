import type { Outlook } from '../../challenge/challenges.js'
import { type Channel, passkeyMethod } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import type { ProblemCode } from '../../errors.js'
import { failedSendOf } from '../http/problems.js'
import { createExitLinks, createWaysBack } from './exit-links.js'
import { pageUrl } from './links.js'
import type { PageProblem, PageView } from './page-view.js'

type Page = PageView['page']

/** The facts that decide which page is shown. */
export interface PageFacts extends Omit<PageView, 'page' | 'next' | 'ways'> {
  /** Methods that the guard accepts, if not all are accepted. */
  readonly methods?: readonly string[] | undefined
  /** True if the requirement has expired: only `returnTo` leads to a new one. */
  readonly isExpired?: boolean
  /** True if the code was entered in another tab. */
  readonly proven?: boolean
  /** True for the page of a saved form. */
  readonly resumed?: boolean
  /** True if the route's page has no form of its own. */
  readonly formless?: boolean
  /** On a page without a form: the page from which the request came. */
  readonly pageBefore?: string | undefined
  /** Result that a start would have. */
  readonly outlook?: Omit<Outlook, 'channels'> | undefined
}

/** Returns whether only a factor of the app is accepted. */
const noCodeWillDo = ({ methods, channels, passkey }: PageFacts) =>
  methods !== undefined && channels.length === 0 && passkey === undefined

/** Every page but `start` in this order: the first match counts. A problem may then remove its form. */
const pageOrder: readonly (readonly [Page, (facts: PageFacts) => boolean | undefined])[] = [
  ['pair', ({ pairing }) => pairing !== undefined],
  ['done', ({ proven }) => proven],
  ['resume', ({ resumed }) => resumed],
  ['problem', ({ formless }) => formless],
  [
    'recovery',
    (facts) =>
      facts.takesRecoveryCode &&
      !facts.isExpired &&
      (facts.method === 'recovery-code' || noCodeWillDo(facts)),
  ],
  ['code', ({ challenge, method }) => challenge !== undefined && method !== 'any'],
  ['problem', (facts) => facts.isExpired || noCodeWillDo(facts)],
  ['phone', ({ changeableNumber }) => changeableNumber],
]

interface Effect {
  /** No form helps: the page works `later`, or the user must do something `elsewhere` first. */
  readonly ends?: 'later' | 'elsewhere'
  /** Pages that stay usable. */
  readonly but?: readonly Page[]
  /** Pages with a field that fixes it. */
  readonly mendedOn?: readonly NonNullable<PageView['faultyField']>[]
  /** Link that fixes it. */
  readonly mendedBy?: NonNullable<PageView['mendedBy']>
  /** It concerns the number. At sign-in that is the number on file. */
  readonly ofNumber?: true
  /** Another destination may work, if there are several. */
  readonly ofWay?: true
  /** Its text mentions when a code can be requested. */
  readonly tellsWhen?: true
  /** The user is not identified, so the page shows nothing of an account and no "Cancel". */
  readonly ofNobody?: true
  /** It is no error. */
  readonly isCalm?: true
  /** The request itself is wrong, so on a route of the app only the page before it helps. */
  readonly isMistaken?: true
  /** The account accepts neither a start nor a code. */
  readonly bars?: true
  /** A first code replaces an earlier one. */
  readonly replaces?: true
}

/** Effect of each problem on its page. */
const effects: Partial<Readonly<Record<ProblemCode, Effect>>> = {
  attempts_exhausted: { ends: 'later', but: ['recovery'], ofNumber: true, tellsWhen: true },
  capacity: { ends: 'later' },
  challenge_gone: { replaces: true },
  challenge_superseded: { mendedOn: ['code'], replaces: true },
  code_not_accepted: { mendedOn: ['code', 'recovery', 'pair'] },
  cross_site: { ends: 'later', ofNobody: true, isMistaken: true },
  destination_not_allowed: { ends: 'elsewhere', but: ['phone'], mendedOn: ['phone'] },
  invalid_request: { mendedOn: ['code', 'phone', 'recovery', 'pair'], isMistaken: true },
  method_not_allowed: { ends: 'later', isMistaken: true },
  no_phone: { ends: 'elsewhere', mendedBy: 'addPhone' },
  not_identified: { ends: 'elsewhere', mendedBy: 'signIn', ofNobody: true, isCalm: true },
  payload_too_large: { mendedOn: ['code', 'phone', 'recovery', 'pair'], isMistaken: true },
  account_disabled: { ends: 'elsewhere', bars: true },
  account_locked: { ends: 'later', ofNumber: true, tellsWhen: true, bars: true },
  resend_too_soon: { isCalm: true },
  // A first code would be refused as well. A code that arrived can still be entered, and another number can be used.
  send_limit: { ends: 'later', but: ['code', 'phone', 'recovery'], tellsWhen: true },
  send_refused: { ends: 'elsewhere', ofNumber: true, ofWay: true },
  session_unavailable: { ends: 'later', ofNobody: true },
  store_unavailable: { ends: 'later' },
  unsupported_media_type: { ends: 'later', isMistaken: true },
}

const effectOf = (problem: PageProblem | undefined): Effect => (problem && effects[problem.code]) ?? {}

/** Returns whether the user is no longer identified after this problem. */
export const isOfNobody = (problem: PageProblem | undefined): boolean => effectOf(problem).ofNobody === true

function endsPage(page: Page, problem: PageProblem, { destinations = [] }: PageFacts): boolean {
  const { ends, but, ofWay } = effectOf(problem)
  if (ofWay && page === 'start' && destinations.length > 1) return false
  return page === 'problem' || (ends !== undefined && !but?.includes(page))
}

/** Decides which page is shown, with which problem and exit links. No other code decides this. */
export function pageFor(facts: PageFacts): PageView {
  const { proven, resumed, formless, pageBefore, outlook, isExpired, methods, ...others } = facts
  const [form = 'start'] = pageOrder.find(([, fits]) => fits(facts)) ?? []
  const problem = problemOn(form, facts)
  const page = problem !== undefined && endsPage(form, problem, facts) ? 'problem' : form
  const { ends, mendedOn, mendedBy, ofNumber, ofNobody, isCalm, isMistaken, replaces } = effectOf(problem)
  const waits = waitsOn(page, problem, facts)
  const next = page === 'start' && replaces ? nextPlace(facts, waits) : undefined
  const chooses = form === 'start' && facts.method === 'any'
  const isOfApp = form === 'code' && facts.method === 'app'
  const method = form === 'recovery' ? 'recovery-code' : chooses ? 'any' : isOfApp ? 'app' : undefined
  const here = isExpired ? facts.returnTo : pageUrl(`${facts.basePath}/`, { ...facts, method })
  const view: Omit<PageView, 'ways'> = {
    ...others,
    page,
    problem,
    method,
    probesCookies: page === 'phone' && facts.probesCookies === true,
    ...waits,
    next,
    isReplacement: replaces === true,
    isCalm: isCalm === true,
    isCancellable: !ofNobody && isLeft(page, facts),
    faultyField:
      problem?.reason === 'other-country' && page === 'phone'
        ? 'country'
        : mendedOn?.find((field) => field === page),
    mendedBy,
    otherNumberMayDo: facts.changeableNumber && ofNumber === true,
  }
  if (formless && isMistaken) return { ...view, ways: createWaysBack(view, pageBefore) }
  return { ...view, ways: createExitLinks(view, ends === 'elsewhere' ? undefined : here) }
}

/** Returns the one button for the next code, to the last destination. Other destinations are one page further. */
function nextPlace(
  { method, destinations = [] }: PageFacts,
  { waitMs = 0, waits = {} }: Pick<PageView, 'waitMs' | 'waits'>,
): DestinationView | undefined {
  const [first, ...others] = destinations.filter(({ method: by }) => by !== passkeyMethod)
  if (first === undefined || others.length === 0 || method === 'any') return undefined
  return (waits[first.id] ?? 0) > waitMs ? undefined : first
}

/** Returns whether the page offers "Cancel". At a sign-up another number can be used instead. */
function isLeft(page: Page, { changeableNumber, formless, isExpired }: PageFacts): boolean {
  if (changeableNumber || formless || ['done', 'resume', 'pair'].includes(page)) return false
  return page !== 'problem' || isExpired !== true
}

/** Returns the refusal of a start, if the page offers one. */
function refusalOn(page: Page, { outlook }: PageFacts): Outlook['refusal'] {
  return page === 'start' || page === 'code' ? outlook?.refusal : undefined
}

/** Returns the problem that a page shows. */
function problemOn(page: Page, facts: PageFacts): PageProblem | undefined {
  const { challenge, now } = facts
  // After a correct code there is no problem.
  if (page === 'done' || page === 'resume') return undefined
  if (page === 'problem') {
    return facts.problem ?? { code: noCodeWillDo(facts) ? 'second_factor_required' : 'invalid_request' }
  }
  const problem = withOutlook(page, facts)
  // A step-up that asks for a code is no error.
  if (problem?.code === 'second_factor_required') return undefined
  const rejected = problem?.code === 'code_not_accepted'
  const left = rejected ? problem.attemptsRemaining : challenge?.attemptsRemaining
  if (left !== 0 || (problem !== undefined && endsPage(page, problem, facts))) return problem
  const known = rejected ? problem.retryAfterMs : undefined
  // The last code had no verdict, so it must not be called wrong.
  const undecided = problem?.code === 'verification_unavailable' ? { undecided: true as const } : {}
  const retryAfterMs = known ?? (challenge && challenge.expiresAt - now)
  return { code: 'attempts_exhausted', retryAfterMs, ...undecided }
}

/**
 * Combines the problem with the result that a start would have, so that no button would be refused and only the true
 * wait is shown. A lock may end before the hour in which too many codes were sent.
 */
function withOutlook(page: Page, facts: PageFacts): PageProblem | undefined {
  const { problem, challenge, outlook } = facts
  const refusal = refusalOn(page, facts)
  const waitMs = refusal?.retryAfterMs
  const retryAfterMs = waitMs && Math.max(waitMs, problem?.retryAfterMs ?? 0)
  if (refusal && effectOf(refusal).bars) return { code: refusal.code, retryAfterMs }
  const ownProblem = effectOf(problem).tellsWhen ? problem : undefined
  if (ownProblem !== undefined || (problem?.attemptsRemaining ?? challenge?.attemptsRemaining) === 0) {
    if (retryAfterMs === undefined) return problem
    return { code: ownProblem?.code ?? 'attempts_exhausted', limit: ownProblem?.limit, retryAfterMs }
  }
  const failed = problem && failedSendOf(problem)
  if (failed !== undefined) {
    // On a page for a number, another one can be used at once. A page of destinations knows the wait of each.
    const ofService = failed === 'provider_unavailable' ? problem?.retryAfterMs : undefined
    return { code: failed, retryAfterMs: page === 'start' ? retryAfterMs : ofService }
  }
  if (page !== 'start' && page !== 'phone') return problem
  // No code was sent, and the destination that failed waits.
  if (outlook?.failed && hidesFailure(page, problem)) return { code: outlook.failed, retryAfterMs }
  const offersFirst = effectOf(problem).replaces || problem?.code === 'second_factor_required'
  if (problem !== undefined && !offersFirst) return problem
  // A cooldown is no error: the button waits.
  if (refusal !== undefined && refusal.code !== 'resend_too_soon') return refusal
  return problem ?? (outlook?.expired ? { code: 'challenge_gone' } : undefined)
}

function hidesFailure(page: Page, problem: PageProblem | undefined): boolean {
  if (problem?.code === 'resend_too_soon') return true
  return page === 'start' && (problem === undefined || problem.code === 'second_factor_required')
}

/** Returns the time until the first destination is free, and the wait of each other one. */
function waitsOn(
  page: Page,
  problem: PageProblem | undefined,
  facts: PageFacts,
): Pick<PageView, 'waitMs' | 'waits'> {
  const { challenge, outlook, now } = facts
  // The cooldown belongs to one destination, whose wait is known more exactly.
  const isOfOne = facts.problem?.code === 'resend_too_soon' && (page === 'code' || outlook !== undefined)
  const problemMs = isOfOne ? undefined : problem?.retryAfterMs
  if (page === 'code' && challenge !== undefined) {
    const { channels, resendAt, resendAtBy } = challenge
    const momentOf = (channel: Channel) => resendAtBy[channel] ?? resendAt
    const waits = channels.map((channel) => [channel, Math.max(0, momentOf(channel) - now)] as const)
    const first = channels.length > 0 ? Math.min(...channels.map(momentOf)) : resendAt
    return { waits: Object.fromEntries(waits), waitMs: Math.max(first - now, problemMs ?? 0) }
  }
  const waits = page === 'start' ? outlook?.waits : undefined
  return { waits, waitMs: problemMs ?? refusalOn(page, facts)?.retryAfterMs ?? 0 }
}
