import type { Message } from '../inbox.js'
import type { LoggedRequest } from '../request-log.js'
import { type MessageState, stateAt } from '../timeline.js'
import { digitsOf } from '../wire-phone.js'
import { type Html, html } from '../../lib/html.js'
import { momentText } from './moments.js'
import { requestView } from './request-view.js'

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

/** One text or call: what the phone shows, its code to copy, how it fared, and the request behind it. */
export function messageCard(message: Message, request: LoggedRequest | undefined, now: number): Html {
  const { id, channel, code, appName, credits, timeline } = message
  const phone = `+${digitsOf(message.phone)}`
  const [state, tone] = stateLabels[stateAt(timeline, now)]
  const kind = channel === 'sms' ? 'Text' : 'Call'
  return html`<li id="m-${id}" class="card" data-spoken="${kind} to ${phone}">
<div class="card-head">
<h3>${kind} <span class="quiet">to</span> ${phone}</h3>
<span class="chip ${tone}">${state}</span>
</div>
<div class="card-body">
${phoneView(message, state, now)}
<div class="facts">
${
  code !== undefined &&
  html`<p class="code-row"><span class="code-label">Code</span>
<strong class="code">${code}</strong>
<button type="button" class="copy" data-copy="${code}" aria-label="Copy the code ${code}">Copy</button></p>`
}
<dl class="pairs">
${appName !== undefined && html`<dt>App-name</dt><dd>${appName}</dd>`}
${message.voice !== undefined && html`<dt>Voice</dt><dd>${message.voice}</dd>`}
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
${request !== undefined && requestView({ ...request, id: `r-${id}` }, now)}
<form method="post" action="/_sandbox/messages/delete">
<input type="hidden" name="id" value="${id}">
<button class="plain" aria-label="Delete this ${kind.toLowerCase()} to ${phone}">Delete</button>
</form>
</div>
</li>`
}

function phoneView({ channel, text, code, appName, at }: Message, state: string, now: number): Html {
  const from = appName ?? 'Provider'
  return html`<div class="phone ${channel}">
<p class="phone-bar"><span>${momentText(at, now).slice(-8, -3)}</span><span>${channel === 'sms' ? 'Messages' : `Call: ${state.toLowerCase()}`}</span></p>
<p class="phone-from">${from}</p>
<p class="bubble">${channel === 'sms' ? marked(text, code) : html`“${text}”`}</p>
</div>`
}

/** The text with its code made visible. */
function marked(text: string, code: string | undefined): Html {
  const [before = '', ...after] = code === undefined ? [text] : text.split(code)
  return after.length === 0 ? html`${text}` : html`${before}<mark>${code}</mark>${after.join(code)}`
}
