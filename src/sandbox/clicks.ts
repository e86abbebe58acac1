import type { Request } from 'express'
import type { premiumCategories, statisticCategories } from '../provider/parameter-schemas.js'
import { detached } from './bounded-memory.js'

const unknown = 'unknown'

/**
 * The request header that says where a click comes from, as a provider would read it from the address:
 * `X-Sandbox-Place: CO/Antioquia/Medell%C3%ADn` (country code, region, city, percent-encoded).
 */
const placeHeader = 'X-Sandbox-Place'

const maxLength = 64

/** What one click reveals about its visitor. */
export type Click = ReturnType<typeof readClick>

/** Reads the user agent, language and place of a visitor; whatever is missing is `unknown`. */
export function readClick(request: Request, at: number) {
  const [country = '', region, city] = (request.get(placeHeader) ?? '').split('/').map(decoded)
  const { device, brand, model, operatingSystem, browser } = readUserAgent(request.get('user-agent') ?? '')
  // The best language of the header; Express returns * when there is none.
  const [language] = request.acceptsLanguages()
  return {
    at,
    countryIsoCode: named(/^[a-z]{2}$/i.exec(country)?.[0].toUpperCase()),
    region: named(region),
    city: named(city),
    device: named(device),
    brand: named(brand),
    model: named(model),
    operatingSystem: named(operatingSystem),
    browser: named(browser),
    lang: named(language === '*' ? undefined : language),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).trim()
  } catch (error) {
    if (error instanceof URIError) return ''
    throw error
  }
}

function named(text: string | undefined): string {
  return text === undefined || text === '' ? unknown : detached(text.slice(0, maxLength))
}

type Patterns = readonly (readonly [name: string, pattern: RegExp])[]

// In order: most browsers also claim to be those further down.
const browsers: Patterns = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\/|Opera/],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS)\//],
  ['Mobile Safari', /Version\/.*Mobile.*Safari\//],
  ['Safari', /Version\/.*Safari\//],
]
const systems: Patterns = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad|iPod/],
  ['Windows', /Windows/],
  ['Mac OS', /Mac OS X|Macintosh/],
  ['Chromium OS', /CrOS/],
  ['Linux', /Linux/],
]
const brands: Patterns = [
  ['Apple', /iPhone|iPad|Macintosh/],
  ['Samsung', /\b(?:SM|GT)-[A-Z]/],
  ['Google', /\bPixel/],
  ['Huawei', /\b(?:HUAWEI|[A-Z]{3}-L[0-9X])/],
  ['Xiaomi', /\b(?:Redmi|POCO|Mi [0-9A]|M2\d{3})/],
  ['Motorola', /\bmoto/i],
]

/** What a User-Agent header says of what click statistics need, undefined where it is silent: common browsers and phones. */
export function readUserAgent(header: string) {
  const text = header.slice(0, 500)
  const nameIn = (patterns: Patterns) => patterns.find(([, pattern]) => pattern.test(text))?.[0]
  const operatingSystem = nameIn(systems)
  return {
    device: operatingSystem && deviceOf(text),
    brand: nameIn(brands),
    model: /iPhone|iPad|Macintosh/.exec(text)?.[0] ?? androidModel.exec(text)?.[1],
    operatingSystem,
    browser: nameIn(browsers),
  }
}

/** The last member of `(Linux; Android 14; Pixel 8 Build/…)`; browsers that reduce the header write K. */
const androidModel = /Android [\d.]+; (?!K\))([^;)]+?)(?: Build\/[^;)]*)?\)/

function deviceOf(text: string): string {
  if (/iPad|Tablet|Android(?!.*Mobile)/.test(text)) return 'tablet'
  return /Mobile|iPhone/.test(text) ? 'mobile' : 'desktop'
}

export type Category = (typeof statisticCategories)[number] | (typeof premiumCategories)[number]

type Row = Readonly<Record<string, string>>

const dayOf = ({ at }: Click) => new Date(at).toISOString().slice(0, 10)
const hourOf = ({ at }: Click) => new Date(at).toISOString().slice(11, 13)

/** What a row of each category is about: clicks with equal rows are counted together. Days and hours are UTC. */
const rows: Readonly<Record<Category, (click: Click) => Row>> = {
  date: (click) => ({ property: dayOf(click) }),
  hour: (click) => ({ property: hourOf(click), date: dayOf(click) }),
  country: ({ countryIsoCode }) => ({ property: countryIsoCode }),
  region: ({ region }) => ({ property: region }),
  city: ({ city, countryIsoCode, region }) => ({ property: city, countryIsoCode, region }),
  device: ({ device }) => ({ property: device }),
  brand: ({ brand }) => ({ property: brand }),
  model: ({ model }) => ({ property: model }),
  operatingSystem: ({ operatingSystem }) => ({ property: operatingSystem }),
  browser: ({ browser }) => ({ property: browser }),
  lang: ({ lang }) => ({ property: lang }),
}

/** The rows of one category over these clicks: in order of time, or beginning with the most clicks. */
export function tally(category: Category, clicks: readonly Click[]): readonly object[] {
  const counted = new Map<string, { readonly row: Row; clicks: number }>()
  for (const click of clicks) {
    const row = rows[category](click)
    const key = JSON.stringify(row)
    const known = counted.get(key)
    if (known === undefined) counted.set(key, { row, clicks: 1 })
    else known.clicks += 1
  }
  // Clicks come in order of time already, and the sort is stable.
  const tallies = [...counted.values()]
  if (category !== 'date' && category !== 'hour') tallies.sort((one, other) => other.clicks - one.clicks)
  return tallies.map(({ row, clicks: count }) => {
    const percent = Math.round((count / clicks.length) * 10_000) / 100
    return { [category]: { ...row, clicks: count, percent } }
  })
}
