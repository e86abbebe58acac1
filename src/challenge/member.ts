import { tracingChannel } from 'node:diagnostics_channel'
import type { AboutExchange, Emit } from '../events.js'
import { minuteMs } from '../lib/time.js'
import { traced } from '../lib/tracing.js'
import { type Asker, type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js'
import type { Channel, CodeCheck, CodeProvider, CodeSend, SendResult, Verdict } from './code-provider.js'
import {
  aboutReport,
  cancelWithin,
  checkWithin,
  type Reported,
  reporter,
  sendWithin,
  type Unsigned,
} from './exchange.js'
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

/** One provider behind its deadline and its breaker, whose exchanges are timed, traced and reported. */
export interface Member {
  readonly provider: CodeProvider
  readonly breaker: CircuitBreaker
  /** Both resolve with nothing, unasked, while the breaker lets nobody through. */
  send(target: Asker, ms: number, send: Unsigned<CodeSend>): Promise<Exchanged<SendResult> | undefined>
  check(target: Asker, ms: number, check: Unsigned<CodeCheck>): Promise<Exchanged<Verdict> | undefined>
}

export interface Exchanged<Result> {
  readonly result: Result
  readonly about: AboutExchange
  /** Asks what became of the message; absent when the provider named none. */
  readonly askState?: AskState | undefined
  readonly cancelled?: boolean
}

export function createMember(
  provider: CodeProvider,
  parts: { readonly now: () => number; readonly emit: Emit },
): Member {
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

  const since = (startedAt: number) => Math.max(0, now() - startedAt)

  return {
    provider,
    breaker,
    async send(target, ms, { previousHandle: handle, ...send }) {
      const note = breaker.admit(target)
      if (note === undefined) return undefined
      const { channel, purpose, destination } = send
      return traced(
        sendTraces,
        () => ({ lane: target.lane, channel, purpose, ...by }),
        async (trace) => {
          const { reported, report } = reporter()
          const startedAt = now()
          const endsAt = performance.now() + ms
          const isInTheWay = handle !== undefined && provider.oneCode === true
          const cancelled = isInTheWay && (await cancelWithin(ms / 2, provider, { handle, destination }))
          const order = { ...send, ...(isInTheWay && { previousHandle: handle }), report }
          const sent = await sendWithin(endsAt - performance.now(), provider, order)
          const about = { ...by, durationMs: since(startedAt), ...aboutReport(reported) }
          if ('handle' in sent) givesHandles = true
          if (trace !== undefined) Object.assign(trace, about, { result: sent.result })
          note({ command: 'send', result: sent.result, about, unasked: reported.asked === false })
          return { result: sent, about, askState: askStateOf(reported.messageId), cancelled }
        },
      )
    },
    async check(target, ms, check) {
      const note = breaker.admit(target)
      if (note === undefined) return undefined
      return traced(
        checkTraces,
        () => ({ lane: target.lane, ...by }),
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
          // Denial of service: a code typed while its send is under way has no handle yet, and says nothing of the service.
          const isEarly = givesHandles && check.handle === undefined && result === 'unavailable'
          const unasked = reported.asked === false || isEarly
          note({ command: 'check', result, about, answered: spoke, unasked })
          noteUnexpected(reported, about)
          return { result, about }
        },
      )
    },
  }
}
