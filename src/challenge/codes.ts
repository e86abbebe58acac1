import { tracingChannel } from 'node:diagnostics_channel'
import type { AboutExchange } from '../events.js'
import { traced } from '../lib/promises.js'
import { minuteMs } from '../lib/time.js'
import { type Asker, createCircuitBreaker } from './circuit-breaker.js'
import {
  type Channel,
  type CodeCheck,
  type CodeProvider,
  type CodeSend,
  type CompositeProvider,
  membersOf,
  type SendResult,
  type Verdict,
} from './code-provider.js'
import { type Refusal, refused } from './commands.js'
import type { Basis } from './keys.js'
import type { Limits } from './limits.js'
import {
  aboutReport,
  answerOf,
  type Reported,
  readSendResult,
  readVerdict,
  within,
} from './provider-answer.js'

export type Codes = ReturnType<typeof createCodes>

/**
 * The code provider as the use cases see it: within deadlines, behind breakers. Neither method rejects. Every provider
 * that a composite is made of has a breaker of its own and its share of the deadline.
 */
export function createCodes(
  parts: Basis & {
    readonly provider: CodeProvider | CompositeProvider
    readonly limits: Pick<Limits, 'sendTimeoutMs' | 'verifyTimeoutMs'>
  },
) {
  const { provider, limits, secrets } = parts
  const composite = 'over' in provider ? provider : undefined
  const members = membersOf(provider).map((member) => createMember(member, parts))

  /** The provider for one exchange: each member behind its guard, which notes what is known of the one asked last. */
  function guarded(target: Asker) {
    const startedAt = performance.now()
    let waiting = members.length
    let last: Omit<Exchanged<unknown>, 'result'> = { about: {} }

    function noted<Result>({ result, about, messageId, cancelled }: Exchanged<Result>): Result {
      last = { about, messageId, cancelled: last.cancelled || cancelled }
      return result
    }

    const guards = members.map((member): CodeProvider => {
      const capped = (ms: number) => Math.min(ms, member.provider.timeoutMs ?? ms)
      return {
        async sendCode(send) {
          const leftMs = startedAt + limits.sendTimeoutMs - performance.now()
          // A provider that cannot be reached must leave the next one time to send.
          const shareMs = leftMs / Math.max(waiting, 1)
          waiting -= 1
          const exchanged = shareMs < 1 ? undefined : await member.send(target, capped(shareMs), send)
          return exchanged === undefined ? { result: 'not-sent' } : noted(exchanged)
        },
        async checkCode(check) {
          const exchanged = await member.check(target, capped(limits.verifyTimeoutMs), check)
          return exchanged === undefined ? 'not-sent' : noted(exchanged)
        },
      }
    })
    return { asked: composite?.over(guards) ?? (guards.at(0) as CodeProvider), known: () => last }
  }

  function opened(handle: string | undefined, { key }: Asker): string | undefined {
    return handle === undefined ? undefined : secrets.open('handle', handle, key)
  }

  /** Sealed, so that a reader of the store learns nothing about the code at the provider. */
  function sealed(sent: SendResult, { key }: Asker): SendResult {
    if (!('handle' in sent) || sent.handle === undefined) return sent
    return { ...sent, handle: secrets.seal('handle', sent.handle, key) }
  }

  return {
    /** The refusal while no provider may be asked about this number; called before anything is booked or reserved. */
    refusal(target: Asker): Refusal | undefined {
      const waitMs = Math.min(...members.map(({ breaker }) => breaker.waitMs(target)))
      return waitMs > 0 ? refused('provider_unavailable', waitMs) : undefined
    },
    /** Milliseconds until somebody may be asked about; undefined while a provider is not paused at all. */
    pausedForMs(): number | undefined {
      const paused = members.flatMap(({ breaker }) => breaker.pausedForMs() ?? [])
      return paused.length < members.length ? undefined : Math.min(...paused)
    },
    async send(
      target: Asker,
      { previousHandle, ...send }: Omit<CodeSend, 'signal'>,
    ): Promise<Exchanged<SendResult>> {
      const previous = opened(previousHandle, target)
      const order = { signal: unused, ...send, ...(previous !== undefined && { previousHandle: previous }) }
      const { asked, known } = guarded(target)
      const sent = await asked.sendCode(order)
      return { result: sealed(sent, target), ...known() }
    },
    async check(
      target: Asker,
      { handle: kept, ...check }: Omit<CodeCheck, 'signal'>,
    ): Promise<Exchanged<Verdict>> {
      const handle = opened(kept, target)
      // Sealed for another number, or under a secret that was removed: it cannot be opened.
      if (kept !== undefined && handle === undefined) return { result: 'unavailable', about: {} }
      const submitted = { signal: unused, ...check, ...(handle !== undefined && { handle }) }
      const { asked, known } = guarded(target)
      return { result: await asked.checkCode(submitted), ...known() }
    },
  }
}

/** Each guard hands its provider a signal of its own. */
const unused = new AbortController().signal

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
  /** The service's id of the message that was sent, where it named one. */
  readonly messageId?: string | undefined
  /** The code before it was ended at the provider, so it must not be accepted again. */
  readonly cancelled?: boolean | undefined
}

/** One provider behind its deadline and its breaker, whose exchanges are timed, traced and reported. */
function createMember(provider: CodeProvider, basis: Basis) {
  const { now, emit } = basis
  const by = provider.name === undefined ? {} : { provider: provider.name }
  const breaker = createCircuitBreaker(basis, by)
  let unexpectedAt = Number.NEGATIVE_INFINITY
  let givesHandles = false

  /** Once a minute: an account may answer each wrong code with a status of its own. */
  function noteUnexpected({ unexpectedStatus: status }: Reported, about: AboutExchange): void {
    // By its distance: a clock that was set back must not silence it.
    if (status === undefined || Math.abs(now() - unexpectedAt) < minuteMs) return
    unexpectedAt = now()
    emit({ type: 'provider.unexpected', status, ...about })
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
            ({ signal, report }) =>
              provider.sendCode({
                ...(isInTheWay ? send : order),
                signal,
                report(told) {
                  report(told)
                  send.report?.(told)
                },
              }),
            (given) => readSendResult(given, provider.methods),
          )
          const about = aboutSince(startedAt, reported)
          if ('handle' in result) givesHandles = true
          if (trace !== undefined) Object.assign(trace, about, { result: result.result })
          note({ command: 'send', result: result.result, about, unasked: reported.asked === false })
          return { result, about, messageId: messageIdIn(reported, send), cancelled }
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

/** No event holds a phone number: an id that is made of one is left out. */
function messageIdIn({ messageId }: Reported, { destination }: CodeSend): string | undefined {
  return messageId?.includes(destination.slice(-8)) ? undefined : messageId
}
