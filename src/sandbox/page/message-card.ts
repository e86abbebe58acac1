import { type Html, html } from '../../lib/html.js'
import type { InboxMessage } from '../inbox.js'
import type { Message } from '../message.js'
import type { MessageState } from '../timeline.js'
import { codeChip, codeRow } from './code-row.js'
import { momentText, timeText } from './moments.js'

const stateLabels: Readonly<Record<MessageState, readonly [label: string, tone: 'good' | 'bad' | 'busy']>> = {
  sent: ['Sent', 'busy'],
  delivered: ['Delivered', 'good'],
  read: ['Read', 'good'],
  rejected: ['Rejected', 'bad'],
  unreachable: ['Unreachable', 'bad'],
  blocked: ['Blocked', 'bad'],
  ringing: ['Ringing', 'busy'],
  answered: ['Answered', 'good'],
  'no-answer': ['No answer', 'bad'],
  voicemail: ['Voicemail', 'good'],
}

/** One message as the page shows it. */
export interface ShownMessage {
  readonly message: Message
  readonly view: InboxMessage
  /** The request behind it, if it is still logged. */
  readonly request: Html | undefined
  /** The time of its number, and how far that is ahead of real time; both in ms. */
  readonly now: number
  readonly aheadMs: number
}

/** One SMS or call: what the phone shows, its code, what happened to it, and the request behind it. */
export function messageCard({ message, view, request, now, aheadMs }: ShownMessage): Html {
  const { id, channel, phone, code, appName, state } = view
  const { credits, voice, timeline } = message
  const [label, tone] = stateLabels[state]
  const kind = kindOf(channel)
  return html`<li id="m-${id}" class="card" data-spoken="${kind} to ${phone}">
<div class="card-head">
<h3>${kind} <span class="quiet">to</span> ${phone}</h3>
<span class="chip ${tone}">${label}</span>
</div>
<div class="card-body">
${phoneView(view, label, now)}
<div class="facts">
${code !== undefined && codeRow(view, aheadMs)}
<dl class="pairs">
${appName !== undefined && html`<dt>App name</dt><dd>${appName}</dd>`}
${voice !== undefined && html`<dt>Voice</dt><dd>${voice}</dd>`}
<dt>Credits</dt><dd>${credits}</dd>
</dl>
<ol class="steps" aria-label="What happened">${timeline
    .filter((step) => step.at <= now)
    .map(
      (step) =>
        html`<li><span class="quiet">${momentText(step.at, now)}</span> ${stateLabels[step.state][0]}</li>`,
    )}</ol>
</div>
</div>
<div class="card-foot">
${request}
<form method="post" action="/_sandbox/messages/delete">
<input type="hidden" name="id" value="${id}">
<button class="plain" aria-label="Delete this ${kind.toLowerCase()} to ${phone}">Delete</button>
</form>
</div>
</li>`
}

/** The same message in one line: the state of its code says enough, else that of its delivery is shown. */
export function messageLine({ view, now, aheadMs }: ShownMessage): Html {
  const { id, channel, phone, text, code, codeState, appName, at, state } = view
  const [label, tone] = stateLabels[state]
  return html`<li id="m-${id}" class="card line" data-spoken="${kindOf(channel)} to ${phone}">
<span class="quiet">${momentText(at, now)}</span>
<h3>${kindOf(channel)} ${phone}</h3>
<span class="excerpt">${appName ?? text}</span>
${
  code !== undefined &&
  html`<strong class="${codeState === 'live' ? '' : 'dead'}">${code}</strong>
${codeState === 'live' && html`<button type="button" class="copy small" data-copy="${code}" aria-label="Copy the code ${code}">Copy</button>`}
${codeChip(view, aheadMs)}`
}
${code === undefined && html`<span class="chip ${tone}">${label}</span>`}
</li>`
}

function kindOf(channel: InboxMessage['channel']): string {
  return channel === 'sms' ? 'Text' : 'Call'
}

function phoneView({ channel, text, code, appName, at }: InboxMessage, state: string, now: number): Html {
  const from = appName ?? 'Provider'
  const day = momentText(at, now) === timeText(at) ? '' : `${momentText(at, now).slice(0, 10)} `
  return html`<div class="phone ${channel}">
<p class="phone-bar"><span>${day}${timeText(at).slice(0, 5)}</span><span>${channel === 'sms' ? 'Messages' : `Call: ${state.toLowerCase()}`}</span></p>
<p class="phone-from">${from}</p>
<p class="bubble">${channel === 'sms' ? highlighted(text, code) : html`“${text}”`}</p>
</div>`
}

/** The text with its code highlighted. */
function highlighted(text: string, code: string | undefined): Html {
  const [before = '', ...after] = code === undefined ? [text] : text.split(code)
  return after.length === 0 ? html`${text}` : html`${before}<mark>${code}</mark>${after.join(code)}`
}
