import type { Request } from 'express'
import type { Method } from '../../challenge/code-provider.js'
import { memoize } from '../../lib/memoize.js'
import { optionError } from '../../lib/options.js'
import { hostFunction } from '../host/boundary.js'
import type { Warn } from '../host/warnings.js'
import type { Messages, Texts } from './messages/en.js'
import { createTexts, missingTexts, negotiateLocale } from './messages/locales.js'

/** The locale of one request; undefined leaves it to the preferences of the browser. */
export type LocaleOf = (req: Request) => string | undefined

/** The language that one request is answered in. */
export interface Language {
  readonly locale: string
  readonly texts: Texts
}

/** Negotiates the language of a request: for its pages, and for messages that a provider of codes writes. */
export function createLanguageOf(parts: {
  readonly locale?: string | LocaleOf | undefined
  readonly messages: Messages
  readonly methods: readonly Method[]
  readonly warn: Warn
}): (req: Request) => Language {
  const { locale, messages, methods, warn } = parts
  const localeOf = typeof locale === 'function' ? hostFunction(locale) : () => locale
  const textsOf = createTexts(messages, methods)
  const missing = [...missingTexts(messages)].map(
    ([tag, keys]) => `pages.messages.${tag} lacks ${keys.join(', ')}`,
  )
  if (missing.length > 0) warn('TWO_FACTOR_MESSAGES_INCOMPLETE', missing.join('; '))
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
