import { tracingChannel } from 'node:diagnostics_channel'
import type { AboutExchange, Emit } from '../events.js'
import { traced } from '../lib/tracing.js'
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js'
import type { Channel, CodeCheck, CodeProvider, CodeSend, SendResult, Verdict } from './code-provider.js'
import { aboutReport, type Reported, reporter } from './exchange-report.js'
import { checkWithin, sendWithin, type Unsigned } from './provider-deadline.js'
import type { Target } from './targets.js'
import type { AskState } from './watch/delivery-watch.js'

export type Asked = Pick<Target, 'lane' | 'key'>

/** The context of the tracing channels `express-two-factor:send` and `:check`: no code and no number. */
export interface ExchangeTrace extends AboutExchange {
  /** `auth` for numbers on file, `enrol` for a phone verification. */
  readonly lane: Asked['lane']
  /** How the code travels; at a send only. */
  readonly channel?: Channel
  /** What the code is for; at a send only. */
  readonly purpose?: string
  /** What became of it, once it is known. */
  result?: SendResult['result'] | Verdict
}

const sendTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:send')
const checkTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:check')

const minuteMs = 60_000

/** One provider behind its deadline and its breaker, whose exchanges are timed, traced and reported. */
export interface Member {
  readonly provider: CodeProvider
  readonly breaker: CircuitBreaker
  send(target: Asked, ms: number, send: Unsigned<CodeSend>): Promise<Exchanged<SendResult>>
  check(target: Asked, ms: number, check: Unsigned<CodeCheck>): Promise<Exchanged<Verdict>>
}

export interface Exchanged<Result> {
  readonly result: Result
  readonly about: AboutExchange
  /** Asks what became of the message; absent when the provider named none. */
  readonly askState?: AskState | undefined
}

export function createMember(
  provider: CodeProvider,
  parts: { readonly now: () => number; readonly emit: Emit },
): Member {
  const { now, emit } = parts
  const by = provider.name === undefined ? {} : { provider: provider.name }
  const breaker = createCircuitBreaker({ ...parts, ...by })
  let unexpectedAt = Number.NEGATIVE_INFINITY

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

  const since = (startedAt: number) => Math.max(0, now() - startedAt)

  return {
    provider,
    breaker,
    send({ lane, key }, ms, send) {
      const { channel, purpose } = send
      return traced(
        sendTraces,
        () => ({ lane, channel, purpose, ...by }),
        async (trace) => {
          const { reported, report } = reporter()
          const startedAt = now()
          const sent = await sendWithin(ms, provider, { ...send, report })
          const about = { ...by, durationMs: since(startedAt), ...aboutReport(reported) }
          if (trace !== undefined) Object.assign(trace, about, { result: sent.result })
          breaker.note({ command: 'send', result: sent.result, lane, key, about })
          return { result: sent, about, askState: askStateOf(reported.messageId) }
        },
      )
    },
    check({ lane, key }, ms, check) {
      return traced(
        checkTraces,
        () => ({ lane, ...by }),
        async (trace) => {
          const { reported, report } = reporter()
          let spoke = false
          const answered = () => {
            spoke = true
          }
          const startedAt = now()
          const result = await checkWithin(ms, provider, { ...check, answered, report })
          const about = { ...by, durationMs: since(startedAt), ...aboutReport(reported) }
          if (trace !== undefined) Object.assign(trace, about, { result })
          breaker.note({ command: 'check', result, lane, key, about, answered: spoke })
          noteUnexpected(reported, about)
          return { result, about }
        },
      )
    },
  }
}
