import type { Request } from 'express'
import type { Method } from '../../challenge/exchange/code-provider.js'
import { hostFunction } from '../../lib/host-function.js'
import { memoize } from '../../lib/memoize.js'
import { optionError } from '../../lib/options.js'
import { checkOwnTexts, languageIn, ownTexts, placeholdersIn } from '../../lib/own-texts.js'
import { en, furtherPlurals, type Messages, type Texts } from './messages/en.js'
import { es } from './messages/es.js'
import { pt } from './messages/pt.js'

/** Returns the locale of a request. Undefined selects it by the preferences of the browser. */
export type LocaleOf = (req: Request) => string | undefined

/** Language of the response to one request. */
export interface Language {
  readonly locale: string
  readonly texts: Texts
}

/** Creates the negotiation of a request's language, for pages and for messages that a provider writes. */
export function createLanguageOf(parts: {
  readonly locale?: string | LocaleOf | undefined
  readonly messages: Messages
  readonly methods: readonly Method[]
}): (req: Request) => Language {
  const { locale, messages, methods } = parts
  const localeOf = typeof locale === 'function' ? hostFunction(locale) : () => locale
  const textsOf = createTexts(messages, methods)
  const offered = [...textsOf.keys()]
  if (typeof locale === 'string' && !textsOf.has(locale)) {
    throw optionError(
      `twoFactor: pages.locale "${locale}" is not available; add pages.messages for it or use one of ${offered.join(', ')}`,
    )
  }
  const languageFor = memoize((wanted): Language => {
    const chosen = negotiateLocale(wanted, offered)
    return { locale: chosen, texts: textsOf.get(chosen) as Texts }
  }, 100)
  return (req) => {
    const wanted: unknown = localeOf(req) ?? undefined
    if (wanted !== undefined && typeof wanted !== 'string') {
      throw new TypeError('locale must return a language tag or undefined, and no promise')
    }
    return languageFor(wanted ?? req.headers['accept-language'] ?? '')
  }
}

const builtIn: Readonly<Record<string, Texts>> = { en, es, pt }

/** Returns the locales with texts: built-in ones and those of the app. */
export function localesOf(messages: Messages): readonly string[] {
  return [...new Set([builtIn, messages].flatMap(Object.keys))]
}

/**
 * Returns all texts per locale: the built-in ones, replaced by the app's texts for the language, then for the region,
 * with the names of these methods. Throws a TypeError that names an unknown locale or text, or a text that a new
 * language lacks.
 *
 * @example
 * createTexts({ es: { 'code.title': 'Mira tu celular' } }).get('es')?.['code.title'] // 'Mira tu celular'
 */
export function createTexts(messages: Messages, methods: readonly Method[] = []): ReadonlyMap<string, Texts> {
  const names = Object.fromEntries(methods.map(({ name, label = name }) => [`method.${name}`, label]))
  checkOwnTexts(messages, {
    where: 'twoFactor: pages.messages',
    keys: [...Object.keys(en), ...Object.keys(names)],
    example: 'code.title',
    placeholdersOf: (key) => (Object.hasOwn(names, key) ? [] : knownPlaceholders(key)),
  })
  for (const [locale, own] of Object.entries(messages)) {
    checkLang(locale, own)
    checkWhole(locale, messages)
  }
  return new Map(localesOf(messages).map((locale) => [locale, { ...names, ...textsFor(locale, messages) }]))
}

function textsFor(locale: string, messages: Messages): Texts {
  const base = baseOf(locale) ?? en
  return { ...base, lang: builtIn[locale]?.lang ?? locale, ...ownTexts(locale, messages) }
}

/** Current scripts that are written from right to left (ISO 15924). */
const rightToLeft: readonly (string | undefined)[] = ['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']

const directionIn = memoize((lang) =>
  rightToLeft.includes(new Intl.Locale(lang).maximize().script) ? 'rtl' : 'ltr',
)

/** Returns the direction of a language by its script, as an HTML attribute. */
export const directionOf = ({ lang }: Texts): 'ltr' | 'rtl' => directionIn(lang)

/** Requires the tag of the language itself. With another tag, a screen reader would pronounce words wrong. */
function checkLang(locale: string, { lang = locale }: Partial<Texts>): void {
  if (languageIn(lang) === languageIn(locale)) return
  throw optionError(
    `twoFactor: pages.messages.${locale}: lang "${lang}" is another language; write lang: '${locale}'`,
  )
}

/**
 * Requires all texts of a new language. An incomplete one would show English sentences, and its author would not
 * notice.
 */
function checkWhole(locale: string, messages: Messages): void {
  if (baseOf(locale) !== undefined) return
  const own = { lang: locale, ...ownTexts(locale, messages) }
  const missing = textKeysOf(own).filter((key) => !Object.hasOwn(own, key))
  if (missing.length === 0) return
  const more = missing.length > 10 ? ` and ${missing.length - 10} more` : ''
  throw optionError(
    `twoFactor: pages.messages.${locale} lacks ${missing.slice(0, 10).join(', ')}${more}: translate them, or write { ...englishTexts, lang: '${locale}', … } to keep them in English`,
  )
}

/**
 * Returns the keys of texts that a user may read: not the language tag, and no text that is empty by default. A count
 * has the forms that the language uses up to a hundred.
 */
function textKeysOf({ lang = 'en', ...own }: Partial<Texts>): readonly string[] {
  const isEnglish = own[`${plural}other`] === en[`${plural}other`]
  const rules = new Intl.PluralRules(isEnglish ? 'en' : lang)
  const forms = new Set(Array.from({ length: 100 }, (_, before) => rules.select(before + 1)))
  const keys = Object.entries(en).flatMap(([key, text]) => (key === 'lang' || text === '' ? [] : key))
  const others = keys.filter((key) => !key.startsWith(plural))
  return [...others, ...[...forms].map((form) => `${plural}${form}`)]
}

const plural = 'code.triesLeft.'

/** Returns the built-in texts of the language: Spanish for `es-MX`. */
function baseOf(locale: string): Texts | undefined {
  const language = languageIn(locale)
  return Object.hasOwn(builtIn, language) ? builtIn[language] : undefined
}

/**
 * Returns the offered locale that a request prefers (RFC 4647, lookup): `es-CO` matches `es`. The first one if none
 * matches.
 *
 * @example
 * negotiateLocale('fr, es-CO;q=0.8', ['en', 'es', 'pt']) // 'es'
 */
export function negotiateLocale(acceptLanguage: string, offered: readonly string[]): string {
  for (const tag of wantedTags(acceptLanguage)) {
    if (tag === '*') break
    for (let prefix = tag; prefix !== ''; prefix = prefix.slice(0, Math.max(prefix.lastIndexOf('-'), 0))) {
      const found = offered.find((locale) => locale.toLowerCase() === prefix)
      if (found !== undefined) return found
    }
  }
  return offered[0] ?? 'en'
}

/**
 * Returns the first of these countries that the browser's languages name.
 *
 * @example
 * preferredRegion('en-US, es-CO;q=0.8', ['CO', 'MX']) // 'CO'
 */
export function preferredRegion(acceptLanguage = '', countries: readonly string[]): string | undefined {
  const regions = wantedTags(acceptLanguage).map(
    (tag) => /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})(?:-|$)/.exec(tag)?.[1],
  )
  return regions.map((region) => region?.toUpperCase()).find((region) => region && countries.includes(region))
}

/** Returns the language tags of a header in lower case, the preferred one first. */
function wantedTags(acceptLanguage: string): readonly string[] {
  return acceptLanguage
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
      return { tag, quality: Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}

/** Placeholders of problem texts. Each problem fills some of them. */
const inProblems = ['t', 'time', 'countries']
const toldAsProblem = /^(?:problem|code|phone)\.[\w.]+\.text$/

/**
 * Returns the placeholders of a text, or undefined for an unknown key. A placeholder without a value would be a gap.
 */
function knownPlaceholders(given: string): readonly string[] | undefined {
  const isPlural = furtherPlurals.some((form) => given === `${plural}${form}`)
  const key = isPlural ? `${plural}other` : given
  if (!isKey(key)) return undefined
  return toldAsProblem.test(key) ? inProblems : placeholdersIn(en[key])
}

const isKey = (key: string): key is keyof typeof en => Object.hasOwn(en, key)
