import type { AboutExchange } from '../events.js'
import { withinDeadline } from '../lib/deadline.js'
import type {
  CodeCancel,
  CodeCheck,
  CodeProvider,
  CodeSend,
  ExchangeReport,
  SendResult,
  Verdict,
} from './code-provider.js'

export type Unsigned<Request> = Omit<Request, 'signal'>

/** Once aborted, a provider may still return what it knows: `not-sent`, or the handle of a code that may arrive. */
const graceMs = 100
const maxHandleLength = 200

/** Sends one code. Never rejects: an adapter that throws, hangs or returns nonsense may have sent the code. */
export async function sendWithin(
  ms: number,
  provider: CodeProvider,
  send: Unsigned<CodeSend>,
): Promise<SendResult> {
  try {
    return readSendResult(await within(ms, (signal) => provider.sendCode({ ...send, signal })))
  } catch (error) {
    send.report?.({ reason: reasonOf(error) })
    return { result: 'unconfirmed' }
  }
}

/** Ends the code that stands in the way of the next one. Whether it was asked to; its failure stops nothing. */
export async function cancelWithin(
  ms: number,
  provider: CodeProvider,
  cancel: Unsigned<CodeCancel>,
): Promise<boolean> {
  const cancelCode = provider.cancelCode?.bind(provider)
  if (!provider.oneCode || cancelCode === undefined) return false
  // The send tells what matters: whether the service takes another code.
  await within(ms, (signal) => cancelCode({ ...cancel, signal })).catch(() => undefined)
  return true
}

/** Checks one code. Never rejects: an adapter that throws, hangs or returns nonsense may have asked. */
export async function checkWithin(
  ms: number,
  provider: CodeProvider,
  check: Unsigned<CodeCheck>,
): Promise<Verdict> {
  try {
    return readVerdict(await within(ms, (signal) => provider.checkCode({ ...check, signal })))
  } catch (error) {
    check.report?.({ reason: reasonOf(error) })
    return 'unavailable'
  }
}

class LateError extends Error {}

function reasonOf(error: unknown): string {
  return error instanceof LateError ? 'timeout' : 'error'
}

/** An adapter that is late is told so, and has a moment to say what it knows. */
async function within<Result>(ms: number, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const late = () => new LateError(`no response within ${Math.round(ms)} ms`)
  const controller = new AbortController()
  // An adapter that is not async may throw synchronously.
  const asked = (async () => ask(controller.signal))()
  try {
    return await withinDeadline(ms, () => asked, late)
  } catch (error) {
    if (!(error instanceof LateError)) throw error
    controller.abort(error)
    return await withinDeadline(graceMs, () => asked, late)
  }
}

/** Copies the known members of a result. Anything else must not count as delivered. */
function readSendResult(given: unknown): SendResult {
  const { result, lifetimeMs, handle, tooLong }: Readonly<Record<string, unknown>> = Object(given)
  switch (result) {
    case 'not-sent':
      return typeof tooLong === 'string' ? { result, tooLong } : { result }
    case 'failed':
    case 'foreign-number':
    case 'misconfigured':
      return { result }
    case 'sent':
    case 'unconfirmed': {
      const fits = typeof handle === 'string' && handle.length <= maxHandleLength
      // Without its handle the code could not be checked, or would be checked as another one.
      if (handle !== undefined && !fits) return { result: 'unconfirmed' }
      const lives = typeof lifetimeMs === 'number' && Number.isSafeInteger(lifetimeMs) && lifetimeMs > 0
      return { result, ...(lives && { lifetimeMs }), ...(fits && { handle }) }
    }
    default:
      return { result: 'unconfirmed' }
  }
}

/** Denies by default: a verdict is one of five words and nothing that resembles one. */
function readVerdict(given: unknown): Verdict {
  switch (given) {
    case 'approved':
    case 'rejected':
    case 'misconfigured':
    case 'not-sent':
      return given
    default:
      return 'unavailable'
  }
}

// ── what it reports ──────────────────────────────────────────────────────────────────────────────

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
      const { httpStatus, asked } = members
      if (Number.isSafeInteger(httpStatus)) reported.httpStatus = Number(httpStatus)
      if (asked === false) reported.asked = asked
    },
  }
}

/** The report as members of an event. */
export function aboutReport({
  unexpectedStatus: _s,
  messageId: _id,
  asked: _asked,
  reason,
  ...reported
}: Reported): AboutExchange {
  if (reason === undefined) return reported
  // The only signal that an adapter is given is that of the deadline.
  return { ...reported, reason: reason === 'aborted' ? 'timeout' : reason }
}
