import type { Request } from 'express'

type Sign = readonly [name: string, sign: RegExp]

// The label contains only names of these tables, whatever a client sends. The first match counts, because each browser
// also claims to be those below it.

/** `Sec-CH-UA`, the name that a browser of the Chromium family sends. */
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
 * Returns browser and system of a request, such as `Firefox, Linux`, from its client hints or user agent, or undefined.
 * It helps a user to recognise browsers, and any client can claim any label.
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
