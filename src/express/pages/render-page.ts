import { type Html, html } from '../../lib/html.js'
import type { Texts } from './messages/texts.js'
import type { PageView } from './page-view.js'
import { summary } from './problem-text.js'
import { screenOf } from './screens.js'

/**
 * A whole HTML page. Everything on it works without a script, and every value is escaped.
 *
 * @example
 * res.status(422).type('html').send(renderPage(view, texts))
 */
export function renderPage(view: PageView, texts: Texts): string {
  const { problem, basePath, brand } = view
  const { title, main } = mainOf(view, texts)
  const document = html`<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${problem === undefined ? title : `${texts.error}: ${title}`}${brand && ` – ${brand.name}`}</title>
<link rel="stylesheet" href="${basePath}/page.css">
<script src="${basePath}/page.js" defer></script>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`
  return document.markup
}

/** The same screen for the dialog of single pages: it has no way out but those it is given. */
export function renderForDialog(view: PageView, texts: Texts): string {
  const fragment = html`<div lang="${texts.lang}" data-page="${view.page}">
<div class="problem" role="alert" tabindex="-1" hidden data-unreachable>
<p>${texts['dialog.unreachable']}</p>
</div>
${mainOf(view, texts).main}
<form method="dialog"><button class="plain">${texts['dialog.close']}</button></form>
</div>`
  return fragment.markup
}

function mainOf(view: PageView, texts: Texts): { readonly title: string; readonly main: Html } {
  const { page, problem, brand } = view
  const { title, content } = screenOf(view, texts)
  const told = problem === undefined || page === 'problem' ? undefined : summary(view, problem, texts)
  return { title, main: html`${brand && header(brand)}${told}<h1>${title}</h1>\n${content}` }
}

function header({ name, logoUrl }: NonNullable<PageView['brand']>): Html {
  if (logoUrl === undefined)
    return html`<p class="brand">${name}</p>
`
  return html`<p class="brand"><img src="${logoUrl}" alt="${name}"></p>
`
}
