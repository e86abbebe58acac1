import type { Channel } from '../../challenge/exchange/code-provider.js'
import type { DestinationView } from '../../challenge/reach/destinations.js'
import { type Html, html } from '../../lib/html.js'
import { memoize } from '../../lib/memoize.js'
import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/time.js'
import type { en, MethodNames, Texts } from './messages/en.js'
import type { PageView } from './page-view.js'

/** A value, or a function that returns it if the text needs it. */
type Value = string | Html | (() => string | Html)

type Values = Readonly<Record<string, Value>>

/** Isolates foreign text, so that its direction does not affect the text around it. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`

/** Replaces each `{name}` in a text. */
export function fill(text: string, values: Values): Html {
  const filled = (name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return typeof value === 'function' ? value() : value
  }
  // The capture puts the names at the odd indexes.
  const pieces = text.split(/\{(\w+)\}/).map((piece, index) => html`${index % 2 ? filled(piece) : piece}`)
  return html`${pieces}`
}

type Said = 'sent' | 'start' | 'choose' | 'resend' | 'instead'

/** Key of a text. Texts about methods have a key per method. */
export type TextKey = keyof Texts | `${Said}.${Channel}`

/** Returns a text about a method: its own, or the general one with the method's name. */
export function byMethod(said: Said, method: Channel, texts: Texts, values: Values = {}): Html {
  const own = `${said}.${method}` as `${typeof said}.by`
  const text = texts[Object.hasOwn(texts, own) ? own : (`${said}.by` as const)]
  const named: `method.${string}` = `method.${method}`
  const { [named]: name = method }: MethodNames = texts
  return fill(text, { ...values, method: isolated(name) })
}

const time = {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const

/**
 * Returns a duration in words. A wait is rounded up and a remaining lifetime down, so that neither promises too much.
 */
export function duration(ms: number, round: 'up' | 'down', { lang }: Texts): string {
  const whole = round === 'up' ? Math.ceil : Math.floor
  const counts = units.map(([unit, unitMs, below]) => [unit, Math.max(whole(ms / unitMs), 1), below] as const)
  const [unit, amount] = counts.find(([, count, below]) => count < below) ?? ['day', 1]
  return durationFormats(`${lang} ${unit}`).format(amount)
}

/** Each unit as far as people count in it. */
const units = [
  ['second', secondMs, 60],
  ['minute', minuteMs, 120],
  ['hour', hourMs, 48],
  ['day', dayMs, Number.POSITIVE_INFINITY],
] as const

// Formatters are slow to create, and every refusal needs one.
const durationFormats = memoize((key) => {
  const [lang, unit] = key.split(' ')
  return new Intl.NumberFormat(lang, { style: 'unit', unit: unit as 'second', unitDisplay: 'long' })
})
const clocks = memoize((key) => {
  const [lang, far] = key.split(' ')
  const day = far === 'true' && ({ day: 'numeric', month: 'short' } as const)
  return new Intl.DateTimeFormat(lang, { ...time, ...day })
})
// Slow as well, and a flood of refusals names few minutes.
const timeElements = memoize((key) => {
  const [lang, far, at] = key.split(' ')
  const clock = clocks(`${lang} ${far}`).format(Number(at))
  return html`<time datetime="${new Date(Number(at)).toISOString()}"${far === 'true' && html` data-far`}>${clock}</time>`
})
const plurals = memoize((lang) => new Intl.PluralRules(lang))

/**
 * Returns the end of a wait as a time of day: "at 14:35 UTC". The server does not know the user's time zone, so it
 * names its own. The page's script shows the local time, which may need another article: "a las 14:35", "a la 01:05".
 */
export function moment(at: number, now: number, texts: Texts): Html {
  const far = at - now > dayMs / 2
  // A minute too late is only slow, and a minute too early would be refused.
  const date = new Date(Math.ceil(at / minuteMs) * minuteMs)
  const element = timeElements(`${texts.lang} ${far} ${date.getTime()}`)
  const within = (phrase: string) => fill(phrase, { clock: element })
  if (far) return within(texts['time.on'])
  const { 'time.at': usual, 'time.atOne': atOne } = texts
  const phrase = within(date.getUTCHours() === 1 ? atOne : usual)
  return usual === atOne ? phrase : html`<span data-at="${usual}" data-at-one="${atOne}">${phrase}</span>`
}

export function triesLeft(count: number, texts: Texts): Html {
  const text = texts[`code.triesLeft.${plurals(texts.lang).select(count)}`] ?? texts['code.triesLeft.other']
  return fill(text, { n: String(count) })
}

/** Returns the digits of a masked number with spaces, so that a screen reader reads each. */
export const spokenDigits = (masked: string): string => [...masked.replace(/\D/g, '')].join(' ')

/** Returns the masked number. Bullets mean nothing when read aloud, so a screen reader reads its last digits. */
export function destination(masked: string, texts: Texts): Html {
  const digits = spokenDigits(masked)
  const spoken = fill(texts['code.destination'], { digits })
  return html`<span aria-hidden="true" class="number" dir="ltr">${masked}</span><span class="unseen">${spoken}</span>`
}

export function countryNames(countries: readonly string[], { lang }: Texts): [code: string, name: string][] {
  const names = new Intl.DisplayNames(lang, { type: 'region' })
  const { compare } = new Intl.Collator(lang)
  return countries
    .map((code): [string, string] => [code, String(names.of(code))])
    .sort(([, one], [, other]) => compare(one, other))
}

/** Returns names such as "Brazil, Colombia and Mexico". */
function countryList(countries: readonly string[], texts: Texts): string {
  const names = countryNames(countries, texts).map(([, name]) => name)
  return new Intl.ListFormat(texts.lang, { type: 'conjunction' }).format(names)
}

/** Travel time of a page. Without it, a code of ten minutes would be announced with nine. */
const travelMs = 5_000

/** Returns one text of a page with its placeholders replaced. */
export function filled(key: TextKey, view: TextContext, texts: Texts): Html {
  const { challenge, problem, changeableNumber, fullPhone, countries, now } = view
  const { attemptsRemaining, retryAfterMs } = problem ?? {}
  const masked = challenge?.destination ?? view.destination ?? ''
  const number = () => html`<span class="number" dir="ltr">${fullPhone}</span>`
  const values: Values = {
    phone: () => (changeableNumber && fullPhone ? number() : destination(masked, texts)),
    digits: () => masked.replace(/\D/g, ''),
    n: () =>
      String(
        key.startsWith('code.length')
          ? view.codeLength
          : (attemptsRemaining ?? challenge?.attemptsRemaining ?? ''),
      ),
    countries: () => countryList(countries, texts),
    time: () =>
      retryAfterMs === undefined ? texts['problem.soonAt'] : moment(now + retryAfterMs, now, texts),
    t: () => lengthIn(key, view, texts),
  }
  if (isText(key, texts)) return fill(texts[key], values)
  const [, said, method] = /^(sent|start|choose|resend|instead)\.(.+)$/.exec(key) ?? []
  if (method === undefined) throw new TypeError(`page.t: there is no text "${key}"; see docs/pages.md`)
  return byMethod(said as Said, method, texts, values)
}

const isText = (key: TextKey, texts: Texts): key is keyof typeof en => Object.hasOwn(texts, key)

/** Returns the lifetime of the code, the trust in a device, or the wait before a send or after the refusal. */
function lengthIn(key: TextKey, view: TextContext, texts: Texts): string {
  const { challenge, problem, trustForMs = 0, waitMs = 0, now } = view
  if (key === 'code.trust') return duration(trustForMs, 'down', texts)
  if (key === 'start.wait' || key === 'resend.wait') return duration(waitMs, 'up', texts)
  if (key.startsWith('sent.')) return duration((challenge?.expiresAt ?? now) - now + travelMs, 'down', texts)
  const { retryAfterMs } = problem ?? {}
  return retryAfterMs === undefined ? texts['problem.soon'] : duration(retryAfterMs, 'up', texts)
}

/** Facts that texts depend on. Texts about a problem also appear in JSON, where little else is known. */
export type TextContext = Pick<PageView, 'page' | 'countries' | 'now'> & Partial<PageView>

/** Returns how long nothing would be sent to this destination, in milliseconds. */
export function waitOf(
  { waitMs = 0, waits = {} }: Pick<PageView, 'waitMs' | 'waits'>,
  way: Channel | DestinationView,
): number {
  return Math.max(waitMs, waits[typeof way === 'string' ? way : way.id] ?? 0)
}
