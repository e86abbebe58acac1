import type { ProblemCode } from '../../errors.js'
import { type Html, html } from '../../lib/html.js'
import { fill } from './fill.js'
import type { Texts } from './messages/texts.js'
import type { PageProblem, PageView } from './page-view.js'
import { duration, triesLeft } from './wording.js'

/** No form of the page helps after these, but the same page may do so later. */
const passing: ReadonlySet<ProblemCode> = new Set([
  'attempts_exhausted',
  'capacity',
  'cross_site',
  'method_not_allowed',
  'phone_locked',
  'session_unavailable',
  'store_unavailable',
  'unsupported_media_type',
])

/** Here the person must do something elsewhere first. */
const standing: ReadonlySet<ProblemCode> = new Set([
  'destination_not_allowed',
  'no_phone',
  'not_identified',
  'phone_disabled',
  'send_refused',
])

/** The problems that the field of the page can mend. */
const fieldProblems: Readonly<Record<'code' | 'phone', ReadonlySet<ProblemCode>>> = {
  code: new Set(['code_not_accepted', 'invalid_request', 'payload_too_large']),
  phone: new Set(['destination_not_allowed', 'invalid_request', 'payload_too_large']),
}

/** The view as the page treats it: which screen is left, and that none of its attempts are. */
export function settleView(view: PageView): PageView {
  const problem = settleProblem(view)
  if (problem === undefined) return { ...view, page: settlePage(view) }
  return { ...view, problem, page: isFinal(view, problem) ? 'problem' : settlePage(view) }
}

function settlePage({ page, challenge }: PageView): PageView['page'] {
  return page === 'code' && challenge === undefined ? 'start' : page
}

function settleProblem(view: PageView): PageProblem | undefined {
  const { page, problem, challenge, now } = view
  const rejected = problem?.code === 'code_not_accepted'
  const noneLeft = rejected ? problem.attemptsRemaining === 0 : challenge?.attemptsRemaining === 0
  if (noneLeft && (problem === undefined || !isFinal(view, problem))) {
    const known = rejected ? problem.retryAfterMs : undefined
    const retryAfterMs = known ?? (challenge && challenge.expiresAt - now)
    return { code: 'attempts_exhausted', ...(retryAfterMs !== undefined && { retryAfterMs }) }
  }
  return problem ?? (page === 'problem' ? { code: 'invalid_request' } : undefined)
}

function isFinal({ page }: PageView, { code }: PageProblem): boolean {
  if (page === 'problem' || passing.has(code)) return true
  // Another number can be typed at signup alone.
  return standing.has(code) && !(page === 'phone' && code === 'destination_not_allowed')
}

/** Whether looking at the page again may show something else. */
export function mayPass({ code }: PageProblem): boolean {
  return !standing.has(code)
}

/** The field of the page that the problem can be mended in. */
export function faultyField({ page, problem }: PageView): 'code' | 'phone' | undefined {
  if (problem === undefined || (page !== 'code' && page !== 'phone')) return undefined
  return fieldProblems[page].has(problem.code) ? page : undefined
}

export function problemTitle({ page }: PageView, problem: PageProblem, texts: Texts): string {
  return texts[`${textKey(page, problem.code)}.title`]
}

export function problemText(
  { page, attemptsPerChallenge }: PageView,
  problem: PageProblem,
  texts: Texts,
): Html {
  const { code, retryAfterMs, attemptsRemaining } = problem
  const soon = retryAfterMs === undefined ? texts['problem.soon'] : duration(retryAfterMs, 'up', texts)
  const text = fill(texts[`${textKey(page, code)}.text`], new Map([['t', soon]]))
  // One slip is no reason to alarm anybody.
  const secondSlip = attemptsRemaining !== undefined && attemptsRemaining < attemptsPerChallenge - 1
  return secondSlip ? html`${text} ${triesLeft(attemptsRemaining, texts)}` : text
}

/** The summary on top of a page that has a form. It takes the focus, also without a script. */
export function summary(view: PageView, problem: PageProblem, texts: Texts): Html {
  const title = problemTitle(view, problem, texts)
  const field = faultyField(view)
  const heading = field === undefined ? html`${title}.` : html`<a href="#${field}">${title}.</a>`
  return html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus>
<p>${heading} ${problemText(view, problem, texts)}</p>
</div>`
}

function textKey(page: PageView['page'], code: ProblemCode) {
  if (code === 'invalid_request' && page === 'code') return 'code.unreadable'
  if (code === 'invalid_request' && page === 'phone') return 'phone.unreadable'
  return `problem.${code}` as const
}
