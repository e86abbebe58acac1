import { afterAll, describe, expect, it } from 'vitest'
import type { BeforeSend } from '../../../src/challenge/commands.js'
import { enough } from '../../in-full.js'
import { seeded } from '../../seeded.js'
import { day, hour, minute } from '../kit.js'
import { createService, rightCode } from '../service.js'

/** Sign-ups in six hours: far more than the guard lets through. The table of docs/cost.md is of 108,000. */
const pumped = enough(3_600, { inFull: 108_000 })
/** Few sign-ups stay below the floors of the guard, many are measured by its ratio. */
const signUpsADay = [100, 1_000, enough(1_000, { inFull: 10_000 })]
const conversion = 70
const patience = 240_000 + 5 * pumped

/** So that the guard alone decides: the limits of a service would hold back both sides. */
const lifted = {
  serviceSendsPerMinute: 1_000_000,
  serviceEnrolSendsPerHour: 1_000_000,
  serviceEnrolSendsPerDay: 1_000_000,
}

const numbers = {
  CO: (index: number) => `+57300${1_000_000 + index}`,
  MX: (index: number) => `+5255${20_000_000 + index}`,
}

const floors = { hour: 30, day: 100 }

interface Attack {
  readonly country: 'CO' | 'MX'
  /** Whether the host asks for a captcha where a country is suspected: people solve it, the pump does not. */
  readonly captcha: boolean
}

interface Row {
  readonly 'sign-ups a day': number
  readonly pumped: string
  readonly ratio: number
  readonly 'honest refused': string
  readonly 'let through in the worst hour': number
  /** The greater of the floor and `ratio` times the numbers that honest people of the country proved in it. */
  readonly 'of at most': number
  readonly 'let through in the day': number
}

const table: Row[] = []
afterAll(() => console.table(table))

interface Visit {
  readonly at: number
  readonly index: number
  readonly who: 'honest' | 'pump'
  readonly step: 'start' | 'verify'
}

/** Ten times as busy at noon as at midnight. */
function honestVisits(perDay: number, random: (below: number) => number): readonly Visit[] {
  const visits: Visit[] = []
  for (let index = 0; visits.length < perDay; index += 1) {
    const at = random(day)
    const busyness = 55 - 45 * Math.cos((2 * Math.PI * at) / day)
    if (random(100) < busyness) visits.push({ at, index, who: 'honest', step: 'start' })
  }
  return visits.map((visit, index) => ({ ...visit, index }))
}

const pumpVisits = (count: number): readonly Visit[] =>
  Array.from({ length: count }, (_, index) => ({
    at: 9 * hour + Math.floor((index * 6 * hour) / count),
    index,
    who: 'pump',
    step: 'start',
  }))

/** A day of honest sign-ups from Colombia, 70 % of which are completed within two minutes, and an attack or none. */
async function live(perDay: number, { attack, ratio = 2 }: { attack?: Attack; ratio?: number } = {}) {
  const random = seeded(perDay)
  const service = createService({ limits: lifted, signupGuard: { mode: 'enforce', ratio } })
  service.wait(day - (service.now() % day))
  const midnight = service.now()
  const visits = [...honestVisits(perDay, random), ...(attack === undefined ? [] : pumpVisits(pumped))]
  const completed = visits.flatMap((visit) =>
    visit.who === 'honest' && random(100) < conversion
      ? [{ ...visit, at: visit.at + 15_000 + random(105_000), step: 'verify' as const }]
      : [],
  )
  const tally = { honest: 0, honestRefused: 0, pumpedThrough: 0 }
  const hours = Array.from({ length: 25 }, () => ({ pumped: 0, proven: 0 }))

  for (const { at, index, who, step } of [...visits, ...completed].sort((one, other) => one.at - other.at)) {
    service.wait(Math.max(0, midnight + at - service.now()))
    const isPump = who === 'pump'
    const inHour = hours[Math.floor(at / hour)] ?? { pumped: 0, proven: 0 }
    const number = numbers[isPump ? (attack?.country ?? 'CO') : 'CO'](isPump ? 1_000_000 + index : index)
    const visitor = {
      lane: 'enrol' as const,
      anonymous: true,
      subject: `${who}-${index}`,
      session: `${who}-${index}`,
      phone: number,
      purpose: 'signup',
    }
    if (step === 'verify') {
      const { outcome } = await service.challenges.verify({ ...visitor, code: rightCode })
      if (outcome === 'approved' && attack?.country !== 'MX') inHour.proven += 1
      continue
    }
    const beforeSend: BeforeSend = ({ suspicion }) => suspicion === undefined || !isPump
    const { outcome } = await service.challenges.start(attack?.captcha ? { ...visitor, beforeSend } : visitor)
    if (!isPump) tally.honest += 1
    if (!isPump && outcome !== 'started') tally.honestRefused += 1
    if (isPump && outcome === 'started') {
      tally.pumpedThrough += 1
      inHour.pumped += 1
    }
    service.provider.sends.length = 0
    service.provider.checks.length = 0
  }
  const bounds = hours.map(({ pumped: through, proven }) => ({
    through,
    bound: Math.max(floors.hour, ratio * proven),
  }))
  const worst = bounds.reduce((one, other) => (other.through > one.through ? other : one))
  table.push({
    'sign-ups a day': perDay,
    pumped:
      attack === undefined
        ? 'none'
        : `${pumped} into ${attack.country === 'CO' ? 'the same' : 'another'} country`,
    ratio,
    'honest refused': percent(tally.honestRefused, tally.honest),
    'let through in the worst hour': worst.through,
    'of at most': worst.bound,
    'let through in the day': tally.pumpedThrough,
  })
  return { ...tally, bounds, events: service.events.filter(({ type }) => type === 'spend.suspected') }
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`

describe.each([...new Set(signUpsADay)])('%i sign-ups a day, most of which are completed,', (perDay) => {
  it.each([2, 1])(
    'are never refused nor suspected with a ratio of %i',
    async (ratio) => {
      const { honest, honestRefused, events } = await live(perDay, { ratio })
      expect([honest, honestRefused, events]).toEqual([perDay, 0, []])
    },
    patience,
  )

  it(
    'are never refused while another country is pumped, which gets 100 codes at most',
    async () => {
      const seen = await live(perDay, { attack: { country: 'MX', captcha: false } })
      expect(seen.honestRefused).toBe(0)
      for (const { through } of seen.bounds) expect(through).toBeLessThanOrEqual(floors.hour)
      expect(seen.pumpedThrough).toBeLessThanOrEqual(floors.day)
    },
    patience,
  )

  it.each([2, 1])(
    'pass with a captcha while their own country is pumped, with a ratio of %i',
    async (ratio) => {
      const seen = await live(perDay, { attack: { country: 'CO', captcha: true }, ratio })
      expect(seen.honestRefused).toBe(0)
      // `ratio` times what honest people prove in the hour stays open, so that a rush of them is never suspected.
      for (const { through, bound } of seen.bounds) expect(through).toBeLessThanOrEqual(bound)
      expect(seen.pumpedThrough).toBeLessThan(pumped)
    },
    patience,
  )
})

it('a day has its rush hours', () => {
  const visits = honestVisits(1_000, seeded(1))
  const within = (from: number) => visits.filter(({ at }) => at >= from && at < from + 60 * minute).length
  expect(within(12 * hour)).toBeGreaterThan(3 * within(0))
})
