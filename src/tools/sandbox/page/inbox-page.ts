import { html } from '../../../lib/html.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Connection } from '../reach.js'
import { messageList } from './messages.js'
import { accountPanel, clockTool, connectionPanel, faultTool, linkPanel, requestPanel } from './panels.js'
import type { InboxView } from './view.js'

/** Renders the dynamic part of the page as HTML. */
export function inboxMain(simulation: ProviderSimulation, connection: Connection, view: InboxView): string {
  const { account, clock, faults, links, requests } = simulation
  const now = clock.now()
  // The tools are above the messages at every width: a developer needs them while reading a code.
  return html`<div class="tools">
${clockTool(clock)}
${faultTool(faults)}
</div>
<div class="columns">
${messageList(simulation, connection, view)}
<div class="aside">
${connectionPanel(connection)}
${accountPanel(account)}
${linkPanel(links, now)}
${requestPanel(requests, connection, now)}
</div>
</div>`.markup
}

/** Renders the whole page. `realNow` keeps the countdown correct if the browser's clock differs. */
export function inboxPage(main: string, { search, isCompact }: InboxView, realNow: number): string {
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
<label for="search">Search</label>
<input id="search" name="q" type="search" autocomplete="off" placeholder="text, app name or number" value="${search}">
${isCompact && html`<input type="hidden" name="view" value="compact">`}
<button class="without-script">Search</button>
</form>
<p id="connection-state" class="notice" hidden></p>
<p id="refusal" class="notice bad" role="alert" hidden></p>
</header>
<main id="main" data-now="${realNow}">${{ markup: main }}</main>
<footer><form method="post" action="/_sandbox/reset"><button class="plain">Reset the sandbox</button></form></footer>
<p id="spoken" class="spoken" role="status"></p>
</body>
</html>`.markup
}
