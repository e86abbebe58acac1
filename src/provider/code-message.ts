import type { Channel, Details } from '../challenge/exchange/code-provider.js'

/** Content of a message with a code. */
export interface CodeMessage {
  /** The code as the person enters it. In a call spelled out: `4, 8, 2, 9, 1, 3`. */
  readonly code: string
  /** Lifetime of the code in whole minutes, at least 1. */
  readonly minutes: number
  /** The name of the app, from the option `appName`. */
  readonly appName: string
  /** Language tag of the pages that this person sees. */
  readonly locale: string
  /** Purpose of the code, such as `login`. */
  readonly purpose: string
  /** Channel of the message: written or spoken. */
  readonly channel: Channel
  /**
   * The action that the code confirms. Values come from visitors: keep them to one line. If the text exceeds
   * `maxParts`, `text` is called again with fewer rows, then with shorter texts. Each run of omitted rows is replaced
   * by `['...', '']`.
   */
  readonly details?: Details | undefined
}

interface Wording {
  text(code: string, appName: string): string
  call(code: string, appName: string): string
  expires(minutes: number): string
  readonly advice: string
}

// Written texts fit GSM-7, which has é and ñ, but not á, í, ó, ú, ã or ç: one such letter doubles the cost of every
// part.
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

/** Returns the built-in text in the person's language, or in English. */
export function defaultMessage(message: CodeMessage, fits: (text: string) => boolean): string {
  const { code, minutes, appName, locale, channel, details } = message
  const language = locale.slice(0, 2).toLowerCase()
  const wording: Wording = wordings[Object.hasOwn(wordings, language) ? (language as 'en') : 'en']
  const detailsLines = details === undefined ? [] : [`${inOneLine(details)}.`]
  const sentences = [
    wording[channel === 'sms' ? 'text' : 'call'](code, appName),
    ...detailsLines,
    wording.expires(minutes),
  ]
  const advised = [...sentences, wording.advice].join(' ')
  // A second part costs as much as the first, and the person can do without the advice.
  return fits(advised) ? advised : sentences.join(' ')
}

function inOneLine({ title, rows }: Details): string {
  const values = rows.map((row) => row.join(' ').trim()).join(', ')
  return title === undefined ? values : `${title}: ${values}`
}
