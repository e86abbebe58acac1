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
import { createService, rightCode, type ServiceOptions } from '../service.js'

/** Somebody who is paid for the messages has codes sent to numbers of these countries. */
export interface Pump {
  readonly countries: readonly string[]
  readonly sends: number
  /** Hours of the day. */
  readonly from: number
  readonly to: number
  /** Per cent of his codes that he enters, to look honest. */
  readonly approved?: number
  /** From so many addresses, while every honest person has one: what `trust proxy` makes known. Default: nobody has one. */
  readonly addresses?: number
}

export interface Traffic {
  /** Of honest people, on each day before the one that is looked at. */
  readonly perDay: number
  /** Per cent of them who enter their code. */
  readonly conversion: number
  /** How many days came before. */
  readonly days: number
  /** On the day itself, where it is not a day like the others. */
  readonly onTheDay?: number
  readonly pump?: Pump
  readonly limits?: Partial<Limits>
  readonly guard?: ServiceOptions['signupGuard']
  /** Whether the host asks for a captcha where a country is suspected: people solve it, the pump does not. */
  readonly captcha?: boolean
}

export interface Seen {
  readonly honest: number
  readonly honestRefused: number
  readonly pumpSent: number
  /** Sent to the pump and proven by honest people, by the hour. */
  readonly hours: readonly { readonly pumped: number; readonly proven: number }[]
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

/**
 * Days of honest sign-ups that are completed within two minutes or not at all, then one on which somebody pumps. Without
 * addresses, as behind a proxy that `trust proxy` does not cover, the guard cannot tell one from the other.
 */
export async function live(traffic: Traffic): Promise<Seen> {
  const { perDay, conversion, days, onTheDay = perDay, pump, limits, guard, captcha } = traffic
  const random = seeded(perDay + conversion)
  const service = createService({
    countries: 'any',
    ...(limits && { limits }),
    signupGuard: { mode: 'enforce', ...guard },
  })
  service.wait(day - (service.now() % day))
  const midnight = service.now()
  let people = 0
  const honestDay = (start: number, count: number) =>
    honestTimes(count, random).map((at): Visit => {
      people += 1
      return { at: start + at, index: people, country: homeOf(random(100)), isPump: false, step: 'start' }
    })
  const before = Array.from({ length: days }, (_, index) => honestDay(index * day, perDay)).flat()
  const theDay = [...honestDay(days * day, onTheDay), ...pumpVisits(pump, days * day)]
  const starts = [...before, ...theDay]
  const completed = starts.flatMap((visit): Visit[] => {
    const share = visit.isPump ? (pump?.approved ?? 0) : conversion
    return random(100) < share ? [{ ...visit, at: visit.at + 15_000 + random(105_000), step: 'verify' }] : []
  })

  const tally = { honest: 0, honestRefused: 0, pumpSent: 0 }
  const hours = Array.from({ length: 25 }, () => ({ pumped: 0, proven: 0 }))
  let isTheDay = false
  for (const { at, index, country, isPump, step } of [...starts, ...completed].sort(
    (one, other) => one.at - other.at,
  )) {
    service.wait(Math.max(0, midnight + at - service.now()))
    if (!isTheDay && at >= days * day) {
      isTheDay = true
      service.events.length = 0
    }
    const inHour = hours[Math.floor((at - days * day) / hour)] ?? { pumped: 0, proven: 0 }
    const who = `${isPump ? 'pump' : 'honest'}-${country}-${index}`
    const visitor = {
      lane: 'enrol' as const,
      anonymous: true,
      subject: who,
      session: who,
      phone: numberOf(country, isPump ? 500_000 + index : index),
      purpose: 'signup',
      ...(pump?.addresses && { address: addressOf(isPump ? index % pump.addresses : index, isPump) }),
    }
    if (step === 'verify') {
      const { outcome } = await service.challenges.verify({ ...visitor, code: rightCode })
      if (outcome === 'approved' && !isPump) inHour.proven += 1
      continue
    }
    const beforeSend = ({ suspicion }: { suspicion?: unknown }) => suspicion === undefined || !isPump
    const { outcome } = await service.challenges.start(captcha ? { ...visitor, beforeSend } : visitor)
    if (isTheDay && !isPump) tally.honest += 1
    if (isTheDay && !isPump && outcome !== 'started') tally.honestRefused += 1
    if (isPump && outcome === 'started') {
      tally.pumpSent += 1
      inHour.pumped += 1
    }
    service.provider.sends.length = 0
    service.provider.checks.length = 0
  }
  const events = service.events.filter(({ type }) => /^(spend|limit)\./.test(type))
  return { ...tally, hours, events }
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

function pumpVisits(pump: Pump | undefined, start: number): readonly Visit[] {
  if (pump === undefined) return []
  const { countries, sends, from, to } = pump
  return Array.from({ length: sends }, (_, index) => ({
    at: start + from * hour + Math.floor((index * (to - from) * hour) / sends),
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
