import type { Outlook } from '../../challenge/challenges.js'
import type { Channel } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import type { ProblemCode } from '../../errors.js'
import { createExitLinks } from './exit-links.js'
import { pageUrl } from './links.js'
import type { PageProblem, PageView } from './page-view.js'

type Page = PageView['page']

/** All that decides which page is shown. The rest is shown as it is. */
export interface PageFacts extends Omit<PageView, 'page' | 'next' | 'ways'> {
  /** Which methods the guard takes, when not all of them do. */
  readonly methods?: readonly string[] | undefined
  /** The requirement that came along is worth nothing any more: only `returnTo` leads to a new one. */
  readonly spent?: boolean
  /** The proof was given already, in another tab. */
  readonly proven?: boolean
  /** The page of a form that waited for the code. */
  readonly resumed?: boolean
  /** The request was for a route whose page has no form of its own. */
  readonly formless?: boolean
  /** What a start would meet. */
  readonly outlook?: Omit<Outlook, 'channels'> | undefined
}

/** Only a factor of the host's own will do. */
const noCodeWillDo = ({ methods, channels }: PageFacts) => methods !== undefined && channels.length === 0

/** Every page but `start`, in this order: the first that fits. A problem may then leave no form of it. */
const pages: readonly (readonly [Page, (facts: PageFacts) => boolean | undefined])[] = [
  ['pair', ({ pairing }) => pairing !== undefined],
  ['done', ({ proven }) => proven],
  ['resume', ({ resumed }) => resumed],
  ['problem', ({ formless }) => formless],
  [
    'recovery',
    (facts) =>
      facts.takesRecoveryCode && !facts.spent && (facts.method === 'recovery-code' || noCodeWillDo(facts)),
  ],
  ['code', ({ challenge, method }) => challenge !== undefined && method !== 'any'],
  ['problem', (facts) => facts.spent || noCodeWillDo(facts)],
  ['phone', ({ changeableNumber }) => changeableNumber],
]

interface Effect {
  /** No form helps: the same page may do so `later`, or something has to be done `elsewhere` first. */
  readonly ends?: 'later' | 'elsewhere'
  /** Pages that it does not end. */
  readonly but?: readonly Page[]
  /** Pages whose field it can be mended in. */
  readonly mendedOn?: readonly NonNullable<PageView['faultyField']>[]
  /** The link that it can be mended by. */
  readonly mendedBy?: NonNullable<PageView['mendedBy']>
  /** It is about the number. At sign-in that is the one on file. */
  readonly ofNumber?: true
  /** Another way may do, where there are several. */
  readonly ofWay?: true
  /** It says itself when a code may be asked for. */
  readonly tellsWhen?: true
  /** Nobody is known well enough to be shown anything of theirs, or to be asked to leave it. */
  readonly ofNobody?: true
  /** It is nobody's error. */
  readonly isCalm?: true
  /** The number takes neither a start nor a code. */
  readonly bars?: true
  /** A first code takes the place of another one. */
  readonly replaces?: true
}

/** What each problem does to the page that it is told on. */
const effects: Partial<Readonly<Record<ProblemCode, Effect>>> = {
  attempts_exhausted: { ends: 'later', but: ['recovery'], ofNumber: true, tellsWhen: true },
  capacity: { ends: 'later' },
  challenge_gone: { replaces: true },
  challenge_superseded: { mendedOn: ['code'], replaces: true },
  code_not_accepted: { mendedOn: ['code', 'recovery', 'pair'] },
  cross_site: { ends: 'later', ofNobody: true },
  destination_not_allowed: { ends: 'elsewhere', but: ['phone'], mendedOn: ['phone'] },
  invalid_request: { mendedOn: ['code', 'phone', 'recovery', 'pair'] },
  method_not_allowed: { ends: 'later' },
  no_phone: { ends: 'elsewhere', mendedBy: 'addPhone' },
  not_identified: { ends: 'elsewhere', mendedBy: 'signIn', ofNobody: true, isCalm: true },
  payload_too_large: { mendedOn: ['code', 'phone', 'recovery', 'pair'] },
  account_disabled: { ends: 'elsewhere', bars: true },
  account_locked: { ends: 'later', ofNumber: true, tellsWhen: true, bars: true },
  resend_too_soon: { isCalm: true },
  // A first code would be refused as well; the one that came can still be typed, and another number be used.
  send_limit: { ends: 'later', but: ['code', 'phone', 'recovery'], tellsWhen: true },
  send_refused: { ends: 'elsewhere', ofNumber: true, ofWay: true },
  session_unavailable: { ends: 'later', ofNobody: true },
  store_unavailable: { ends: 'later' },
  unsupported_media_type: { ends: 'later' },
}

const effectOf = (problem: PageProblem | undefined): Effect => (problem && effects[problem.code]) ?? {}

/** Whether nobody is known any more after this problem. */
export const isOfNobody = (problem: PageProblem | undefined): boolean => effectOf(problem).ofNobody === true

function isEnded(page: Page, problem: PageProblem, { destinations = [] }: PageFacts): boolean {
  const { ends, but, ofWay } = effectOf(problem)
  if (ofWay && page === 'start' && destinations.length > 1) return false
  return page === 'problem' || (ends !== undefined && !but?.includes(page))
}

/** Which page is shown, with which problem and which ways out: the only place that decides it. */
export function pageFor(facts: PageFacts): PageView {
  const { proven, resumed, formless, outlook, spent, methods, ...shown } = facts
  const [form = 'start'] = pages.find(([, fits]) => fits(facts)) ?? []
  const problem = problemOn(form, facts)
  const page = problem !== undefined && isEnded(form, problem, facts) ? 'problem' : form
  const { ends, mendedOn, mendedBy, ofNumber, ofNobody, isCalm, replaces } = effectOf(problem)
  const waits = waitsOn(page, problem, facts)
  const next = page === 'start' && replaces ? nextPlace(facts, waits) : undefined
  const chooses = form === 'start' && facts.method === 'any'
  const isOfApp = form === 'code' && facts.method === 'app'
  const method = form === 'recovery' ? 'recovery-code' : chooses ? 'any' : isOfApp ? 'app' : undefined
  const here = spent ? facts.returnTo : pageUrl(`${facts.basePath}/`, { ...facts, method })
  const view: Omit<PageView, 'ways'> = {
    ...shown,
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
  return { ...view, ways: createExitLinks(view, ends === 'elsewhere' ? undefined : here) }
}

/** The one button for the next code, where the last one went: the other ways are a page further. */
function nextPlace(
  { method, destinations = [] }: PageFacts,
  { waitMs = 0, waits = {} }: Pick<PageView, 'waitMs' | 'waits'>,
): DestinationView | undefined {
  const [first, ...others] = destinations
  if (first === undefined || others.length === 0 || method === 'any') return undefined
  return (waits[first.id] ?? 0) > waitMs ? undefined : first
}

/** Whether there is something to give up: at a signup another number may be used instead. */
function isLeft(page: Page, { changeableNumber, formless, spent }: PageFacts): boolean {
  if (changeableNumber || formless || ['done', 'resume', 'pair'].includes(page)) return false
  return page !== 'problem' || spent !== true
}

/** What a start would be refused by, where the page offers one or a code. */
function refusalOn(page: Page, { outlook }: PageFacts): Outlook['refusal'] {
  return page === 'start' || page === 'code' ? outlook?.refusal : undefined
}

/** What is told on a page. */
function problemOn(page: Page, facts: PageFacts): PageProblem | undefined {
  const { challenge, now } = facts
  // Nothing is wrong once the proof was given.
  if (page === 'done' || page === 'resume') return undefined
  if (page === 'problem') {
    return facts.problem ?? { code: noCodeWillDo(facts) ? 'second_factor_required' : 'invalid_request' }
  }
  const problem = withOutlook(page, facts)
  // A step-up that simply asks is no error.
  if (problem?.code === 'second_factor_required') return undefined
  const rejected = problem?.code === 'code_not_accepted'
  const left = rejected ? problem.attemptsRemaining : challenge?.attemptsRemaining
  if (left !== 0 || (problem !== undefined && isEnded(page, problem, facts))) return problem
  const known = rejected ? problem.retryAfterMs : undefined
  return { code: 'attempts_exhausted', retryAfterMs: known ?? (challenge && challenge.expiresAt - now) }
}

/**
 * The problem with what a start would meet: no button that would only be refused, and the one wait that is true.
 * A lock may end before the hour in which too many codes were sent.
 */
function withOutlook(page: Page, facts: PageFacts): PageProblem | undefined {
  const { problem, challenge, outlook } = facts
  const refusal = refusalOn(page, facts)
  const waitMs = refusal?.retryAfterMs
  const retryAfterMs = waitMs && Math.max(waitMs, problem?.retryAfterMs ?? 0)
  if (refusal && effectOf(refusal).bars) return { code: refusal.code, retryAfterMs }
  const told = effectOf(problem).tellsWhen ? problem : undefined
  if (told !== undefined || (problem?.attemptsRemaining ?? challenge?.attemptsRemaining) === 0) {
    if (retryAfterMs === undefined) return problem
    return { code: told?.code ?? 'attempts_exhausted', limit: told?.limit, retryAfterMs }
  }
  if (page !== 'start' && page !== 'phone') return problem
  // No code was sent that could be told of, and the way that failed waits.
  if (outlook?.failed && hidesFailure(page, problem)) return { code: 'delivery_failed' }
  const offersFirst = effectOf(problem).replaces || problem?.code === 'second_factor_required'
  if (problem !== undefined && !offersFirst) return problem
  // A cooldown is nobody's fault: the button waits.
  if (refusal !== undefined && refusal.code !== 'resend_too_soon') return refusal
  return problem ?? (outlook?.expired ? { code: 'challenge_gone' } : undefined)
}

function hidesFailure(page: Page, problem: PageProblem | undefined): boolean {
  if (problem?.code === 'resend_too_soon') return true
  return page === 'start' && (problem === undefined || problem.code === 'second_factor_required')
}

/** Until the first way is free, and how long each of the others has to wait. */
function waitsOn(
  page: Page,
  problem: PageProblem | undefined,
  facts: PageFacts,
): Pick<PageView, 'waitMs' | 'waits'> {
  const { challenge, outlook, now } = facts
  // A cooldown is that of one way, which is known better by then.
  const isOfOne = problem?.code === 'resend_too_soon' && (page === 'code' || outlook !== undefined)
  const told = isOfOne ? undefined : problem?.retryAfterMs
  if (page === 'code' && challenge !== undefined) {
    const { channels, resendAt, resendAtBy } = challenge
    const momentOf = (channel: Channel) => resendAtBy[channel] ?? resendAt
    const waits = channels.map((channel) => [channel, Math.max(0, momentOf(channel) - now)] as const)
    const first = channels.length > 0 ? Math.min(...channels.map(momentOf)) : resendAt
    return { waits: Object.fromEntries(waits), waitMs: Math.max(first - now, told ?? 0) }
  }
  const waits = page === 'start' ? outlook?.waits : undefined
  return { waits, waitMs: told ?? refusalOn(page, facts)?.retryAfterMs ?? 0 }
}
