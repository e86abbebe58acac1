import type { Request } from 'express'
import type { BrandOptions, Render } from 'express-two-factor'
import { type Account, balanceOf, money } from './accounts.js'
import type { Guessed } from './guesses.js'
import { switchOf } from './stage.js'
import { fill, type Texts, texts } from './texts.js'

/** Pages of the bank, in the style of the code page and the language of the request. */
export type Pages = (req: Request) => ReturnType<typeof pagesIn>

export function createPages(brand: BrandOptions): Pages {
  const pages = { en: pagesIn(texts.en, brand), es: pagesIn(texts.es, brand), pt: pagesIn(texts.pt, brand) }
  return (req) => {
    const chosen = switchOf(req, 'language') ?? req.acceptsLanguages('en', 'es', 'pt')
    return pages[chosen === 'es' || chosen === 'pt' ? chosen : 'en']
  }
}

function pagesIn(t: Texts, { name, logoUrl }: BrandOptions) {
  const logo = logoUrl === undefined ? name : `<img src="${logoUrl}" alt="${name}">`
  const page = (title: string, content: string) => `<!doctype html>
<html lang="${t.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${name}</title>
<link rel="stylesheet" href="/two-factor/page.css">
<script src="/two-factor/page.js" defer></script>
${head}</head>
<body>
<main>
<p class="brand"><a href="/bank">${logo}</a></p>
<h1>${title}</h1>
${content}<p class="inbox">${t.inbox}</p>
</main>
</body>
</html>
`
  const nav = `<nav aria-label="${t.nav}"><ul>
<li><a href="/account">${t.account}</a></li><li><a href="/transfer">${t.transfer}</a></li>
<li><a href="/settings" data-step-up>${t.settings}</a></li><li><a href="/security">${t.security}</a></li>
</ul></nav>
`
  const signOut = `<form method="post" action="/logout"><div class="buttons"><button>${t.signOut}</button></div></form>\n`
  const visitorLinks = `${link('/login', t.signIn)}${link('/signup/phone', t.openAccount)}${link('/guesses', t.guess)}`

  return {
    t,

    home: (person: string | undefined) =>
      page(
        name,
        person === undefined
          ? visitorLinks
          : `<p>${fill(t.hello, { name: escaped(person) })}</p>\n${nav}${signOut}`,
      ),

    login: (returnTo: string | undefined, problem?: string) =>
      page(
        t.signIn,
        `${alert(problem)}${form(
          '/login',
          `${hidden('returnTo', returnTo)}${field('name', t.name, 'ana', 'autocomplete="username"')}${field('password', t.password, 'sesame', 'type="password" autocomplete="current-password"')}`,
          t.signIn,
        )}`,
      ),

    account: (account: Account, news?: string) =>
      page(
        t.account,
        `${status(news)}${nav}<p>${escaped(account.name)}, ${escaped(account.email)}</p>
${table(
  [t.movements, t.amount],
  [
    ...account.movements.map(({ what, amount }) => [escaped(what), money(amount)]),
    [`<b>${t.balance}</b>`, `<b>${money(balanceOf(account))}</b>`],
  ],
)}${signOut}`,
      ),

    settings: (email: string) =>
      page(
        t.settings,
        `${nav}${form('/settings', field('email', t.email, email, 'type="email" autocomplete="email"'), t.save, 'data-step-up')}`,
      ),

    transfer: ({ amount, payee }: { amount: string; payee: string }, problem?: string) =>
      page(
        t.transfer,
        `${alert(problem)}${nav}${form(
          '/transfer',
          field('amount', t.dollars, amount, 'inputmode="numeric"') + field('payee', t.payee, payee),
          t.transfer,
          'data-step-up',
        )}`,
      ),

    guesses: (guessed: Guessed | undefined) =>
      page(
        t.guess,
        `<p>${t.guessesText}</p>
${guessed === undefined ? '' : result(guessed, t)}${form('/guesses', '', t.guessesSend)}${link('/bank', t.home)}`,
      ),

    signup: (problem?: string) =>
      page(
        t.openAccount,
        `${alert(problem)}${form(
          '/signup',
          `${field('name', t.name, '', 'autocomplete="username"')}${field('password', t.password, '', 'type="password" autocomplete="new-password"')}`,
          t.open,
        )}`,
      ),

    notFound: () => page(t.notFound, `<p>${t.notFoundText}</p>\n${link('/bank', t.home)}`),
  }
}

/** Adds icon, style, script and links of the bank to pages of the package, and lets the demo page frame them. */
export const framed: Render = ({ page }, { html, locale, res }) => {
  // Only pages of this origin may frame them (clickjacking).
  const policy = String(res.get('Content-Security-Policy'))
  res.set('Content-Security-Policy', policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"))
  res.set('X-Frame-Options', 'SAMEORIGIN')
  const { inbox, account } = texts[locale.slice(0, 2) as keyof typeof texts]
  const back = page === 'own' ? link('/account', account) : ''
  return html
    .replace('</head>', `${head}</head>`)
    .replace('</main>', `${back}<p class="inbox">${inbox}</p>\n</main>`)
}

const head = `<link rel="icon" href="/logo.svg">
<link rel="stylesheet" href="/bank.css">
<script src="/bank.js"></script>
`

const link = (href: string, text: string) => `<p><a href="${href}">${text}</a></p>\n`

function result({ answers, reached, ms }: Guessed, t: Texts): string {
  const times = new Map<string, number>()
  for (const answer of answers) times.set(answer, (times.get(answer) ?? 0) + 1)
  return `<p role="status"><b>${reached} ${t.guessed}</b>, ${ms} ms.</p>
${table(
  [t.guessesAnswer, t.guesses],
  [...times].map(([answer, count]) => [answer, String(count)]),
)}`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: 'td' | 'th') =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>\n`
  return `<table>
<thead>${row(heads, 'th')}</thead>
<tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody>
</table>
`
}

function alert(problem: string | undefined): string {
  return problem === undefined ? '' : `<div class="problem" role="alert"><p>${escaped(problem)}</p></div>\n`
}

function status(news: string | undefined): string {
  return news === undefined ? '' : `<p role="status"><b>${escaped(news)}</b></p>\n`
}

/** @param more further attributes, such as `data-step-up` for a form whose code a dialog may ask for */
function form(action: string, fields: string, button: string, more = ''): string {
  return `<form method="post" action="${action}" ${more}>\n${fields}<div class="buttons"><button class="main">${button}</button></div>\n</form>\n`
}

function hidden(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<input type="hidden" name="${name}" value="${escaped(value)}">\n`
}

/** @param more further attributes */
function field(name: string, label: string, value: string, more = ''): string {
  return `<label for="${name}">${label}</label>\n<input id="${name}" name="${name}" value="${escaped(value)}" ${more}>\n`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
