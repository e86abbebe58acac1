import { channel } from 'node:diagnostics_channel'
import type { RehearsalResponse } from './wire.js'

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
    const words = text.replaceAll(/"\w+Ms":\d+/g, '').match(/(?<![\w.-])\w{4,10}(?![\w.-])/g) ?? []
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
