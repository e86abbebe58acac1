import { type Html, html } from '../../lib/html.js'
import { operations } from '../../provider/operations.js'
import type { SandboxClock } from '../clock.js'
import { faultKinds } from '../fault.js'
import type { Faults, PendingFault } from '../faults.js'
import { durationText } from './moments.js'

const clockSteps = [
  ['30 s', 30_000],
  ['1 min', 60_000],
  ['5 min', 300_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 2_592_000_000],
] as const

/** The clock and the faults, above the messages at every width: a developer needs them while looking at a code. */
export function toolBar(clock: SandboxClock, faults: Faults): Html {
  return html`<div class="tools">
${clockTool(clock)}
${faultTool(faults)}
</div>`
}

function clockTool(clock: SandboxClock): Html {
  const aheadMs = clock.aheadMs()
  return html`<section class="tool" aria-labelledby="p-clock"><h2 id="p-clock">Clock</h2>
<p>${aheadMs > 0 ? `${durationText(aheadMs)} ahead` : 'Real time'}</p>
<form method="post" action="/_sandbox/clock" class="buttons" aria-label="Move the clock forward">
${clockSteps.map(([label, ms]) => html`<button name="advanceMs" value="${ms}">+${label}</button>`)}
</form>
</section>`
}

function faultTool(faults: Faults): Html {
  const pending = faults.list()
  return html`<section class="tool" aria-labelledby="p-faults"><h2 id="p-faults">Faults</h2>
<details id="add-fault"><summary>${pending.length === 0 ? 'None is on.' : `${pending.length} on`} <span class="link">Add a fault</span></summary>
<form method="post" action="/_sandbox/faults" class="fault-form">
${field('operation', 'Operation', html`<select id="fault-operation" name="operation"><option value="">any</option>${Object.keys(operations).map((name) => html`<option>${name}</option>`)}</select>`)}
${field('kind', 'Kind', html`<select id="fault-kind" name="kind">${faultKinds.map((kind) => html`<option>${kind}</option>`)}</select>`)}
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
<form method="post" action="/_sandbox/faults/delete"><input type="hidden" name="id" value="${id}">
<button class="plain" aria-label="Switch off ${kind} on ${operation}">Switch off</button></form></li>`
}
