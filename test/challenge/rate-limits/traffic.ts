import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
} from 'libphonenumber-js/mobile'
import examples from 'libphonenumber-js/mobile/examples'
import type { Limits } from '../../../src/challenge/limits.js'
import type { EventBody } from '../../../src/events.js'
import { seeded } from '../../seeded.js'
import { day, hour } from '../kit.js'
import { createService, rightCode } from '../service.js'

/** Somebody who is paid for the messages has codes sent to numbers of these countries. */
export interface Pump {
  readonly countries: readonly string[]
  readonly sends: number
  /** Hours of the day. */
  readonly from: number
  readonly to: number
  /** Per cent of his codes that he enters, to look honest. */
  readonly approved?: number
}

export interface Traffic {
  /** Honest people on the day. */
  readonly people: number
  /** Per cent of them who enter their code. */
  readonly conversion: number
  /** From how many addresses honest people come and the pump does. Absent: no address is known. */
  readonly addresses?: { readonly honest: number; readonly pump: number } | undefined
  readonly pump?: Pump
  readonly limits?: Partial<Limits>
  /** Whether the host asks for a captcha where a country is suspected: people solve it, the pump does not. */
  readonly captcha?: boolean
}

export interface Seen {
  readonly honest: number
  readonly honestRefused: number
  readonly pumpSent: number
  readonly events: readonly EventBody[]
}

/** Where honest people come from, in parts of a hundred. */
const home = { CO: 88, MX: 8, PE: 4 } as const

interface Visit {
  readonly at: number
  readonly index: number
  readonly country: string
  readonly isPump: boolean
  readonly step: 'start' | 'verify'
}

/** A day of honest sign-ups, which are completed within two minutes or not at all, and on which somebody may pump. */
export async function live(traffic: Traffic): Promise<Seen> {
  const { people, conversion, addresses, pump, limits, captcha } = traffic
  const random = seeded(people + conversion)
  const service = createService({
    countries: 'any',
    ...(limits && { limits }),
    signupGuard: { mode: 'enforce' },
  })
  service.wait(day - (service.now() % day))
  const midnight = service.now()
  const honest = honestTimes(people, random).map((at, index): Visit => {
    return { at, index, country: homeOf(random(100)), isPump: false, step: 'start' }
  })
  const starts = [...honest, ...pumpVisits(pump)]
  const completed = starts.flatMap((visit): Visit[] => {
    const share = visit.isPump ? (pump?.approved ?? 0) : conversion
    return random(100) < share ? [{ ...visit, at: visit.at + 15_000 + random(105_000), step: 'verify' }] : []
  })

  const tally = { honest: 0, honestRefused: 0, pumpSent: 0 }
  for (const { at, index, country, isPump, step } of [...starts, ...completed].sort(
    (one, other) => one.at - other.at,
  )) {
    service.wait(Math.max(0, midnight + at - service.now()))
    const who = `${isPump ? 'pump' : 'honest'}-${country}-${index}`
    const visitor = {
      lane: 'enrol' as const,
      subject: who,
      session: who,
      phone: numberOf(country, isPump ? 500_000 + index : index),
      purpose: 'signup',
      ...(addresses && { address: addressOf(index % addresses[isPump ? 'pump' : 'honest'], isPump) }),
    }
    if (step === 'verify') {
      await service.challenges.verify({ ...visitor, code: rightCode })
      continue
    }
    const beforeSend = ({ suspicion }: { suspicion?: unknown }) => suspicion === undefined || !isPump
    const { outcome } = await service.challenges.start(captcha ? { ...visitor, beforeSend } : visitor)
    if (!isPump) tally.honest += 1
    if (!isPump && outcome !== 'started') tally.honestRefused += 1
    if (isPump && outcome === 'started') tally.pumpSent += 1
    service.provider.sends.length = 0
    service.provider.checks.length = 0
  }
  const events = service.events.filter(({ type }) => type.startsWith('spend.'))
  return { ...tally, events }
}

/** Ten times as busy at noon as at midnight. */
function honestTimes(count: number, random: (below: number) => number): readonly number[] {
  const times: number[] = []
  while (times.length < count) {
    const at = random(day)
    const busyness = 55 - 45 * Math.cos((2 * Math.PI * at) / day)
    if (random(100) < busyness) times.push(at)
  }
  return times
}

function homeOf(percent: number): string {
  if (percent < home.CO) return 'CO'
  return percent < home.CO + home.MX ? 'MX' : 'PE'
}

function pumpVisits(pump: Pump | undefined): readonly Visit[] {
  if (pump === undefined) return []
  const { countries, sends, from, to } = pump
  return Array.from({ length: sends }, (_, index) => ({
    at: from * hour + Math.floor((index * (to - from) * hour) / sends),
    index: Math.floor(index / countries.length),
    country: countries[index % countries.length] ?? '',
    isPump: true,
    step: 'start' as const,
  }))
}

const addressOf = (index: number, isPump: boolean) =>
  `${isPump ? 10 : 11}.${index >> 16}.${(index >> 8) & 255}.${index & 255}`

/** A mobile number of a country, by the last digits of one that is known to exist. */
export function numberOf(country: string, index: number): string {
  const example = exampleOf(country)
  if (country === 'CO') return `+57300${1_000_000 + index}`
  if (country === 'MX') return `+5255${20_000_000 + index}`
  if (country === 'PE') return `+519${80_000_000 + index}`
  return `${example.slice(0, -4)}${String((Number(example.slice(-4)) + index) % 10_000).padStart(4, '0')}`
}

const exampleOf = (country: string) => String(getExampleNumber(country as CountryCode, examples)?.number)

/** Countries in which nobody honest signs up, each with a calling code of its own. */
export const foreign: readonly string[] = getCountries().filter((country, index, all) => {
  const code = getCountryCallingCode(country)
  const isFirst = all.findIndex((other) => getCountryCallingCode(other) === code) === index
  return isFirst && !Object.hasOwn(home, country) && exampleOf(country).length > 8
})
