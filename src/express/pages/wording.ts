import { type Html, html } from '../../lib/html.js'
import { fill } from './fill.js'
import type { Texts } from './messages/texts.js'

/**
 * A length of time in words. A wait is rounded up and what is left of a life down, so that neither
 * promises too much.
 */
export function duration(ms: number, round: 'up' | 'down', { lang }: Texts): string {
  const whole = round === 'up' ? Math.ceil : Math.floor
  const seconds = Math.max(whole(ms / 1_000), 1)
  const minutes = whole(seconds / 60)
  const [amount, unit] =
    seconds < 60 ? [seconds, 'second'] : minutes < 120 ? [minutes, 'minute'] : [whole(minutes / 60), 'hour']
  return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
}

export function triesLeft(count: number, texts: Texts): Html {
  const form = new Intl.PluralRules(texts.lang).select(count) === 'one' ? 'one' : 'other'
  return fill(texts[`code.triesLeft.${form}`], new Map([['n', String(count)]]))
}

/** The masked number; bullets mean nothing when read aloud, so a voice says what it ends in. */
export function destination(masked: string, texts: Texts): Html {
  const digits = masked.replace(/\D/g, '').split('').join(' ')
  const spoken = fill(texts['code.destination'], new Map([['digits', digits]]))
  return html`<span aria-hidden="true" class="number">${masked}</span><span class="unseen">${spoken}</span>`
}

export function countryNames(countries: readonly string[], { lang }: Texts): [code: string, name: string][] {
  const names = new Intl.DisplayNames(lang, { type: 'region' })
  const { compare } = new Intl.Collator(lang)
  return countries
    .map((code): [string, string] => [code, String(names.of(code))])
    .sort(([, one], [, other]) => compare(one, other))
}
