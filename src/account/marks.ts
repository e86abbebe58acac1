import type { RouteContext } from '../index.js'
import { type Html, html } from '../lib/html.js'
import type { ChangeKind } from './changes.js'
import type { AccountTexts } from './texts/en.js'
import { fill, spacedDigits } from './texts.js'

// What all pages are drawn with. Everything works without a script, and every value is escaped.

/** What a page is made with. */
export interface PageContext {
  readonly visit: RouteContext
  readonly texts: AccountTexts
  /** Where a browser finds the pages. */
  readonly path: string
}

interface ButtonOptions {
  /** Hidden fields of its form. */
  readonly fields?: Readonly<Record<string, string>>
  /** The number or browser, for a person who hears the button alone. */
  readonly of?: string
  /** In place of the usual text of the change. */
  readonly text?: string | undefined
  /** `main` fills the width, `plain` is a quiet text. */
  readonly look?: 'main' | 'plain'
}

/** A button that makes one change. */
export function changeButton(
  scene: PageContext,
  route: string,
  kind: ChangeKind,
  { fields, of, look, text = scene.texts[`do.${kind}`] }: ButtonOptions = {},
): Html {
  const spoken = of && html`<span class="unseen"> <bdi>${of}</bdi></span>`
  const busy = scene.visit.texts['busy.sending']
  const button = html`<button${look && html` class="${look}"`} data-busy="${busy}">${text}${spoken}</button>`
  return form(scene, route, look === 'main' ? html`<div class="buttons">${button}</div>` : button, fields)
}

/** A form for one of the routes of the pages. */
export function form({ visit, path }: PageContext, route: string, content: Html, fields = {}): Html {
  const hidden = Object.entries<string>({ ...fields, ...visit.formFields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${path + route}" novalidate>
${hidden}${content}
</form>\n`
}

export const link = (to: string, text: string): Html => html`<p><a href="${to}">${text}</a></p>\n`

/** A link that looks like a button: what a person comes for. */
export const linkButton = (to: string, text: string): Html =>
  html`<a class="button" href="${to}">${text}</a>\n`

/** Back to the first page. */
export const back = ({ path, texts }: PageContext): Html => link(path, texts.back)

/** A state that is seen at a glance. */
export const badge = (text: string, isOn = true): Html =>
  html` <span class="badge${isOn && ' on'}">${text}</span>`

/** How the number is called, in words. */
export const spokenNumber = ({ visit }: PageContext, masked: string): string =>
  fill(visit.texts['code.destination'], { digits: spacedDigits(masked) })

/** A masked number. Bullets mean nothing when read aloud, so a screen reader reads words. */
export const maskedNumber = (scene: PageContext, masked: string): Html =>
  html`<span aria-hidden="true" class="number" dir="ltr">${masked}</span><span class="unseen">${spokenNumber(scene, masked)}</span>`
