// Metrics for Prometheus: const observed = observe(register); twoFactor({ onEvent: observed.onEvent })
// and app.get('/metrics', async (_req, res) => res.type(register.contentType).send(await register.metrics()))
import { tracingChannel } from 'node:diagnostics_channel'
import { type ExchangeTrace, eventUrgency, type TwoFactorEvent } from 'express-two-factor'
import { Counter, Histogram, type Registry } from 'prom-client'

/** Registers the metrics and feeds them until `stop` is called. No label can take an unbounded number of values. */
export function observe(register: Registry) {
  const registers = [register]
  const sends = new Counter({
    name: 'two_factor_sends_total',
    help: 'Codes handed to a provider, by what became of them',
    labelNames: ['provider', 'channel', 'lane', 'result'],
    registers,
  })
  const checks = new Counter({
    name: 'two_factor_checks_total',
    help: 'Codes that a provider was asked about, by its verdict',
    labelNames: ['provider', 'lane', 'result'],
    registers,
  })
  const seconds = new Histogram({
    name: 'two_factor_provider_seconds',
    help: 'How long a provider took',
    labelNames: ['provider', 'exchange'],
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8],
    registers,
  })
  const age = new Histogram({
    name: 'two_factor_code_age_seconds',
    help: 'Time between the send of a code and its approval',
    buckets: [5, 10, 20, 40, 80, 160, 320, 640],
    registers,
  })
  const refusals = new Counter({
    name: 'two_factor_refusals_total',
    help: 'Requests that a limit or a rule refused',
    labelNames: ['command', 'code', 'limit'],
    registers,
  })
  const countries = new Counter({
    name: 'two_factor_country_codes_total',
    help: 'Codes by the country of their number: sent, and approved',
    labelNames: ['country', 'lane', 'result'],
    registers,
  })
  const events = new Counter({
    name: 'two_factor_events_total',
    help: 'Events by their type and its level: alarm, warning or record',
    labelNames: ['type', 'level'],
    registers,
  })
  // At the start, because a series that begins with its first event has no increase: its alarm would need a second event.
  for (const [type, { level }] of Object.entries(eventUrgency)) events.inc({ type, level }, 0)

  function count(exchange: 'send' | 'check') {
    const { asyncEnd } = tracingChannel(`express-two-factor:${exchange}`)
    const ended = (message: unknown) => {
      const { provider = '', channel = '', lane, result = '', durationMs = 0 } = message as ExchangeTrace
      if (exchange === 'send') sends.inc({ provider, channel, lane, result })
      else checks.inc({ provider, lane, result })
      seconds.observe({ provider, exchange }, durationMs / 1_000)
    }
    asyncEnd.subscribe(ended)
    return () => void asyncEnd.unsubscribe(ended)
  }
  const ends = [count('send'), count('check')]

  return {
    onEvent(event: TwoFactorEvent): void {
      events.inc({ type: event.type, level: eventUrgency[event.type].level })
      if (event.type === 'challenge.sent' || event.type === 'challenge.unconfirmed') {
        const { country, lane } = event
        countries.inc({ country, lane, result: 'sent' })
        // If no code is entered, the share is 0 and not unknown.
        countries.inc({ country, lane, result: 'approved' }, 0)
      }
      if (event.type === 'challenge.approved') {
        const { country, lane, ageMs = 0 } = event
        countries.inc({ country, lane, result: 'approved' })
        age.observe(ageMs / 1_000)
      }
      if (event.type !== 'request.refused') return
      refusals.inc({ command: event.command ?? '', code: event.code, limit: event.limit ?? '' })
    },
    stop: () => ends.forEach((end) => void end()),
  }
}
