import { afterAll, expect, it } from 'vitest'
import { enough } from '../../in-full.js'
import { figure } from '../../prove/figure.js'
import { foreign, live, type Pump, type Traffic } from './traffic.js'

/** What a day of traffic may cost: honest people refused, in per cent, codes sent to a pump, and suspicions told. */
interface Bounds {
  readonly honest: number
  readonly pump: number
  readonly suspicions: number
}

const oneEach = { honest: 1_000_000, pump: 500 }
const usual: Traffic = { people: 1_000, conversion: 70, addresses: oneEach }
const pump = { sends: 2_400, from: 9, to: 15 }
const oneMillion = 1_000_000
/** For the day of a launch. */
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
const unknown = (traffic: Traffic): Traffic => ({ ...traffic, addresses: undefined })
const shared = (traffic: Traffic): Traffic => ({ ...traffic, addresses: { honest: 100, pump: 500 } })
const many = foreign.slice(0, 60)

const days: readonly Day[] = [
  {
    what: 'no attack, 70 % are completed',
    traffic: usual,
    bounds: { honest: 0, pump: 0, suspicions: 0 },
    always: true,
  },
  {
    what: 'no attack, 50 %',
    traffic: { ...usual, conversion: 50 },
    bounds: { honest: 0, pump: 0, suspicions: 0 },
  },
  // Two for each that is completed stay unproven where a third are: fewer are suspect, and whose network has wasted
  // nothing is refused nothing.
  {
    what: 'no attack, 30 %',
    traffic: { ...usual, conversion: 30 },
    bounds: { honest: 0, pump: 0, suspicions: 14 },
  },
  {
    what: 'no attack, 30 %, no address known',
    traffic: unknown({ ...usual, conversion: 30 }),
    bounds: { honest: 74, pump: 0, suspicions: 2 },
  },
  {
    what: 'a launch of 20,000, limits raised',
    traffic: { ...usual, people: 20_000, limits: raised },
    bounds: { honest: 0, pump: 0, suspicions: 0 },
  },
  {
    what: 'own country',
    traffic: pumped(['CO']),
    bounds: { honest: 0, pump: 800, suspicions: 9 },
    always: true,
  },
  {
    what: 'own country, at night',
    traffic: pumped(['CO'], { from: 0, to: 4 }),
    bounds: { honest: 0, pump: 520, suspicions: 5 },
  },
  {
    what: 'own country, people share 100 addresses',
    traffic: shared(pumped(['CO'])),
    bounds: { honest: 52, pump: 520, suspicions: 6 },
  },
  {
    what: 'own country, no address known',
    traffic: unknown(pumped(['CO'])),
    bounds: { honest: 37, pump: 200, suspicions: 7 },
  },
  {
    what: 'own country, captcha, no address known',
    traffic: { ...unknown(pumped(['CO'])), captcha: true },
    bounds: { honest: 0, pump: 500, suspicions: 7 },
  },
  // It looks as honest people do, and the limits of the service bound it: with those of 30.1 % of honest people.
  {
    what: 'own country, 35 % entered',
    traffic: pumped(['CO'], { approved: 35 }),
    bounds: { honest: 31, pump: 2_310, suspicions: 4 },
  },
  {
    what: 'own country, 35 % entered, captcha',
    traffic: { ...pumped(['CO'], { approved: 35 }), captcha: true },
    bounds: { honest: 31, pump: 2_310, suspicions: 4 },
  },
  {
    what: 'foreign country',
    traffic: pumped(['GB']),
    bounds: { honest: 0, pump: 510, suspicions: 6 },
    always: true,
  },
  {
    what: 'foreign country, no address known',
    traffic: unknown(pumped(['GB'])),
    bounds: { honest: 0, pump: 100, suspicions: 5 },
  },
  {
    what: 'foreign country, 35 % entered',
    traffic: pumped(['GB'], { approved: 35 }),
    bounds: { honest: 0, pump: 1_600, suspicions: 8 },
  },
  {
    what: '60 countries',
    traffic: pumped(many),
    bounds: { honest: 0, pump: 820, suspicions: 5 },
    always: true,
  },
  {
    what: '60 countries, no address known',
    traffic: unknown(pumped(many)),
    bounds: { honest: 31, pump: 2_310, suspicions: 8 },
  },
]

const table: object[] = []
afterAll(() => console.table(table))

const chosen = days.filter(({ always }) => always || enough(0, { inFull: 1 }) === 1)

it.each(chosen)('a day of $what', async ({ what, traffic, bounds }) => {
  const seen = await live(traffic)
  const refused = (100 * seen.honestRefused) / seen.honest
  const suspicions = seen.events.filter(({ type }) => type === 'spend.suspected').length
  table.push({
    what,
    'honest refused': `${refused.toFixed(1)} %`,
    'codes to the pump': seen.pumpSent,
    suspicions,
  })
  figure(15, `${what}: ${refused.toFixed(1)} % of honest sign-ups refused, ${seen.pumpSent} codes to a pump`)
  expect(refused).toBeLessThanOrEqual(bounds.honest)
  expect(seen.pumpSent).toBeLessThanOrEqual(bounds.pump)
  expect(suspicions).toBeLessThanOrEqual(bounds.suspicions)
})
