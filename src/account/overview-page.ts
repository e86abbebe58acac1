import type { OwnPage, TrustedDevice } from '../index.js'
import { type Html, html } from '../lib/html.js'
import { maskPhoneNumber } from '../phone-number.js'
import { type ChangeKind, countFactors, type Factors } from './changes.js'
import { changeButton, link, number, type PageContext } from './marks.js'
import type { UsedAt } from './read-factors.js'
import type { AccountTexts } from './texts/en.js'
import { fill } from './texts.js'

// The first page: all that is on file, each with the buttons that change it.

/** A number on file, as a page or a client may have it. */
export interface ListedNumber {
  /**
   * Names it in forms without showing it: its place in the list, and of each number the last two digits and the place in
   * alphabetical order.
   */
  readonly id: string
  readonly masked: string
  /** When it was last used, in milliseconds since 1970; absent where the host does not say. */
  readonly usedAt: number | undefined
}

/** What the first page shows, and says as JSON. */
export interface Overview extends Omit<Factors, 'numbers'> {
  readonly numbers: readonly ListedNumber[]
  /** When the app was last used. */
  readonly appUsedAt: number | undefined
  readonly devices: readonly TrustedDevice[]
  /** Whether a way may go: what would be refused is not offered. */
  readonly canRemove: boolean
  /** As `adviceFor` says. */
  readonly advice?: Extract<keyof AccountTexts, `advice.${string}`> | undefined
}

/** Few enough to make new ones. */
const fewCodes = 3

/** What is missing, as the key of its text. */
export function adviceFor(factors: Factors): Overview['advice'] {
  const { app, recoveryCodes: left } = factors
  const count = countFactors(factors)
  if (count === 0) return app === undefined ? 'advice.none.numbers' : 'advice.none'
  if (count === 1 && !left) return left === undefined ? 'advice.one' : 'advice.one.codes'
  return left !== undefined && left > 0 && left <= fewCodes ? 'advice.few' : undefined
}

/** The numbers in the order of the list, none of them whole. */
export function listed(numbers: readonly string[], usedAt?: UsedAt): readonly ListedNumber[] {
  // Two may end alike: with another list meanwhile, the form of one must not name the other.
  const list = numbers.map((one) => `${one.slice(-2)}.${numbers.toSorted().indexOf(one)}`).join('-')
  return numbers.map((number, index) => ({
    id: `${index}-${list}`,
    masked: maskPhoneNumber(number),
    usedAt: usedAt?.(number),
  }))
}

/** The page; `changed` is what was changed just now. */
export function overviewPage(scene: PageContext, overview: Overview, changed?: ChangeKind): OwnPage {
  const { texts } = scene
  const { advice } = overview
  const news = changed && html`<p class="notice" role="status">${texts[`done.${changed}`]}</p>\n`
  const told = advice && html`<p>${texts[advice]}</p>\n`
  const parts = { numbers, app, recovery, devices, elsewhere }
  const sections = (Object.keys(parts) as (keyof typeof parts)[]).flatMap((name) => {
    const content = parts[name](scene, overview)
    return content === undefined ? [] : section(name, texts[`${name}.title`], content)
  })
  return { title: texts.title, content: html`${news}${told}${sections}`.markup }
}

const section = (id: string, title: string, content: Html): Html => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}</section>\n`

/** What stands under one of the headings; nothing where there is no such thing. */
type Part = (scene: PageContext, overview: Overview) => Html | undefined

const numbers: Part = (scene, { numbers, canRemove }) => {
  const { texts, path } = scene
  const rows = numbers.map(({ id, masked, usedAt }, index) => {
    const isMain = index === 0 && numbers.length > 1
    const button = { fields: { number: id }, of: masked }
    const putFirst = index > 0 && changeButton(scene, '/numbers/first', 'number-first', button)
    const remove = canRemove && changeButton(scene, '/numbers/remove', 'number-removed', button)
    return html`<li><p>${number(masked)}${isMain && html` <span>${texts['numbers.is-first']}</span>`}${lastUsed(scene, usedAt)}</p>
${putFirst}${remove}</li>\n`
  })
  const list = rows.length > 0 ? html`<ul class="rows">\n${rows}</ul>` : html`<p>${texts['numbers.none']}</p>`
  return html`${list}\n${link(`${path}/number`, texts['numbers.add'])}`
}

const app: Part = (scene, { app, appUsedAt, canRemove }) => {
  const { texts, path } = scene
  if (app === undefined) return undefined
  return html`<p>${texts[app ? 'app.on' : 'app.off']}${app && lastUsed(scene, appUsedAt)}</p>
${link(`${path}/app`, texts[app ? 'app.replace' : 'app.add'])}${app && canRemove && changeButton(scene, '/app/remove', 'app-removed')}`
}

const recovery: Part = (scene, { recoveryCodes: left, numbers, app }) => {
  const { texts } = scene
  if (left === undefined) return undefined
  const state = left === 0 ? texts['recovery.none'] : fill(texts['recovery.left'], { n: String(left) })
  const hasWay = numbers.length > 0 || app
  return html`<p>${texts['recovery.text']} ${state}</p>
${hasWay && changeButton(scene, '/recovery-codes', 'recovery-codes-made')}`
}

const devices: Part = (scene, { devices }) => {
  const { texts } = scene
  if (devices.length === 0) return undefined
  const rows = devices.map(({ id, label = texts['device.unnamed'], isThis, usedAt }) => {
    const button = { fields: { device: id }, of: label }
    return html`<li><p><bdi>${label}</bdi>${isThis && html` (${texts['device.this']})`}${lastUsed(scene, usedAt)}</p>
${changeButton(scene, '/devices/end', 'device-ended', button)}</li>\n`
  })
  return html`<p>${texts['devices.text']}</p>
<ul class="rows">\n${rows}</ul>
${devices.length > 1 && changeButton(scene, '/devices/end-all', 'devices-ended')}`
}

const elsewhere: Part = (scene) => html`<p>${scene.texts['elsewhere.text']}</p>
${changeButton(scene, '/sign-out', 'signed-out-elsewhere')}`

/** The day of it, on a line of its own. */
function lastUsed({ visit, texts }: PageContext, at: number | undefined): Html | undefined {
  if (at === undefined) return undefined
  const day = new Intl.DateTimeFormat(visit.texts.lang, { dateStyle: 'medium', timeZone: 'UTC' })
  return html`<br><bdi>${fill(texts['last-used'], { when: day.format(at) })}</bdi>`
}
