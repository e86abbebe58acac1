import { html } from '../../lib/html.js'
import { detailsList } from './details-list.js'
import { hidden } from './forms.js'
import type { Texts } from './messages/texts.js'
import type { PageView } from './page-view.js'
import type { Screen } from './screens.js'

/** The form that the guard interrupted, posted by a button and never by itself. */
export function resumeScreen(view: PageView, texts: Texts): Screen {
  const { form, formSent, details, returnTo, links, formFields = {} } = view
  const back = html`<p><a href="${returnTo ?? links.home ?? '/'}">${texts[returnTo === undefined ? 'link.home' : 'link.back']}</a></p>
`
  if (form === undefined) {
    const became = formSent ? 'sent' : 'gone'
    return {
      title: texts[`resume.${became}.title`],
      content: html`<p>${texts[`resume.${became}.text`]}</p>
${back}`,
    }
  }
  // The code renewed the session, and with it the tokens that the host binds to its id.
  const fields = form.fields.map(([name, value]) => {
    const current = Object.hasOwn(formFields, name) ? formFields[name] : value
    return html`${hidden(name, current)}`
  })
  return {
    title: texts['resume.title'],
    content: html`<p>${texts['resume.text']}</p>
${details && detailsList(details)}<form method="post" action="${form.action}">
${fields}<div class="buttons"><button class="main">${texts['resume.submit']}</button></div>
</form>
${back}`,
  }
}
