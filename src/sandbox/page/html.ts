/** Markup that is already safe. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[] | undefined | false

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function render(part: Part): string {
  if (part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  if (typeof part === 'object') return (part as Html).markup
  // Messages hold whatever a program sent: every text is escaped, in contents and in quoted attributes.
  return String(part).replace(/[&<>"']/g, (character) => escapes[character] ?? '')
}

/** Markup with every value escaped that is not markup itself. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = literals.reduce((whole, literal, index) => whole + render(parts[index - 1]) + literal)
  return { markup }
}
