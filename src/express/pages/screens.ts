import type { ChallengeView } from '../../challenge/commands.js'
import { type Html, html } from '../../lib/html.js'
import { detailsList } from './details-list.js'
import { fill } from './fill.js'
import { form, hidden, sendButtons } from './forms.js'
import type { Texts } from './messages/texts.js'
import { pageUrl } from './page-url.js'
import type { PageProblem, PageView } from './page-view.js'
import { faultyField, mayPass, problemText, problemTitle } from './problem.js'
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
  const lifetime = duration(challenge.expiresAt - view.now + travelMs, 'down', texts)
  const others = challenge.channels.filter((channel) => channel !== challenge.channel)
  const waitMs = Math.max(challenge.resendAt - view.now, view.problem?.retryAfterMs ?? 0)
  const values = new Map([
    ['phone', destination(challenge.destination, texts)],
    ['t', html`${lifetime}`],
  ])
  const entry = html`<label for="code">${texts['code.label']}</label>
<input id="code" name="code" type="text" inputmode="${view.lettersInCode ? 'text' : 'numeric'}" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" enterkeyhint="go"${fieldState(view, 'code')}>
${view.offerTrust ? trustBox(texts) : undefined}<div class="buttons"><button class="main">${texts['code.submit']}</button></div>`
  return {
    title: texts['code.title'],
    content: html`${view.details && detailsList(view.details)}<p>${fill(sentence, values)}</p>
${form(view, 'verify', entry)}
<section aria-labelledby="help">
<h2 id="help">${texts['resend.title']}</h2>
${form(view, 'resend', sendButtons('resend', [challenge.channel, ...others], waitMs, texts))}
${view.changeableNumber ? changeNumber(view, texts) : lostPhone(texts)}
</section>`,
  }
}

/** Nothing is live: a button sends the first code to the number on file. */
export function startScreen(view: PageView, texts: Texts): Screen {
  return {
    title: texts['start.title'],
    content: html`${view.details && detailsList(view.details)}<p>${texts['start.text']}</p>
${form(view, 'start', sendButtons('start', view.channels, view.problem?.retryAfterMs ?? 0, texts))}
${lostPhone(texts)}`,
  }
}

/** The number to be proven. */
export function phoneScreen(view: PageView, texts: Texts): Screen {
  const entry = html`${countryField(view, texts)}<label for="phone">${texts['phone.label']}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel" enterkeyhint="send" value="${view.typedPhone}"${fieldState(view, 'phone')}>
${sendButtons('start', view.channels, view.problem?.retryAfterMs ?? 0, texts)}`
  return {
    title: texts['phone.title'],
    content: html`<p>${texts['phone.text']}</p>
${form(view, 'start', entry)}`,
  }
}

/** The explanation alone. Looking at the page again sends nothing and costs nothing. */
export function problemScreen(view: PageView, problem: PageProblem, texts: Texts): Screen {
  const { spent, basePath, returnTo } = view
  const url = spent ? returnTo : pageUrl(`${basePath}/`, view)
  const again = html`<p><a href="${url}">${texts['problem.again']}</a></p>
`
  return {
    title: problemTitle(view, problem, texts),
    content: html`<div class="problem" role="alert" tabindex="-1" autofocus>
<p>${problemText(view, problem, texts)}</p>
</div>
${view.details && detailsList(view.details)}${url !== undefined && mayPass(problem) ? again : undefined}${lostPhone(texts)}`,
  }
}

function fieldState(view: PageView, field: 'code' | 'phone'): Html {
  if (view.problem === undefined) return html` autofocus`
  return faultyField(view) === field ? html` aria-invalid="true" aria-describedby="problem"` : html``
}

function trustBox(texts: Texts): Html {
  return html`<p class="choice"><input id="trust" name="trustDevice" type="checkbox" value="true"><label for="trust">${texts['code.trust']}</label></p>
`
}

function changeNumber(view: PageView, texts: Texts): Html {
  return form(view, 'cancel', html`<button class="plain">${texts['phone.change']}</button>`)
}

function lostPhone(texts: Texts): Html | undefined {
  const url = texts['phone.lostUrl']
  return url === '' ? undefined : html`<p><a href="${url}">${texts['phone.lost']}</a></p>`
}

function countryField({ countries, typedCountry }: PageView, texts: Texts): Html | undefined {
  if (countries.length < 2) return hidden('country', countries[0])
  const options = countryNames(countries, texts).map(
    ([code, name]) =>
      html`<option value="${code}"${code === typedCountry ? html` selected` : undefined}>${name}</option>
`,
  )
  return html`<label for="country">${texts['phone.country']}</label>
<select id="country" name="country" autocomplete="country">
${options}</select>
`
}
