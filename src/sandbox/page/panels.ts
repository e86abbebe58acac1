import { operations } from '../../provider/operations.js'
import type { AccountControl } from '../account.js'
import type { SandboxClock } from '../clock.js'
import { faultKinds } from '../fault.js'
import type { Faults } from '../faults.js'
import type { RequestLog } from '../request-log.js'
import type { Links } from '../short-links.js'
import { type Html, html } from '../../lib/html.js'
import { durationText } from './moments.js'
import { requestView } from './request-view.js'

const maxRequestsShown = 20
const maxLinksShown = 20
const maxBlockedShown = 20

export function connectionPanel(baseUrl: string, { client, key }: { client: number; key: string }): Html {
  const rows = [
    ['Base URL', baseUrl],
    ['Client', String(client)],
    ['Key', key],
  ] as const
  return panel(
    'Connection',
    html`<dl class="pairs wide">${rows.map(
      ([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code>
<button type="button" class="copy small" data-copy="${value}" aria-label="Copy the ${name}">Copy</button></dd>`,
    )}</dl>
<p class="quiet"><a href="/openapi.json">OpenAPI document</a></p>`,
  )
}

export function accountPanel(account: AccountControl): Html {
  const blocked = account.blocked()
  return panel(
    'Account',
    html`<p><strong class="figure">${account.credits().toLocaleString('en')}</strong> credits ${fundsChip(account.credits())}</p>
<form method="post" action="/_sandbox/account" class="line">
<label for="credits">Set credits</label>
<input id="credits" name="credits" type="number" min="0" step="1" value="0" required>
<button>Set</button>
</form>
<h3>Blocked numbers</h3>
${blocked.length === 0 && html`<p class="quiet">None.</p>`}
<ul class="rows">${blocked.slice(-maxBlockedShown).map(
      ({
        phone,
        name,
        channel,
      }) => html`<li id="b-${phone}"><span>+${phone} <span class="quiet">${name} ${channel}</span></span>
<form method="post" action="/_sandbox/account/unblock"><input type="hidden" name="phone" value="${phone}">
<button class="plain" aria-label="Unblock +${phone}">Unblock</button></form></li>`,
    )}</ul>
${blocked.length > maxBlockedShown && html`<p class="quiet">and ${blocked.length - maxBlockedShown} more</p>`}`,
  )
}

/** What is too little for much more than a code. */
const lowCredits = 10

function fundsChip(credits: number): Html | false {
  if (credits >= lowCredits) return false
  return html`<span class="chip ${credits === 0 ? 'bad' : 'busy'}">${credits === 0 ? 'empty' : 'low'}</span>`
}

const clockSteps = [
  ['30 s', 30_000],
  ['1 min', 60_000],
  ['5 min', 300_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 2_592_000_000],
] as const

export function clockPanel(clock: SandboxClock): Html {
  const ahead = clock.aheadMs()
  const now = new Date(clock.now())
  return panel(
    'Clock',
    html`<p><strong class="figure">${now.toLocaleTimeString('en-GB').slice(0, 5)}</strong>
${now.toLocaleDateString('en-CA')}${ahead > 0 && html`, ${durationText(ahead)} ahead`}</p>
<form method="post" action="/_sandbox/clock" class="buttons" aria-label="Move the clock forward">
${clockSteps.map(([label, ms]) => html`<button name="advanceMs" value="${ms}">+${label}</button>`)}
</form>`,
  )
}

export function faultPanel(faults: Faults): Html {
  const pending = faults.list()
  return panel(
    'Faults',
    html`<form method="post" action="/_sandbox/faults" class="grid">
<label for="fault-operation">Operation</label>
<select id="fault-operation" name="operation"><option value="">any</option>${Object.keys(operations).map(
      (name) => html`<option>${name}</option>`,
    )}</select>
<label for="fault-kind">Kind</label>
<select id="fault-kind" name="kind">${faultKinds.map((kind) => html`<option>${kind}</option>`)}</select>
<label for="fault-times">Times</label>
<select id="fault-times" name="times">${[1, 2, 3, 5, 10].map((times) => html`<option>${times}</option>`)}
<option value="Infinity">always</option></select>
<button>Switch on</button>
</form>
${pending.length === 0 && html`<p class="quiet">None is on.</p>`}
<ul class="rows">${pending.map(
      ({
        id,
        fault,
        timesLeft,
      }) => html`<li id="${id}"><span><strong>${fault.kind}</strong> on ${fault.operation ?? 'any'},
${timesLeft === Number.POSITIVE_INFINITY ? 'always' : html`${timesLeft} left`}</span>
<form method="post" action="/_sandbox/faults/delete"><input type="hidden" name="id" value="${id}">
<button class="plain" aria-label="Switch off ${fault.kind} on ${fault.operation ?? 'any'}">Switch off</button></form></li>`,
    )}</ul>`,
  )
}

export function linkPanel(links: Links, now: number): Html {
  const listed = links.list()
  return panel(
    'Short links',
    html`${listed.length === 0 && html`<p class="quiet">None.</p>`}
<ul class="rows">${listed.slice(0, maxLinksShown).map(
      (
        link,
      ) => html`<li id="u-${link.name}"><span><a href="${link.urlShort}" rel="noreferrer">${link.name}</a>
${link.premium && html`<span class="chip">premium</span>`} ${now >= link.expiresAt && html`<span class="chip bad">expired</span>`}</span>
<span class="quiet">${link.clicks} ${link.clicks === 1 ? 'click' : 'clicks'}</span></li>`,
    )}</ul>
${listed.length > maxLinksShown && html`<p class="quiet">and ${listed.length - maxLinksShown} more</p>`}`,
  )
}

export function requestPanel(requests: RequestLog, now: number): Html {
  const newest = requests.list().slice(0, maxRequestsShown)
  return panel(
    'Requests',
    html`<p class="quiet">${requests.count().toLocaleString('en')} received</p>
<div class="requests">${newest.map((request) => requestView(request, now))}</div>`,
  )
}

function panel(title: string, content: Html): Html {
  const id = `p-${title.toLowerCase().replace(/\W+/g, '-')}`
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}
</section>`
}
