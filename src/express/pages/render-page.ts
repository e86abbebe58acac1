import { type Html, html } from '../../lib/html.js'
import type { Texts } from './messages/texts.js'
import type { PageView } from './page-view.js'
import { resolveView, summary } from './problem.js'
import { recoveryScreen } from './recovery-screen.js'
import { resumeScreen } from './resume-screen.js'
import { codeScreen, doneScreen, phoneScreen, problemScreen, type Screen, startScreen } from './screens.js'

/**
 * A whole HTML page. Everything on it works without a script, and every value is escaped.
 *
 * @example
 * res.status(422).type('html').send(renderPage(view, texts))
 */
export function renderPage(given: PageView, texts: Texts): string {
  const view = resolveView(given)
  const { problem, basePath, brand } = view
  const { title, screen } = screenOf(view, texts)
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
${screen}
</main>
</body>
</html>
`
  return document.markup
}

/** The same screen for the dialog of single pages: it has no way out but those it is given. */
export function renderForDialog(given: PageView, texts: Texts): string {
  const view = resolveView(given)
  const fragment = html`<div lang="${texts.lang}" data-page="${view.page}">
<div class="problem" role="alert" tabindex="-1" hidden data-unreachable>
<p>${texts['dialog.unreachable']}</p>
</div>
${screenOf(view, texts).screen}
<form method="dialog"><button class="plain">${texts['dialog.close']}</button></form>
</div>`
  return fragment.markup
}

function screenOf(view: PageView, texts: Texts): { readonly title: string; readonly screen: Html } {
  const { page, problem, brand } = view
  const { title, content } = contentOf(view, texts)
  const told = problem === undefined || page === 'problem' ? undefined : summary(view, problem, texts)
  return { title, screen: html`${brand && header(brand)}${told}<h1>${title}</h1>\n${content}` }
}

function contentOf(view: PageView, texts: Texts): Screen {
  const { page, challenge, problem } = view
  if (page === 'problem' && problem !== undefined) return problemScreen(view, problem, texts)
  if (page === 'done') return doneScreen(view, texts)
  if (page === 'resume') return resumeScreen(view, texts)
  if (page === 'recovery') return recoveryScreen(view, texts)
  if (page === 'phone') return phoneScreen(view, texts)
  if (page === 'code' && challenge !== undefined) return codeScreen(view, challenge, texts)
  return startScreen(view, texts)
}

function header({ name, logoUrl }: NonNullable<PageView['brand']>): Html {
  if (logoUrl === undefined)
    return html`<p class="brand">${name}</p>
`
  return html`<p class="brand"><img src="${logoUrl}" alt="${name}"></p>
`
}
