import type { Activity } from './activity.js'

/** What every page of the bank has around it: the way to the inbox, and the panel with what happens behind it. */
export interface Layout {
  page(title: string, content: string): string
  /** The same around a page of the package. */
  around(html: string): string
  /** The entries of the panel. */
  entries(): string
}

export function createLayout(inboxUrl: string, activities: () => readonly Activity[]): Layout {
  const head = `<link rel="icon" href="/logo.svg">
<link rel="stylesheet" href="/demo.css">
<script src="/demo.js" defer></script>
`
  const inbox = `<p class="inbox">Codes arrive in the <a href="${inboxUrl}" target="inbox">inbox</a>.</p>\n`
  const entries = () => activities().map(entry).join('')
  const panel = () => `<aside aria-labelledby="behind" tabindex="0">
<h2 id="behind">Behind each click</h2>
<ol id="activity">${entries()}</ol>
</aside>
`
  return {
    entries,
    page: (title, content) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Demo bank</title>
<link rel="stylesheet" href="/two-factor/page.css">
${head}</head>
<body>
<main>
<p class="brand"><a href="/"><img src="/logo.svg" alt="Demo bank"></a></p>
<h1>${title}</h1>
${content}${inbox}</main>
${panel()}</body>
</html>
`,
    around: (html) =>
      html.replace('</head>', () => `${head}</head>`).replace('</main>', () => `${inbox}</main>\n${panel()}`),
  }
}

function entry({ request, answer, steps, times }: Activity): string {
  const repeated = times > 1 ? ` <b>× ${times}</b>` : ''
  const inside = steps.map((step) => `<li>${escaped(step)}</li>`).join('')
  return `<li><code>${escaped(request)}</code> ${escaped(answer)}${repeated}${inside && `<ul>${inside}</ul>`}</li>\n`
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
