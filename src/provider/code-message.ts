import type { Channel, Details } from '../challenge/exchange/code-provider.js'

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
  /**
   * What the code confirms. Values come from visitors: keep them to one line. Where the text is then longer than `maxParts`,
   * it is asked for again with less: rows are left out, each run of them with `['...', '']` in its place, then texts are cut.
   */
  readonly details?: Details | undefined
}

interface Wording {
  text(code: string, appName: string): string
  call(code: string, appName: string): string
  expires(minutes: number): string
  readonly advice: string
}

// What is written fits GSM-7, which has é and ñ, and no á, í, ó, ú, ã or ç: one such letter makes every part cost twice.
const wordings = {
  en: {
    text: (code, appName) => `${code} is your ${appName} code.`,
    call: (code, appName) => `Your ${appName} code is: ${code}. Once again: ${code}.`,
    expires: (minutes) => `It expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    advice: "Don't share it.",
  },
  es: {
    text: (code, appName) => `${code} es tu clave temporal de ${appName}.`,
    call: (code, appName) => `Tu código de ${appName} es: ${code}. Repito: ${code}.`,
    expires: (minutes) => `Vence en ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    advice: 'No la compartas.',
  },
  pt: {
    text: (code, appName) => `${code} é seu token ${appName}.`,
    call: (code, appName) => `Seu código ${appName} é: ${code}. Repetindo: ${code}.`,
    expires: (minutes) => `Expira em ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    advice: 'Nunca compartilhe.',
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

function inOneLine({ title, rows }: Details): string {
  const values = rows.map((row) => row.join(' ').trim()).join(', ')
  return title === undefined ? values : `${title}: ${values}`
}
