import { type Html, html } from '../../lib/html.js'
import type { Texts } from './messages/texts.js'
import type { PageProblem, PageView } from './page-view.js'
import { countryList, duration, fill, moment, triesLeft } from './wording.js'

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
  const { faultyField } = view
  const heading = faultyField === undefined ? html`${title}.` : html`<a href="#${faultyField}">${title}.</a>`
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
