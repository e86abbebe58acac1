import { html } from '../../lib/html.js'
import { detailsList } from './details-list.js'
import { form } from './forms.js'
import type { Texts } from './messages/texts.js'
import { pageUrl } from './page-url.js'
import type { PageView } from './page-view.js'
import { fieldState, link, lostPhoneUrl, type Screen } from './screens.js'

/** For somebody who does not have the phone: type a recovery code. */
export function recoveryScreen(view: PageView, texts: Texts): Screen {
  const entry = html`<label for="recovery">${texts['recovery.label']}</label>
<input id="recovery" name="recoveryCode" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" enterkeyhint="go"${fieldState(view, 'recovery')}>
<div class="buttons"><button class="main">${texts['code.submit']}</button></div>`
  // Until the wait is over the server would only refuse again.
  const isExhausted = view.problem?.code === 'attempts_exhausted'
  return {
    title: texts['recovery.title'],
    content: html`${view.details && detailsList(view.details)}<p>${texts['recovery.text']}</p>
${!isExhausted && form(view, 'verify', entry)}
<section aria-labelledby="help">
<h2 id="help">${texts['recovery.help']}</h2>
${waysOut(view, texts)}</section>`,
  }
}

function waysOut(view: PageView, texts: Texts) {
  const { basePath, channels, links } = view
  const phoneUrl = channels.length === 0 ? '' : pageUrl(basePath, { ...view, method: undefined })
  const ways = [
    [phoneUrl, texts['recovery.byPhone']],
    [links.otherMethod ?? '', texts['link.otherMethod']],
    [lostPhoneUrl(view, texts), texts['recovery.lost']],
    [links.support ?? '', texts['link.support']],
  ] as const
  return ways.filter(([url]) => url !== '').map(([url, text]) => link(url, text))
}
