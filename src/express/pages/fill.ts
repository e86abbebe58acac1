import { type Html, html } from '../../lib/html.js'

/** A value, or what makes it where the text has a place for it. */
type Value = string | Html | (() => string | Html)

/** Fills each `{name}` in a text of the pages. */
export function fill(text: string, values: ReadonlyMap<string, Value>): Html {
  const filled = (name: string) => {
    const value = values.get(name)
    return typeof value === 'function' ? value() : value
  }
  // The capture puts the names at the odd places.
  const pieces = text.split(/\{(\w+)\}/).map((piece, index) => html`${index % 2 ? filled(piece) : piece}`)
  return html`${pieces}`
}
