import type { Channel, Details } from '../challenge/code-provider.js'

/** What a message with a code can say. */
export interface CodeMessage {
  /** As the person types it; in a call spelled out, `4, 8, 2, 9, 1, 3`. */
  readonly code: string
  /** How long the code lives, in whole minutes, at least 1. */
  readonly minutes: number
  /** The name of the app, from the option `appName`. */
  readonly appName: string
  /** Language tag of the pages that this person sees. */
  readonly locale: string
  /** What the code is for, such as `login`. */
  readonly purpose: string
  /** Whether it is written or spoken. */
  readonly channel: Channel
  /** What the code confirms. Values come from visitors: keep them to one line. */
  readonly details?: Details | undefined
}

interface Wording {
  text(code: string, appName: string): string
  call(code: string, appName: string): string
  expires(minutes: number): string
  readonly advice: string
}

const wordings = {
  en: {
    text: (code, appName) => `${code} is your ${appName} code.`,
    call: (code, appName) => `Your ${appName} code is: ${code}. Once again: ${code}.`,
    expires: (minutes) => `It expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    advice: "Don't share it.",
  },
  es: {
    text: (code, appName) => `${code} es tu código de ${appName}.`,
    call: (code, appName) => `Tu código de ${appName} es: ${code}. Repito: ${code}.`,
    expires: (minutes) => `Vence en ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    advice: 'No lo compartas.',
  },
  pt: {
    text: (code, appName) => `${code} é seu código ${appName}.`,
    call: (code, appName) => `Seu código ${appName} é: ${code}. Repetindo: ${code}.`,
    expires: (minutes) => `Expira em ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    advice: 'Não compartilhe.',
  },
} as const satisfies Readonly<Record<string, Wording>>

/** Our own words in the person's language, English where we have none. */
export function defaultMessage(message: CodeMessage, fits: (text: string) => boolean): string {
  const { code, minutes, appName, locale, channel, details } = message
  const language = locale.slice(0, 2).toLowerCase()
  const wording: Wording = wordings[Object.hasOwn(wordings, language) ? (language as 'en') : 'en']
  const about = details === undefined ? [] : [`${inOneLine(details)}.`]
  const sentences = [
    wording[channel === 'sms' ? 'text' : 'call'](code, appName),
    ...about,
    wording.expires(minutes),
  ]
  const advised = [...sentences, wording.advice].join(' ')
  // A second part costs as much as the first, and advice is what a person can do without.
  return fits(advised) ? advised : sentences.join(' ')
}

/**
 * Values come from the visitor. A line break would let one forge the last line, which phones fill in by
 * themselves; a long one would be billed as many parts (SMS pumping).
 */
function inOneLine({ title, rows }: Details): string {
  const values = rows.map((row) => row.map(clean).join(' ')).join(', ')
  return title === undefined ? values : `${clean(title)}: ${values}`
}

const maxValueLength = 30

/** The label of the row that takes most room, or the title. */
export function longestIn({ title = '', rows }: Details): string {
  const size = ([label, value]: readonly [string, string]) => clean(label).length + clean(value).length
  const [longest] = [...rows].sort((one, other) => size(other) - size(one))
  return longest?.[0] ?? title
}

function clean(value: string): string {
  const line = value.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  const letters = [...line]
  return letters.length <= maxValueLength ? line : `${letters.slice(0, maxValueLength - 3).join('')}...`
}
