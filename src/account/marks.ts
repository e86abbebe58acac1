import type { RouteContext } from '../index.js'
import { type Html, html } from '../lib/html.js'
import type { ChangeKind } from './changes.js'
import type { AccountTexts } from './texts/en.js'

// What all pages are drawn with. Everything works without a script, and every value is escaped.

/** What a page is made with. */
export interface PageContext {
  readonly visit: RouteContext
  readonly texts: AccountTexts
  /** Where the pages are mounted. */
  readonly path: string
}

interface ButtonOptions {
  /** What the form says besides. */
  readonly fields?: Readonly<Record<string, string>>
  /** What it is done to, for those who hear the button alone. */
  readonly of?: string
  readonly isMain?: boolean
}

/** A button that makes one change. */
export function changeButton(
  scene: PageContext,
  route: string,
  kind: ChangeKind,
  { fields, of, isMain }: ButtonOptions = {},
): Html {
  const { texts, visit } = scene
  const spoken = of && html`<span class="unseen"> <bdi>${of}</bdi></span>`
  const busy = visit.texts['busy.sending']
  const button = html`<div class="buttons"><button${isMain && html` class="main"`} data-busy="${busy}">${texts[`do.${kind}`]}${spoken}</button></div>`
  return form(scene, route, button, fields)
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

/** Back to the first page. */
export const back = ({ path, texts }: PageContext): Html => link(path, texts.back)

export const number = (shown: string): Html => html`<span class="number" dir="ltr">${shown}</span>`
