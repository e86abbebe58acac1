import type { Details } from '../../challenge/code-provider.js'
import { type Html, html } from '../../lib/html.js'

/** What the code confirms. Each value is isolated, so that its direction leaves its neighbours alone. */
export function detailsList({ title, rows }: Details): Html {
  const heading = title === undefined ? undefined : html`<h2>${title}</h2>\n`
  const items = rows.map(([label, value]) => html`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd></div>\n`)
  return html`${heading}<dl>\n${items}</dl>\n`
}
