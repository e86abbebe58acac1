// Spans and metrics for OpenTelemetry, whose SDK the app has set up: twoFactor({ onEvent: observe().onEvent })
import { tracingChannel } from 'node:diagnostics_channel'
import { type Attributes, metrics, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ExchangeTrace, TwoFactorEvent } from 'express-two-factor'

const failures: readonly unknown[] = [
  'failed',
  'later',
  'misconfigured',
  'unavailable',
  'unconfirmed',
  'not-sent',
]

function attributesOf(exchange: ExchangeTrace): Attributes {
  const { provider, channel, lane, purpose, operation, result, reason, httpStatus, providerError } = exchange
  const attributes = {
    'two_factor.provider': provider,
    'two_factor.channel': channel,
    'two_factor.lane': lane,
    'two_factor.purpose': purpose,
    'two_factor.operation': operation,
    'two_factor.result': result,
    'two_factor.provider_error': providerError,
    'http.response.status_code': httpStatus,
    'error.type': failures.includes(result) ? (reason ?? result) : undefined,
  }
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}

/** Creates a span for each send and each check, below the span of the request, and the metrics. */
export function observe() {
  const tracer = trace.getTracer('express-two-factor')
  const meter = metrics.getMeter('express-two-factor')
  const sends = meter.createCounter('two_factor.sends', { description: 'Codes handed to a provider' })
  const checks = meter.createCounter('two_factor.checks', { description: 'Codes that a provider checked' })
  const duration = meter.createHistogram('two_factor.provider.duration', { unit: 'ms' })
  const age = meter.createHistogram('two_factor.code.age', { unit: 'ms' })
  const refusals = meter.createCounter('two_factor.refusals')
  const spans = new WeakMap<object, Span>()

  function follow(exchange: 'send' | 'check') {
    const counter = exchange === 'send' ? sends : checks
    const { start, asyncEnd } = tracingChannel(`express-two-factor:${exchange}`)
    const started = (context: unknown) =>
      void spans.set(context as object, tracer.startSpan(`two-factor ${exchange}`, { kind: SpanKind.CLIENT }))
    const ended = (context: unknown) => {
      const traced = context as ExchangeTrace
      const span = spans.get(traced)
      span?.setAttributes(attributesOf(traced))
      if (failures.includes(traced.result)) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
      const { lane, result, channel = '', durationMs = 0 } = traced
      counter.add(1, exchange === 'send' ? { lane, result, channel } : { lane, result })
      duration.record(durationMs, { exchange })
    }
    start.subscribe(started)
    asyncEnd.subscribe(ended)
    return () => {
      start.unsubscribe(started)
      asyncEnd.unsubscribe(ended)
    }
  }
  const ends = [follow('send'), follow('check')]

  return {
    onEvent(event: TwoFactorEvent): void {
      if (event.type === 'challenge.approved') age.record(event.ageMs ?? 0)
      if (event.type === 'request.refused') refusals.add(1, { command: event.command, code: event.code })
    },
    stop: () => ends.forEach((end) => void end()),
  }
}
