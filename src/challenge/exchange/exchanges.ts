import { tracingChannel } from 'node:diagnostics_channel'
import type { ExchangeFields } from '../../events.js'
import { type Awaitable, traced } from '../../lib/promises.js'
import { hourMs, minuteMs } from '../../lib/time.js'
import type { DomainServices } from '../keys.js'
import {
  type Channel,
  type CodeCheck,
  type CodeProvider,
  type CodeSend,
  defaultMaxExchanges,
  type SendResult,
  type Verdict,
} from './code-provider.js'
import { createExchangeQueue, type Waiter } from './exchange-queue.js'
import {
  answerOf,
  type ReportedExchange,
  readSendResult,
  readVerdict,
  reportFields,
} from './provider-answer.js'

/** Whose code it is that is to be sent or checked. */
export interface ExchangeContext extends Pick<Waiter, 'lane' | 'onGone'> {
  /** Of its ledger and place. */
  readonly key: string
}

/** The part of its time for which an exchange waits for a place: the rest must do for an answer. */
const longestWait = 1 / 5

/** So many accounts do not mistype in a row. */
const suspectFrom = 5

/** The context of the tracing channels `express-two-factor:send` and `:check`: no code and no number. */
export interface ExchangeTrace extends ExchangeFields {
  /** `auth` for numbers on file, `enrol` for a phone verification. */
  readonly lane: ExchangeContext['lane']
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
export interface ExchangeResult<Result> {
  readonly result: Result
  readonly fields: ExchangeFields
  /** The service's id of the message that was sent, where it named one. */
  readonly messageId?: string | undefined
}

/** One provider behind its queue and its deadline, whose exchanges are timed, traced and reported. */
export function createExchanges(provider: CodeProvider, { now, emit }: DomainServices) {
  const by = provider.name === undefined ? {} : { provider: provider.name }
  const queue = createExchangeQueue(provider.maxExchanges ?? defaultMaxExchanges)
  let misconfiguredAt = Number.NEGATIVE_INFINITY
  let unexpectedAt = Number.NEGATIVE_INFINITY
  /** Whose codes have met an unexpected status since the last approval. */
  const unapproved = new Set<string>()
  let givesHandles = false

  /** Runs one exchange once there is a place for it, in what is left of its time. */
  async function inTurn<Result>(
    { lane, onGone }: ExchangeContext,
    command: Waiter['command'],
    ms: number,
    exchange: (leftMs: number) => Awaitable<ExchangeResult<Result>>,
    isAutomatic: () => Result,
  ): Promise<ExchangeResult<Result>> {
    const endsAt = performance.now() + ms
    const leave = await queue.enter({ lane, command, waitMs: ms * longestWait, onGone })
    if (leave === undefined) {
      const fields = { ...by, reason: 'busy' }
      emit({ type: 'provider.unavailable', command, sent: false, ...fields })
      return { result: isAutomatic(), fields }
    }
    try {
      return await exchange(endsAt - performance.now())
    } finally {
      leave()
    }
  }

  /** What an operator is told of one that brought no answer, or was refused for the account. `isAutomatic`: nobody was asked. */
  function note(
    command: Waiter['command'],
    result: SendResult['result'] | Verdict,
    fields: ExchangeFields,
    isAutomatic: boolean,
  ): void {
    // Once an hour: a wrong key fails at every request. By its distance, as below.
    if (result === 'misconfigured' && Math.abs(now() - misconfiguredAt) >= hourMs) {
      misconfiguredAt = now()
      emit({ type: 'provider.misconfigured', ...fields })
    }
    const isUnanswered = result === 'not-sent' || result === 'unconfirmed' || result === 'unavailable'
    if (isUnanswered && !isAutomatic) {
      emit({ type: 'provider.unavailable', command, sent: result !== 'not-sent', ...fields })
    }
  }

  /** Of several in a row, and once a minute: an account may answer each wrong code with a status of its own. */
  function noteStatus({ key }: ExchangeContext, verdict: Verdict, fields: ExchangeFields): void {
    const { status, durationMs } = fields
    if (verdict === 'approved' && durationMs !== undefined) unapproved.clear()
    if (status === undefined) return
    if (unapproved.size < suspectFrom) unapproved.add(key)
    // By its distance: a clock that was set back must not silence it.
    if (unapproved.size < suspectFrom || Math.abs(now() - unexpectedAt) < minuteMs) return
    unexpectedAt = now()
    emit({ type: 'provider.unexpected', ...fields, status })
  }

  function fieldsSince(startedAt: number, reported: ReportedExchange): ExchangeFields {
    const durationMs = Math.max(0, now() - startedAt)
    return { ...(reported.asked !== false && { durationMs }), ...by, ...reportFields(reported) }
  }

  return {
    provider,
    /** Never rejects; nor does `check`. */
    send(target: ExchangeContext, ms: number, send: CodeSend): Promise<ExchangeResult<SendResult>> {
      const { channel, purpose } = send
      const exchange = (leftMs: number) =>
        traced(
          sendTraces,
          () => ({ lane: target.lane, channel, purpose, ...by }),
          async (trace) => {
            const startedAt = now()
            const { result, reported } = await answerOf(
              leftMs,
              ({ signal, report }) =>
                provider.sendCode({
                  ...send,
                  signal,
                  report(told) {
                    report(told)
                    send.report?.(told)
                  },
                }),
              (given) => readSendResult(given, provider.methods),
            )
            const fields = fieldsSince(startedAt, reported)
            if ('handle' in result) givesHandles = true
            if (trace !== undefined) Object.assign(trace, fields, { result: result.result })
            note('send', result.result, fields, reported.asked === false)
            return { result, fields, messageId: messageIdIn(reported, send) }
          },
        )
      return inTurn(target, 'send', ms, exchange, () => {
        send.report?.({ asked: false })
        return { result: 'not-sent' }
      })
    },
    check(target: ExchangeContext, ms: number, check: CodeCheck): Promise<ExchangeResult<Verdict>> {
      const exchange = (leftMs: number) =>
        traced(
          checkTraces,
          () => ({ lane: target.lane, ...by }),
          async (trace) => {
            const startedAt = now()
            const { result, reported } = await answerOf(
              leftMs,
              ({ signal, report }) => provider.checkCode({ report, ...check, signal }),
              readVerdict,
            )
            const fields = fieldsSince(startedAt, reported)
            if (trace !== undefined) Object.assign(trace, fields, { result })
            // A code typed while its send is under way has no handle yet, and says nothing of the service.
            const isEarly = givesHandles && check.handle === undefined
            note('check', result, fields, reported.asked === false || isEarly)
            noteStatus(target, result, fields)
            return { result, fields }
          },
        )
      return inTurn(target, 'check', ms, exchange, () => 'not-sent')
    },
  }
}

/** No event holds a phone number: an id that is made of one is left out. */
function messageIdIn({ messageId }: ReportedExchange, { destination }: CodeSend): string | undefined {
  return messageId?.includes(destination.slice(-8)) ? undefined : messageId
}
