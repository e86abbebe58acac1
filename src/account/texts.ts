import { memoize } from '../lib/memoize.js'
import { checkOwnTexts, languageIn, ownTexts, placesIn } from '../lib/own-texts.js'
import { type AccountTexts, en } from './texts/en.js'
import { es } from './texts/es.js'
import { pt } from './texts/pt.js'

/** Own texts per locale, each key on its own. */
export type AccountMessages = Readonly<Record<string, Partial<AccountTexts>>>

const builtIn: Readonly<Record<string, AccountTexts>> = { en, es, pt }

const places = new Map(Object.entries(en).map(([key, text]) => [key, placesIn(text)]))

/**
 * The texts of a locale: the host's own over the built-in ones of its language, those over English. Throws a TypeError
 * that names a text that there is not, or a place that is missing in it.
 */
export function createTexts(messages: AccountMessages): (locale: string) => AccountTexts {
  checkOwnTexts(messages, {
    where: 'accountPages: messages',
    keys: [...places.keys()],
    example: 'numbers.title',
    placesOf: (key) => places.get(key),
    needsPlaces: true,
  })
  return memoize((locale) => ({ ...en, ...builtIn[languageIn(locale)], ...ownTexts(locale, messages) }), 100)
}

/** Fills each `{name}`. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)

/** The last two digits of a number, with a space between them: a voice reads each. */
export const spacedDigits = (number: string): string => [...number.slice(-2)].join(' ')
