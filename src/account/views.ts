import type { NewAuthenticator, OwnPage, OwnVisit, TrustedDevice } from '../index.js'
import { type Html, html } from '../lib/html.js'
import { maskPhoneNumber } from '../phone-number.js'
import { type ChangeKind, type Ways, wayCount } from './changes.js'
import type { UsedAt } from './read-ways.js'
import type { AccountTexts } from './texts/en.js'
import { fill } from './texts.js'

// What people see. Everything works without a script, and every value is escaped.

/** What a page is made with. */
export interface Scene {
  readonly visit: OwnVisit
  readonly texts: AccountTexts
  /** Where the pages are mounted. */
  readonly path: string
}

/** A number on file, as a page or a client may have it. */
export interface ListedNumber {
  /** Names it in forms without showing it: its place in the list, its last two digits, its place in alphabetical order. */
  readonly id: string
  readonly masked: string
  /** When it was last used, in milliseconds since 1970; absent where the host does not say. */
  readonly usedAt: number | undefined
}

/** What the first page shows. */
export interface Overview {
  readonly ways: Ways
  readonly usedAt: UsedAt
  readonly devices: readonly TrustedDevice[]
  /** Whether a way may go: what would be refused is not offered. */
  readonly canRemove: boolean
  /** What is missing, as the key of its text. */
  readonly advice?: Extract<keyof AccountTexts, `advice.${string}`> | undefined
  /** What was changed just now. */
  readonly changed?: ChangeKind | undefined
}

/** The numbers in the order of the list, none of them whole. */
export function listed(numbers: readonly string[], usedAt?: UsedAt): readonly ListedNumber[] {
  // Two may end alike: in another order meanwhile, the form of one must not name the other.
  const alphabetical = numbers.toSorted()
  return numbers.map((number, index) => ({
    id: `${index}-${number.slice(-2)}-${alphabetical.indexOf(number)}`,
    masked: maskPhoneNumber(number),
    usedAt: usedAt?.(number),
  }))
}

/** The first page: all that is on file, each with the buttons that change it. */
export function overviewPage(scene: Scene, overview: Overview): OwnPage {
  const { ways, devices, advice, changed } = overview
  const { texts } = scene
  const news = changed && html`<p class="notice" role="status">${texts[`done.${changed}`]}</p>\n`
  const told = advice && html`<p>${texts[advice]}</p>\n`
  const sections = [
    numbersSection(scene, overview),
    appSection(scene, overview),
    recoverySection(scene, ways),
    devicesSection(scene, devices),
    elsewhereSection(scene),
  ].filter((one) => one !== undefined)
  const content = html`${news}${told}${sections}`
  return { title: texts.title, content: content.markup }
}

function numbersSection(scene: Scene, { ways: { numbers }, usedAt, canRemove }: Overview): Html {
  const { texts, path } = scene
  const rows = listed(numbers, usedAt).map(({ id, masked, usedAt: at }, index) => {
    const first = index === 0 && numbers.length > 1
    const name = html`${number(masked)}${first && html` <span>${texts['numbers.is-first']}</span>`}`
    const fields = { number: id }
    const button = { fields, of: masked }
    const putFirst = index > 0 && changeButton(scene, '/numbers/first', 'number-first', button)
    const remove = canRemove && changeButton(scene, '/numbers/remove', 'number-removed', button)
    return html`<li><p>${name}${lastUsed(scene, at)}</p>
${putFirst}${remove}</li>
`
  })
  const none = html`<p>${texts['numbers.none']}</p>\n`
  const list = rows.length === 0 ? none : html`<ul class="rows">\n${rows}</ul>\n`
  return section(
    'numbers',
    texts['numbers.title'],
    html`${list}${link(`${path}/number`, texts['numbers.add'])}`,
  )
}

function appSection(scene: Scene, { ways: { app }, usedAt, canRemove }: Overview): Html | undefined {
  if (app === undefined) return undefined
  const { texts, path } = scene
  const setUpLink = link(`${path}/app`, texts[app ? 'app.replace' : 'app.add'])
  const content = html`<p>${texts[app ? 'app.on' : 'app.off']}${app && lastUsed(scene, usedAt('app'))}</p>
${setUpLink}${app && canRemove && changeButton(scene, '/app/remove', 'app-removed')}`
  return section('app', texts['app.title'], content)
}

function recoverySection(scene: Scene, ways: Ways): Html | undefined {
  const { recoveryCodes: left } = ways
  if (left === undefined) return undefined
  const { texts } = scene
  const state = left === 0 ? texts['recovery.none'] : fill(texts['recovery.left'], { n: String(left) })
  const content = html`<p>${texts['recovery.text']} ${state}</p>
${wayCount(ways) > 0 && changeButton(scene, '/recovery-codes', 'recovery-codes-made')}`
  return section('recovery', texts['recovery.title'], content)
}

function devicesSection(scene: Scene, devices: readonly TrustedDevice[]): Html | undefined {
  if (devices.length === 0) return undefined
  const { texts } = scene
  const rows = devices.map(({ id, label = texts['device.unnamed'], isThis, usedAt }) => {
    const name = html`<bdi>${label}</bdi>${isThis && html` (${texts['device.this']})`}`
    return html`<li><p>${name}${lastUsed(scene, usedAt)}</p>
${changeButton(scene, '/devices/end', 'device-ended', { fields: { device: id }, of: label })}</li>
`
  })
  const all = devices.length > 1 && changeButton(scene, '/devices/end-all', 'devices-ended')
  const content = html`<p>${texts['devices.text']}</p>
<ul class="rows">
${rows}</ul>
${all}`
  return section('devices', texts['devices.title'], content)
}

/** The day of it, on a line of its own. */
function lastUsed({ visit, texts }: Scene, at: number | undefined): Html | undefined {
  if (at === undefined) return undefined
  const day = new Intl.DateTimeFormat(visit.texts.lang, { dateStyle: 'medium', timeZone: 'UTC' })
  return html`<br><bdi>${fill(texts['last-used'], { when: day.format(at) })}</bdi>`
}

function elsewhereSection(scene: Scene): Html {
  const { texts } = scene
  const content = html`<p>${texts['elsewhere.text']}</p>
${changeButton(scene, '/sign-out', 'signed-out-elsewhere')}`
  return section('elsewhere', texts['elsewhere.title'], content)
}

/** The number was proven: one button puts it on file. */
export function addNumberPage(scene: Scene, phone: string, isFirst: boolean): OwnPage {
  const { texts } = scene
  const [before = '', after = ''] = texts['add.text'].split('{number}')
  const content = html`<p>${before}${number(phone)}${after}${!isFirst && html` ${texts['add.confirm']}`}</p>
${changeButton(scene, '/numbers/add', 'number-added', { isMain: true })}${back(scene)}`
  return { title: texts['add.title'], content: content.markup }
}

/** A new app: scan its secret, and type the first code. */
export function appPage(scene: Scene, { secret, uri, qr }: NewAuthenticator, isWrong = false): OwnPage {
  const { texts: own, path, visit } = scene
  const { texts } = visit
  const key = secret.replaceAll(/.{4}(?=.)/g, '$& ')
  const entry = html`<label for="pair">${texts['code.label']}</label>
<input id="pair" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" enterkeyhint="go" dir="ltr"${isWrong && html` aria-invalid="true" aria-describedby="problem"`}>
<div class="buttons"><button class="main" data-busy="${texts['busy.checking']}">${texts['code.submit']}</button></div>`
  const content = html`<p>${texts['pair.text']}</p>
<div class="qr" role="img" aria-label="${texts['pair.picture']}">${{ markup: qr }}</div>
<p><a href="${uri}">${texts['pair.open']}</a></p>
<p>${texts['pair.key']} <span class="key" dir="ltr">${key}</span></p>
${form(scene, `${path}/app`, entry)}
${back(scene)}`
  return { title: own['change.app-added'], content: content.markup }
}

/** After the first way: no code is asked for. */
export function offerCodesPage(scene: Scene): OwnPage {
  const { texts, path } = scene
  const content = html`<p>${texts['codes.lead.text']}</p>
${changeButton(scene, '/recovery-codes', 'recovery-codes-made', { isMain: true })}${link(path, texts['codes.later'])}`
  return { title: texts['codes.lead'], content: content.markup }
}

/** Shown once. What needs a script is not shown without one. */
export function codesPage(scene: Scene, codes: readonly string[]): OwnPage {
  const { texts, path } = scene
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\r\n')}\r\n`)}`
  const content = html`<p>${texts['codes.text']}</p>
<ol class="codes" id="codes" dir="ltr">
${codes.map((code) => html`<li class="key">${code}</li>\n`)}</ol>
<div class="buttons"><button type="button" data-copies="codes" data-copied="${texts['codes.copied']}" hidden>${texts['codes.copy']}</button>
<a class="button" href="${file}" download="recovery-codes.txt">${texts['codes.download']}</a>
<button type="button" data-prints hidden>${texts['codes.print']}</button></div>
<p class="unseen" role="status"></p>
<p><a class="button main" href="${path}">${texts['codes.kept']}</a></p>`
  return { title: texts['codes.title'], content: content.markup }
}

interface ButtonOptions {
  readonly fields?: Readonly<Record<string, string>>
  /** What it is done to, for those who hear the button alone. */
  readonly of?: string
  readonly isMain?: boolean
}

/** A button that makes one change. */
function changeButton(
  scene: Scene,
  route: string,
  kind: ChangeKind,
  { fields = {}, of, isMain }: ButtonOptions = {},
): Html {
  const { texts, visit, path } = scene
  const label = texts[`do.${kind}`]
  const spoken = of && html`<span class="unseen"> <bdi>${of}</bdi></span>`
  const button = html`<div class="buttons"><button${isMain && html` class="main"`} data-busy="${visit.texts['busy.sending']}">${label}${spoken}</button></div>`
  return html`${form(scene, path + route, button, fields)}
`
}

function form(
  { visit }: Scene,
  action: string,
  content: Html,
  fields: Readonly<Record<string, string>> = {},
): Html {
  const hidden = Object.entries({ ...fields, ...visit.formFields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${action}" novalidate>
${hidden}${content}
</form>`
}

const section = (id: string, title: string, content: Html): Html => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}</section>
`

const link = (to: string, text: string): Html => html`<p><a href="${to}">${text}</a></p>
`

const back = ({ path, texts }: Scene): Html => link(path, texts.back)

const number = (shown: string): Html => html`<span class="number" dir="ltr">${shown}</span>`
