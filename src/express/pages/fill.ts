import { type Html, html } from '../../lib/html.js'

/** Fills each `{name}` in a text of the pages. */
export function fill(text: string, values: ReadonlyMap<string, string | Html>): Html {
  // The capture puts the names at the odd places.
  const pieces = text.split(/\{(\w+)\}/).map((piece, index) => html`${index % 2 ? values.get(piece) : piece}`)
  return html`${pieces}`
}
