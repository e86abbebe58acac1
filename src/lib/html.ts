/** HTML that is already escaped. Only `html` creates it, so a page contains no unescaped value (XSS). */
export interface Html {
  readonly markup: string
}

type HtmlValue = string | number | false | undefined | Html | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]))

/** Escapes every value that is not `Html`. `undefined` and `false` add nothing. Attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { markup: parts.map((part, index) => part + markupOf(values[index])).join('') }
}

/** Returns the visible text, without markup and without texts for screen readers only. */
export function plainText({ markup }: Html): string {
  return markup
    .replace(/<span class="unseen">.*?<\/span>|<[^>]*>/g, '')
    .replace(/&[#\w]+;/g, (entity) => characters.get(entity) ?? entity)
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => entities[character] ?? '')
  if ('markup' in value) return value.markup
  return value.map(({ markup }) => markup).join('')
}
