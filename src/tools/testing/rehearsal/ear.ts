import { channel } from 'node:diagnostics_channel'
import type { RehearsalResponse } from './wire.js'

/** They count and time what the server sends, so that their digits may be those of a code by chance. */
const counting =
  /^(content-length|date|last-modified|expires|age|etag|cache-control|strict-transport-security|retry-after|(x-)?ratelimit.*)$/

/** What the app says in a response: of its cookies name and value, and not when they end. */
export function saidBy({ headers, text }: RehearsalResponse): string {
  const said = Object.entries(headers).flatMap(([name, value]) => {
    if (counting.test(name)) return []
    return name === 'set-cookie' ? [value].flat().map((line) => line?.split(';', 1)) : [value]
  })
  return JSON.stringify(said) + text
}

/** Listens to what the app says while it is attacked. */
export type Ear = ReturnType<typeof createEar>

export function createEar({ key }: { readonly key: string }) {
  const events = channel('express-two-factor:event')
  const codes = new Set<string>()
  const warnings = new Set<string>()
  const eventTexts: string[] = []
  /** Looked through in the end: an answer that shows a code comes before the code has arrived. */
  const heard: RehearsalResponse[] = []

  /** A time in milliseconds is no code, whatever its digits are. */
  const secretIn = (text: string): string | undefined => {
    if (text.includes(key)) return 'the key of the account'
    // A word that a full stop ends is whole; a part of a number, an id or a date is none.
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
    hear: (response: RehearsalResponse) => void heard.push(response),
    close(): void {
      events.unsubscribe(onEvent)
      process.off('warning', onWarning)
    },
  }
}
