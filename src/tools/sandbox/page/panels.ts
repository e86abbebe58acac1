import { type Html, html } from '../../../lib/html.js'
import { operations } from '../../../provider/operations.js'
import type { AccountControl, BlockedPhone } from '../account.js'
import type { SandboxClock } from '../clock.js'
import { faultKinds } from '../fault-kinds.js'
import type { Faults, PendingFault } from '../faults.js'
import type { Connection } from '../reach.js'
import type { RequestLog, UnmatchedRequest } from '../request-log.js'
import type { Links, ListedLink } from '../short-links.js'
import { button } from './button.js'
import { durationText, momentText } from './moments.js'
import { requestView } from './request-view.js'

const clockSteps = [
  ['30 s', 30_000],
  ['1 min', 60_000],
  ['5 min', 300_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 2_592_000_000],
] as const

export function clockTool(clock: SandboxClock): Html {
  const aheadMs = clock.aheadMs()
  return html`<section class="tool" aria-labelledby="p-clock"><h2 id="p-clock">Clock</h2>
<p>${aheadMs > 0 ? `${durationText(aheadMs)} ahead` : 'Real time'}</p>
<form method="post" action="/_sandbox/clock" class="buttons" aria-label="Move the clock forward">
${clockSteps.map(([label, ms]) => html`<button name="advanceMs" value="${ms}">+${label}</button>`)}
</form>
</section>`
}

export function faultTool(faults: Faults): Html {
  const pending = faults.list()
  return html`<section class="tool" aria-labelledby="p-faults"><h2 id="p-faults">Faults</h2>
<details id="add-fault"><summary>${pending.length === 0 ? 'None is on.' : `${pending.length} on`} <span class="link">Add a fault</span></summary>
<form method="post" action="/_sandbox/faults" class="fault-form">
${field('operation', 'Operation', html`<select id="fault-operation" name="operation"><option value="">any</option>${Object.keys(operations).map((name) => html`<option>${name}</option>`)}</select>`)}
${field('kind', 'Kind', html`<select id="fault-kind" name="kind">${Object.keys(faultKinds).map((kind) => html`<option>${kind}</option>`)}</select>`)}
${field('times', 'Times', html`<select id="fault-times" name="times">${[1, 2, 3, 5, 10].map((times) => html`<option>${times}</option>`)}<option value="Infinity">always</option></select>`)}
${field('phone', 'Number', html`<input id="fault-phone" name="phone" inputmode="tel" placeholder="any" autocomplete="off">`)}
${field('status', 'Status', html`<input id="fault-status" name="status" type="number" min="200" max="599" placeholder="default">`)}
${field('delayMs', 'Delay in ms', html`<input id="fault-delayMs" name="delayMs" type="number" min="0" max="600000" placeholder="default">`)}
${field('body', 'Body', html`<input id="fault-body" name="body" placeholder="default" autocomplete="off">`)}
<button>Switch on</button>
</form></details>
<ul class="rows">${pending.map(faultRow)}</ul>
</section>`
}

function field(name: string, label: string, control: Html): Html {
  return html`<p class="field"><label for="fault-${name}">${label}</label> ${control}</p>`
}

function faultRow({ id, fault, timesLeft }: PendingFault): Html {
  const { kind, operation = 'any', phone } = fault
  const times = Number.isFinite(timesLeft) ? `${timesLeft} left` : 'always'
  return html`<li id="${id}"><span><strong>${kind}</strong> on ${operation}${phone !== undefined && ` for ${phone}`}, ${times}</span>
${button('faults/delete', { id }, 'Switch off', `Switch off ${kind} on ${operation}`)}</li>`
}

const maxRequestsShown = 20
const maxUnmatchedShown = 5
const maxRowsShown = 20

export function connectionPanel({ baseUrl, credentials, approvedStatuses }: Connection): Html {
  const rows = [
    ['Base URL', baseUrl],
    ['Client', String(credentials.client)],
    ['Key', credentials.key],
    ['approvedStatuses', JSON.stringify(approvedStatuses)],
  ] as const
  return panel(
    'Connection',
    html`<dl class="pairs wide">${rows.map(
      ([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code>
<button type="button" class="copy small" data-copy="${value}" aria-label="Copy the ${name}">Copy</button></dd>`,
    )}</dl>
<p class="quiet">OpenAPI: <a href="/openapi.json">operations</a>, <a href="/_sandbox/openapi.json">control</a></p>`,
  )
}

export function accountPanel(account: AccountControl): Html {
  return panel(
    'Account',
    html`<p><strong class="figure">${account.credits().toLocaleString('en')}</strong> credits ${fundsChip(account.credits())}</p>
<form method="post" action="/_sandbox/account" class="row">
<label for="credits">Set credits</label>
<input id="credits" name="credits" type="number" min="0" step="1" value="${account.credits()}" required>
<button>Set</button>
</form>
<h3>Blocked numbers</h3>
${rows(account.blocked().toReversed(), blockedRow)}`,
  )
}

function blockedRow({ phone, name, channel }: BlockedPhone): Html {
  return html`<li id="b-${phone}"><span>+${phone} <span class="quiet">${name} ${channel}</span></span>
${button('account/unblock', { phone }, 'Unblock', `Unblock +${phone}`)}</li>`
}

/** Enough for only a few codes. */
const lowCredits = 10

function fundsChip(credits: number): Html | false {
  if (credits >= lowCredits) return false
  return html`<span class="chip ${credits === 0 ? 'bad' : 'busy'}">${credits === 0 ? 'empty' : 'low'}</span>`
}

export function linkPanel(links: Links, now: number): Html {
  return panel(
    'Short links',
    rows(links.list(), (link) => linkRow(link, now)),
  )
}

function linkRow({ name, urlShort, premium, expiresAt, clicks }: ListedLink, now: number): Html {
  return html`<li id="u-${name}"><span><a href="${urlShort}" target="_blank" rel="noreferrer">${name}</a>
${premium && html`<span class="chip">premium</span>`} ${now >= expiresAt && html`<span class="chip bad">expired</span>`}</span>
<span class="quiet">${clicks} ${clicks === 1 ? 'click' : 'clicks'}</span></li>`
}

export function requestPanel(requests: RequestLog, connection: Connection, now: number): Html {
  const newest = requests.list().slice(0, maxRequestsShown)
  const unmatched = requests.unmatched().slice(0, maxUnmatchedShown)
  return panel(
    'Requests',
    html`<p class="quiet">${requests.count().toLocaleString('en')} received</p>
<ul class="rows unmatched" aria-label="Requests that no operation matched">${unmatched.map((request) => unmatchedRow(request, now))}</ul>
<div class="requests">${newest.map((request) => requestView(request, connection, now))}</div>`,
  )
}

function unmatchedRow({ id, at, method, path, hint }: UnmatchedRequest, now: number): Html {
  return html`<li id="${id}"><span><span class="chip bad">404</span> ${method} ${path} <span class="quiet">${momentText(at, now)}</span></span>
<span>${hint}</span></li>`
}

/** Renders the first entries of a list, and the number of further entries. */
function rows<Entry>(entries: readonly Entry[], row: (entry: Entry) => Html): Html {
  return html`${entries.length === 0 && html`<p class="quiet">None.</p>`}
<ul class="rows">${entries.slice(0, maxRowsShown).map(row)}</ul>
${entries.length > maxRowsShown && html`<p class="quiet">and ${entries.length - maxRowsShown} more</p>`}`
}

function panel(title: string, content: Html): Html {
  const id = `p-${title.toLowerCase().replace(/\W+/g, '-')}`
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}
</section>`
}
