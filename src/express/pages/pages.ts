import { hash } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Domain } from '../../challenge/domain.js'
import { hostFunction } from '../../lib/host-function.js'
import { type Html, html, plainText } from '../../lib/html.js'
import { version } from '../../lib/version.js'
import type { Problem } from '../http/problems.js'
import type { SitePaths } from '../http/site-paths.js'
import { type BrandOptions, createPageHeaders, styleSheet } from './brand.js'
import { cancelling, type FormFieldsOf, hiddenFieldsOf } from './forms.js'
import { directionOf, type Language, type LocaleOf } from './language.js'
import type { LinkOptions } from './links.js'
import type { Messages, Texts } from './messages/en.js'
import type { PageView } from './page-view.js'
import { problemSentence, summary } from './problem-words.js'
import { screenOf } from './screens.js'
import { filled, isolated, type TextKey } from './wording.js'

/** Tools for a page of your app. */
export interface PageTools {
  /** The request of the page. */
  readonly req: Request
  /** The response. Headers that you set on it replace those of the package. */
  readonly res: Response
  /** The user's language, such as `es`. */
  readonly locale: string
  /** All texts of that language, with placeholders such as `{phone}`. */
  readonly texts: Texts
  /**
   * Returns one text without markup, with its placeholders replaced for this page. Escape it.
   *
   * @example
   * page.t('code.sent') // 'We sent a code to ••••••67. It works for 10 minutes.', or what was sent instead
   * page.t(`resend.${channel}`) // 'Send a new code'
   */
  t(key: TextKey | 'code.sent'): string
  /** Problem of the last form, as a sentence without markup. Escape it. */
  readonly problem?: string | undefined
  /** Hidden fields of every form, by name. Hostile: escape them. */
  readonly fields: Readonly<Record<string, string>>
  /** The built-in page, to be embedded or replaced. */
  readonly html: string
}

/**
 * Renders the HTML of a page.
 *
 * @example
 * twoFactor({ ...options, pages: { render: (view, page) => ejs.renderFile('two-factor.ejs', { view, page }) } })
 */
export type Render = (view: PageView, page: PageTools) => string | Promise<string>

/** Options of the built-in pages. */
export interface PagesOptions {
  /**
   * Links of pages that cannot help the user further. Each is a path, an https URL or `(req) => string`.
   *
   * `signIn` receives the path to return to as `?returnTo=`. Default of `home`: `/`.
   */
  readonly links?: LinkOptions
  /** Name, logo and colours of the pages. */
  readonly brand?: BrandOptions
  /**
   * Returns hidden fields for the forms of the pages, such as the token of a CSRF library.
   *
   * The package does not read them.
   *
   * @example
   * formFields: (req) => ({ _csrf: generateToken(req) })
   */
  readonly formFields?: FormFieldsOf
  /**
   * A fixed language, or a function that returns the language of a request. Default: the visitor's preferred language
   * among en, es, pt and those of `messages`, otherwise en.
   */
  readonly locale?: string | LocaleOf
  /** Your texts per locale. Each key replaces one built-in text. */
  readonly messages?: Messages
  /** Renders the HTML of a page in place of, or around, the built-in page. */
  readonly render?: Render
}

/** Options that the pages use. */
export interface PageSettings {
  readonly pages: PagesOptions & Required<Pick<PagesOptions, 'links' | 'messages'>>
  /** App names by purpose. */
  readonly appName: Readonly<Record<string, string> & Record<'login', string>>
  /** ISO 3166 codes. */
  readonly countries: readonly string[] | 'any'
}

/**
 * Pages whose forms end on a page of the package. `form-action` applies to redirects, too: after the form of any other
 * page, it would stop an app that continues on another site after a correct code.
 */
const endsHere: ReadonlySet<PageView['page']> = new Set(['pair', 'own'])

/** The pages of an app. */
export type Pages = ReturnType<typeof createPages>

export function createPages(
  settings: PageSettings,
  languageOf: (req: Request) => Language,
  { now }: Pick<Domain, 'now'>,
  { fromApp }: Pick<SitePaths, 'fromApp'>,
) {
  const { brand } = settings.pages
  const countries = settings.countries === 'any' ? [] : settings.countries
  const render = settings.pages.render && hostFunction(settings.pages.render)
  const logoUrl = fromApp(brand?.logoUrl) ?? brand?.logoUrl
  const css = styleSheet(brand)
  const styleVersion = hash('sha256', css).slice(0, 8)
  const staying = createPageHeaders(brand, render !== undefined)
  const leaving = createPageHeaders(brand, render !== undefined, [])
  const app = { name: brand?.name ?? settings.appName.login, ...(logoUrl !== undefined && { logoUrl }) }
  return {
    /** Returns the HTML of a page. */
    html(view: PageView, req: Request, res: Response): string | Promise<string> {
      const { locale, texts } = languageOf(req)
      const branded = { ...view, brand: app, styleVersion }
      const builtIn = renderPage(branded, texts)
      if (render === undefined) return builtIn
      const sent = `sent.${view.challenge?.channel ?? 'by'}` as const
      const t: PageTools['t'] = (key) => plainText(filled(key === 'code.sent' ? sent : key, branded, texts))
      const problem =
        view.own?.problem ?? (view.problem && plainText(problemSentence(view, view.problem, texts)))
      const fields = hiddenFieldsOf(view)
      return rendered(render(branded, { req, res, locale, texts, t, problem, fields, html: builtIn }))
    },
    /** Returns the HTML of the screen for the dialog. `render` does not change it. */
    forDialog: (view: PageView, req: Request) =>
      renderForDialog({ ...view, brand: app }, languageOf(req).texts),
    /** Returns the problem in the user's language: the `detail` of a JSON response. */
    detail(problem: Problem, req: Request): string {
      const { texts } = languageOf(req)
      const page = problem.page ?? (problem.reason === undefined ? 'problem' : 'phone')
      return plainText(problemSentence({ page, problem, countries, now: now() }, problem, texts))
    },
    /** Headers of the files that pages load. */
    headers: staying,
    /** Returns the headers of a page. */
    headersOf: ({ page }: PageView) => (endsHere.has(page) ? staying : leaving),
    /** The style sheet. */
    css,
  }
}

/** Checks the result of `render`. `res.render` returns nothing, and the page would be empty. */
async function rendered(made: ReturnType<Render>): Promise<string> {
  const page: unknown = await made
  if (typeof page === 'string') return page
  throw new TypeError(`render must return the HTML of the page as a string, not ${typeof page}`)
}

/**
 * Renders a whole HTML page. It works without a script, and every value is escaped.
 *
 * @example
 * res.status(422).type('html').send(renderPage(view, texts))
 */
export function renderPage(view: PageView, texts: Texts): string {
  const { problem, own, basePath, brand, address, styleVersion } = view
  const { title, main } = mainOf(view, texts)
  const isError = own?.problem !== undefined || (problem !== undefined && !view.isCalm)
  const document = html`<!doctype html>
<html lang="${texts.lang}" dir="${directionOf(texts)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${own?.notice && `${own.notice} – `}${isError ? `${texts.error}: ${title}` : title}${brand && ` – ${brand.name}`}</title>
<link rel="stylesheet" href="${basePath}/page.css${styleVersion && `?v=${styleVersion}`}">
<script src="${basePath}/page.js?v=${version}" defer></script>
</head>
<body>
<main${address && html` data-address="${address}"`}>
${main}${view.isCancellable && cancelling(view, texts['cancel.submit'])}
</main>
</body>
</html>
`
  return document.markup
}

/** Renders a screen for the dialog. It has no links but those of the screen. */
export function renderForDialog(view: PageView, texts: Texts): string {
  const unreachable = html`<div class="problem" role="alert" tabindex="-1" hidden data-unreachable>
<p>${texts['dialog.unreachable']}</p>
</div>
`
  const ends = ['done', 'resume', 'problem'].includes(view.page)
  const fragment = html`<div lang="${texts.lang}" dir="${directionOf(texts)}" data-page="${view.page}">
${mainOf(view, texts, unreachable).main}
<form class="foot" method="dialog"><button class="plain">${texts[ends ? 'dialog.close' : 'cancel.submit']}</button></form>
<form class="corner" method="dialog"><button class="plain" aria-label="${texts['dialog.close']}">×</button></form>
</div>`
  return fragment.markup
}

/** @param above What may be told in place of the problem. */
function mainOf(view: PageView, texts: Texts, above?: Html): { readonly title: string; readonly main: Html } {
  const { page, problem, own, brand } = view
  const { title, content } = screenOf(view, texts)
  const problemSummary =
    problem === undefined || page === 'problem' ? undefined : summary(view, problem, texts)
  const ofOwn = own?.problem === undefined ? undefined : alert(own.problem)
  const done = own?.notice === undefined ? undefined : news(own.notice)
  return {
    title,
    main: html`${brand && header(brand)}${above}${problemSummary}${ofOwn}${done}<h1>${title}</h1>\n${content}`,
  }
}

const alert = (
  problem: string,
) => html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus>
<p>${problem}</p>
</div>
`

const news = (notice: string) => html`<div class="notice done" role="alert" tabindex="-1" autofocus>
<p>${notice}</p>
</div>
`

function header({ name, logoUrl }: NonNullable<PageView['brand']>): Html {
  const logo = logoUrl === undefined ? isolated(name) : html`<img src="${logoUrl}" alt="${name}">`
  return html`<p class="brand">${logo}</p>
`
}
