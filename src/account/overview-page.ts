import type { OwnPage, TrustedDevice } from '../index.js'
import { type Html, html } from '../lib/html.js'
import { maskPhoneNumber } from '../phone-number.js'
import { countFactors, type Factors, type NamedPasskey, takesNumber, takesPasskey } from './changes.js'
import { badge, changeButton, linkButton, maskedNumber, type PageContext, spokenNumber } from './marks.js'
import type { News } from './news.js'
import type { UsedAt } from './read-factors.js'
import type { AccountTexts } from './texts/en.js'
import { fillText, spacedDigits } from './texts.js'

// The first page: a row for each factor, with the buttons that change it.

/** A stored number without its digits, for a page or a client. */
export interface ListedNumber {
  /**
   * Identifies the number in forms without revealing it: its index in the list, and for every number the last two
   * digits and the alphabetical index.
   */
  readonly id: string
  readonly masked: string
  /** Time of last use in milliseconds since 1970. Absent if the host returns none. */
  readonly usedAt: number | undefined
}

/** A stored passkey without its key. */
interface ListedPasskey extends NamedPasskey {
  readonly createdAt: number | undefined
  readonly usedAt: number | undefined
}

/** Content of the first page, and its JSON. */
export interface Overview extends Omit<Factors, 'numbers' | 'passkeys'> {
  readonly numbers: readonly ListedNumber[]
  /** Stored passkeys with the times of their creation and last use in milliseconds since 1970. */
  readonly passkeys?: readonly ListedPasskey[] | undefined
  /** When the app was last used. */
  readonly appUsedAt: number | undefined
  readonly devices: readonly TrustedDevice[]
  /** If false, the page offers no removal, because it would be refused. */
  readonly canRemove: boolean
  /** Result of `adviceFor`. */
  readonly advice?: Extract<keyof AccountTexts, `advice.${string}`> | undefined
  /** Result of `riskOf`. */
  readonly risk?: Extract<keyof AccountTexts, `risk.${string}`> | undefined
}

/** At this number the page suggests new codes, and the state is no longer marked as good. */
const fewCodes = 3

/** Returns the text key of a missing factor. */
export function adviceFor(factors: Factors): Overview['advice'] {
  const { app, recoveryCodes: left } = factors
  const count = countFactors(factors)
  if (count === 0) return app === undefined ? 'advice.none.numbers' : 'advice.none'
  if (count === 1 && !left) return left === undefined ? 'advice.one' : 'advice.one.codes'
  return left !== undefined && left > 0 && left <= fewCodes ? 'advice.few' : undefined
}

/**
 * Returns the text key of the risk of an account that has only numbers and could have a safer factor (NIST SP 800-63B-4,
 * 3.2.9; ASVS 5.0, 6.6.1).
 */
export function riskOf({ numbers, app, passkeys }: Factors): Overview['risk'] {
  if (numbers.length === 0 || app || passkeys?.length) return undefined
  if (passkeys !== undefined) return 'risk.passkeys'
  return app === undefined ? undefined : 'risk.numbers'
}

/** Returns the numbers in the order of the list, each masked. */
export function listed(numbers: readonly string[], usedAt?: UsedAt): readonly ListedNumber[] {
  // Two numbers may have equal last digits. If the list has changed meanwhile, the form of one must not select the
  // other.
  const list = numbers.map((one) => `${one.slice(-2)}.${numbers.toSorted().indexOf(one)}`).join('-')
  return numbers.map((number, index) => ({
    id: `${index}-${list}`,
    masked: maskPhoneNumber(number),
    usedAt: usedAt?.(number),
  }))
}

/** Returns the page. `news` is the recent change. */
export function overviewPage(page: PageContext, overview: Overview, news?: News): OwnPage {
  const { texts } = page
  const { advice, risk } = overview
  const hints = [advice, risk].flatMap((key) => (key === undefined ? [] : [html`<p>${texts[key]}</p>\n`]))
  const hint = hints.length > 0 && html`<div class="notice">\n${hints}</div>\n`
  const sections = [passkeySection, numbers, app, recovery, devices, elsewhere].flatMap(
    (part) => part(page, overview) ?? [],
  )
  return {
    title: texts.title,
    notice: news && noticeOf(news, texts),
    content: html`${hint}<div class="settings">\n${sections}</div>`.markup,
  }
}

/** Returns the notice of a change and its number or browser. */
export function noticeOf({ kind, label = '' }: News, texts: AccountTexts): string {
  return fillText(texts[`done.${kind}`], {
    digits: spacedDigits(label),
    device: label || texts['device.unnamed'],
  })
}

/** Returns a heading with its state and content. */
function section(id: string, title: string, content: Html, state?: Html): Html {
  return html`<section aria-labelledby="${id}">
<div class="head"><h2 id="${id}">${title}</h2>${state}</div>
${content}</section>\n`
}

/** Returns the content below a heading, or undefined without the feature. */
type Part = (page: PageContext, overview: Overview) => Html | undefined

const numbers: Part = (page, { numbers, canRemove }) => {
  const { texts, path } = page
  const rows = numbers.map(({ id, masked, usedAt }, index) => {
    const isMain = index === 0 && numbers.length > 1
    const button = { fields: { number: id }, of: spokenNumber(page, masked), look: 'plain' } as const
    const putFirst = index > 0 && changeButton(page, '/numbers/first', 'number-first', button)
    const remove = canRemove && changeButton(page, '/numbers/remove', 'number-removed', button)
    const name = html`${maskedNumber(page, masked)}${isMain && badge(texts['numbers.is-first'], false)}`
    return row(name, dayLine(page, 'last-used', usedAt), html`${putFirst}${remove}`)
  })
  const list = rows.length > 0 && html`<ul class="rows">\n${rows}</ul>\n`
  // Otherwise a person would verify a number first and then read that there are too many.
  const more = takesNumber(numbers)
    ? linkButton(`${path}/number`, texts['numbers.add'])
    : html`<p>${texts['problem.too_many']}</p>`
  const add = html`${list}${more}`
  return section('numbers', texts['numbers.title'], add, onOrOff(page, rows.length > 0))
}

const passkeySection: Part = (page, { passkeys, canRemove }) => {
  const { texts } = page
  if (passkeys === undefined) return undefined
  const rows = passkeys.map(({ id, label, createdAt, usedAt }) => {
    const button = { fields: { passkey: id }, of: label, look: 'plain' } as const
    const rename = changeButton(page, '/passkeys/rename', 'passkey-renamed', button)
    const remove = canRemove && changeButton(page, '/passkeys/remove', 'passkey-removed', button)
    // Passkeys of equal devices have equal names. The day tells apart those without a use.
    const when = dayLine(page, 'last-used', usedAt) ?? dayLine(page, 'added-on', createdAt)
    return row(html`<bdi>${label}</bdi>`, when, html`${rename}${remove}`)
  })
  const list =
    rows.length > 0 ? html`<ul class="rows">\n${rows}</ul>\n` : html`<p>${texts['passkeys.text']}</p>\n`
  const add = takesPasskey(passkeys)
    ? changeButton(page, '/passkeys/start', 'passkey-added', { text: texts['passkeys.add'] })
    : html`<p>${texts['problem.too_many_passkeys']}</p>`
  return section('passkeys', texts['passkeys.title'], html`${list}${add}`, onOrOff(page, rows.length > 0))
}

const app: Part = (page, { app, appUsedAt, canRemove }) => {
  const { texts } = page
  if (app === undefined) return undefined
  const title = texts['app.title']
  if (!app) {
    const setUp = changeButton(page, '/app/start', 'app-added', { text: texts['app.add'] })
    return section('app', title, html`<p>${texts['app.text']}</p>\n${setUp}`, onOrOff(page, false))
  }
  const quiet = { of: title, look: 'plain' } as const
  const replace = changeButton(page, '/app/start', 'app-added', { ...quiet, text: texts['app.replace'] })
  const remove = canRemove && changeButton(page, '/app/remove', 'app-removed', quiet)
  const about = aboutRow(page, texts['app.text'], appUsedAt, html`${replace}${remove}`)
  return section('app', title, about, onOrOff(page, true))
}

const recovery: Part = (page, { recoveryCodes: left, numbers, app, passkeys = [] }) => {
  const { texts } = page
  if (left === undefined) return undefined
  const state = left === 0 ? texts['recovery.none'] : fillText(texts['recovery.left'], { n: String(left) })
  const canMake = numbers.length > 0 || app || passkeys.length > 0
  // New codes invalidate the printed codes, so the button must not invite an accidental click.
  const look = left === 0 ? { text: texts['recovery.make'] } : ({ look: 'plain' } as const)
  const make = html`${canMake && changeButton(page, '/recovery-codes', 'recovery-codes-made', look)}`
  const text = texts['recovery.text']
  const content = left === 0 ? html`<p>${text}</p>\n${make}` : aboutRow(page, text, undefined, make)
  return section('recovery', texts['recovery.title'], content, badge(state, left > fewCodes))
}

const devices: Part = (page, { devices }) => {
  const { texts } = page
  if (devices.length === 0) return undefined
  const rows = devices.map(({ id, label = texts['device.unnamed'], isThis, usedAt }) => {
    const button = { fields: { device: id }, of: label, look: 'plain' } as const
    const name = html`<bdi>${label}</bdi>${isThis && badge(texts['device.this'], false)}`
    const end = changeButton(page, '/devices/end', 'device-ended', button)
    return row(name, dayLine(page, 'last-used', usedAt), end)
  })
  const endAll =
    devices.length > 1 && changeButton(page, '/devices/end-all', 'devices-ended', { look: 'plain' })
  const content = html`<p>${texts['devices.text']}</p>\n<ul class="rows">\n${rows}</ul>\n${endAll}`
  return section('devices', texts['devices.title'], content)
}

const elsewhere: Part = (page) => {
  const { texts } = page
  const ask = changeButton(page, '/sign-out', 'signed-out-elsewhere', { look: 'plain' })
  const content = html`<p>${texts['elsewhere.text']}</p>\n${ask}`
  return section('elsewhere', texts['elsewhere.title'], content)
}

const onOrOff = ({ texts }: PageContext, isOn: boolean): Html =>
  badge(texts[isOn ? 'state.on' : 'state.off'], isOn)

/** Returns a row: name and day on one side, rare actions on the other. */
const row = (name: Html, day: Html | undefined, actions: Html): Html =>
  html`<li><div><p>${name}</p>${day}</div>
<div class="acts">${actions}</div></li>\n`

/** Returns the row of a factor that exists once, whose name is the heading. */
const aboutRow = (page: PageContext, text: string, usedAt: number | undefined, actions: Html): Html =>
  html`<div class="row"><div><p>${text}</p>
${dayLine(page, 'last-used', usedAt)}</div>
<div class="acts">${actions}</div></div>\n`

/** Returns the line with a day, if it is known. */
function dayLine(
  { visit, texts }: PageContext,
  key: 'last-used' | 'added-on',
  at: number | undefined,
): Html | undefined {
  if (at === undefined) return undefined
  const day = new Intl.DateTimeFormat(visit.texts.lang, { dateStyle: 'medium', timeZone: 'UTC' })
  return html`<p class="faint"><bdi>${fillText(texts[key], { when: day.format(at) })}</bdi></p>`
}
