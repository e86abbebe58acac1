import type { InboxMessage } from '../inbox.js'
import { type Html, html } from './html.js'

/** The inbox as a page: every text and call with its code. */
export function inboxPage(messages: readonly InboxMessage[]): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox inbox</title>
<h1>Sandbox inbox</h1>
<p>Nothing is really sent: every text and call ends here.</p>
${messages.length === 0 ? html`<p>Nothing has arrived yet.</p>` : html`<ol>${messages.map(item)}</ol>`}
</html>`.markup
}

function item(message: InboxMessage): Html {
  return html`<li>
<p>${message.channel === 'sms' ? 'Text' : 'Call'} to ${message.phone}, ${message.state}</p>
${message.code !== undefined && html`<p>Code <strong>${message.code}</strong></p>`}
<p>${message.text}</p>
</li>`
}
