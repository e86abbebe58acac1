import { tracingChannel } from 'node:diagnostics_channel'
import type { AboutExchange, Emit } from '../events.js'
import { traced, withinDeadline } from '../lib/promises.js'
import { minuteMs } from '../lib/time.js'
import { type Asker, createCircuitBreaker } from './circuit-breaker.js'
import type {
  Channel,
  CodeCheck,
  CodeProvider,
  CodeSend,
  ExchangeReport,
  SendResult,
  Verdict,
} from './code-provider.js'
import { aboutReport, type Reported, readSendResult, readVerdict, reporter } from './provider-answer.js'
import type { AskState } from './watch/delivery-watch.js'

/** The context of the tracing channels `express-two-factor:send` and `:check`: no code and no number. */
export interface ExchangeTrace extends AboutExchange {
  /** `auth` for numbers on file, `enrol` for a phone verification. */
  readonly lane: Asker['lane']
  /** How the code travels; at a send only. */
  readonly channel?: Channel
  /** What the code is for; at a send only. */
  readonly purpose?: string
  /** What became of it, once it is known. */
  result?: SendResult['result'] | Verdict
}

const sendTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:send')
const checkTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:check')

/** What became of an exchange, and what is known about the provider that was asked. */
export interface Exchanged<Result> {
  readonly result: Result
  readonly about: AboutExchange
  /** Asks what became of the message; absent when the provider named none. */
  readonly askState?: AskState | undefined
  /** The code before it was ended at the provider, so it must not be accepted again. */
  readonly cancelled?: boolean | undefined
}

/** One provider behind its deadline and its breaker, whose exchanges are timed, traced and reported. */
export function createMember(
  provider: CodeProvider,
  parts: { readonly now: () => number; readonly emit: Emit },
) {
  const { now, emit } = parts
  const by = provider.name === undefined ? {} : { provider: provider.name }
  const breaker = createCircuitBreaker({ ...parts, ...by })
  let unexpectedAt = Number.NEGATIVE_INFINITY
  let givesHandles = false

  /** Once a minute: an account may answer each wrong code with a status of its own. */
  function noteUnexpected({ unexpectedStatus: status }: Reported, about: AboutExchange): void {
    // By its distance: a clock that was set back must not silence it.
    if (status === undefined || Math.abs(now() - unexpectedAt) < minuteMs) return
    unexpectedAt = now()
    emit({ type: 'provider.unexpected', status, ...about })
  }

  function askStateOf(id: string | undefined): AskState | undefined {
    const messageState = provider.messageState?.bind(provider)
    if (id === undefined || messageState === undefined) return undefined
    return async (signal) => messageState({ id, signal })
  }

  /** Ends the code that stands in the way of the next one; whether it was asked to. Its failure stops nothing. */
  async function cancelPrevious(ms: number, { previousHandle: handle, destination }: CodeSend) {
    const cancelCode = provider.cancelCode?.bind(provider)
    if (!provider.oneCode || handle === undefined || cancelCode === undefined) return false
    // The send tells what matters: whether the service takes another code.
    await within(ms, (signal) => cancelCode({ handle, destination, signal })).catch(() => undefined)
    return true
  }

  function aboutSince(startedAt: number, reported: Reported): AboutExchange {
    return { durationMs: Math.max(0, now() - startedAt), ...by, ...aboutReport(reported) }
  }

  return {
    provider,
    breaker,
    /** Resolves with nothing, unasked, while the breaker lets nobody through. Never rejects; nor does `check`. */
    async send(target: Asker, ms: number, send: CodeSend): Promise<Exchanged<SendResult> | undefined> {
      const note = breaker.admit(target)
      if (note === undefined) return undefined
      const { channel, purpose } = send
      return traced(
        sendTraces,
        () => ({ lane: target.lane, channel, purpose, ...by }),
        async (trace) => {
          const startedAt = now()
          const endsAt = performance.now() + ms
          const cancelled = await cancelPrevious(ms / 2, send)
          const { previousHandle, ...order } = send
          const isInTheWay = provider.oneCode === true && previousHandle !== undefined
          const { result, reported } = await answerOf(
            endsAt - performance.now(),
            ({ signal, report }) => provider.sendCode({ report, ...(isInTheWay ? send : order), signal }),
            (given) => readSendResult(given, provider.methods),
          )
          const about = aboutSince(startedAt, reported)
          if ('handle' in result) givesHandles = true
          if (trace !== undefined) Object.assign(trace, about, { result: result.result })
          note({ command: 'send', result: result.result, about, unasked: reported.asked === false })
          return { result, about, askState: askStateOf(reported.messageId), cancelled }
        },
      )
    },
    async check(target: Asker, ms: number, check: CodeCheck): Promise<Exchanged<Verdict> | undefined> {
      const note = breaker.admit(target)
      if (note === undefined) return undefined
      return traced(
        checkTraces,
        () => ({ lane: target.lane, ...by }),
        async (trace) => {
          let isAnswered = false
          const answered = () => {
            isAnswered = true
          }
          const startedAt = now()
          const { result, reported } = await answerOf(
            ms,
            ({ signal, report }) => provider.checkCode({ report, answered, ...check, signal }),
            readVerdict,
          )
          const about = aboutSince(startedAt, reported)
          if (trace !== undefined) Object.assign(trace, about, { result })
          // Denial of service: a code typed while its send is under way has no handle yet, and says nothing of the service.
          const isUnjudged = result === 'unavailable' || result === 'not-sent'
          const isEarly = givesHandles && check.handle === undefined && isUnjudged
          const unasked = reported.asked === false || isEarly
          note({ command: 'check', result, about, answered: isAnswered, unasked })
          noteUnexpected(reported, about)
          return { result, about }
        },
      )
    },
  }
}

/** What goes with every request to a provider. */
interface Ends {
  readonly signal: AbortSignal
  readonly report: (report: ExchangeReport) => void
}

/**
 * Asks within `ms`. Never rejects: an adapter that throws, hangs or returns nonsense has given no answer, which `read`
 * makes `unavailable` at a check and `unconfirmed` at a send.
 */
async function answerOf<Result>(
  ms: number,
  ask: (ends: Ends) => Promise<unknown>,
  read: (given: unknown) => Result,
): Promise<{ readonly result: Result; readonly reported: Reported }> {
  const { reported, report } = reporter()
  try {
    return { result: read(await within(ms, (signal) => ask({ signal, report }))), reported }
  } catch (error) {
    report({ reason: error instanceof LateError ? 'timeout' : 'error' })
    return { result: read(undefined), reported }
  }
}

class LateError extends Error {}

/** Once aborted, a provider may still return what it knows: `not-sent`, or the handle of a code that may arrive. */
const graceMs = 100

/** An adapter that is late is told so, and has a moment to say what it knows. */
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
