import type { LoggedRequest } from '../request-log.js'
import { type Html, html } from '../../lib/html.js'
import { momentText } from './moments.js'

/** One logged request: what was sent, what was answered. The log hides the key already. */
export function requestView(request: LoggedRequest, now: number): Html {
  const { at, operation, fields, answer, fault } = request
  const outcome = answer === undefined ? 'no answer' : String(answer.status)
  return html`<details id="${request.id}" class="request">
<summary><span>${operation}</span> <span class="quiet">${momentText(at, now)}</span> ${
    fault === undefined
      ? html`<span class="chip ${tone(answer?.status)}">${outcome}</span>`
      : html`<span class="chip bad">fault: ${fault}</span>`
  }</summary>
<dl class="fields">${Object.entries(fields).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${answer !== undefined && html`<pre tabindex="0" aria-label="ServiceResponse to ${operation}">${pretty(answer.body)}</pre>`}
</details>`
}

function tone(status: number | undefined): string {
  return status === 200 ? 'good' : 'bad'
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch (error) {
    // A long answer is kept shortened, so it may end in mid-JSON.
    if (error instanceof SyntaxError) return body
    throw error
  }
}
