import type { TrustedDevice } from 'express-two-factor'
import { type Account, balanceOf } from './accounts.js'
import type { Guessed } from './guesses.js'
import { escaped, type Layout } from './layout.js'

/** The pages of the bank, in the clothes of the code page. */
export type Pages = ReturnType<typeof createPages>

/** @param checker Who checks the codes, as the page of guesses names it. */
export function createPages({ page }: Layout, checker: string) {
  return {
    home: (name: string | undefined) =>
      page(
        'Demo bank',
        name === undefined ? visitorLinks : `<p>Hello, ${escaped(name)}.</p>${nav}${signOut}`,
      ),

    login: (returnTo: string | undefined, problem?: string) =>
      page(
        'Sign in',
        `${alert(problem)}${form('/login', hidden('returnTo', returnTo) + field('name', 'Name', 'ana') + field('password', 'Password', 'sesame'), 'Sign in')}`,
      ),

    account: (account: Account, news?: string) =>
      page(
        'Account',
        `${status(news)}${nav}<p>${escaped(account.name)}, ${escaped(account.email)}</p>
${table(
  ['Movements', 'Amount'],
  [
    ...account.movements.map(({ what, amount }) => [escaped(what), String(amount)]),
    ['<b>Balance</b>', `<b>${balanceOf(account)}</b>`],
  ],
)}${signOut}`,
      ),

    settings: (email: string) =>
      page('Settings', `${nav}${form('/settings', field('email', 'E-mail', email), 'Save')}`),

    transfer: (problem?: string) =>
      page(
        'Transfer',
        `${alert(problem)}${nav}${form('/transfer', field('amount', 'Amount', '100') + field('payee', 'Payee', 'Luis'), 'Transfer')}`,
      ),

    devices: (devices: readonly TrustedDevice[], news?: string) =>
      page(
        'Devices',
        `${status(news)}${nav}<p>These browsers sign in without a code. None of them confirms a transfer.</p>
${
  devices.length === 0
    ? '<p>None yet: tick the box on the code page.</p>'
    : table(
        ['Trusted on', 'Trust'],
        devices.map(({ id, trustedAt }, index) => [
          new Date(trustedAt).toUTCString(),
          form('/devices', hidden('id', id), `Revoke${index === 0 ? '' : ` ${index + 1}`}`),
        ]),
      )
}`,
      ),

    guesses: (guessed: Guessed | undefined) =>
      page(
        'Break in',
        `<p>Somebody knows a name and its password, and guesses the code.</p>
${guessed === undefined ? '' : result(guessed, checker)}${form('/guesses', '', 'Send 1,000 guesses')}${link('/', 'Home')}`,
      ),

    signup: (problem?: string) =>
      page(
        'Open an account',
        `${alert(problem)}${form('/signup', field('name', 'Name', '') + field('password', 'Password', ''), 'Open')}`,
      ),

    welcome: (name: string, phone: string) =>
      page(
        'Welcome',
        `<p>${escaped(name)}, your account is open. Its phone is ${escaped(phone)}.</p>${link('/login', 'Sign in')}`,
      ),
  }
}

const link = (href: string, text: string) => `<p><a href="${href}">${text}</a></p>\n`

const visitorLinks = `${link('/login', 'Sign in')}${link('/signup/phone', 'Open an account')}${link('/guesses', 'Break in')}`

const nav = `<nav aria-label="Bank"><ul>
<li><a href="/account">Account</a></li><li><a href="/transfer">Transfer</a></li><li><a href="/settings">Settings</a></li>
<li><a href="/devices">Devices</a></li><li><a href="/guesses">Break in</a></li>
</ul></nav>
`

const signOut = `<form method="post" action="/logout"><div class="buttons"><button>Sign out</button></div></form>\n`

function result({ statuses, reached, ms }: Guessed, checker: string): string {
  const rows = [...statuses].map(([answer, times]) => [answer, String(times)])
  return `<p role="status"><b>${reached} of 1,000 guesses reached ${checker}</b>, in ${ms} ms.</p>
${table(['Answer', 'Guesses'], rows)}`
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

function form(action: string, fields: string, button: string): string {
  return `<form method="post" action="${action}">\n${fields}<div class="buttons"><button class="main">${button}</button></div>\n</form>\n`
}

function hidden(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<input type="hidden" name="${name}" value="${escaped(value)}">\n`
}

function field(name: string, label: string, value: string): string {
  return `<label for="${name}">${label}</label>\n<input id="${name}" name="${name}" value="${escaped(value)}">\n`
}
