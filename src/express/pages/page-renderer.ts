import type { Request } from 'express'
import { optionError } from '../../lib/options.js'
import { hostFunction } from '../host/host-function.js'
import type { RenderPage } from '../http/responder.js'
import { createTexts, negotiateLocale } from './messages/locales.js'
import type { Messages, Texts } from './messages/texts.js'
import type { PageView } from './page-view.js'
import { renderPage } from './render-page.js'

/** The locale of one request; undefined leaves it to what the browser likes best. */
export type LocaleOf = (req: Request) => string | undefined

/**
 * Makes the HTML of a page.
 *
 * @example
 * twoFactor({ render: (view, { texts }) => nunjucks.render('two-factor.html', { view, texts }) })
 */
export type Render = (
  view: PageView,
  context: { readonly req: Request; readonly locale: string; readonly texts: Texts },
) => string | Promise<string>

export function createPageRenderer(parts: {
  readonly locale?: string | LocaleOf | undefined
  readonly messages: Messages
  readonly render?: Render | undefined
}): RenderPage {
  const { locale, messages } = parts
  const localeOf = typeof locale === 'function' ? hostFunction(locale) : () => locale
  const render = parts.render && hostFunction(parts.render)
  const textsOf = createTexts(messages)
  const offered = [...textsOf.keys()]
  if (typeof locale === 'string' && !textsOf.has(locale)) {
    throw optionError(
      `twoFactor: locale "${locale}" is not available; add messages for it or use one of ${offered.join(', ')}`,
    )
  }
  return (view, req) => {
    const wanted: unknown = localeOf(req) ?? undefined
    if (wanted !== undefined && typeof wanted !== 'string') {
      throw new TypeError('locale must return a language tag or undefined, and no promise')
    }
    const chosen = negotiateLocale(wanted ?? req.headers['accept-language'], offered)
    const texts = textsOf.get(chosen) as Texts
    return render === undefined ? renderPage(view, texts) : render(view, { req, locale: chosen, texts })
  }
}
