import type { ProblemCode } from '../../errors.js'
import { type Html, html } from '../../lib/html.js'
import { fill } from './fill.js'
import type { Texts } from './messages/texts.js'
import type { PageProblem, PageView } from './page-view.js'
import { countryList, duration, moment, triesLeft } from './wording.js'

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

/** The pages with a field, each named as its page is. */
type Field = 'code' | 'phone' | 'recovery'

/** The problems that the field of the page can mend. */
const fieldProblems: Readonly<Record<Field, ReadonlySet<ProblemCode>>> = {
  code: new Set(['challenge_superseded', 'code_not_accepted', 'invalid_request', 'payload_too_large']),
  phone: new Set(['destination_not_allowed', 'invalid_request', 'payload_too_large']),
  recovery: new Set(['code_not_accepted', 'invalid_request', 'payload_too_large']),
}

/** The view as the page treats it: which screen is left, and that none of its attempts are. */
export function resolveView(view: PageView): PageView {
  const problem = resolveProblem(view)
  if (problem === undefined) return { ...view, problem, page: resolvePage(view) }
  return { ...view, problem, page: isFinal(view, problem) ? 'problem' : resolvePage(view) }
}

function resolvePage({ page, challenge }: PageView): PageView['page'] {
  return page === 'code' && challenge === undefined ? 'start' : page
}

function resolveProblem(view: PageView): PageProblem | undefined {
  const { page, problem, challenge, now } = view
  // A step-up that simply asks is no error, and nothing is wrong once the proof was given.
  if (page === 'done') return undefined
  if (page !== 'problem' && problem?.code === 'second_factor_required') return undefined
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
  if (page === 'recovery' && code === 'attempts_exhausted') return false
  if (page === 'problem' || passing.has(code)) return true
  // A first code would be refused as well; on the code page the one that came can still be typed.
  if (page === 'start' && code === 'send_limit') return true
  // Another number can be typed only at signup.
  return standing.has(code) && !(page === 'phone' && code === 'destination_not_allowed')
}

/** Whether looking at the page again may show something else. */
export function mayPass({ code }: PageProblem): boolean {
  return !standing.has(code)
}

/** The field of the page that the problem can be mended in. */
export function faultyField({ page, problem }: PageView): Field | undefined {
  if (problem === undefined || (page !== 'code' && page !== 'phone' && page !== 'recovery')) return undefined
  return fieldProblems[page].has(problem.code) ? page : undefined
}

/** What the sentences about a problem depend on. */
type Scene = Pick<PageView, 'page' | 'emptyField' | 'attemptsPerChallenge' | 'countries' | 'now'>

export function problemTitle(view: Scene, problem: PageProblem, texts: Texts): string {
  return texts[`${textKey(view, problem)}.title`]
}

export function problemText(view: Scene, problem: PageProblem, texts: Texts): Html {
  const { now, attemptsPerChallenge, countries } = view
  const { retryAfterMs, attemptsRemaining } = problem
  const soon = retryAfterMs === undefined
  const values = new Map([
    ['t', () => (soon ? texts['problem.soon'] : duration(retryAfterMs, 'up', texts))],
    ['time', () => (soon ? texts['problem.soonAt'] : moment(now + retryAfterMs, now, texts))],
    ['countries', () => countryList(countries, texts)],
  ])
  const text = fill(texts[`${textKey(view, problem)}.text`], values)
  // One slip is no reason to alarm anybody.
  const secondSlip = attemptsRemaining !== undefined && attemptsRemaining < attemptsPerChallenge - 1
  return secondSlip ? joined(text, triesLeft(attemptsRemaining, texts)) : text
}

/** Whether the text of the problem says when codes may be asked for again: the page then says it only once. */
export function tellsWait(view: PageView, problem: PageProblem, texts: Texts): boolean {
  return /\{(?:time|t)\}/.test(texts[`${textKey(view, problem)}.text`])
}

/** Title and text in one line. */
export function problemSentence(view: Scene, problem: PageProblem, texts: Texts): Html {
  return joined(html`${problemTitle(view, problem, texts)}.`, problemText(view, problem, texts))
}

/** Two sentences; one that is empty leaves no space. */
function joined(first: Html, second: Html): Html {
  return html`${first}${first.markup !== '' && second.markup !== '' && ' '}${second}`
}

/** The summary on top of a page that has a form. It takes the focus, also without a script. */
export function summary(view: PageView, problem: PageProblem, texts: Texts): Html {
  const title = problemTitle(view, problem, texts)
  const field = faultyField(view)
  const heading = field === undefined ? html`${title}.` : html`<a href="#${field}">${title}.</a>`
  return html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus>
<p>${joined(heading, problemText(view, problem, texts))}</p>
</div>`
}

function textKey({ page, emptyField }: Scene, { code, reason, limit }: PageProblem) {
  // Others behind the same address may have used it up.
  if (limit === 'address') return 'problem.address'
  if (page === 'phone' && reason === 'not-a-mobile') return 'phone.landline'
  if (page === 'phone' && reason === 'country-not-allowed') return 'phone.country'
  if (page === 'phone' && reason === 'wrong-length') return 'phone.length'
  // For the same, as a newer challenge: its code may be typed here.
  if (page === 'code' && code === 'challenge_superseded') return 'code.superseded'
  if (page === 'recovery' && code === 'code_not_accepted') return 'recovery.wrong'
  if (page === 'recovery' && code === 'attempts_exhausted') return 'recovery.exhausted'
  if (code === 'invalid_request' && (page === 'code' || page === 'phone' || page === 'recovery')) {
    return emptyField ? (`${page}.empty` as const) : (`${page}.unreadable` as const)
  }
  return `problem.${code}` as const
}
