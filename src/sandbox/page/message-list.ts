import { type Html, html } from '../../lib/html.js'
import type { Connection } from '../connection.js'
import type { Message } from '../message.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import { messageCard, messageLine, type ShownMessage } from './message-card.js'
import { requestView } from './request-view.js'
import { type InboxView, viewUrl } from './view.js'

const messagesPerPage = 50

/** The messages that a view shows, with what can be done to all of them. */
export function messageList(simulation: ProviderSimulation, connection: Connection, view: InboxView): Html {
  const { clock, messages, requests } = simulation
  const { search, isCompact } = view
  const found = messages.search(search)
  const pages = Math.max(1, Math.ceil(found.length / messagesPerPage))
  const page = Math.min(view.page, pages)
  const start = (page - 1) * messagesPerPage

  function shown(message: Message): ShownMessage {
    const { id, phone, requestId } = message
    const now = clock.now(phone)
    const logged = requests.find(requestId)
    const request = logged && requestView(logged, { connection, now, elementId: `r-${id}` })
    return { message, view: messages.view(message), request, now, aheadMs: clock.aheadMs(phone) }
  }

  const item = isCompact ? messageLine : messageCard
  return html`<section class="messages" aria-labelledby="messages">
<div class="list-head">
<h2 id="messages" tabindex="-1">${counted(found.length)}${search !== '' && ` with “${search}”`}</h2>
<div class="list-tools">
<a href="${viewUrl(view, { isCompact: !isCompact })}" data-view>${isCompact ? 'Cards' : 'Compact'}</a>
${found.length > 0 && deleteForm(search)}
</div>
</div>
${found.length === 0 && emptyNote(search)}
<ol class="${isCompact ? 'cards lines' : 'cards'}" aria-label="Messages, newest first">${found
    .slice(start, start + messagesPerPage)
    .map((message) => item(shown(message)))}</ol>
${pages > 1 && pager({ ...view, page }, pages)}
</section>`
}

function counted(count: number): string {
  return count === 1 ? '1 message' : `${count.toLocaleString('en')} messages`
}

function deleteForm(search: string): Html {
  return html`<form method="post" action="/_sandbox/messages/delete">
${search !== '' && html`<input type="hidden" name="q" value="${search}">`}
<button>${search === '' ? 'Delete all' : 'Delete these'}</button></form>`
}

function pager(view: InboxView, pages: number): Html {
  const { page } = view
  const link = (label: string, to: number) =>
    html`<a href="${viewUrl(view, { page: to })}" data-view>${label}</a>`
  return html`<nav class="pager" aria-label="Pages">
${page > 1 && link('Newer', page - 1)} <span>Page ${page} of ${pages}</span> ${page < pages && link('Older', page + 1)}
</nav>`
}

function emptyNote(search: string): Html {
  return search === ''
    ? html`<div class="empty"><p><strong>Nothing has arrived yet.</strong></p>
<p class="quiet">Send a code from your app, and it appears here at once.</p></div>`
    : html`<div class="empty"><p><strong>Nothing was found.</strong></p></div>`
}
