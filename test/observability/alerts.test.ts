import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { observe } from '../../examples/observability/prometheus.js'
import { eventUrgency } from '../../src/index.js'
import { anchorsOf, path, read } from '../documents.js'
import { temporaryDir } from '../store/redis-server.js'

// Debian's package `prometheus` has it. With CI=true the tests run, and fail where it is missing.
const withoutPromtool = process.env.CI !== 'true' && spawnSync('promtool', ['--version']).error !== undefined
if (withoutPromtool) console.log('skipped: there is no promtool here; install the package prometheus')

const rules = 'examples/observability/alerts.yml'
const dashboard = JSON.parse(read('examples/observability/grafana-dashboard.json')) as {
  panels: { targets: { expr: string }[] }[]
}
const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

function promtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return status === 0 ? stdout : `${stdout}${stderr}`
}

/** A file of JSON, which is YAML, too. */
function written(name: string, content: object): string {
  const file = join(temporaryDir(), name)
  writeFileSync(file, JSON.stringify(content))
  return file
}

/** A series, and how many of it come in each hour, evenly. */
type Came = readonly [series: string, perHour: number]

/** Whether an alarm fires after an hour of this. */
const fires = (alarm: string, came: readonly Came[]): boolean =>
  firesAt(
    '1h',
    alarm,
    came.map(([series, perHour]) => ({ series, values: `0+${perHour / 240}x240` })),
  )

/** Whether an alarm fires at this time after the start of these series, which have a value each 15 seconds. */
function firesAt(
  time: string,
  alarm: string,
  series: readonly { readonly series: string; readonly values: string }[],
): boolean {
  const test = written('test.yml', {
    rule_files: [path(rules)],
    evaluation_interval: '15s',
    tests: [
      {
        interval: '15s',
        input_series: series,
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alarm}", alertstate="firing"})`,
            eval_time: time,
            exp_samples: [{ labels: '{}', value: 1 }],
          },
        ],
      },
    ],
  })
  const said = promtool('test', 'rules', test)
  if (said.includes('SUCCESS')) return true
  // Whatever else it says is no answer.
  if (!/got: *nil/.test(said)) throw new Error(said)
  return false
}

const sends = (result: string, perHour: number): Came => [
  `two_factor_sends_total{result="${result}"}`,
  perHour,
]
const events = (type: string, perHour: number): Came => [`two_factor_events_total{type="${type}"}`, perHour]
const exchanges = (quick: number, slow: number): Came[] => [
  ['two_factor_provider_seconds_bucket{exchange="send", le="4"}', quick],
  ['two_factor_provider_seconds_bucket{exchange="send", le="8"}', quick + slow],
  ['two_factor_provider_seconds_bucket{exchange="send", le="+Inf"}', quick + slow],
]

/** The name of the rule for events of a type. */
const ruleOf = (type: string) =>
  `TwoFactor${type.replaceAll(/(?:^|\.)\w/g, (letters) => letters.slice(-1).toUpperCase())}`
const alarms = Object.entries(eventUrgency).flatMap(([type, { atLeast = 0 }]) =>
  atLeast > 0 ? [{ type, atLeast }] : [],
)

describe.skipIf(withoutPromtool)('the rules, by the tool of Prometheus', () => {
  it('can be loaded', () => {
    expect(promtool('check', 'rules', path(rules))).toContain('SUCCESS: 12 rules found')
  })

  it.each(alarms)('$type calls an operator from $atLeast in five minutes', ({ type, atLeast }) => {
    expect(fires(ruleOf(type), [events(type, (atLeast - 0.01) * 12)])).toBe(false)
    expect(fires(ruleOf(type), [events(type, (atLeast + 0.01) * 12)])).toBe(true)
  })

  it.each(['provider.misconfigured', 'spend.suspected', 'limit.closed'])(
    '%s, which is emitted once for a while, clears after five minutes',
    (type) => {
      // At the end of the twentieth minute.
      const came = [{ series: `two_factor_events_total{type="${type}"}`, values: '0x79 1x120' }]
      const firesAfter = (time: string) => firesAt(time, ruleOf(type), came)
      expect(['19m', '21m', '24m', '26m'].map(firesAfter)).toEqual([false, true, true, false])
    },
  )

  it.each<[alarm: string, when: string, isFiring: boolean, inAnHour: readonly Came[]]>([
    ['SendsRefused', 'six of ten are refused', true, [sends('failed', 90), sends('sent', 60)]],
    ['SendsRefused', 'the account is refused', true, [sends('misconfigured', 90)]],
    ['SendsRefused', 'fewer than half are refused', false, [sends('failed', 90), sends('sent', 100)]],
    ['SendsRefused', 'all are, which is few', false, [sends('failed', 20)]],
    ['FewApproved', 'five of thirty let in', true, [sends('sent', 30), events('challenge.approved', 5)]],
    ['FewApproved', 'none of thirty lets in', true, [sends('sent', 30), events('challenge.approved', 0)]],
    ['FewApproved', 'twenty of thirty let in', false, [sends('sent', 30), events('challenge.approved', 20)]],
    ['FewApproved', 'none of ten lets in', false, [sends('sent', 10), events('challenge.approved', 0)]],
    ['ProviderSlow', 'one of ten takes longer', true, exchanges(540, 60)],
    ['ProviderSlow', 'one of fifty takes longer', false, exchanges(588, 12)],
  ])('%s, when %s: %s', (alarm, _when, isFiring, inAnHour) => {
    expect(fires(`TwoFactor${alarm}`, inAnHour)).toBe(isFiring)
  })

  it('reads the series of the dashboard, too', () => {
    const record = (expr: string, index: number) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    })
    const file = written('panels.yml', { groups: [{ name: 'panels', rules: asked.map(record) }] })
    expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${asked.length} rules found`)
  })
})

describe('rules and dashboard', () => {
  const register = new Registry()
  observe(register).stop()

  it('ask for every metric of the recipe and for no other', async () => {
    const registered = (await register.getMetricsAsJSON()).map(({ name }) => name)
    const metrics = (text: string) =>
      new Set((text.match(/\btwo_factor_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, '')))
    expect([...metrics(asked.join(' '))].sort()).toEqual(registered.sort())
    expect(registered).toEqual(expect.arrayContaining([...metrics(read(rules))]))
  })

  it('group by labels that there are', () => {
    const labels = read('examples/observability/prometheus.ts').match(/(?<=')[a-z]+(?=')/g) ?? []
    for (const expr of [...asked, read(rules)]) {
      for (const [, by = ''] of expr.matchAll(/by \(([^)]+)\)/g)) {
        expect([...labels, 'le', 'alertname']).toEqual(expect.arrayContaining(by.split(', ')))
      }
    }
  })

  it('have the alarms and warnings of the table by their level, not in a list of their own', () => {
    const named = asked.flatMap((expr) => expr.match(/(?<=")[a-z]+\.[a-z.|]+(?=")/g) ?? [])
    expect(named).toEqual(['challenge.approved'])
    for (const level of ['alarm', 'warning']) {
      expect(asked.join('\n')).toContain(`two_factor_events_total{level="${level}"}`)
    }
  })

  it.each([
    ['provider.unavailable', ['`reason`', '`npx express-two-factor doctor`'], ['`cause`', '`httpStatus`']],
    ['provider.unexpected', ['`npx express-two-factor calibrate`'], ['`cause`']],
  ] as const)('of %s name %j and not %j', (type, named, others) => {
    const { todo } = eventUrgency[type]
    for (const one of named) expect(todo).toContain(one)
    for (const one of others) expect(todo).not.toContain(one)
  })

  it('link to existing sections', () => {
    const sections = [...read(rules).matchAll(/runbook: docs\/operation\.md#(.*)/g)].map(
      ([, anchor]) => anchor,
    )
    expect(sections).toHaveLength(12)
    expect(anchorsOf(read('docs/operation.md'))).toEqual(expect.arrayContaining(sections))
  })
})
