import { type Html, html } from '../../../lib/html.js'
import type { SandboxClock } from '../clock.js'
import type { CodeState, InboxMessage } from '../inbox.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Connection } from '../reach.js'
import { lostStates, type Message, type MessageState } from '../timeline.js'
import { button } from './button.js'
import { momentText, timeText } from './moments.js'
import { requestView } from './request-view.js'
import { type InboxView, viewUrl } from './view.js'

/** Returns a state as a label: 'No answer'. */
function labelOf(state: CodeState | MessageState): string {
  if (state === 'undelivered') return 'Not delivered'
  return `${state.slice(0, 1).toUpperCase()}${state.slice(1).replace('-', ' ')}`
}

/** Returns the colour of a state. */
function toneOf(state: MessageState): 'good' | 'bad' | 'busy' {
  if (lostStates.includes(state)) return 'bad'
  return state === 'sent' || state === 'ringing' ? 'busy' : 'good'
}

/** Renders a code with its state. Only a live code can be copied: others would be refused. */
function codeView(message: InboxMessage, clock: SandboxClock, styles: string, copyStyles: string): Html {
  const { code = '', codeState = 'live' } = message
  const isLive = codeState === 'live'
  return html`<strong class="${isLive ? styles : `${styles} dead`}">${code}</strong>
${isLive && html`<button type="button" class="${copyStyles}" data-copy="${code}" aria-label="Copy the code ${code}">Copy</button>`}
${codeChip(message, clock)}`
}

/** Renders the state of a code. A live code counts down in the browser, which knows only real time. */
function codeChip({ phone, codeState = 'live', codeExpiresAt }: InboxMessage, clock: SandboxClock): Html {
  const left =
    codeState === 'live' && codeExpiresAt !== undefined
      ? html` <span data-until="${codeExpiresAt - clock.aheadMs(phone)}">until ${timeText(codeExpiresAt)}</span>`
      : undefined
  return html`<span class="chip ${codeState === 'live' ? 'good' : 'dead'}">${labelOf(codeState)}${left}</span>`
}

/** Renders one SMS or call: the phone's display, its code, its states, and the request that caused it. */
function messageCard(
  message: Message,
  { clock, messages, requests }: ProviderSimulation,
  connection: Connection,
): Html {
  const view = messages.view(message)
  const { id, channel, phone, code, appName, state } = view
  const { credits, voice, timeline, requestId } = message
  const now = clock.now(phone)
  const request = requests.find(requestId)
  const kind = kindOf(channel)
  return html`<li id="m-${id}" class="card" data-spoken="${kind} to ${phone}">
<div class="card-head">
<h3 tabindex="-1">${kind} <span class="quiet">to</span> ${phone}</h3>
${stateChip(state)}
</div>
<div class="card-body">
${phoneView(view, now)}
<div class="facts">
${code !== undefined && html`<p class="code-row">${codeView(view, clock, 'code', 'copy')}</p>`}
<dl class="pairs">
${appName !== undefined && html`<dt>App name</dt><dd>${appName}</dd>`}
${voice !== undefined && html`<dt>Voice</dt><dd>${voice}</dd>`}
<dt>Credits</dt><dd>${credits}</dd>
</dl>
<ol class="steps" aria-label="What happened">${timeline
    .filter((step) => step.at <= now)
    .map(
      (step) => html`<li><span class="quiet">${momentText(step.at, now)}</span> ${labelOf(step.state)}</li>`,
    )}</ol>
</div>
</div>
<div class="card-foot">
${request && requestView(request, connection, now, `r-${id}`)}
${button('messages/delete', { id }, 'Delete', `Delete this ${kind.toLowerCase()} to ${phone}`)}
</div>
</li>`
}

/** Renders a message in one line, with the state of its code, or else of its delivery. */
function messageLine(message: Message, { clock, messages }: ProviderSimulation): Html {
  const view = messages.view(message)
  const { id, channel, phone, text, code, appName, at, state } = view
  return html`<li id="m-${id}" class="card line" data-spoken="${kindOf(channel)} to ${phone}">
<span class="quiet">${momentText(at, clock.now(phone))}</span>
<h3 tabindex="-1">${kindOf(channel)} ${phone}</h3>
<span class="excerpt">${appName ?? text}</span>
${code === undefined ? stateChip(state) : codeView(view, clock, '', 'copy small')}
</li>`
}

function stateChip(state: MessageState): Html {
  return html`<span class="chip ${toneOf(state)}">${labelOf(state)}</span>`
}

function kindOf(channel: InboxMessage['channel']): string {
  return channel === 'sms' ? 'Text' : 'Call'
}

function phoneView({ channel, text, code, appName, at, state }: InboxMessage, now: number): Html {
  const day = momentText(at, now) === timeText(at) ? '' : `${momentText(at, now).slice(0, 10)} `
  return html`<div class="phone ${channel}">
<p class="phone-bar"><span>${day}${timeText(at).slice(0, 5)}</span><span>${channel === 'sms' ? 'Messages' : `Call: ${state.replace('-', ' ')}`}</span></p>
<p class="phone-from">${appName ?? 'Provider'}</p>
<p class="bubble">${channel === 'sms' ? highlighted(text, code) : html`“${text}”`}</p>
</div>`
}

/** Highlights the code in the text. */
function highlighted(text: string, code: string | undefined): Html {
  const [before = '', ...after] = code === undefined ? [text] : text.split(code)
  return after.length === 0 ? html`${text}` : html`${before}<mark>${code}</mark>${after.join(code)}`
}

const messagesPerPage = 50

/** Renders the messages of a view, with the operations on all of them. */
export function messageList(simulation: ProviderSimulation, connection: Connection, view: InboxView): Html {
  const { search, isCompact } = view
  const found = simulation.messages.search(search)
  const pages = Math.max(1, Math.ceil(found.length / messagesPerPage))
  const page = Math.min(view.page, pages)
  const start = (page - 1) * messagesPerPage

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
    .map((message) => item(message, simulation, connection))}</ol>
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
