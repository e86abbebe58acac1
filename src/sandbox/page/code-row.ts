import { type Html, html } from '../../lib/html.js'
import type { CodeState } from '../code-state.js'
import type { InboxMessage } from '../inbox.js'
import { timeText } from './moments.js'

const labels: Readonly<Record<CodeState, string>> = {
  live: 'Live',
  used: 'Used',
  replaced: 'Replaced',
  expired: 'Expired',
  blocked: 'Blocked',
  undelivered: 'Not delivered',
}

/** A code with what has become of it. Only a live one can be copied: a dead one would just be refused. */
export function codeRow(message: InboxMessage, aheadMs: number): Html {
  const { code = '', codeState = 'live' } = message
  const isLive = codeState === 'live'
  return html`<p class="code-row"><strong class="${isLive ? 'code' : 'code dead'}">${code}</strong>
${isLive && html`<button type="button" class="copy" data-copy="${code}" aria-label="Copy the code ${code}">Copy</button>`}
${codeChip(message, aheadMs)}</p>`
}

/** The state of a code; a live one counts down in the browser, which knows real time only. */
export function codeChip({ codeState = 'live', codeExpiresAt }: InboxMessage, aheadMs: number): Html {
  const left =
    codeState === 'live' && codeExpiresAt !== undefined
      ? html` <span data-until="${codeExpiresAt - aheadMs}">until ${timeText(codeExpiresAt)}</span>`
      : undefined
  return html`<span class="chip ${codeState === 'live' ? 'good' : 'dead'}">${labels[codeState]}${left}</span>`
}
