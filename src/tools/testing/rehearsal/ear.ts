import { channel } from 'node:diagnostics_channel'
import { encoded, type RehearsalRequest, type RehearsalResponse } from './wire.js'

/** Headers with counts and times of the server, whose digits may match a code by chance. */
const counting =
  /^(content-length|date|last-modified|expires|age|etag|cache-control|strict-transport-security|retry-after|(x-)?ratelimit.*)$/

/** Warnings that attacks cause in correct apps, too. */
export const provoked = [
  ...['NOT_PARSED', 'TRUST_PROXY_MISSING', 'CROSS_SITE', 'BIND_EMPTY', 'PROVIDER_UNREACHABLE'],
].map((name) => `TWO_FACTOR_${name}`)
export const howToRead = 'Follow the rows that fell, not these warnings'

/** Returns the text of a response: cookies with name and value, without their expiry. */
export function saidBy({ headers, text }: RehearsalResponse): string {
  const said = Object.entries(headers).flatMap(([name, value]) => {
    if (counting.test(name)) return []
    return name === 'set-cookie' ? [value].flat().map((line) => line?.split(';', 1)) : [value]
  })
  return JSON.stringify(said) + text
}

/** Returns the numbers among these that a text shows in any notation, with or without their country code. */
function numbersIn(text: string, numbers: Iterable<string>): readonly string[] {
  const joined = text.replaceAll(/(?<=\d)[\s().-]+(?=\d)/g, '')
  const runs = joined.match(/\d{8,}/g) ?? []
  if (runs.length === 0) return []
  return [...numbers].filter((number) => {
    const digits = number.slice(1)
    // A country code has up to three digits, and a national number may begin with a 0.
    const isNational = (run: string) =>
      run.length >= digits.length - 3 && digits.endsWith(run.replace(/^0/, ''))
    return runs.some((run) => run.includes(digits) || isNational(run))
  })
}

const sentBy = ({ path, headers, body }: RehearsalRequest): string =>
  `${path} ${JSON.stringify(headers)} ${encoded(body).text ?? ''}`

/** Reads the responses of the app during the attacks. */
export type Ear = ReturnType<typeof createEar>

export function createEar({ key }: { readonly key: string }) {
  const events = channel('express-two-factor:event')
  const codes = new Set<string>()
  const warnings = new Set<string>()
  const eventTexts: string[] = []
  /** Searched at the end: a response that leaks a code precedes the delivery of the code. */
  const heard: RehearsalResponse[] = []
  const numbers = new Set<string>()
  const early: RehearsalResponse[] = []

  /** A time in milliseconds is not a code, even if its digits match. */
  const secretIn = (text: string): string | undefined => {
    if (text.includes(key)) return 'the key of the account'
    // A word before a full stop counts. A part of a number, an id or a date does not.
    const words = text.replaceAll(/"\w+Ms":\d+/g, '').match(/(?<!\w|\w[.-])\w{4,10}(?!\w|[.-]\w)/g) ?? []
    return words.some((word) => codes.has(word)) ? 'a code' : undefined
  }
  const onEvent = (event: unknown) => void eventTexts.push(JSON.stringify(event))
  const onWarning = (warning: Error & { readonly code?: string }) => void warnings.add(warning.code ?? '')
  events.subscribe(onEvent)
  process.on('warning', onWarning)

  return {
    codes,
    warnings,
    eventTexts,
    heard,
    secretIn,
    /** The numbers of the people. */
    numbers,
    /** Responses that show a number to a browser that has neither sent it nor entered a code at this mount. */
    early,
    hear(mount: string, response: RehearsalResponse, answers: readonly RehearsalResponse[]): void {
      heard.push(response)
      const isEntered = answers.some(
        ({ request, status }) => request.path.split('?')[0] === `${mount}/verify` && status < 400,
      )
      const shown = isEntered ? [] : numbersIn(saidBy(response), numbers)
      const sent = (number: string) =>
        answers.some(({ request }) => numbersIn(sentBy(request), [number]).length > 0)
      if (!shown.every(sent)) early.push(response)
    },
    close(): void {
      events.unsubscribe(onEvent)
      process.off('warning', onWarning)
      const caused = provoked.filter((code) => warnings.has(code))
      if (caused.length === 0) return
      process.emitWarning(`The attacks of rehearse() caused ${caused.join(', ')}. ${howToRead}.`, {
        type: 'TwoFactorWarning',
        code: 'TWO_FACTOR_REHEARSED',
      })
    },
  }
}
