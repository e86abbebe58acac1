import { tracingChannel } from 'node:diagnostics_channel'
import type { ExchangeFields } from '../../events.js'
import { traced } from '../../lib/promises.js'
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

/** Context of a request to the provider: queue key, lane and disconnect signal. */
export interface ExchangeContext extends Pick<Waiter, 'lane' | 'onGone'> {
  /** Key of the ledger and the factor. */
  readonly key: string
}

/** The part of its time for which an exchange waits for a slot. The rest is left for the response. */
const longestWait = 1 / 5

/** Codes of so many different users in a row are no typing errors. */
const suspectFrom = 5

/** Context of the tracing channels `express-two-factor:send` and `:check`, without code and number. */
export interface ExchangeTrace extends ExchangeFields {
  /** `auth` for numbers on file, `enrol` for a phone verification. */
  readonly lane: ExchangeContext['lane']
  /** Method of the code, at a send only. */
  readonly channel?: Channel
  /** Purpose of the code, at a send only. */
  readonly purpose?: string
  /** Outcome, once it is known. */
  result?: SendResult['result'] | Verdict
}

const sendTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:send')
const checkTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:check')

/** Outcome of a request, with the facts about the provider. */
export interface ExchangeResult<Result> {
  readonly result: Result
  readonly fields: ExchangeFields
  /** The service's id of the sent message, if it returned one. */
  readonly messageId?: string | undefined
  /** The client disconnected before a slot was free. Nothing was sent, and no event is emitted. */
  readonly isDisconnected?: true | undefined
}

/** A request that waits for a slot: its time with the wait, and its result if it is never made. */
interface QueuedExchange<Result> {
  readonly command: Waiter['command']
  readonly ms: number
  unsentResult(): Result
}

/** Creates access to one provider with its queue and deadline. Requests are timed, traced and reported. */
export function createExchanges(provider: CodeProvider, { now, emit }: DomainServices) {
  const by = provider.name === undefined ? {} : { provider: provider.name }
  const queue = createExchangeQueue(provider.maxExchanges ?? defaultMaxExchanges)
  let misconfiguredAt = Number.NEGATIVE_INFINITY
  let unexpectedAt = Number.NEGATIVE_INFINITY
  /** Keys of the users' accounts whose codes had an unexpected status since the last approval. */
  const unapproved = new Set<string>()
  let givesHandles = false

  /** Runs a request when a slot is free, within the remaining time. */
  async function inTurn<Result>(
    { lane, onGone }: ExchangeContext,
    { command, ms, unsentResult }: QueuedExchange<Result>,
    exchange: (leftMs: number) => Promise<ExchangeResult<Result>>,
  ): Promise<ExchangeResult<Result>> {
    const endsAt = performance.now() + ms
    const waitMs = ms * longestWait
    const leave = await queue.enter({ lane, command, waitMs, onGone })
    // The provider is not at fault, and no user receives the response.
    if (leave === 'disconnected') return { result: unsentResult(), fields: by, isDisconnected: true }
    if (leave === 'busy') {
      const fields = { ...by, reason: 'busy' }
      emit({ type: 'provider.unavailable', command, sent: false, ...fields })
      return { result: unsentResult(), fields }
    }
    try {
      // Time for which the event loop was blocked is not taken from the provider.
      return await exchange(Math.max(endsAt - performance.now(), ms - waitMs))
    } finally {
      leave()
    }
  }

  /**
   * Emits the event for an exchange without a response, or one that the provider refused because of the app's own
   * account there. `isLocal`: no request was sent.
   */
  function reportExchange(
    command: Waiter['command'],
    result: SendResult['result'] | Verdict,
    fields: ExchangeFields,
    isLocal: boolean,
  ): void {
    // Once an hour, because a wrong key fails at every request. The distance is compared, as below.
    if (result === 'misconfigured' && Math.abs(now() - misconfiguredAt) >= hourMs) {
      misconfiguredAt = now()
      emit({ type: 'provider.misconfigured', ...fields })
    }
    const isUnanswered = result === 'not-sent' || result === 'unconfirmed' || result === 'unavailable'
    if (isUnanswered && !isLocal) {
      emit({ type: 'provider.unavailable', command, sent: result !== 'not-sent', ...fields })
    }
  }

  /** Reports several in a row, once a minute: a provider may return a separate status for each wrong code. */
  function noteStatus({ key }: ExchangeContext, verdict: Verdict, fields: ExchangeFields): void {
    const { status, durationMs } = fields
    if (verdict === 'approved' && durationMs !== undefined) unapproved.clear()
    if (status === undefined) return
    if (unapproved.size < suspectFrom) unapproved.add(key)
    // The distance is compared, because a clock that is set back must not silence the event.
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
    /** Sends a code. Neither this method nor `check` rejects. */
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
                  report(facts) {
                    report(facts)
                    send.report?.(facts)
                  },
                }),
              (given) => readSendResult(given, provider.methods),
              send,
            )
            const fields = fieldsSince(startedAt, reported)
            if ('handle' in result) givesHandles = true
            if (trace !== undefined) Object.assign(trace, fields, { result: result.result })
            reportExchange('send', result.result, fields, reported.asked === false)
            return { result, fields, messageId: reported.messageId }
          },
        )
      const unsentResult = (): SendResult => {
        send.report?.({ asked: false })
        return { result: 'not-sent' }
      }
      return inTurn(target, { command: 'send', ms, unsentResult }, exchange)
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
              check,
            )
            const fields = fieldsSince(startedAt, reported)
            if (trace !== undefined) Object.assign(trace, fields, { result })
            // A code submitted during its send has no handle yet, which is no fault of the service.
            const isEarly = givesHandles && check.handle === undefined
            reportExchange('check', result, fields, reported.asked === false || isEarly)
            noteStatus(target, result, fields)
            return { result, fields }
          },
        )
      return inTurn(target, { command: 'check', ms, unsentResult: () => 'not-sent' }, exchange)
    },
  }
}
