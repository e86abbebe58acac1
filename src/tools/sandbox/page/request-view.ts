import { type Html, html } from '../../../lib/html.js'
import { parseJson } from '../../../lib/json.js'
import { shellWord } from '../../../lib/shell.js'
import { operations } from '../../../provider/operations.js'
import type { Connection } from '../reach.js'
import type { LoggedRequest } from '../request-log.js'
import { momentText } from './moments.js'

/** Renders one logged request with its response. The log has already hidden the key. */
export function requestView(
  request: LoggedRequest,
  connection: Connection,
  now: number,
  elementId = request.id,
): Html {
  const { at, operation, fields, answer, fault } = request
  return html`<details id="${elementId}" class="request">
<summary><span>${operation}</span> <span class="quiet">${momentText(at, now)}</span> ${
    fault === undefined
      ? html`<span class="chip ${answer?.status === 200 ? 'good' : 'bad'}">${answer?.status ?? 'no response'}</span>`
      : html`<span class="chip bad">fault: ${fault}</span>`
  }</summary>
<dl class="fields">${Object.entries(fields).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${answer !== undefined && html`<pre tabindex="0" aria-label="Response to ${operation}">${pretty(answer.body)}</pre>`}
<button type="button" class="copy small" data-copy="${curlCommand(request, connection)}">Copy as curl</button>
</details>`
}

/** Formats JSON. Long bodies are logged shortened, so they may be incomplete JSON. */
function pretty(body: string): string {
  const document = parseJson(body)
  return document === undefined ? body : JSON.stringify(document, undefined, 2)
}

/** Returns the command that repeats a logged request. The log has no key, so it uses the sandbox's own. */
function curlCommand(
  { operation, path, fields }: LoggedRequest,
  { baseUrl, credentials }: Connection,
): string {
  const isGet = operations[operation].method === 'GET'
  const parts = Object.entries(fields).map(
    ([name, value]) => `--data-urlencode ${shellWord(`${name}=${name === 'key' ? credentials.key : value}`)}`,
  )
  return ['curl', ...(isGet ? ['-G'] : []), shellWord(`${baseUrl}${path}`), ...parts].join(' ')
}
