import { memoize } from '../lib/memoize.js'
import { checkOwnTexts, languageIn, ownTexts, placeholdersIn } from '../lib/own-texts.js'
import { type AccountTexts, en } from './texts/en.js'
import { es } from './texts/es.js'
import { pt } from './texts/pt.js'

/** Your texts by locale and key. */
export type AccountMessages = Readonly<Record<string, Partial<AccountTexts>>>

const builtInTexts: Readonly<Record<string, AccountTexts>> = { en, es, pt }

const placeholdersByKey = new Map(Object.entries(en).map(([key, text]) => [key, placeholdersIn(text)]))

/**
 * Returns the texts of a locale. The host's texts replace the built-in texts of the language, which replace English.
 * Throws a TypeError that names an unknown text or a missing placeholder.
 */
export function createAccountTexts(messages: AccountMessages): (locale: string) => AccountTexts {
  checkOwnTexts(messages, {
    where: 'accountPages: messages',
    keys: [...placeholdersByKey.keys()],
    example: 'numbers.title',
    placeholdersOf: (key) => placeholdersByKey.get(key),
    needsPlaceholders: true,
  })
  return memoize(
    (locale) => ({ ...en, ...builtInTexts[languageIn(locale)], ...ownTexts(locale, messages) }),
    100,
  )
}

/** Fills each `{name}`. */
export const fillText = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)

/** Returns the last two digits with a space between them, so that a screen reader reads each digit. */
export const spacedDigits = (number: string): string => [...number.slice(-2)].join(' ')
