import type { Request } from 'express'
import { detached } from './detached.js'
import { readUserAgent } from './user-agent.js'

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
