import { afterAll, expect, it } from 'vitest'
import { enough } from '../../in-full.js'
import { figure } from '../../prove/figure.js'
import { foreign, live, type Pump, type Traffic } from './traffic.js'

/** What a day of traffic may cost: honest people refused, in per cent, and codes sent to a pump. */
interface Bounds {
  readonly honest: number
  readonly pump: number
  /** Suspicions that are told; none without an attack, four with one. */
  readonly suspicions?: number
}

const usual = { perDay: 1_000, conversion: 70, days: enough(2, { inFull: 5 }) }
const pump = { sends: 2_400, from: 9, to: 15 }
const oneMillion = 1_000_000
/** As a function of a host gives them on the day of a launch. */
const raised = { serviceEnrolSendsPerHour: oneMillion, serviceEnrolSendsPerDay: oneMillion }

interface Day {
  readonly what: string
  readonly traffic: Traffic
  readonly bounds: Bounds
  /** Whether it is lived in every run, not by `npm run prove` alone. */
  readonly always?: true
}

const pumped = (countries: readonly string[], more: Partial<Pump> = {}): Traffic => ({
  ...usual,
  pump: { ...pump, countries, ...more },
})
const many = foreign.slice(0, 60)

const days: readonly Day[] = [
  {
    what: 'no attack, 30 % are completed',
    traffic: { ...usual, conversion: 30 },
    bounds: { honest: 0, pump: 0 },
    always: true,
  },
  { what: 'no attack, 50 %', traffic: { ...usual, conversion: 50 }, bounds: { honest: 0, pump: 0 } },
  { what: 'no attack, 70 %', traffic: usual, bounds: { honest: 0, pump: 0 } },
  // 3,000 in any 24 hours: what was sent the evening before counts along. Where the day opens again with the hour, all
  // come at once, and none of them has entered a code yet: that is told as a suspicion, once.
  {
    what: 'a launch of 20,000',
    traffic: { ...usual, onTheDay: 20_000 },
    bounds: { honest: 85.1, pump: 0, suspicions: 1 },
  },
  {
    what: 'a launch of 20,000, limits raised',
    traffic: { ...usual, onTheDay: 20_000, limits: raised },
    bounds: { honest: 0, pump: 0 },
  },
  { what: 'own country, by day', traffic: pumped(['CO']), bounds: { honest: 37, pump: 200 }, always: true },
  {
    what: 'own country, at night',
    traffic: pumped(['CO'], { from: 0, to: 4 }),
    bounds: { honest: 5, pump: 140 },
  },
  // With no guard at all the day of the service closes: 30.1 % of honest people, and 2,309 codes.
  {
    what: 'own country, 35 % entered',
    traffic: pumped(['CO'], { approved: 35 }),
    bounds: { honest: 28, pump: 780 },
  },
  // What tells the pump from people, where its codes do not.
  {
    what: 'own country, 35 % entered, captcha',
    traffic: { ...pumped(['CO'], { approved: 35 }), captcha: true },
    bounds: { honest: 0, pump: 1_200 },
  },
  {
    what: 'own country, 35 % entered, from 500 addresses',
    traffic: pumped(['CO'], { approved: 35, addresses: 500 }),
    bounds: { honest: 0, pump: 1_500 },
  },
  {
    what: 'own country, captcha',
    traffic: { ...pumped(['CO']), captcha: true },
    bounds: { honest: 0, pump: 370 },
  },
  { what: 'foreign country', traffic: pumped(['GB']), bounds: { honest: 0, pump: 100 }, always: true },
  {
    what: 'foreign country, 35 % entered',
    traffic: pumped(['GB'], { approved: 35 }),
    bounds: { honest: 0, pump: 490 },
  },
  {
    what: 'foreign country, 50 a day',
    traffic: pumped(['GB'], { sends: 50, from: 0, to: 24 }),
    bounds: { honest: 0, pump: 50 },
  },
  { what: '60 countries', traffic: pumped(many), bounds: { honest: 0, pump: 400 }, always: true },
  {
    what: '60 countries, 35 % entered',
    traffic: pumped(many, { approved: 35 }),
    bounds: { honest: 0, pump: 1_400 },
  },
]

const table: object[] = []
afterAll(() => console.table(table))

const chosen = days.filter(({ always }) => always || enough(0, { inFull: 1 }) === 1)

it.each(chosen)('a day of $what', async ({ what, traffic, bounds }) => {
  const seen = await live(traffic)
  const refused = (100 * seen.honestRefused) / seen.honest
  const told = seen.events.map((event) => `${event.type}${'country' in event ? ` ${event.country}` : ''}`)
  const row = { 'honest refused': `${refused.toFixed(1)} %`, 'codes to the pump': seen.pumpSent }
  table.push({ what, ...row, events: told.join(', ').slice(0, 100) })
  figure(15, `${what}: ${refused.toFixed(1)} % of honest sign-ups refused, ${seen.pumpSent} codes to a pump`)
  expect(refused).toBeLessThanOrEqual(bounds.honest)
  expect(seen.pumpSent).toBeLessThanOrEqual(bounds.pump)
  const suspects = seen.events.filter(({ type }) => type === 'spend.suspected')
  // Told once as an hour and once as a day, however long it lasts.
  const { suspicions = traffic.pump === undefined ? 0 : 4 } = bounds
  expect(suspects.length).toBeLessThanOrEqual(suspicions)
})
