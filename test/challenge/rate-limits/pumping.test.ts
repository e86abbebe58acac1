import { expect, it } from 'vitest'
import { enough } from '../../in-full.js'
import { figure } from '../../prove/figure.js'
import { foreign, live, type Pump, type Traffic } from './traffic.js'

const usual: Traffic = { people: 1_000, conversion: 70, addresses: { honest: 1_000_000, pump: 500 } }
const pumped = (countries: readonly string[], more: Partial<Pump> = {}): Traffic => ({
  ...usual,
  pump: { sends: 2_400, from: 9, to: 15, countries, ...more },
})
const unknown = (traffic: Traffic): Traffic => ({ ...traffic, addresses: undefined })
const shared = (traffic: Traffic): Traffic => ({ ...traffic, addresses: { honest: 100, pump: 500 } })
const oneMillion = 1_000_000
/** For the day of a launch. */
const raised = { serviceEnrolSendsPerHour: oneMillion, serviceEnrolSendsPerDay: oneMillion }
const many = foreign.slice(0, 60)

/** What it may cost at most: honest people refused, in per cent, codes sent to a pump, and suspicions told. */
type Bounds = readonly [honest: number, pump: number, suspicions: number]
type Day = readonly [what: string, Traffic, Bounds]

/** Lived in every run. */
const few: readonly Day[] = [
  ['no attack, 70 % are completed', usual, [0, 0, 0]],
  ['own country', pumped(['CO']), [0, 800, 9]],
  ['foreign country', pumped(['GB']), [0, 510, 6]],
  ['60 countries', pumped(many), [0, 820, 5]],
]

/** By `npm run prove`, too. */
const more: readonly Day[] = [
  // Two for each that is completed stay unproven where a third are: fewer are suspect, and whose network has wasted
  // nothing is refused nothing.
  ['no attack, 30 %', { ...usual, conversion: 30 }, [0, 0, 14]],
  ['no attack, 30 %, no address known', unknown({ ...usual, conversion: 30 }), [74, 0, 2]],
  ['a launch of 20,000, limits raised', { ...usual, people: 20_000, limits: raised }, [0, 0, 0]],
  ['own country, people share 100 addresses', shared(pumped(['CO'])), [52, 520, 6]],
  ['own country, no address known', unknown(pumped(['CO'])), [37, 200, 7]],
  ['the same with a captcha', { ...unknown(pumped(['CO'])), captcha: true }, [0, 500, 7]],
  // It looks as honest people do, and the limits of the service bound it: with those of 30.1 % of honest people.
  ['own country, 35 % entered', pumped(['CO'], { approved: 35 }), [31, 2_310, 4]],
  ['foreign country, no address known', unknown(pumped(['GB'])), [0, 100, 5]],
  ['60 countries, no address known', unknown(pumped(many)), [31, 2_310, 8]],
]

const days = [...few, ...more.slice(0, enough(0, { inFull: more.length }))]

it.each(days)('a day of %s', async (what, traffic, [honest, pump, suspicions]) => {
  const seen = await live(traffic)
  const refused = (100 * seen.honestRefused) / seen.honest
  figure(15, `${what}: ${refused.toFixed(1)} % of honest sign-ups refused, ${seen.pumpSent} codes to a pump`)
  expect(refused).toBeLessThanOrEqual(honest)
  expect(seen.pumpSent).toBeLessThanOrEqual(pump)
  const told = seen.events.filter(({ type }) => type === 'spend.suspected')
  expect(told.length).toBeLessThanOrEqual(suspicions)
})
