import type { Request } from 'express'

type Sign = readonly [name: string, sign: RegExp]

// Nothing but the names on the left comes out of it, whatever a client sends. The first that fits: each browser claims
// to be those below it, too.

/** `Sec-CH-UA`: what a browser of the Chromium family calls itself. */
const brands: readonly Sign[] = [
  ['Edge', /"Microsoft Edge"/],
  ['Opera', /"Opera/],
  ['Brave', /"Brave"/],
  ['Samsung Internet', /"Samsung Internet"/],
  ['Chrome', /"Google Chrome"/],
  ['Chromium', /"Chromium"/],
]

const browsers: readonly Sign[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|OPT|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]

const systems: readonly Sign[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b|\bChrome ?OS\b/],
  ['macOS', /\bmacOS\b|\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/**
 * Browser and system of a request in two words, such as `Firefox, Linux`, by its client hints or its user agent; undefined
 * where neither says so. It tells a person's browsers apart, and anybody can claim to be any.
 */
export function browserLabel({ headers }: Pick<Request, 'headers'>): string | undefined {
  const agent = headers['user-agent'] ?? ''
  const hint = (name: string) => String(headers[name] ?? '')
  const browser = nameIn(brands, hint('sec-ch-ua')) ?? nameIn(browsers, agent)
  const system = nameIn(systems, hint('sec-ch-ua-platform')) ?? nameIn(systems, agent)
  const names = [browser, system].filter((name) => name !== undefined)
  return names.length === 0 ? undefined : names.join(', ')
}

const nameIn = (signs: readonly Sign[], text: string) => signs.find(([, sign]) => sign.test(text))?.[0]
