import type { ChallengeView } from '../../challenge/commands.js'
import { appMethod, passkeyMethod } from '../../challenge/exchange/code-provider.js'
import { type Html, html, plainText } from '../../lib/html.js'
import { pairingEntry, pairingSteps } from '../../lib/pairing.js'
import { probeField } from '../http/cookies.js'
import { offerField } from '../http/passkey-offer.js'
import { destinationRows } from './destination-rows.js'
import {
  cancelling,
  detailsList,
  form,
  hiddenField,
  mainButton,
  sendButtons,
  sendOptionsOf,
} from './forms.js'
import type { Texts } from './messages/en.js'
import type { PageProblem, PageView } from './page-view.js'
import { problemText, problemTitle } from './problem-words.js'
import { countryNames, fill, filled, isolated, spokenDigits } from './wording.js'

export interface Screen {
  readonly title: string
  readonly content: Html
}

/** Returns the screen of a page. It displays decisions and makes none. */
export function screenOf(view: PageView, texts: Texts): Screen {
  const { page, challenge, problem, pairing, own } = view
  if (page === 'own' && own !== undefined) return { title: own.title, content: { markup: own.content } }
  if (page === 'problem' && problem !== undefined) return problemScreen(view, problem, texts)
  if (page === 'done') return doneScreen(view, texts)
  if (page === 'resume') return resumeScreen(view, texts)
  if (page === 'recovery') return recoveryScreen(view, texts)
  if (page === 'phone') return phoneScreen(view, texts)
  if (page === 'code' && challenge !== undefined) return codeScreen(view, challenge, texts)
  if (page === 'pair' && pairing !== undefined) return pairScreen(view, pairing, texts)
  return startScreen(view, texts)
}

/** Creates the screen to enter a sent code, or to request a new one. */
function codeScreen(view: PageView, challenge: ChallengeView, texts: Texts): Screen {
  const { channel } = challenge
  const isCall = channel === 'call'
  const isApp = channel === appMethod
  const unconfirmed = isCall ? 'code.unconfirmed.call' : 'code.unconfirmed'
  const sent = view.unconfirmed ? unconfirmed : (`sent.${channel}` as const)
  const remainingMs = challenge.expiresAt - view.now
  // The requested method comes first, unless the provider chose a different one.
  const others = challenge.channels.filter((one) => one !== channel)
  const used = challenge.channels.filter((one) => one === channel)
  const buttons = sendButtons(view, { action: 'resend' }, [...used, ...others], texts)
  const entry = html`<label for="code">${texts['code.label']}</label>
<input id="code" name="code" type="text" inputmode="${view.lettersInCode ? 'text' : 'numeric'}" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" enterkeyhint="go" dir="ltr" value="${view.typedCode}"${submission(view)}${fieldState(view, 'code')}>
${view.offersPasskey && html`<input type="hidden" name="${offerField}" value="true" disabled>`}${view.offerTrust && trustBox(view, texts)}${mainButton(texts['code.submit'], texts['busy.checking'])}`
  const ways = sendOptionsOf(view, texts)
  const help = html`<section aria-labelledby="help">
<h2 id="help">${texts[isApp ? 'resend.title.app' : 'resend.title']}</h2>
${!isApp && form(view, 'resend', buttons)}
${view.changeableNumber && cancelling(view, texts['phone.change'])}${ways}
</section>`
  return {
    title: codeTitle(view, challenge, texts),
    content: html`${view.details && detailsList(view.details)}<p data-lives-ms="${remainingMs}">${filled(sent, view, texts)}${challenge.isRenewed && html` ${texts['code.renewed']}`}${interruption(view, texts)}</p>
<p class="unseen" role="status" data-ready="${texts['resend.ready']}" data-expired="${texts['code.expired']}"></p>
${form(view, 'verify', entry)}
${(!isApp || ways.length > 0) && help}`,
  }
}

/** Returns the title. A code that completes an action is often the second in a row, so the title names the phone. */
function codeTitle({ completes }: PageView, { channel, destination }: ChallengeView, texts: Texts): string {
  const isApp = channel === appMethod
  if (!completes)
    return texts[isApp ? 'code.title.app' : channel === 'call' ? 'code.title.call' : 'code.title']
  if (isApp) return texts['confirm.title.app']
  return plainText(fill(texts['confirm.title'], { digits: spokenDigits(destination) }))
}

/**
 * Creates the screen whose button sends the first code to the number on file, or a new one for an expired code. With
 * several destinations the user chooses here, even while a code is pending.
 */
function startScreen(view: PageView, texts: Texts): Screen {
  const { details, channels, next } = view
  const all = next === undefined ? (view.destinations ?? []) : [next]
  const destinations = all.filter(({ method }) => method !== passkeyMethod)
  const wording = view.isReplacement ? 'resend' : 'start'
  const ways = destinations.length > 0 ? destinations : channels
  const sent = view.destination === undefined ? 'start.text' : 'start.text.named'
  const whatComes = channels[0] === appMethod ? 'sent.app' : sent
  const text = destinations.length > 1 ? 'start.choose' : whatComes
  const buttons =
    destinations.length > 1
      ? destinationRows(view, destinations, texts)
      : sendButtons(view, { action: 'start', wording }, ways, texts)
  const sends = html`<p>${filled(text, view, texts)}${interruption(view, texts)}</p>
${form(view, 'start', buttons)}`
  return {
    title: texts['start.title'],
    content: html`${details && detailsList(details)}${view.passkey && passkeyForm(view, view.passkey, texts)}${ways.length > 0 && sends}
${sendOptionsOf(view, texts)}`,
  }
}

/** The browser signs before the form is sent. Without a script the form stays hidden. */
function passkeyForm(view: PageView, challenge: ChallengeView, texts: Texts): Html {
  const entry = html`${hiddenField('passkey', '')}${mainButton(texts['passkey.use'], texts['busy.checking'])}
<p role="status" data-cancelled="${texts['passkey.cancelled']}"></p>`
  const options = html` hidden data-passkey="${JSON.stringify(challenge.publicKey)}"`
  const isOnly = view.channels.length === 0
  return html`${form({ ...view, challenge }, 'verify', entry, options)}
${
  isOnly &&
  html`<p data-without-passkey>${texts['passkey.only']}</p>
`
}`
}

/** Asks for the number to verify. */
function phoneScreen(view: PageView, texts: Texts): Screen {
  const probe = view.probesCookies && hiddenField(probeField.name, probeField.value)
  const entry = html`${probe}${countryField(view, texts)}<label for="phone">${texts['phone.label']}</label>
<input id="phone" name="phone" type="tel" autocomplete="tel" enterkeyhint="send" dir="ltr" value="${view.typedPhone}"${fieldState(view, 'phone')}>
${sendButtons(view, { action: 'start' }, view.channels, texts)}`
  return {
    title: texts['phone.title'],
    content: html`<p id="why">${texts['phone.text']}</p>
${form(view, 'start', entry)}
${view.tellsRisk && html`<p class="faint">${texts['phone.risk']}</p>\n`}${sendOptionsOf(view, texts)}`,
  }
}

/** Asks for a recovery code, for users without the phone. */
function recoveryScreen(view: PageView, texts: Texts): Screen {
  const entry = html`<label for="recovery">${texts['recovery.label']}</label>
<input id="recovery" name="recoveryCode" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" enterkeyhint="go" dir="ltr"${fieldState(view, 'recovery')}>
${mainButton(texts['code.submit'], texts['busy.checking'])}`
  // Until the wait is over, the server would refuse again.
  const isExhausted = view.problem?.code === 'attempts_exhausted'
  return {
    title: texts['recovery.title'],
    content: html`${view.details && detailsList(view.details)}<p>${texts['recovery.text']}</p>
${!isExhausted && form(view, 'verify', entry)}
<section aria-labelledby="help">
<h2 id="help">${texts['recovery.help']}</h2>
${sendOptionsOf(view, texts)}</section>`,
  }
}

/** Creates the screen that sets up an authenticator app: scan the secret, enter the first code. */
function pairScreen(view: PageView, pairing: NonNullable<PageView['pairing']>, texts: Texts): Screen {
  const entry = pairingEntry(texts, fieldState(view, 'pair'))
  return {
    title: texts['pair.title'],
    content: html`${pairingSteps(pairing, texts)}
${form(view, 'verify', entry)}
${sendOptionsOf(view, texts)}`,
  }
}

/** Creates the screen after the code was entered in another tab, with the missing link to continue. */
function doneScreen({ returnTo = '/' }: PageView, texts: Texts): Screen {
  return {
    title: texts['done.title'],
    content: html`<p>${texts['done.text']}</p>
<p><a class="button" href="${returnTo}">${texts['done.continue']}</a></p>`,
  }
}

/** Shows the saved form with a button. It is never submitted without a click. */
function resumeScreen(view: PageView, texts: Texts): Screen {
  const { form: kept, formSent, details, returnTo, links, formFields = {} } = view
  const back = html`<p><a href="${returnTo ?? links.home ?? '/'}">${texts[returnTo === undefined ? 'link.home' : 'link.back']}</a></p>
`
  if (kept === undefined) {
    const became = formSent ? 'sent' : 'gone'
    return {
      title: texts[`resume.${became}.title`],
      content: html`<p>${texts[`resume.${became}.text`]}</p>
${back}`,
    }
  }
  // The code renewed the session, and with it tokens that the app binds to the session id.
  const fields = kept.fields.map(([name, value]) => {
    const current = Object.hasOwn(formFields, name) ? formFields[name] : value
    return html`${hiddenField(name, current)}`
  })
  // Without details there is nothing to check.
  const what = details === undefined ? 'resume.plain' : 'resume'
  const action = details?.action === undefined ? texts[`${what}.submit`] : isolated(details.action)
  return {
    title: texts[`${what}.title`],
    content: html`<p>${texts[`${what}.text`]}</p>
${details && detailsList(details)}<form method="post" action="${kept.action}">
${fields}${mainButton(action, texts['busy.sending'])}
</form>
${back}`,
  }
}

/** Shows the explanation and the exit links. Opening the page again sends and costs nothing. */
function problemScreen(view: PageView, problem: PageProblem, texts: Texts): Screen {
  const title = problemTitle(view, problem, texts)
  const text = problemText(view, problem, texts)
  if (view.mendedBy === 'signIn') {
    return { title, content: html`<p>${text}</p>\n${sendOptionsOf(view, texts)}` }
  }
  const alert = html`<div class="problem" role="alert" tabindex="-1" autofocus>
<p>${text}</p>
</div>
`
  return {
    title,
    content: html`${text.markup !== '' && alert}${view.details && detailsList(view.details)}${view.otherNumberMayDo && cancelling(view, texts['phone.change'])}${sendOptionsOf(view, texts)}`,
  }
}

/**
 * Marks a wrong field and gives it the focus: a screen reader reads the problem with it, and the user can type again.
 */
function fieldState({ problem, faultyField, isCalm }: PageView, field: PageView['faultyField']): Html {
  // Refers to the use of the number and to its problem.
  const why = field === 'phone' ? ' why' : ''
  if (problem === undefined) {
    // The instructions and the picture come first, because the app shows a code only after them.
    if (field === 'pair') return html``
    return html`${why && html` aria-describedby="why"`} autofocus`
  }
  if (isCalm) return html` aria-describedby="problem${why}" autofocus`
  if (faultyField !== field) return html`${why && html` aria-describedby="why"`}`
  const wrong = problem.code === 'code_not_accepted' && html` data-wrong="code"`
  return html` aria-invalid="true" aria-describedby="problem${why}" autofocus${wrong}`
}

/**
 * Returns whether a code that the device fills in is submitted automatically, with its length. Details must have been
 * read first.
 */
function submission({ details, problem, codeLength }: PageView): Html | undefined {
  return details === undefined && problem === undefined ? html` data-submits="${codeLength}"` : undefined
}

/** Explains the state of the interrupted form. */
function interruption({ formInterrupted, formKept, completes }: PageView, texts: Texts): Html | undefined {
  if (completes) return undefined
  if (formKept) return html` ${texts['start.formKept']}`
  return formInterrupted ? html` ${texts['start.formAgain']}` : undefined
}

function trustBox(view: PageView, texts: Texts): Html {
  const label = filled('code.trust', view, texts)
  return html`<p class="choice"><input id="trust" name="trustDevice" type="checkbox" value="true"><label for="trust">${label}</label></p>
`
}

function countryField(view: PageView, texts: Texts): Html | undefined {
  const { countries, chosenCountry, callingCodes = {} } = view
  if (countries.length < 2) return hiddenField('country', countries[0])
  const options = countryNames(countries, texts).map(([code, name]) => {
    const selected = code === chosenCountry && html` selected`
    // Isolated, because in a right-to-left language the plus would change sides.
    const calling = callingCodes[code] && ` \u2066(+${callingCodes[code]})\u2069`
    return html`<option value="${code}"${selected}>${name}${calling}</option>
`
  })
  // The number has the focus, unless the country is wrong.
  const state = view.faultyField === 'country' ? fieldState(view, 'country') : undefined
  return html`<label for="country">${texts['phone.country']}</label>
<select id="country" name="country" autocomplete="country"${state}>
${options}</select>
`
}
