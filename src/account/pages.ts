import type { NewAuthenticator, OwnPage } from '../index.js'
import { html } from '../lib/html.js'
import { back, changeButton, form, link, number, type PageContext } from './marks.js'

// The pages beside the first one.

/** The number was proven: one button puts it on file. */
export function addNumberPage(scene: PageContext, phone: string, isFirst: boolean): OwnPage {
  const { texts } = scene
  const [before = '', after = ''] = texts['add.text'].split('{number}')
  const content = html`<p>${before}${number(phone)}${after}${!isFirst && html` ${texts['add.confirm']}`}</p>
${changeButton(scene, '/numbers/add', 'number-added', { isMain: true })}${back(scene)}`
  return { title: texts['add.title'], content: content.markup }
}

/** A new app: scan its secret, and type the first code. */
export function appPage(scene: PageContext, { secret, uri, qr }: NewAuthenticator, fault?: string): OwnPage {
  const { texts } = scene.visit
  const key = secret.replaceAll(/.{4}(?=.)/g, '$& ')
  const entry = html`<label for="pair">${texts['code.label']}</label>
<input id="pair" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" enterkeyhint="go" dir="ltr"${fault && html` aria-invalid="true" aria-describedby="problem" data-wrong="${fault}"`}>
<div class="buttons"><button class="main" data-busy="${texts['busy.checking']}">${texts['code.submit']}</button></div>`
  const content = html`<p>${texts['pair.text']}</p>
<div class="qr" role="img" aria-label="${texts['pair.picture']}">${{ markup: qr }}</div>
<p><a href="${uri}">${texts['pair.open']}</a></p>
<p>${texts['pair.key']} <span class="key" dir="ltr">${key}</span></p>
${form(scene, '/app', entry)}${back(scene)}`
  return { title: scene.texts['change.app-added'], content: content.markup }
}

/** After the first way: no code is asked for. */
export function offerCodesPage(scene: PageContext): OwnPage {
  const { texts, path } = scene
  const content = html`<p>${texts['codes.lead.text']}</p>
${changeButton(scene, '/recovery-codes', 'recovery-codes-made', { isMain: true })}${link(path, texts['codes.later'])}`
  return { title: texts['codes.lead'], content: content.markup }
}

/** Shown once. What needs a script is not shown without one. */
export function codesPage({ texts, path }: PageContext, codes: readonly string[]): OwnPage {
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\r\n')}\r\n`)}`
  const content = html`<p class="notice">${texts['done.recovery-codes-made']}</p>
<p>${texts['codes.text']}</p>
<ol class="codes" id="codes" dir="ltr">
${codes.map((code) => html`<li class="key">${code}</li>\n`)}</ol>
<div class="buttons"><button type="button" data-copies="codes" data-copied="${texts['codes.copied']}" data-failed="${texts['codes.not-copied']}" hidden>${texts['codes.copy']}</button>
<a class="button" href="${file}" download="recovery-codes.txt">${texts['codes.download']}</a>
<button type="button" data-prints hidden>${texts['codes.print']}</button></div>
<p><a class="button main" href="${path}">${texts['codes.kept']}</a></p>
<p class="unseen" role="status"></p>`
  return { title: texts['codes.title'], content: content.markup }
}
