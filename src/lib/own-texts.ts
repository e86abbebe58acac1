import { present } from './json.js'
import { nearestName, optionError } from './options.js'

// Texts of the app per locale. Each key replaces one built-in text.

type TextsPerLocale<Texts extends object> = Readonly<Record<string, Texts>>

/** Describes the texts that the app can replace. */
export interface KnownTexts {
  /** The option that contains them, for errors. */
  readonly where: string
  readonly keys: readonly string[]
  /** A key, as an example in errors. */
  readonly example: string
  /** Returns the placeholders of a text without their braces, or undefined for an unknown key. */
  readonly placeholdersOf: (key: string) => readonly string[] | undefined
  /** If true, a text must contain each placeholder, because the user decides about these values. */
  readonly needsPlaceholders?: boolean
}

/**
 * Returns the texts of the app for a locale in any case: those of its language, then those of its script and region.
 */
export function ownTexts<Texts extends object>(
  locale: string,
  messages: TextsPerLocale<Texts>,
): Partial<Texts> {
  const layers = Object.entries(messages)
    .filter(([tag]) => `${locale}-`.toLowerCase().startsWith(`${tag}-`.toLowerCase()))
    .sort(([one], [other]) => one.length - other.length)
  return Object.assign({}, ...layers.map(([, texts]) => present(texts)))
}

/** Returns the language of a tag: `es` for `es-MX`. */
export function languageIn(tag: string): string {
  const [language = ''] = tag.toLowerCase().split('-')
  return language
}

/**
 * Throws a TypeError for a text that would never be shown, or shown with a gap: an unknown locale or key, an unknown
 * placeholder, a missing placeholder.
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
  const { keys, example, placeholdersOf, needsPlaceholders = false } = known
  const placeholders = placeholdersOf(key)
  if (placeholders === undefined) {
    const near = nearestName(key, keys)
    const hint = near === undefined ? '' : `; did you mean "${near}"?`
    return `unknown key "${key}" (keys look like "${example}")${hint}`
  }
  const named = placeholdersIn(text)
  const unknown = named.find((name) => !placeholders.includes(name))
  if (unknown !== undefined) {
    const near = nearestName(unknown, placeholders)
    const expected =
      placeholders.length === 0 ? 'this text has none' : `expected: {${placeholders.join('}, {')}}`
    const hint = near === undefined ? expected : `did you mean {${near}}?`
    return `unknown placeholder {${unknown}} in "${key}"; ${hint}`
  }
  const missing = needsPlaceholders ? placeholders.find((name) => !named.includes(name)) : undefined
  return missing && `"${key}" lacks {${missing}}`
}

/** Returns the placeholders of a text without their braces. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}
