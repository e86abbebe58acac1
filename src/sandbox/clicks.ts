import type { Request } from 'express'
import type { premiumCategories, statisticCategories } from '../provider/parameter-schemas.js'
import { detached } from './bounded-memory.js'

/** What one click reveals about its visitor. */
export interface Click {
  readonly at: number
  readonly countryIsoCode: string
  readonly region: string
  readonly city: string
  readonly device: string
  readonly brand: string
  readonly model: string
  readonly operatingSystem: string
  readonly browser: string
  readonly lang: string
}

const unknown = 'unknown'

/**
 * The request header that says where a click comes from, as a provider would read it from the address:
 * `X-Sandbox-Place: CO/Antioquia/Medell%C3%ADn` (country code, region, city, percent-encoded).
 */
const placeHeader = 'X-Sandbox-Place'

const maxLength = 64

/** Reads the user agent, language and place of a visitor; whatever is missing is `unknown`. */
export function readClick(request: Request, at: number): Click {
  const [country, region, city] = placeOf(request.get(placeHeader) ?? '')
  const { device, brand, model, operatingSystem, browser } = readUserAgent(request.get('user-agent') ?? '')
  // The best language of the header; Express returns * when there is none.
  const [language] = request.acceptsLanguages()
  return {
    at,
    countryIsoCode: country,
    region,
    city,
    device: named(device),
    brand: named(brand),
    model: named(model),
    operatingSystem: named(operatingSystem),
    browser: named(browser),
    lang: named(language === '*' ? undefined : language),
  }
}

function placeOf(header: string): [string, string, string] {
  const [country, region, city] = header.split('/').map(decoded)
  const code = country?.toUpperCase() ?? ''
  return [/^[A-Z]{2}$/.test(code) ? code : unknown, named(region), named(city)]
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

/** One row of the statistics under the name of its category. */
export type Metric = { readonly [Name in Category]?: Readonly<Record<string, string | number>> }

interface Grouping {
  /** What a row is about; clicks with equal rows are counted together. */
  readonly row: (click: Click) => Readonly<Record<string, string>> & { readonly property: string }
  readonly percent?: true
  /** In order of time; the others begin with the most clicks. */
  readonly byTime?: true
}

const dayOf = ({ at }: Click) => new Date(at).toISOString().slice(0, 10)
const hourOf = ({ at }: Click) => new Date(at).toISOString().slice(11, 13)

/** How each category groups clicks: the members are those of the specification. Days and hours are UTC. */
const groupings: Readonly<Record<Category, Grouping>> = {
  date: { byTime: true, row: (click) => ({ property: dayOf(click) }) },
  hour: { byTime: true, row: (click) => ({ property: hourOf(click), date: dayOf(click) }) },
  country: { row: ({ countryIsoCode }) => ({ property: countryIsoCode }) },
  region: { row: ({ region }) => ({ property: region }) },
  city: {
    percent: true,
    row: ({ city, countryIsoCode, region }) => ({ property: city, countryIsoCode, region }),
  },
  device: { row: ({ device }) => ({ property: device }) },
  brand: { percent: true, row: ({ brand }) => ({ property: brand }) },
  model: { percent: true, row: ({ model }) => ({ property: model }) },
  operatingSystem: { row: ({ operatingSystem }) => ({ property: operatingSystem }) },
  browser: { row: ({ browser }) => ({ property: browser }) },
  lang: { row: ({ lang }) => ({ property: lang }) },
}

/** The rows of one category over these clicks. */
export function tally(category: Category, clicks: readonly Click[]): readonly Metric[] {
  const { row, percent, byTime } = groupings[category]
  const counted = new Map<string, { readonly row: ReturnType<Grouping['row']>; clicks: number }>()
  for (const click of clicks) {
    const about = row(click)
    const key = JSON.stringify(about)
    const known = counted.get(key)
    if (known === undefined) counted.set(key, { row: about, clicks: 1 })
    else known.clicks += 1
  }
  // Clicks come in order of time already, and the sort is stable.
  const rows = [...counted.values()]
  if (!byTime) rows.sort((one, other) => other.clicks - one.clicks)
  return rows.map(({ row: { property, ...rest }, clicks: count }) => ({
    [category]: {
      property,
      clicks: count,
      ...rest,
      ...(percent && { percent: Math.round((count / clicks.length) * 10_000) / 100 }),
    },
  }))
}
