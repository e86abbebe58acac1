import { describe, expect, it } from 'vitest'
import type { BeforeSend } from '../../../src/challenge/commands.js'
import { seeded } from '../../seeded.js'
import { day, hour, minute } from '../kit.js'
import { createService, rightCode } from '../service.js'

/** Of an attack of 108,000 sign-ups in six hours every thirtieth; PUMP=108000 runs all of them. */
const pumped = Number(process.env.PUMP ?? 3_600)
const conversion = 70

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

interface Attack {
  readonly country: 'CO' | 'MX'
  /** Whether the host asks for a captcha where a country is suspected: people solve it, the pump does not. */
  readonly captcha: boolean
}

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
async function live(perDay: number, attack?: Attack) {
  const random = seeded(perDay)
  const service = createService({ limits: lifted, signupGuard: { mode: 'enforce' } })
  service.wait(day - (service.now() % day))
  const midnight = service.now()
  const visits = [...honestVisits(perDay, random), ...(attack === undefined ? [] : pumpVisits(pumped))]
  const completed = visits.flatMap((visit) =>
    visit.who === 'honest' && random(100) < conversion
      ? [{ ...visit, at: visit.at + 15_000 + random(105_000), step: 'verify' as const }]
      : [],
  )
  const tally = { honest: 0, honestRefused: 0, pumpedThrough: 0 }
  const perHour: Record<string, number> = {}

  for (const { at, index, who, step } of [...visits, ...completed].sort((one, other) => one.at - other.at)) {
    service.wait(Math.max(0, midnight + at - service.now()))
    const isPump = who === 'pump'
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
      await service.challenges.verify({ ...visitor, code: rightCode })
      continue
    }
    const beforeSend: BeforeSend = ({ suspicion }) => suspicion === undefined || !isPump
    const { outcome } = await service.challenges.start(attack?.captcha ? { ...visitor, beforeSend } : visitor)
    if (!isPump) tally.honest += 1
    if (!isPump && outcome !== 'started') tally.honestRefused += 1
    if (isPump && outcome === 'started') {
      tally.pumpedThrough += 1
      const span = String(Math.floor(at / hour))
      perHour[span] = (perHour[span] ?? 0) + 1
    }
    service.provider.sends.length = 0
    service.provider.checks.length = 0
  }
  const mostInAnHour = Math.max(0, ...Object.values(perHour))
  return { ...tally, mostInAnHour, events: service.events.filter(({ type }) => type === 'spend.suspected') }
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`
const volumes = [100, 1_000, 10_000]

describe.each(volumes)('%i sign-ups a day, most of which are completed,', (perDay) => {
  it('are never refused nor suspected', async () => {
    const { honest, honestRefused, events } = await live(perDay)
    console.log(`${perDay} a day, no attack: ${percent(honestRefused, honest)} of honest people refused`)
    expect([honest, honestRefused, events]).toEqual([perDay, 0, []])
  }, 60_000)

  it('are never refused while another country is pumped, which gets 100 codes at most', async () => {
    const seen = await live(perDay, { country: 'MX', captcha: false })
    console.log(
      `${perDay} a day, ${pumped} pumped into another country: ${percent(seen.honestRefused, seen.honest)} of honest`,
      `people refused; let through: ${seen.mostInAnHour} in the worst hour, ${seen.pumpedThrough} in the day`,
    )
    expect(seen.honestRefused).toBe(0)
    expect(seen.mostInAnHour).toBeLessThanOrEqual(30)
    expect(seen.pumpedThrough).toBeLessThanOrEqual(100)
  }, 120_000)

  it('pass with a captcha while their own country is pumped', async () => {
    const seen = await live(perDay, { country: 'CO', captcha: true })
    console.log(
      `${perDay} a day, ${pumped} pumped into the same country, captcha: ${percent(seen.honestRefused, seen.honest)} of`,
      `honest people refused; let through: ${seen.mostInAnHour} in the worst hour, ${seen.pumpedThrough} in the day`,
    )
    expect(seen.honestRefused).toBe(0)
    // Twice what honest people prove in the hour stays open, so that a rush of them is never suspected.
    const provenInBusiestHour = (perDay * conversion * 2) / 100 / 24
    expect(seen.mostInAnHour).toBeLessThanOrEqual(Math.max(30, 3 * provenInBusiestHour))
    expect(seen.pumpedThrough).toBeLessThan(pumped)
  }, 120_000)
})

it('a day has its rush hours', () => {
  const visits = honestVisits(1_000, seeded(1))
  const within = (from: number) => visits.filter(({ at }) => at >= from && at < from + 60 * minute).length
  expect(within(12 * hour)).toBeGreaterThan(3 * within(0))
})
