import { present } from './json.js'
import { nearestName, optionError } from './options.js'

// Texts of the host per locale, each key on its own, over built-in ones.

type TextsPerLocale<Texts extends object> = Readonly<Record<string, Texts>>

/** The texts that a host may have of its own. */
export interface KnownTexts {
  /** The option that has them, for errors. */
  readonly where: string
  readonly keys: readonly string[]
  /** A key, to show what they look like. */
  readonly example: string
  /** What may be filled in a text, without its braces; undefined where there is no such text. */
  readonly placesOf: (key: string) => readonly string[] | undefined
  /** Whether each of these has to be: what is filled in is what the person decides about. */
  readonly needsPlaces?: boolean
}

/** What the host has for a locale, whatever its case: for its language, and over that for its script and region. */
export function ownTexts<Texts extends object>(
  locale: string,
  messages: TextsPerLocale<Texts>,
): Partial<Texts> {
  const layers = Object.entries(messages)
    .filter(([tag]) => `${locale}-`.toLowerCase().startsWith(`${tag}-`.toLowerCase()))
    .sort(([one], [other]) => one.length - other.length)
  return Object.assign({}, ...layers.map(([, texts]) => present(texts)))
}

/** The language of a tag: `es` of `es-MX`. */
export function languageIn(tag: string): string {
  const [language = ''] = tag.toLowerCase().split('-')
  return language
}

/**
 * Throws a TypeError that names what would never be shown, or shown with a hole: a locale or a text that there is not, a
 * place that nothing is filled in, one that is missing.
 */
export function checkOwnTexts(messages: TextsPerLocale<object>, known: KnownTexts): void {
  for (const [locale, own] of Object.entries(messages)) {
    checkLocale(locale, known)
    for (const [key, text] of Object.entries(present(own))) {
      const mistake = mistakeIn(key, String(text), known)
      if (mistake !== undefined) throw optionError(`${known.where}.${locale}: ${mistake}`)
    }
  }
}

function checkLocale(locale: string, { where }: KnownTexts): void {
  try {
    Intl.getCanonicalLocales(locale)
  } catch {
    throw optionError(`${where}: "${locale}" is not a valid language tag (example: "pt-BR")`)
  }
}

function mistakeIn(key: string, text: string, known: KnownTexts): string | undefined {
  const { keys, example, placesOf, needsPlaces = false } = known
  const places = placesOf(key)
  if (places === undefined) {
    const near = nearestName(key, keys)
    const hint = near === undefined ? '' : `; did you mean "${near}"?`
    return `unknown key "${key}" (keys look like "${example}")${hint}`
  }
  const named = placesIn(text)
  const unknown = named.find((name) => !places.includes(name))
  if (unknown !== undefined) {
    const near = nearestName(unknown, places)
    const expected = places.length === 0 ? 'this text has none' : `expected: {${places.join('}, {')}}`
    const hint = near === undefined ? expected : `did you mean {${near}}?`
    return `unknown placeholder {${unknown}} in "${key}"; ${hint}`
  }
  const missing = needsPlaces ? places.find((name) => !named.includes(name)) : undefined
  return missing && `"${key}" lacks {${missing}}`
}

/** The places that a text has filled in, without their braces. */
export function placesIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}
