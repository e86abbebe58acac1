import { appMethod } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import { type Html, html } from '../../lib/html.js'
import { waiting } from './forms.js'
import type { Texts } from './messages/en.js'
import type { PageView } from './page-view.js'
import { byMethod, destination, fill, isolated, spokenDigits, waitOf } from './wording.js'

/** Returns a row for each number and the app, with a button per method. The first available button is highlighted. */
export function destinationRows(
  view: PageView,
  destinations: readonly DestinationView[],
  texts: Texts,
): Html {
  const { waitMs = 0 } = view
  const free = destinations.find((one) => waitOf(view, one) <= waitMs) ?? destinations[0]
  const rows = rowsOf(destinations).map((row) => {
    const [first] = row
    const buttons = row.map((one) => sendButton(view, one, one === free, texts))
    return html`<li><div><p>${first && nameOf(first, texts)}</p></div>
<div class="acts">${buttons}</div></li>
`
  })
  return html`${waitMs > 0 && waiting(view, waitMs, 'start', texts)}<ul class="rows">
${rows}</ul>`
}

/** Groups the destinations by number. Two numbers may look alike, so a second text to one starts a new row. */
function rowsOf(destinations: readonly DestinationView[]): readonly (readonly DestinationView[])[] {
  const rows: DestinationView[][] = []
  for (const one of destinations) {
    const fits = ([first, ...others]: DestinationView[]) =>
      first?.masked === one.masked &&
      first.label === one.label &&
      [first, ...others].every(({ method }) => method !== one.method)
    const row = rows.find(fits)
    if (row === undefined) rows.push([one])
    else row.push(one)
  }
  return rows
}

function nameOf({ method, masked, label }: DestinationView, texts: Texts): Html {
  if (method === appMethod) return html`${texts['choose.app.name']}`
  return label === undefined ? destination(masked, texts) : isolated(label)
}

function sendButton(view: PageView, to: DestinationView, isMain: boolean, texts: Texts): Html {
  const { id, method, masked, label } = to
  const ms = waitOf(view, to)
  const wait = ms > 0 && html` data-wait-ms="${ms}"`
  const where =
    label === undefined
      ? masked && fill(texts['code.destination'], { digits: spokenDigits(masked) })
      : isolated(label)
  const spoken = where && html`<span class="unseen"> ${where}</span>`
  return html`<button class="${isMain ? 'main' : 'other'}${wait && ' waits'}" name="destination" value="${id}" data-busy="${texts['busy.sending']}"${wait}>${byMethod('choose', method, texts)}${spoken}</button>
`
}
