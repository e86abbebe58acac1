/** What a User-Agent header says about its visitor; what it does not say is undefined. */
export interface Visitor {
  readonly device?: string
  readonly brand?: string
  readonly model?: string
  readonly operatingSystem?: string
  readonly browser?: string
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

/** Reads what click statistics need: common browsers and phones, no more. */
export function readUserAgent(header: string): Visitor {
  const text = header.slice(0, 500)
  const nameIn = (patterns: Patterns) => patterns.find(([, pattern]) => pattern.test(text))?.[0]
  const operatingSystem = nameIn(systems)
  const brand = nameIn(brands)
  const model = /iPhone|iPad|Macintosh/.exec(text)?.[0] ?? androidModel.exec(text)?.[1]
  const browser = nameIn(browsers)
  return {
    ...(operatingSystem !== undefined && { device: deviceOf(text), operatingSystem }),
    ...(brand !== undefined && { brand }),
    ...(model !== undefined && { model }),
    ...(browser !== undefined && { browser }),
  }
}

/** The last member of `(Linux; Android 14; Pixel 8 Build/…)`; browsers that reduce the header write K. */
const androidModel = /Android [\d.]+; (?!K\))([^;)]+?)(?: Build\/[^;)]*)?\)/

function deviceOf(text: string): string {
  if (/iPad|Tablet|Android(?!.*Mobile)/.test(text)) return 'tablet'
  return /Mobile|iPhone/.test(text) ? 'mobile' : 'desktop'
}
