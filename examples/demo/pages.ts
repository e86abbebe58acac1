/** The pages of the demo, in the clothes of the code page. */
export interface Pages {
  home(name: string | undefined): string
  login(problem?: string): string
  account(name: string, email: string): string
  settings(email: string): string
  transfer(done?: { readonly amount: string; readonly payee: string }): string
  signup(problem?: string): string
  welcome(name: string, phone: string): string
}

export function createPages(inboxUrl: string): Pages {
  const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Demo bank</title>
<link rel="stylesheet" href="/two-factor/page.css">
<main>
<h1>${title}</h1>
${content}
<p>Codes arrive in the <a href="${inboxUrl}" target="inbox">inbox</a>.</p>
</main>
</html>
`
  return {
    home: (name) =>
      page(
        'Demo bank',
        name === undefined
          ? `${link('/login', 'Sign in')}${link('/signup/phone?returnTo=/signup', 'Open an account')}`
          : `<p>Hello, ${escaped(name)}.</p>
${link('/account', 'Account')}${link('/settings', 'Settings')}${link('/transfer', 'Transfer')}
${form('/logout', '', 'Sign out')}`,
      ),
    login: (problem) =>
      page(
        'Sign in',
        `${alert(problem)}${form('/login', field('name', 'Name', 'ana') + field('password', 'Password', 'sesame'), 'Sign in')}`,
      ),
    account: (name, email) =>
      page('Account', `<p>${escaped(name)}, ${escaped(email)}. Balance: 1,000.</p>${link('/', 'Home')}`),
    settings: (email) =>
      page('Settings', `${form('/settings', field('email', 'E-mail', email), 'Save')}${link('/', 'Home')}`),
    transfer: (done) =>
      page(
        'Transfer',
        `${done === undefined ? '' : `<p role="status">${escaped(done.amount)} went to ${escaped(done.payee)}.</p>`}
${form('/transfer', field('amount', 'Amount', '100') + field('payee', 'Payee', 'Luis'), 'Transfer')}${link('/', 'Home')}`,
      ),
    signup: (problem) =>
      page(
        'Open an account',
        `${alert(problem)}${form('/signup', field('name', 'Name', '') + field('password', 'Password', ''), 'Open')}`,
      ),
    welcome: (name, phone) =>
      page(
        'Welcome',
        `<p>${escaped(name)}, your account is open. Its phone is ${escaped(phone)}.</p>${link('/login', 'Sign in')}`,
      ),
  }
}

function link(href: string, text: string): string {
  return `<p><a href="${href}">${text}</a></p>\n`
}

function alert(problem: string | undefined): string {
  return problem === undefined ? '' : `<div class="problem" role="alert"><p>${escaped(problem)}</p></div>\n`
}

function form(action: string, fields: string, button: string): string {
  return `<form method="post" action="${action}">\n${fields}<div class="buttons"><button class="main">${button}</button></div>\n</form>\n`
}

function field(name: string, label: string, value: string): string {
  return `<label for="${name}">${label}</label>\n<input id="${name}" name="${name}" value="${escaped(value)}">\n`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
