import type { NewAuthenticator, OwnPage } from '../index.js'
import { html } from '../lib/html.js'
import { pairingEntry, pairingSteps } from '../lib/pairing.js'
import type { NamedPasskey } from './changes.js'
import { back, changeButton, linkLine, type PageContext, returnPath, routeForm } from './marks.js'
import { fillText } from './texts.js'

// All pages except the first.

/** Returns the page that shows a secret to scan and takes the first code. */
export function appPage(page: PageContext, pairing: NewAuthenticator, fault?: string): OwnPage {
  const { texts } = page.visit
  const state =
    fault === undefined
      ? undefined
      : html` aria-invalid="true" aria-describedby="problem" data-wrong="${fault}"`
  const content = html`${pairingSteps(pairing, texts)}
${routeForm(page, '/app', pairingEntry(texts, state))}${back(page)}`
  return { title: texts['pair.title'], content: content.markup }
}

/** Returns the page between a sign-in and `returnTo` that offers a passkey. */
export function passkeyOfferPage(page: PageContext, returnTo: string): OwnPage {
  const { texts } = page
  const setUp = changeButton(page, '/passkeys/start', 'passkey-added', {
    fields: { returnTo },
    text: texts['offer.set-up'],
    look: 'main',
  })
  const content = html`<p>${texts['offer.text']}</p>
${setUp}${linkLine(returnTo, texts['codes.later'])}`
  return { title: texts['offer.title'], content: content.markup }
}

/** Returns the page that leads on to `returnTo` after an offered passkey was added, or with a `problem` was not. */
export function afterOfferPage({ texts, visit }: PageContext, returnTo: string, problem?: string): OwnPage {
  const content = html`${problem === undefined && html`<p>${texts['offer.done']}</p>`}
<p><a class="button main" href="${returnTo}">${visit.texts['done.continue']}</a></p>`
  const notice = problem === undefined ? texts['done.passkey-added'] : undefined
  return { title: texts['passkeys.title'], notice, problem, content: content.markup }
}

/** Returns the page on which the browser creates a passkey. The form stays hidden without a script. */
export function newPasskeyPage(page: PageContext, publicKey: object): OwnPage {
  const { texts, visit } = page
  const returnTo = returnPath(visit)
  const entry = html`<div class="buttons"><button class="main" data-busy="${visit.texts['busy.sending']}">${texts['passkeys.create']}</button></div>
<p role="status" data-cancelled="${texts['passkeys.cancelled']}"></p>`
  const fields = { passkey: '', ...(returnTo !== undefined && { returnTo }) }
  const options = html` hidden data-new-passkey="${JSON.stringify(publicKey)}"`
  const content = html`<p>${texts['passkeys.text']}</p>
${routeForm(page, '/passkeys', entry, { fields, attributes: options })}<p data-without-passkey>${texts['passkeys.unsupported']}</p>
${returnTo === undefined ? back(page) : linkLine(returnTo, texts['codes.later'])}`
  return { title: texts['passkeys.add'], content: content.markup }
}

/** Returns the page for another name of a passkey. */
export function passkeyNamePage(page: PageContext, { id, label }: NamedPasskey): OwnPage {
  const { texts, visit } = page
  const entry = html`<label for="name">${texts['passkeys.name']}</label>
<input id="name" name="name" type="text" maxlength="60" autocomplete="off" value="${label}" autofocus>
<div class="buttons"><button class="main" data-busy="${visit.texts['busy.sending']}">${texts['do.passkey-renamed']}</button></div>`
  const content = html`${routeForm(page, '/passkeys/rename', entry, { fields: { passkey: id } })}${back(page)}`
  return { title: texts['passkeys.rename'], content: content.markup }
}

/** Returns the offer of recovery codes after the first factor. It asks for no code. */
export function offerCodesPage(page: PageContext): OwnPage {
  const { texts, path } = page
  const make = changeButton(page, '/recovery-codes', 'recovery-codes-made', {
    text: texts['recovery.make'],
    look: 'main',
  })
  const content = html`<p>${texts['codes.lead.text']}</p>
${make}${linkLine(path, texts['codes.later'])}`
  return { title: texts['codes.lead'], content: content.markup }
}

/** Returns the page after the correct code for recovery codes. A script presses its button. */
export function showCodesPage(page: PageContext): OwnPage {
  const { texts } = page
  const show = changeButton(page, '/recovery-codes', 'recovery-codes-made', {
    text: texts['codes.show'],
    look: 'main',
  })
  return { title: texts['codes.title'], content: html`<div data-presses>${show}</div>`.markup }
}

/** New recovery codes. */
export interface MadeCodes {
  readonly codes: readonly string[]
  /** Name of the account. */
  readonly account: string
  /** If true, the account had no recovery codes before. */
  readonly isFirst: boolean
}

/** Returns the page that shows the codes once. Elements that need a script are hidden without scripts. */
export function codesPage(
  { visit, texts, path }: PageContext,
  { codes, account, isFirst }: MadeCodes,
): OwnPage {
  const day = new Intl.DateTimeFormat(visit.texts.lang, { dateStyle: 'long', timeZone: 'UTC' })
  const of = fillText(texts['codes.of'], { account, when: day.format(new Date()) })
  const lines = [`${visit.appName}: ${texts['recovery.title']}`, of, '', ...codes, '']
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(lines.join('\r\n'))}`
  const content = html`<p>${texts['codes.text']}</p>
<p class="faint"><bdi>${of}</bdi></p>
<ol class="codes" id="codes" dir="ltr" data-shown-once>
${codes.map((code) => html`<li class="key">${code}</li>\n`)}</ol>
<div class="buttons"><button type="button" data-copies="codes" data-copied="${texts['codes.copied']}" data-failed="${texts['codes.not-copied']}" hidden>${texts['codes.copy']}</button>
<a class="button" href="${file}" download="${fileName(visit.appName)}">${texts['codes.download']}</a>
<button type="button" data-prints hidden>${texts['codes.print']}</button></div>
<p><a class="button main" href="${path}" data-leaves>${texts['codes.kept']}</a></p>
<p class="unseen" role="status"></p>`
  const kind = isFirst ? 'recovery-codes-first' : 'recovery-codes-made'
  return { title: texts['codes.title'], notice: texts[`done.${kind}`], content: content.markup }
}

/** Returns a file name with the app name, which distinguishes the files of two apps. */
function fileName(appName: string): string {
  const words = appName.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '')
  return `${words && `${words}-`}recovery-codes.txt`
}
