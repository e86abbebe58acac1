import type { Request } from 'express'
import type { premiumCategories, statisticCategories } from '../../provider/parameter-schemas.js'

const unknown = 'unknown'

/**
 * The request header that simulates the place of a click, which a provider derives from the address:
 * `X-Sandbox-Place: CO/Antioquia/Medell%C3%ADn` (country code, region, city, percent-encoded).
 */
const placeHeader = 'X-Sandbox-Place'

export type Category = (typeof statisticCategories)[number] | (typeof premiumCategories)[number]

/** One click: its time, and its value in each category. */
export type Click = Readonly<Record<Category, string>> & { readonly at: number }

/** Reads user agent, language and place of a visitor. A missing value is `unknown`. */
export function readClick(request: Request, at: number): Click {
  const [country = '', region, city] = (request.get(placeHeader) ?? '').split('/').map(decoded)
  // The preferred language of the header. Express returns * without the header.
  const [language] = request.acceptsLanguages()
  const [date, time] = new Date(at).toISOString().split('T')
  const seen: Readonly<Record<Category, string | undefined>> = {
    // Days and hours are UTC.
    date,
    hour: time?.slice(0, 2),
    country: /^[a-z]{2}$/i.exec(country)?.[0].toUpperCase(),
    region,
    city,
    ...readUserAgent(request.get('user-agent') ?? ''),
    lang: language === '*' ? undefined : language,
  }
  const names = Object.entries(seen).map(([category, text]) => [category, named(text)])
  return { at, ...Object.fromEntries(names) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).trim()
  } catch {
    return ''
  }
}

function named(text: string | undefined): string {
  return text === undefined || text === '' ? unknown : text
}

type Patterns = readonly (readonly [name: string, pattern: RegExp])[]

// The order matters: most browsers also claim to be the browsers further down.
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

/** Reads common browsers and phones from a User-Agent header, for click statistics; undefined for missing parts. */
export function readUserAgent(text: string) {
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

/** Further members of a row: the hours of two days are two rows, and so are two cities with one name. */
const further: { readonly [Name in Category]?: (click: Click) => object } = {
  hour: ({ date }) => ({ date }),
  city: ({ country, region }) => ({ countryIsoCode: country, region }),
}

/** Returns the rows of one category over these clicks: by time, or by number of clicks, highest first. */
export function tally(category: Category, clicks: readonly Click[]): readonly object[] {
  const counted = new Map<string, { readonly row: object; clicks: number }>()
  for (const click of clicks) {
    const row = { property: click[category], ...further[category]?.(click) }
    const key = JSON.stringify(row)
    const known = counted.get(key)
    if (known === undefined) counted.set(key, { row, clicks: 1 })
    else known.clicks += 1
  }
  // Clicks are in order of time already, and the sort is stable.
  const tallies = [...counted.values()]
  if (category !== 'date' && category !== 'hour') tallies.sort((one, other) => other.clicks - one.clicks)
  return tallies.map(({ row, clicks: count }) => {
    const percent = Math.round((count / clicks.length) * 10_000) / 100
    return { [category]: { ...row, clicks: count, percent } }
  })
}
