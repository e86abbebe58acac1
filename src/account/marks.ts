import type { RouteContext } from '../index.js'
import { type Html, html } from '../lib/html.js'
import type { ChangeKind } from './changes.js'
import type { AccountTexts } from './texts/en.js'
import { fillText, spacedDigits } from './texts.js'

// Elements of all pages. Every page works without a script, and every value is escaped.

/** Input of a page. */
export interface PageContext {
  readonly visit: RouteContext
  readonly texts: AccountTexts
  /** Address of the pages in the browser. */
  readonly path: string
}

interface ButtonOptions {
  /** Hidden fields of the form. */
  readonly fields?: Readonly<Record<string, string>>
  /** The number or browser, for a screen reader that reads only the button. */
  readonly of?: string
  /** Replaces the usual text of the change. */
  readonly text?: string | undefined
  /** `main` fills the width, `plain` looks like text. */
  readonly look?: 'main' | 'plain'
}

/** Returns a button that makes one change. */
export function changeButton(
  page: PageContext,
  route: string,
  kind: ChangeKind,
  { fields, of, look, text = page.texts[`do.${kind}`] }: ButtonOptions = {},
): Html {
  const spoken = of && html`<span class="unseen"> <bdi>${of}</bdi></span>`
  const busy = page.visit.texts['busy.sending']
  const button = html`<button${look && html` class="${look}"`} data-busy="${busy}">${text}${spoken}</button>`
  const content = look === 'main' ? html`<div class="buttons">${button}</div>` : button
  return routeForm(page, route, content, { fields })
}

interface FormOptions {
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string>> | undefined
  readonly attributes?: Html
}

/** Returns a form for a route of the pages. */
export function routeForm(
  { visit, path }: PageContext,
  route: string,
  content: Html,
  { fields, attributes }: FormOptions = {},
): Html {
  const hidden = Object.entries<string>({ ...fields, ...visit.formFields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${path + route}" novalidate${attributes}>
${hidden}${content}
</form>\n`
}

export const linkLine = (to: string, text: string): Html => html`<p><a href="${to}">${text}</a></p>\n`

/** Returns a link that looks like a button, for the main action of a page. */
export const linkButton = (to: string, text: string): Html =>
  html`<a class="button" href="${to}">${text}</a>\n`

/** Returns the page to which the user continues after an offer, as a browser requests it. */
export const returnPath = ({ prefix, returnTo }: RouteContext): string | undefined =>
  returnTo === undefined ? undefined : prefix + returnTo

/** Returns a link to the first page. */
export const back = ({ path, texts }: PageContext): Html => linkLine(path, texts.back)

/** Returns a short label. Only a good state is marked with colour. */
export const badge = (text: string, isOn: boolean): Html =>
  html` <span class="badge${isOn && ' on'}">${text}</span>`

/** Returns the name of a number in words. */
export const spokenNumber = ({ visit }: PageContext, masked: string): string =>
  fillText(visit.texts['code.destination'], { digits: spacedDigits(masked) })

/** Returns a masked number. A screen reader reads words, because bullets mean nothing when read aloud. */
export const maskedNumber = (page: PageContext, masked: string): Html =>
  html`<span aria-hidden="true" class="number" dir="ltr">${masked}</span><span class="unseen">${spokenNumber(page, masked)}</span>`
