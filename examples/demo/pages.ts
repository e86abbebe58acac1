import type { BrandOptions, Render, TrustedDevice } from 'express-two-factor'
import { type Account, balanceOf, money } from './accounts.js'
import type { Guessed } from './guesses.js'

/** The pages of the bank, in the clothes of the code page. */
export type Pages = ReturnType<typeof createPages>

export function createPages({ name, logoUrl }: BrandOptions) {
  const logo = logoUrl === undefined ? name : `<img src="${logoUrl}" alt="${name}">`
  const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${name}</title>
<link rel="stylesheet" href="/two-factor/page.css">
${head}</head>
<body>
<main>
<p class="brand"><a href="/bank">${logo}</a></p>
<h1>${title}</h1>
${content}${inboxLine}</main>
</body>
</html>
`
  return {
    home: (person: string | undefined) =>
      page(name, person === undefined ? visitorLinks : `<p>Hello, ${escaped(person)}.</p>\n${nav}${signOut}`),

    login: (returnTo: string | undefined, problem?: string) =>
      page(
        'Sign in',
        `${alert(problem)}${form(
          '/login',
          `${hidden('returnTo', returnTo)}${field('name', 'Name', 'ana', 'autocomplete="username"')}${field('password', 'Password', 'sesame', 'type="password" autocomplete="current-password"')}`,
          'Sign in',
        )}`,
      ),

    account: (account: Account, news?: string) =>
      page(
        'Account',
        `${status(news)}${nav}<p>${escaped(account.name)}, ${escaped(account.email)}</p>
${table(
  ['Movements', 'Amount'],
  [
    ...account.movements.map(({ what, amount }) => [escaped(what), money(amount)]),
    ['<b>Balance</b>', `<b>${money(balanceOf(account))}</b>`],
  ],
)}${signOut}`,
      ),

    settings: (email: string) =>
      page(
        'Settings',
        `${nav}${form('/settings', field('email', 'E-mail', email, 'type="email" autocomplete="email"'), 'Save', 'data-step-up')}`,
      ),

    transfer: ({ amount, payee }: { amount: string; payee: string }, problem?: string) =>
      page(
        'Transfer',
        `${alert(problem)}${nav}${form(
          '/transfer',
          field('amount', 'Amount in dollars', amount, 'inputmode="numeric"') +
            field('payee', 'Payee', payee),
          'Transfer',
          'data-step-up',
        )}`,
      ),

    security: (account: Account, browsers: readonly TrustedDevice[], news?: string) =>
      page(
        'Security',
        `${status(news)}${nav}<h2>Mobile number</h2>
<p>Codes go to the number that ends in ${escaped(account.phone.slice(-2))}. <a href="/number/code">Change it</a></p>
<h2>Recovery codes</h2>
<p>For the day without the phone: ${account.recoveryHashes.size} left.</p>
${form('/recovery-codes', '', 'Make new codes', 'data-step-up')}
<h2>Trusted browsers</h2>
<p>They sign in without a code. None of them confirms a transfer.</p>
${
  browsers.length === 0
    ? '<p>None yet: tick the box on the code page.</p>'
    : table(
        ['Trusted on', 'Trust'],
        browsers.map(({ id, trustedAt }, index) => [
          new Date(trustedAt).toUTCString(),
          form('/browsers', hidden('id', id), `Revoke${index === 0 ? '' : ` ${index + 1}`}`),
        ]),
      )
}`,
      ),

    recoveryCodes: (codes: readonly string[]) =>
      page(
        'Recovery codes',
        `<p>Keep them where your phone is not. Each signs you in once; they are not shown again.</p>
<ol class="codes">${codes.map((code) => `<li>${code}</li>`).join('\n')}</ol>
${link('/security', 'Done')}`,
      ),

    newNumber: (phone: string) =>
      page(
        'New number',
        `<p>${escaped(phone)} is yours. A code to your old number confirms the change.</p>
${form('/number', '', 'Use this number', 'data-step-up')}`,
      ),

    guesses: (guessed: Guessed | undefined) =>
      page(
        'Break in',
        `<p>Somebody knows a name and its password, and guesses the code.</p>
${guessed === undefined ? '' : result(guessed)}${form('/guesses', '', 'Send 1,000 guesses')}${link('/bank', 'Home')}`,
      ),

    signup: (problem?: string) =>
      page(
        'Open an account',
        `${alert(problem)}${form(
          '/signup',
          `${field('name', 'Name', '', 'autocomplete="username"')}${field('password', 'Password', '', 'type="password" autocomplete="new-password"')}`,
          'Open',
        )}`,
      ),

    notFound: () =>
      page('Page not found', `<p>There is nothing at this address.</p>\n${link('/bank', 'Home')}`),
  }
}

/** The pages of the package with what those of the bank have, in a frame of the stage too. */
export const framed: Render = (_view, { html, res }) => {
  // Pages of this origin may frame them, and no others (clickjacking).
  const policy = String(res.get('Content-Security-Policy'))
  res.set('Content-Security-Policy', policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"))
  res.set('X-Frame-Options', 'SAMEORIGIN')
  return html.replace('</head>', `${head}</head>`).replace('</main>', `${inboxLine}</main>`)
}

const head = `<link rel="icon" href="/logo.svg">
<link rel="stylesheet" href="/bank.css">
<script src="/bank.js"></script>
`

const inboxLine = '<p class="inbox">Codes arrive in the <a href="/inbox" target="inbox">inbox</a>.</p>\n'

const link = (href: string, text: string) => `<p><a href="${href}">${text}</a></p>\n`

const visitorLinks = `${link('/login', 'Sign in')}${link('/signup/phone', 'Open an account')}${link('/guesses', 'Break in')}`

const nav = `<nav aria-label="Bank"><ul>
<li><a href="/account">Account</a></li><li><a href="/transfer">Transfer</a></li>
<li><a href="/settings" data-step-up>Settings</a></li><li><a href="/security">Security</a></li>
</ul></nav>
`

const signOut = `<form method="post" action="/logout"><div class="buttons"><button>Sign out</button></div></form>\n`

function result({ answers, reached, ms }: Guessed): string {
  const times = new Map<string, number>()
  for (const answer of answers) times.set(answer, (times.get(answer) ?? 0) + 1)
  return `<p role="status"><b>${reached} of 1,000 guesses were checked</b>, in ${ms} ms.</p>
${table(
  ['Answer', 'Guesses'],
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

/** @param more Further attributes; `data-step-up` where a code may be asked for in a dialog. */
function form(action: string, fields: string, button: string, more = ''): string {
  return `<form method="post" action="${action}" ${more}>\n${fields}<div class="buttons"><button class="main">${button}</button></div>\n</form>\n`
}

function hidden(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<input type="hidden" name="${name}" value="${escaped(value)}">\n`
}

/** @param more Further attributes. */
function field(name: string, label: string, value: string, more = ''): string {
  return `<label for="${name}">${label}</label>\n<input id="${name}" name="${name}" value="${escaped(value)}" ${more}>\n`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
