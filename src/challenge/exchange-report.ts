import type { AboutExchange } from '../events.js'
import type { ExchangeReport } from './code-provider.js'

/** What an adapter has reported so far. */
export type Reported = { -readonly [Member in keyof ExchangeReport]: ExchangeReport[Member] }

const maxLength = {
  messageId: 200,
  operation: 40,
  providerError: 200,
  reason: 40,
  unexpectedStatus: 64,
} as const

/** Numbers and codes that an adapter passes on from its service. Short codes of errors stay. */
const longNumbers = /\d(?:[\s().-]?\d){4,}/g

/** Collects what an adapter reports about one exchange. The last word about a member counts. */
export function reporter(): {
  readonly reported: Reported
  readonly report: (report: ExchangeReport) => void
} {
  const reported: Reported = {}
  return {
    reported,
    report(given: unknown) {
      // An adapter may be plain JavaScript: only known members of the known types reach an event.
      const members: Readonly<Record<string, unknown>> = Object(given)
      for (const [name, length] of Object.entries(maxLength)) {
        const value = members[name]
        if (typeof value === 'string') reported[name as keyof typeof maxLength] = value.slice(0, length)
      }
      const { providerError } = reported
      if (providerError !== undefined) reported.providerError = providerError.replace(longNumbers, '••••')
      const { httpStatus } = members
      if (Number.isSafeInteger(httpStatus)) reported.httpStatus = Number(httpStatus)
    },
  }
}

/** The report as members of an event. */
export function aboutReport({
  unexpectedStatus: _s,
  messageId: _id,
  reason,
  ...reported
}: Reported): AboutExchange {
  if (reason === undefined) return reported
  // The only signal that an adapter is given is that of the deadline.
  return { ...reported, reason: reason === 'aborted' ? 'timeout' : reason }
}
