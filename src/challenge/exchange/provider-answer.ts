import type { ExchangeFields } from '../../events.js'
import { between, endOfNumber, maskEchoes, repeatsOneOf } from '../../lib/echoes.js'
import { withinDeadline } from '../../lib/promises.js'
import { plainCharacters } from '../../lib/typed.js'
import { isName } from '../store-cause.js'
import {
  type CodeCheck,
  type ExchangeReport,
  interfaceMethods,
  isOneOf,
  type Method,
  type SendResult,
  type Verdict,
} from './code-provider.js'

// Requests to an adapter have a deadline, and only known members of its response count.

/** Members that are passed with every request to a provider. */
interface Ends {
  readonly signal: AbortSignal
  readonly report: (report: ExchangeReport) => void
}

/**
 * Calls an adapter within `ms`. Never rejects: an adapter that throws, hangs or returns an unknown value has given no
 * response. `read` then returns `unavailable` for a check and `unconfirmed` for a send.
 */
export async function answerOf<Result>(
  ms: number,
  ask: (ends: Ends) => Promise<unknown>,
  read: (given: unknown) => Result,
  secrets: ExchangeSecrets = { destination: '' },
): Promise<{ readonly result: Result; readonly reported: ReportedExchange }> {
  const { reported, report } = reporter(secrets)
  try {
    return { result: read(await within(ms, (signal) => ask({ signal, report }))), reported }
  } catch (error) {
    report(error instanceof LateError ? { reason: 'timeout' } : { reason: 'error', cause: thrown(error) })
    return { result: read(undefined), reported }
  }
}

class LateError extends Error {}

/** Describes an error by its name and code only, because a message may quote the request. */
function thrown(error: unknown): string {
  const { name, code }: Readonly<Record<string, unknown>> = Object(error)
  const known = [name, code].filter(isName)
  return `The adapter threw ${known.join(' ') || 'a value that is not an Error'}: check its own log.`
}

/** After the abort, a provider may still return what it knows: `not-sent`, or the handle of a code that may arrive. */
const graceMs = 100

/** Runs a request with a deadline. A late adapter is aborted and then has a moment to return what it knows. */
async function within<Result>(ms: number, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const late = () => new LateError(`no response within ${Math.round(ms)} ms`)
  const controller = new AbortController()
  // An adapter that is not async may throw synchronously.
  const answer = (async () => ask(controller.signal))()
  try {
    return await withinDeadline(ms, () => answer, late)
  } catch (error) {
    if (!(error instanceof LateError)) throw error
    controller.abort(error)
    return await withinDeadline(graceMs, () => answer, late)
  }
}

const maxHandleLength = 200

/**
 * Copies the known members of a result. Any other value must not count as delivered. `methods` are those of the
 * provider.
 */
export function readSendResult(given: unknown, methods: readonly Method[] = interfaceMethods): SendResult {
  const {
    result,
    lifetimeMs,
    handle,
    byNumber,
    channel,
    fixed,
    cancelled,
    retryAfterMs,
    unrecognized,
  }: Readonly<Record<string, unknown>> = Object(given)
  const ended = cancelled === true && { cancelled: true as const }
  switch (result) {
    case 'not-sent':
    case 'failed':
    case 'foreign-number':
    case 'misconfigured':
      return { result, ...ended }
    case 'later': {
      const isKnown = typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && retryAfterMs >= 0
      const wait = isKnown && { retryAfterMs }
      return { result, ...wait, ...(unrecognized === true && { unrecognized: true as const }), ...ended }
    }
    case 'sent':
    case 'unconfirmed': {
      const fits = typeof handle === 'string' && handle.length <= maxHandleLength
      // Without its handle the code could not be checked, or would be checked as another one.
      if (handle !== undefined && !fits) return { result: 'unconfirmed' }
      const lives = typeof lifetimeMs === 'number' && Number.isSafeInteger(lifetimeMs) && lifetimeMs > 0
      const reportedFields = {
        // Only a method that the adapter declares, because pages, events and grants display it.
        ...(isOneOf(methods, channel) && { channel }),
        ...(byNumber === true && { byNumber: true as const }),
        ...(fixed === true && { fixed: true as const }),
      }
      return { result, ...(lives && { lifetimeMs }), ...(fits && { handle }), ...reportedFields }
    }
    default:
      return { result: 'unconfirmed' }
  }
}

/** Denies by default: a verdict is one of the known words, and nothing similar. */
export function readVerdict(given: unknown): Verdict {
  switch (given) {
    case 'approved':
    case 'rejected':
    case 'replaced':
    case 'over':
    case 'misconfigured':
    case 'not-sent':
      return given
    default:
      return 'unavailable'
  }
}

/** Facts that an adapter has reported so far. */
export type ReportedExchange = { -readonly [Member in keyof ExchangeReport]: ExchangeReport[Member] }

const maxLength = {
  messageId: 200,
  operation: 40,
  providerError: 200,
  reason: 40,
  cause: 400,
  unexpectedStatus: 64,
} as const

const hiddenText = '••••'
const longDigits = new RegExp(`\\d(?:${between}\\d){4,}`, 'gu')

/** Masks numbers and codes that an adapter may pass on from its service. Short error codes stay. */
export function maskNumbers(text: string): string {
  return plainCharacters(text).replace(longDigits, hiddenText)
}

/** Values of a request that its service may repeat, and no event may contain. */
export type ExchangeSecrets = Pick<CodeCheck, 'destination'> & Partial<Pick<CodeCheck, 'code'>>

/** Collects the reports of an adapter about one request. The last value of a member counts. */
function reporter({ destination, code = '' }: ExchangeSecrets): {
  readonly reported: ReportedExchange
  readonly report: (report: ExchangeReport) => void
} {
  const reported: ReportedExchange = {}
  const withoutSecrets = (text: string) => maskNumbers(maskEchoes(plainCharacters(text), [code], hiddenText))
  return {
    reported,
    report(given: unknown) {
      // An adapter may be plain JavaScript: only known members with known types reach an event.
      const members: Readonly<Record<string, unknown>> = Object(given)
      for (const [name, length] of Object.entries(maxLength)) {
        const value = members[name]
        if (typeof value === 'string') reported[name as keyof typeof maxLength] = value.slice(0, length)
      }
      for (const name of ['providerError', 'cause', 'unexpectedStatus'] as const) {
        const text = reported[name]
        if (text !== undefined) reported[name] = withoutSecrets(text)
      }
      const { messageId } = reported
      if (messageId !== undefined && repeatsOneOf(messageId, [endOfNumber(destination), code])) {
        reported.messageId = undefined
      }
      const { httpStatus, asked } = members
      if (Number.isSafeInteger(httpStatus)) reported.httpStatus = Number(httpStatus)
      if (asked === false) reported.asked = asked
    },
  }
}

/** Returns the report as fields of an event. */
export function reportFields(reported: ReportedExchange): Omit<ExchangeFields, 'durationMs'> {
  const { unexpectedStatus: status, messageId: _id, asked: _asked, reason, ...others } = reported
  const fields = { ...others, ...(status !== undefined && { status }) }
  if (reason === undefined) return fields
  // An adapter receives one signal only, that of the deadline.
  return { reason: reason === 'aborted' ? 'timeout' : reason, ...fields }
}
