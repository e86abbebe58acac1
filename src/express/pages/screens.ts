import type { ChallengeView } from '../../challenge/commands.js'
import type { ProblemCode } from '../../errors.js'
import { type Html, html } from '../../lib/html.js'
import { probeField } from '../http/request-body.js'
import { detailsList } from './details-list.js'
import { fill } from './fill.js'
import { form, hidden, sendButtons } from './forms.js'
import { signInUrl } from './links.js'
import type { Texts } from './messages/texts.js'
import { pageUrl } from './page-url.js'
import type { PageProblem, PageView } from './page-view.js'
import { faultyField, mayPass, problemText, problemTitle, tellsWait } from './problem.js'
import { countryNames, destination, duration } from './wording.js'

export interface Screen {
  readonly title: string
  readonly content: Html
}

/** What a page took to arrive: without it a code of ten minutes would be announced with nine. */
const travelMs = 5_000

/** A code is on its way: type it, or ask for another one. */
export function codeScreen(view: PageView, challenge: ChallengeView, texts: Texts): Screen {
  const sentence = texts[challenge.channel === 'call' ? 'code.calling' : 'code.sent']
  const remainingMs = challenge.expiresAt - view.now
  const others = challenge.channels.filter((channel) => channel !== challenge.channel)
  const waitMs = Math.max(challenge.resendAt - view.now, view.problem?.retryAfterMs ?? 0)
  const values = new Map([
    [
      'phone',
      view.changeableNumber && view.nationalPhone
        ? html`<span class="number">${view.nationalPhone}</span>`
        : destination(challenge.destination, texts),
    ],
    ['t', html`${duration(remainingMs + travelMs, 'down', texts)}`],
  ])
  const entry = html`<label for="code">${texts['code.label']}</label>
<input id="code" name="code" type="text" inputmode="${view.lettersInCode ? 'text' : 'numeric'}" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" enterkeyhint="go"${fieldState(view, 'code')}>
${view.offerTrust && trustBox(view, texts)}<div class="buttons"><button class="main">${texts['code.submit']}</button></div>`
  return {
    title: texts['code.title'],
    content: html`${view.details && detailsList(view.details)}<p data-lives-ms="${remainingMs}">${fill(sentence, values)}${interruption(view, texts)}</p>
<p class="unseen" role="status" data-ready="${texts['resend.ready']}" data-expired="${texts['code.expired']}"></p>
${form(view, 'verify', entry)}
<section aria-labelledby="help">
<h2 id="help">${texts['resend.title']}</h2>
${form(view, 'resend', sendButtons('resend', [challenge.channel, ...others], waitIn(view, waitMs, texts), texts))}
${view.changeableNumber && changeNumber(view, texts)}${otherWays(view, texts)}
</section>`,
  }
}

/** After these a first code takes the place of another one. */
const replacing: ReadonlySet<ProblemCode> = new Set(['challenge_gone', 'challenge_superseded'])

/** Nothing is live: a button sends the first code to the number on file, or one in place of a code that ran out. */
export function startScreen(view: PageView, texts: Texts): Screen {
  const waitMs = view.problem?.retryAfterMs ?? view.waitMs ?? 0
  const wording = view.problem && replacing.has(view.problem.code) ? 'resend' : 'start'
  return {
    title: texts['start.title'],
    content: html`${view.details && detailsList(view.details)}<p>${texts['start.text']}${interruption(view, texts)}</p>
${form(view, 'start', sendButtons('start', view.channels, waitIn(view, waitMs, texts), texts, wording))}
${otherWays(view, texts)}`,
  }
}

/** The number to be proven. */
export function phoneScreen(view: PageView, texts: Texts): Screen {
  const waitMs = view.problem?.retryAfterMs ?? 0
  const probe = view.probesCookies && hidden(probeField.name, probeField.value)
  const entry = html`${probe}${countryField(view, texts)}<label for="phone">${texts['phone.label']}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel" enterkeyhint="send" value="${view.typedPhone}"${fieldState(view, 'phone')}>
${sendButtons('start', view.channels, waitIn(view, waitMs, texts), texts)}`
  return {
    title: texts['phone.title'],
    content: html`<p>${texts['phone.text']}</p>
${form(view, 'start', entry)}`,
  }
}

/** The proof was given in another tab: only the way on is missing. */
export function doneScreen({ returnTo = '/' }: PageView, texts: Texts): Screen {
  return {
    title: texts['done.title'],
    content: html`<p>${texts['done.text']}</p>
<p><a class="button" href="${returnTo}">${texts['done.continue']}</a></p>`,
  }
}

/** The explanation and the ways out. Looking at the page again sends nothing and costs nothing. */
export function problemScreen(view: PageView, problem: PageProblem, texts: Texts): Screen {
  const ways = [...again(view, problem, texts), ...waysOut(view, problem, texts)]
  const home = link(view.links.home ?? '/', texts['link.home'])
  return {
    title: problemTitle(view, problem, texts),
    content: html`<div class="problem" role="alert" tabindex="-1" autofocus>
<p>${problemText(view, problem, texts)}</p>
</div>
${view.details && detailsList(view.details)}${otherNumberMayDo(view, problem) && changeNumber(view, texts)}${ways.length > 0 ? ways : home}`,
  }
}

/** These are about the number. At sign-in it is the one on file. */
const ofNumber: ReadonlySet<ProblemCode> = new Set(['attempts_exhausted', 'phone_locked', 'send_refused'])

const otherNumberMayDo = (view: PageView, { code }: PageProblem): boolean =>
  view.changeableNumber && ofNumber.has(code)

function again({ spent, basePath, ...view }: PageView, problem: PageProblem, texts: Texts): readonly Html[] {
  const url = spent ? view.returnTo : pageUrl(`${basePath}/`, view)
  if (url === undefined || !mayPass(problem)) return []
  const { retryAfterMs } = problem
  if (retryAfterMs === undefined) return [link(url, texts['problem.again'])]
  // A link that works only later appears when it does: until then the server would only refuse again.
  return [
    html`<p hidden data-after-ms="${retryAfterMs}"><a href="${url}">${texts['problem.again']}</a></p>
`,
  ]
}

/** Where the problem can be mended, when that is not on this page. */
function waysOut(view: PageView, { code }: PageProblem, texts: Texts): readonly Html[] {
  const { links, returnTo } = view
  const { signIn, addPhone, support } = links
  if (code === 'not_identified') {
    return signIn === undefined ? [] : [link(signInUrl(signIn, returnTo), texts['link.signIn'])]
  }
  const mend = code === 'no_phone' ? addPhone : undefined
  return [
    ...(mend === undefined ? [] : [link(mend, texts['link.addPhone'])]),
    ...otherWays(view, texts),
    ...(support === undefined ? [] : [link(support, texts['link.support'])]),
  ]
}

/** Other ways for somebody who cannot receive the code. */
function otherWays(view: PageView, texts: Texts): readonly Html[] {
  const { otherMethod } = view.links
  const lostUrl = view.takesRecoveryCode
    ? pageUrl(view.basePath, { ...view, method: 'recovery-code' })
    : lostPhoneUrl(view, texts)
  return [
    ...(otherMethod === undefined ? [] : [link(otherMethod, texts['link.otherMethod'])]),
    ...(lostUrl === '' ? [] : [link(lostUrl, texts['phone.lost'])]),
  ]
}

/** What the host offers to somebody who has lost the phone; empty when nothing. */
export const lostPhoneUrl = ({ links }: PageView, texts: Texts): string =>
  links.lostPhone ?? texts['phone.lostUrl']

export const link = (url: string, text: string): Html => html`<p><a href="${url}">${text}</a></p>
`

/** The wait to show beside the buttons; none when the problem above them tells it. */
function waitIn(
  view: PageView,
  waitMs: number,
  texts: Texts,
): { readonly ms: number; readonly isTold: boolean } {
  return { ms: waitMs, isTold: view.problem !== undefined && tellsWait(view, view.problem, texts) }
}

export function fieldState(view: PageView, field: 'code' | 'phone' | 'recovery'): Html {
  if (view.problem === undefined) return html` autofocus`
  return faultyField(view) === field ? html` aria-invalid="true" aria-describedby="problem"` : html``
}

/** What becomes of the form that the guard interrupted. */
function interruption({ formInterrupted, formKept }: PageView, texts: Texts): Html | undefined {
  if (formKept) return html` ${texts['start.formKept']}`
  return formInterrupted ? html` ${texts['start.formAgain']}` : undefined
}

function trustBox({ trustForMs }: PageView, texts: Texts): Html {
  const label = fill(texts['code.trust'], new Map([['t', duration(trustForMs ?? 0, 'down', texts)]]))
  return html`<p class="choice"><input id="trust" name="trustDevice" type="checkbox" value="true"><label for="trust">${label}</label></p>
`
}

function changeNumber(view: PageView, texts: Texts): Html {
  return form(view, 'cancel', html`<button class="plain">${texts['phone.change']}</button>`)
}

function countryField({ countries, typedCountry }: PageView, texts: Texts): Html | undefined {
  if (countries.length < 2) return hidden('country', countries[0])
  const chosen = typedCountry !== undefined && countries.includes(typedCountry) ? typedCountry : countries[0]
  const options = countryNames(countries, texts).map(
    ([code, name]) =>
      html`<option value="${code}"${code === chosen && html` selected`}>${name}</option>
`,
  )
  return html`<label for="country">${texts['phone.country']}</label>
<select id="country" name="country" autocomplete="country">
${options}</select>
`
}
