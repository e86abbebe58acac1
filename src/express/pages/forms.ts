import type { Request } from 'express'
import { appMethod, type Channel, type Details } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import { hostFunction } from '../../lib/host-function.js'
import { type Html, html } from '../../lib/html.js'
import { present } from '../../lib/json.js'
import { keptFormField } from '../guard/resumption.js'
import { probeField } from '../http/cookies.js'
import { offerField } from '../http/passkey-offer.js'
import type { Texts } from './messages/en.js'
import type { PageView } from './page-view.js'
import { tellsWait } from './problem-words.js'
import { byMethod, duration, fill, isolated, waitOf } from './wording.js'

/** Creates a form of the page, with the fields that connect it to the refused request. */
export function form(
  view: PageView,
  action: 'start' | 'resend' | 'verify' | 'cancel',
  content: Html,
  attributes?: Html,
): Html {
  const fields = Object.entries(hiddenFieldsOf(view)).map(
    ([name, value]) => html`${hiddenField(name, value)}`,
  )
  return html`<form method="post" action="${view.basePath}/${action}" novalidate${attributes}>
${fields}${content}
</form>`
}

/** Returns the hidden fields of every form. */
export function hiddenFieldsOf(view: PageView): Readonly<Record<string, string>> {
  const { challenge, requirement, returnTo, purpose, method, formFields } = view
  return { ...present({ challenge: challenge?.id, requirement, returnTo, purpose, method }), ...formFields }
}

export function hiddenField(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}">`
}

/** Creates the main button of a page. It shows when its form is being sent. */
export function mainButton(label: string | Html, busy: string): Html {
  return html`<div class="buttons"><button class="main" data-busy="${busy}">${label}</button></div>`
}

interface SendWording {
  readonly action: 'start' | 'resend'
  /** A first code in place of an expired one is a new code. Default: `action`. */
  readonly wording?: 'start' | 'resend'
}

/** Creates one button per destination, each with its wait. The server enforces the wait, and the script displays it. */
export function sendButtons(
  view: PageView,
  { action, wording = action }: SendWording,
  destinations: readonly (Channel | DestinationView)[],
  texts: Texts,
): Html {
  const { waitMs = 0 } = view
  const free = destinations.findIndex((destination) => waitOf(view, destination) <= waitMs)
  const buttons = destinations.map((destination, index) => {
    const look = action === 'start' && index === Math.max(free, 0) ? 'main' : 'other'
    const ms = waitOf(view, destination)
    const wait = ms > 0 && html` data-wait-ms="${ms}"`
    const [field, label] =
      typeof destination === 'string'
        ? [
            html`name="channel" value="${destination}"`,
            byMethod(index === 0 ? wording : 'instead', destination, texts),
          ]
        : [html`name="destination" value="${destination.id}"`, sendOptionTo(destination, texts, wording)]
    return html`<button class="${look}${wait && ' waits'}" ${field} data-busy="${texts['busy.sending']}"${wait}>${label}</button>
`
  })
  return html`${waitMs > 0 && waiting(view, waitMs, action, texts)}<div class="buttons">
${buttons}</div>`
}

/** Returns the digits only: bullets mean nothing when read aloud, and a button is read as a whole. */
function sendOptionTo(
  { method, masked, label }: DestinationView,
  texts: Texts,
  wording: 'start' | 'resend',
): Html {
  const digits = masked.replace(/\D/g, '')
  const where = label === undefined ? digits && fill(texts['code.destination'], { digits }) : isolated(label)
  // Nothing is sent to an app.
  return html`${byMethod(method === appMethod ? 'start' : wording, method, texts)}${where && html`: ${where}`}`
}

/** Returns the text about the wait next to the buttons. It is hidden if the problem above mentions it. */
export function waiting(view: PageView, ms: number, action: 'start' | 'resend', texts: Texts): Html {
  const { problem } = view
  const isTold = problem !== undefined && tellsWait(view, problem, texts)
  const time = html`<span data-clock>${duration(ms, 'up', texts)}</span>`
  const sentence = fill(texts[`${action}.wait`], { t: time })
  return html`<p data-wait-ms="${ms}"${isTold && html` hidden`}>${sentence}</p>
${
  action === 'start' &&
  html`<p class="unseen" role="status" data-ready="${texts['resend.ready']}"></p>
`
}`
}

/** Returns the exit links of a page, one below the other. */
export function sendOptionsOf({ page, ways }: PageView, texts: Texts): readonly Html[] {
  return ways.map(({ text, to, afterMs, isMain }) => {
    const later = afterMs !== undefined && html` hidden data-after-ms="${afterMs}"`
    const isBack = page === 'problem' && text === 'link.back'
    return html`<p${later}><a${isMain && html` class="button main"`}${isBack && html` data-back`} href="${to}">${texts[text]}</a></p>
`
  })
}

/** Returns the button for users who do not continue, or not with this number. */
export function cancelling(view: PageView, text: string): Html {
  return form(view, 'cancel', html`<button class="plain">${text}</button>`)
}

/** Returns the list of the details that the code confirms. */
export function detailsList({ title, rows }: Details): Html {
  const heading = title === undefined ? undefined : html`<h2>${isolated(title)}</h2>\n`
  const items = rows.map(
    ([label, value]) => html`<div><dt>${isolated(label)}</dt><dd>${isolated(value)}</dd></div>\n`,
  )
  return html`${heading}<dl>\n${items}</dl>\n`
}

/** Returns further fields for the forms of the pages, such as the token of a CSRF library. */
export type FormFieldsOf = (req: Request) => Readonly<Record<string, string>>

/** Names of the fields that the pages use. */
const usedNames: ReadonlySet<string> = new Set([
  'challenge',
  'channel',
  'code',
  'country',
  'destination',
  'method',
  'passkey',
  'phone',
  'purpose',
  'recoveryCode',
  'requirement',
  'returnTo',
  'trustDevice',
  offerField,
  probeField.name,
  keptFormField,
])

/** Checks the fields of one request. Throws a TypeError that names a field which a form cannot contain. */
export function createFormFields(option: FormFieldsOf | undefined): FormFieldsOf {
  if (option === undefined) return () => ({})
  const ask = hostFunction(option)
  return (req) => {
    const fields: unknown = ask(req)
    if (typeof fields !== 'object' || fields === null || fields instanceof Promise) {
      throw new TypeError('formFields must return an object of strings, not a promise')
    }
    for (const [name, value] of Object.entries(fields)) {
      // A second field of this name would turn both into an array (parameter pollution).
      if (usedNames.has(name))
        throw new TypeError(`formFields: the pages already have a field "${name}"; use another name`)
      if (!/^[A-Za-z_][\w.:-]{0,63}$/.test(name)) {
        throw new TypeError(
          'formFields: a name must be 1 to 64 letters, digits, dots, colons, hyphens or underscores, the first a letter or an underscore',
        )
      }
      if (typeof value !== 'string') {
        throw new TypeError(`formFields: ${name} must be a string, not ${typeof value}`)
      }
    }
    return fields as Readonly<Record<string, string>>
  }
}
