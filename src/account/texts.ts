import { type AccountTexts, en } from './texts/en.js'
import { es } from './texts/es.js'
import { pt } from './texts/pt.js'

/** Own texts per locale, each key on its own. */
export type AccountMessages = Readonly<Record<string, Partial<AccountTexts>>>

const builtIn: Readonly<Record<string, AccountTexts>> = { en, es, pt }

/** The texts of a locale: the host's own over the built-in ones of its language, those over English. */
export function createTexts(messages: AccountMessages = {}): (locale: string) => AccountTexts {
  return (locale) => {
    const [language = ''] = locale.toLowerCase().split('-')
    return { ...en, ...builtIn[language], ...messages[language], ...messages[locale] }
  }
}

/** Fills each `{name}`. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
