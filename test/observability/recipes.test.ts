import { metrics, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, describe, expect, it } from 'vitest'
import { observe as observeSpans } from '../../examples/observability/opentelemetry.js'
import { logEvents, rememberAddress } from '../../examples/observability/pino.js'
import { observe as observeMetrics } from '../../examples/observability/prometheus.js'
import { eventUrgency, type TwoFactorEvent } from '../../src/index.js'
import { expressSessions, startHost } from '../express/kit.js'
import { expectedFigures, type Figures, runScenario } from './scenario.js'

const canaries = /48291\d|111111|k-canary|300123|connect\.sid/

const register = new Registry()
const lines: string[] = []
const spans = new InMemorySpanExporter()
const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 2 ** 30 })
const meters = new MeterProvider({ readers: [reader] })
let counted: Figures

afterAll(() => Promise.all([tracers.shutdown(), meters.shutdown()]))

/** The sum of a metric of Prometheus over the series with these labels. */
async function sum(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const metric = await register.getSingleMetric(name)?.get()
  const values: readonly { labels: object; value: number; metricName?: string }[] = metric?.values ?? []
  return values
    .filter(({ metricName = name }) => metricName === name || metricName === `${name}_count`)
    .filter((value) =>
      Object.entries(labels).every(([label, wanted]) => Reflect.get(value.labels, label) === wanted),
    )
    .reduce((total, { value }) => total + value, 0)
}

/** The sum of a metric of OpenTelemetry; of a histogram, how many were recorded. */
function total(name: string): number {
  const { metrics: all = [] } = points.getMetrics().at(-1)?.scopeMetrics[0] ?? {}
  const data = all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
  return data.reduce((sums, { value }) => sums + (typeof value === 'number' ? value : value.count), 0)
}

const logged = () => lines.map((line) => JSON.parse(line) as { event: string; level: number; at: string })
const loggedAs = (...types: string[]) => logged().filter(({ event }) => types.includes(event)).length

describe('the figures of the recipes agree with what the provider counted', () => {
  it('in a scenario that has something of everything', async () => {
    trace.setGlobalTracerProvider(tracers)
    metrics.setGlobalMeterProvider(meters)
    const log = logEvents(pino({ base: null }, { write: (line) => void lines.push(line) }))
    const [prometheus, telemetry] = [observeMetrics(register), observeSpans()]
    counted = await runScenario((event) => {
      log(event)
      prometheus.onEvent(event)
      telemetry.onEvent(event)
    })
    prometheus.stop()
    telemetry.stop()
    await meters.forceFlush()
    expect(counted).toEqual(expectedFigures)
  })

  it('in Prometheus', async () => {
    expect({
      sends: await sum('two_factor_sends_total'),
      calls: await sum('two_factor_sends_total', { channel: 'call' }),
      refusedSends: await sum('two_factor_sends_total', { result: 'failed' }),
      lostSends: await sum('two_factor_sends_total', { result: 'unconfirmed' }),
      checks: await sum('two_factor_checks_total'),
      approved: await sum('two_factor_checks_total', { result: 'approved' }),
      rejected: await sum('two_factor_checks_total', { result: 'rejected' }),
      lostChecks: await sum('two_factor_checks_total', { result: 'unavailable' }),
      refusals: await sum('two_factor_refusals_total'),
    }).toEqual(counted)
    expect(await sum('two_factor_provider_seconds')).toBe(counted.sends + counted.checks)
    expect(await sum('two_factor_code_age_seconds')).toBe(counted.approved)
    const inCountry = (result: string) => sum('two_factor_country_codes_total', { country: 'CO', result })
    expect(await inCountry('sent')).toBe(counted.sends - counted.refusedSends)
    expect(await inCountry('approved')).toBe(counted.approved)
    expect(await register.metrics()).not.toMatch(canaries)
  })

  it('in OpenTelemetry', () => {
    const finished = spans.getFinishedSpans()
    const named = (name: string, result?: string) =>
      finished.filter(
        (span) =>
          span.name === name &&
          (result ?? span.attributes['two_factor.result']) === span.attributes['two_factor.result'],
      ).length
    expect([named('two-factor send'), total('two_factor.sends')]).toEqual([counted.sends, counted.sends])
    expect([named('two-factor check'), total('two_factor.checks')]).toEqual([counted.checks, counted.checks])
    expect(named('two-factor send', 'failed')).toBe(counted.refusedSends)
    expect(named('two-factor check', 'approved')).toBe(counted.approved)
    expect(total('two_factor.provider.duration')).toBe(counted.sends + counted.checks)
    expect(total('two_factor.code.age')).toBe(counted.approved)
    expect(total('two_factor.refusals')).toBe(counted.refusals)
    const failed = finished.filter(({ status }) => status.code === 2)
    expect(failed).toHaveLength(counted.refusedSends + counted.lostSends + counted.lostChecks)
    expect(new Set(failed.map(({ attributes }) => attributes['error.type']))).toEqual(
      new Set(['answer', 'reset']),
    )
    expect(JSON.stringify(finished.map(({ name, attributes }) => [name, attributes]))).not.toMatch(canaries)
  })

  it('in the log of pino', () => {
    expect(loggedAs('challenge.sent', 'challenge.unconfirmed', 'challenge.undelivered')).toBe(counted.sends)
    expect(loggedAs('challenge.approved')).toBe(counted.approved)
    expect(loggedAs('challenge.rejected')).toBe(counted.rejected)
    expect(loggedAs('request.refused')).toBe(counted.refusals)
    const errors = logged().filter(({ level }) => level >= 50)
    expect(errors).toHaveLength(counted.lostSends + counted.lostChecks)
    expect(lines.join('')).not.toMatch(canaries)
    expect(logged()[0]?.at).toBe('2026-03-01T12:00:00.000Z')
  })
})

it('the log of pino names the IP address of each request, and none outside of a request', async () => {
  const said: { event: string; address?: string }[] = []
  const host = await startHost({
    addSession: (app) => {
      app.set('trust proxy', 'loopback')
      app.use(rememberAddress, expressSessions())
    },
    options: {
      onEvent: logEvents(pino({ base: null }, { write: (line) => void said.push(JSON.parse(line)) })),
    },
  })
  for (const [name, address] of [
    ['ana', '203.0.113.7'],
    ['ben', '203.0.113.8'],
  ] as const) {
    const browser = host.browser({ 'x-forwarded-for': address })
    await browser.post('/login', { user: name })
    await browser.start()
    await browser.verify(host.stub.rightCode)
    const lines = said.splice(0)
    expect(lines.map(({ event }) => event)).toEqual([
      'challenge.started',
      'challenge.sent',
      'challenge.approved',
    ])
    expect(lines.every((line) => line.address === address)).toBe(true)
  }
  host.tf.subjects.factorRemoved('ana', { kind: 'app' })
  expect(said).toMatchObject([{ event: 'factor.changed', subject: 'ana' }])
  expect(said[0]).not.toHaveProperty('address')
})

describe('the level of each event', () => {
  it.each(Object.entries(eventUrgency))(
    'of pino and Prometheus is that of the table: %s',
    async (type, urgency) => {
      const registry = new Registry()
      const said: { level: number; todo?: string }[] = []
      const log = logEvents(pino({ base: null }, { write: (line) => void said.push(JSON.parse(line)) }))
      const metrics = observeMetrics(registry)
      const seriesOf = async () =>
        (await registry.getSingleMetric('two_factor_events_total')?.get())?.values.find(
          ({ labels }) => labels.type === type,
        )
      // Before the first one, which would have no increase otherwise.
      expect(await seriesOf()).toMatchObject({ labels: { level: urgency.level }, value: 0 })
      for (const hear of [log, metrics.onEvent]) hear({ type, at: 0 } as TwoFactorEvent)
      metrics.stop()
      expect(await seriesOf()).toMatchObject({ labels: { level: urgency.level }, value: 1 })
      const { level, todo } = said[0] ?? {}
      expect(level).toBe({ alarm: 50, warning: 40, record: 30 }[urgency.level])
      expect(todo).toBe(urgency.todo)
    },
  )

  it('is an alarm if the table has a threshold and an action', () => {
    for (const { level, atLeast, todo } of Object.values(eventUrgency)) {
      expect([atLeast !== undefined, todo !== undefined]).toEqual([level === 'alarm', level === 'alarm'])
      if (todo !== undefined) expect(todo).toMatch(/^[A-Z`].*\.$/)
    }
  })
})
