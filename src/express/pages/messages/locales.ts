import { optionError } from '../../../lib/options.js'
import { en } from './en.js'
import { es } from './es.js'
import { pt } from './pt.js'
import type { Messages, Texts } from './texts.js'

const builtIn: Readonly<Record<string, Texts>> = { en, es, pt }

/**
 * All texts per locale, the host's own ones laid over the built-in ones. Throws a TypeError that names
 * a locale or a text that there is not.
 *
 * @example
 * createTexts({ es: { 'code.title': 'Mira tu celular' } }).get('es')?.['code.title'] // 'Mira tu celular'
 */
export function createTexts(messages: Messages): ReadonlyMap<string, Texts> {
  const texts = new Map(Object.entries(builtIn))
  for (const [locale, own] of Object.entries(messages)) {
    checkLocale(locale)
    for (const key of Object.keys(own)) checkKey(locale, key)
    const given = Object.entries(own).filter(([, text]) => text !== undefined)
    texts.set(locale, { ...en, ...builtIn[locale], lang: locale, ...Object.fromEntries(given) })
  }
  return texts
}

function checkLocale(locale: string): void {
  try {
    Intl.getCanonicalLocales(locale)
  } catch {
    throw optionError(`twoFactor: messages: "${locale}" is not a valid language tag (example: "pt-BR")`)
  }
}

function checkKey(locale: string, key: string): void {
  if (Object.hasOwn(en, key)) return
  throw optionError(`twoFactor: messages.${locale}: unknown key "${key}" (keys look like "code.title")`)
}

/**
 * The offered locale that a request likes best (RFC 4647, lookup): `es-CO` takes `es`. The first
 * offered one when nothing fits.
 *
 * @example
 * negotiateLocale('fr, es-CO;q=0.8', ['en', 'es', 'pt']) // 'es'
 */
export function negotiateLocale(acceptLanguage: string | undefined, offered: readonly string[]): string {
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
      return { tag, quality: Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)

  for (const { tag } of wanted) {
    if (tag === '*') break
    for (let prefix = tag; prefix !== ''; prefix = prefix.slice(0, Math.max(prefix.lastIndexOf('-'), 0))) {
      const found = offered.find((locale) => locale.toLowerCase() === prefix)
      if (found !== undefined) return found
    }
  }
  return offered[0] ?? 'en'
}
