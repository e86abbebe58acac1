import type { ProviderSimulation } from '../provider-simulation.js'
import { digitsOf } from '../wire-phone.js'
import { type Html, html } from '../../lib/html.js'
import { messageCard } from './message-card.js'
import { accountPanel, clockPanel, connectionPanel, faultPanel, linkPanel, requestPanel } from './panels.js'

const maxCardsShown = 50

/** Where programs reach this sandbox. */
export interface Connection {
  readonly baseUrl: string
  readonly credentials: { readonly client: number; readonly key: string }
}

/** The part of the page that changes: it is rendered anew whenever something happened. */
export function inboxMain(simulation: ProviderSimulation, connection: Connection, filter: string): string {
  const { account, clock, faults, links, requests } = simulation
  const now = clock.now()
  return html`<div class="columns">
${messageList(simulation, filter, now)}
<div class="aside">
${connectionPanel(connection.baseUrl, connection.credentials)}
${accountPanel(account)}
${clockPanel(clock)}
${faultPanel(faults)}
${linkPanel(links, now)}
${requestPanel(requests, now)}
</div>
</div>`.markup
}

function messageList({ messages, requests }: ProviderSimulation, filter: string, now: number): Html {
  const messages = messages.all().filter(({ phone }) => digitsOf(phone).includes(digitsOf(filter)))
  const shown = messages.slice(0, maxCardsShown)
  const count = messages.length
  return html`<section class="messages" aria-labelledby="messages">
<div class="list-head">
<h2 id="messages" tabindex="-1">${count === 1 ? '1 message' : `${count} messages`}${filter !== '' && ` to …${filter}…`}</h2>
${
  count > 0 &&
  html`<form method="post" action="/_sandbox/messages/delete"><input type="hidden" name="phone" value="${filter}">
<button>${filter === '' ? 'Delete all' : 'Delete these'}</button></form>`
}
</div>
${count === 0 && emptyNote(filter)}
<ol class="cards" aria-label="Messages, newest first">${shown.map((message) => messageCard(message, requests.find(message.requestId), now))}</ol>
${count > shown.length && html`<p class="quiet">${count - shown.length} older ones are not shown: filter by number.</p>`}
</section>`
}

function emptyNote(filter: string): Html {
  return filter === ''
    ? html`<div class="empty"><p><strong>Nothing has arrived yet.</strong></p>
<p class="quiet">Send a code from your app, and it appears here at once.</p></div>`
    : html`<div class="empty"><p><strong>Nothing for this number.</strong></p></div>`
}

/** The whole page. */
export function inboxPage(main: string, filter: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox inbox</title>
<link rel="icon" href="/inbox.svg" type="image/svg+xml">
<link rel="stylesheet" href="/inbox.css">
<script src="/inbox.js" defer></script>
</head>
<body>
<header class="top">
<div class="title"><h1><img src="/inbox.svg" alt="" width="28" height="28">Sandbox inbox</h1><p class="banner">Nothing is really sent. Every text and call ends here.</p></div>
<form method="get" action="/" class="filter" role="search">
<label for="phone">Filter by number</label>
<input id="phone" name="phone" type="search" inputmode="tel" autocomplete="off" value="${filter}">
<button class="without-script">Filter</button>
</form>
<p id="line" class="line-state" hidden></p>
</header>
<main id="main">${{ markup: main }}</main>
<footer><form method="post" action="/_sandbox/reset"><button class="plain">Reset the sandbox</button></form></footer>
<p id="spoken" class="spoken" role="status"></p>
</body>
</html>`.markup
}
