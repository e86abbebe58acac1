/** Text that is HTML already. Only `html` makes one, so that nothing gets onto a page unescaped. */
export interface Html {
  readonly markup: string
}

type HtmlValue = string | number | Html | undefined | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Escapes every value that is not HTML itself; `undefined` leaves nothing. Attributes must have double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { markup: parts.map((part, index) => part + markupOf(values[index])).join('') }
}

/** Fills each `{name}` in a text of the pages. */
export function fill(text: string, values: ReadonlyMap<string, string | Html>): Html {
  // The capture puts the names at the odd places.
  const pieces = text.split(/\{(\w+)\}/).map((piece, index) => html`${index % 2 ? values.get(piece) : piece}`)
  return html`${pieces}`
}

function markupOf(value: HtmlValue): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.replace(/[&<>"]/g, (character) => String(entities[character]))
  if ('markup' in value) return value.markup
  return value.map(({ markup }) => markup).join('')
}
