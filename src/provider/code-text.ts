import type { CodeSend, Details, Finding, InspectedApp } from '../challenge/exchange/code-provider.js'
import { ignoreRejection } from '../lib/promises.js'
import { textLength } from '../lib/text-length.js'
import { minuteMs } from '../lib/time.js'
import { type CodeMessage, defaultMessage } from './code-message.js'
import { shorterDetails } from './shorter-details.js'

/** Rules for the content and cost of a text. */
interface TextRules {
  readonly length: number
  readonly text?: ((message: CodeMessage) => string) | undefined
  readonly origin?: string | undefined
  readonly maxParts: number
}

type MessageFacts = Pick<CodeSend, 'channel' | 'appName' | 'locale' | 'purpose' | 'details' | 'expiresInMs'>

/** Creates the writer of messages. It includes as many details as fit, and returns undefined if no text can be sent. */
export function createWriter({ text, origin, maxParts }: TextRules) {
  return (code: string, facts: MessageFacts): string | undefined => {
    const { channel, appName, locale, purpose, details, expiresInMs } = facts
    const isText = channel === 'sms'
    const written = isText ? code : [...code].join(', ')
    const minutes = Math.max(Math.floor(expiresInMs / minuteMs), 1)
    // Domain-bound one-time codes (WICG): the last line has exactly this form, and nothing follows it.
    const lastLine = isText && origin !== undefined ? `\n@${origin} #${code}` : ''
    const partsOf = (body: string) => (isText ? textLength(body + lastLine).parts : 1)

    for (const said of text === undefined ? shortened(details) : [details, ...shortened(details)]) {
      const message = { code: written, minutes, appName, locale, purpose, channel, details: said }
      const body =
        text === undefined ? defaultMessage(message, (body) => partsOf(body) === 1) : hostText(text, message)
      if (body === undefined) return undefined
      // SMS pumping: each part with the visitor's words is billed.
      if (partsOf(body) <= maxParts) return body + lastLine
    }
    return undefined
  }
}

const shortened = (details: Details | undefined): Iterable<Details | undefined> =>
  details === undefined ? [undefined] : shorterDetails(details)

function hostText(text: (message: CodeMessage) => string, message: CodeMessage): string | undefined {
  try {
    const body: unknown = text(message)
    ignoreRejection(body)
    // Half a surrogate pair cannot be sent.
    const isText = typeof body === 'string' && !/\p{Surrogate}/u.test(body)
    return isText && body.includes(message.code) ? body : undefined
  } catch {
    return undefined
  }
}

/** Returns the texts of this app, without details, that need more than `acceptedParts` or cannot be sent. */
export function inspectTexts(
  rules: TextRules,
  { appNames, locales }: InspectedApp,
  acceptedParts = 1,
): readonly Finding[] {
  const write = createWriter(rules)
  const facts = { channel: 'sms', details: undefined, expiresInMs: 10 * minuteMs }
  const found = Object.entries(appNames).flatMap(([purpose, appName]) =>
    locales.map((locale): Finding | undefined => {
      const named = `The text of ${appName} in "${locale}"`
      const text = write('4829135706'.slice(0, rules.length), { ...facts, purpose, appName, locale })
      if (text === undefined) {
        const message = `${named} cannot be sent: it is too long, or the option text throws or omits the code.`
        return { code: 'text_unfit', message, fix: 'shorten appName or origin, or correct the option text' }
      }
      const { parts, length: characters, limit, foreign } = textLength(text)
      if (parts <= acceptedParts) return undefined
      const why = foreign === undefined ? '' : `, because "${foreign}" is not in the GSM alphabet`
      const message = `${named} is billed as ${parts} messages: it has ${characters} characters, ${limit} fit one${why}.`
      return { code: 'text_in_parts', message, fix: `shorten it, or accept it with maxParts: ${parts}` }
    }),
  )
  const byMessage = new Map(found.flatMap((one) => (one === undefined ? [] : [[one.message, one] as const])))
  return [...byMessage.values()]
}
