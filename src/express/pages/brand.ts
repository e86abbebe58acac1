import { present } from '../../lib/json.js'
import { settingsCss } from './settings-style.js'

/**
 * Look of the built-in pages. Colours are `#rgb` or `#rrggbb`.
 *
 * @example
 * twoFactor({ pages: { brand: { name: 'Acme', logoUrl: '/logo.svg', accent: '#0b6e4f' } } })
 */
export interface BrandOptions {
  /** Name above every page and in its title. */
  readonly name: string
  /** Path of this site or https URL. Its origin is added to `img-src`. */
  readonly logoUrl?: string
  /** Color of links and buttons. It needs a contrast of 4.5:1 (WCAG 2.2, 1.4.3). */
  readonly accent?: string
  /** Color of links and buttons in dark mode. Default: derived from `accent`. */
  readonly accentDark?: string
  /** A CSS `font-family` list. */
  readonly font?: string
  /** Rounding of corners in CSS pixels. */
  readonly radius?: number
  /**
   * CSS at the end of the pages' style sheet. It may set these custom properties.
   *
   * They are `--ground`, `--paper`, `--ink`, `--faint`, `--line`, `--accent`, `--on-accent`, `--wrong`,
   * `--wrong-ground`, `--right`, `--right-ground`, `--font` and `--radius`.
   */
  readonly css?: string
  /** Further sources from which the pages may load files, for your `render` or `css`. */
  readonly csp?: {
    readonly imgSrc?: readonly string[]
    readonly fontSrc?: readonly string[]
    readonly styleSrc?: readonly string[]
  }
}

/** Returns the style sheet of the pages with the additions of the brand. */
export function styleSheet(brand: BrandOptions | undefined): string {
  const { accent, font, radius, css = '' } = brand ?? {}
  const accentDark = brand?.accentDark ?? (accent && nearestReadable(accent, dark))
  const root = rootRule({ accent, font, radius: radius === undefined ? undefined : `${radius}px` })
  const night = accentDark && `@media (prefers-color-scheme: dark) { ${rootRule({ accent: accentDark })} }`
  return [pageCss, settingsCss, root, night, css].filter(Boolean).join('\n')
}

function rootRule(properties: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(present(properties)).map(([name, value]) => `--${name}: ${value};`)
  return set.length === 0 ? '' : `:root { ${set.join(' ')} }`
}

/**
 * Returns the content security policy of the pages: no inline code runs, and only sources of the brand are loaded. A
 * `render` of the app may show images of its own site.
 */
function contentSecurityPolicy(
  brand: BrandOptions | undefined,
  hasRender: boolean,
  formTargets: readonly string[],
): string {
  const { imgSrc = [], fontSrc = [], styleSrc = [] } = brand?.csp ?? {}
  const logo = brand?.logoUrl === undefined ? [] : [cspSourceOf(brand.logoUrl)]
  const images = [...(hasRender ? ["'self'"] : []), ...logo, ...imgSrc]
  const directives: readonly (readonly [string, readonly string[]])[] = [
    ['default-src', ["'none'"]],
    ['style-src', ["'self'", ...styleSrc]],
    ['script-src', ["'self'"]],
    ['img-src', images],
    ['font-src', fontSrc],
    ['form-action', formTargets],
    ['base-uri', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
  ]
  return directives
    .filter(([, sources]) => sources.length > 0)
    .map(([name, sources]) => `${name} ${[...new Set(sources)].join(' ')}`)
    .join('; ')
}

const cspSourceOf = (url: string): string => (url.startsWith('/') ? "'self'" : new URL(url).origin)

/**
 * Creates the headers of every page. No inline code runs (XSS), and no frame contains the page (clickjacking). The
 * referrer policy keeps `Origin` on form posts, which `no-referrer` would replace by `null`.
 */
export function createPageHeaders(
  brand: BrandOptions | undefined,
  hasRender = false,
  formTargets: readonly string[] = ["'self'"],
): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(brand, hasRender, formTargets),
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
}

/** Background of text in the accent colour, and the text colour of a button. */
export interface Surroundings {
  readonly paper: string
  readonly onAccent: string
}

export const light: Surroundings = { paper: '#ffffff', onAccent: '#ffffff' }
export const dark: Surroundings = { paper: '#1a1d21', onAccent: '#0c1a33' }

/** Minimum contrast of readable text (WCAG 2.2, 1.4.3). */
const minContrast = 4.5

/** Returns `#rgb` or `#rrggbb` as three numbers from 0 to 255, or undefined for other text. */
export function parseColour(colour: string): readonly number[] | undefined {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(colour)
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour)
  if (short !== null) return short.slice(1).map((digit) => Number.parseInt(digit + digit, 16))
  return long?.slice(1).map((pair) => Number.parseInt(pair, 16))
}

/** Returns the contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance). */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns whether links and buttons in this colour are readable. */
export function isReadable(accent: string, { paper, onAccent }: Surroundings): boolean {
  return contrast(accent, paper) >= minContrast && contrast(accent, onAccent) >= minContrast
}

/** Returns the nearest readable colour of the hue: darker on light paper, lighter on dark paper. */
export function nearestReadable(accent: string, surroundings: Surroundings): string {
  const end = luminance(surroundings.paper) > 0.5 ? 0 : 255
  const channels = parseColour(accent) ?? [0, 0, 0]
  const steps = Array.from({ length: 256 }, (_, step) => step / 255)
  const colours = steps.map((share) => hex(channels.map((value) => value + (end - value) * share)))
  return colours.find((colour) => isReadable(colour, surroundings)) ?? hex([end, end, end])
}

const hex = (channels: readonly number[]): string =>
  `#${channels.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (parseColour(colour) ?? []).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

// Six hues and one column. Sizes are in rem, so that enlarged text enlarges everything. On a narrow screen, margins and
// headings stop growing before a word breaks.
const pageCss = `:root {
  color-scheme: light dark;
  --ground: #f3f4f6; --paper: #fff; --ink: #17191c; --faint: #565c66; --line: #767d88;
  --accent: #1a56c4; --on-accent: #fff; --wrong: #b3261e; --wrong-ground: #fdeeed;
  --right: #176d34; --right-ground: #e8f5ec;
  --font: system-ui, sans-serif; --radius: 8px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101215; --paper: #1a1d21; --ink: #eceef1; --faint: #a9b0bb; --line: #868e9a;
    --accent: #8fb6ff; --on-accent: #0c1a33; --wrong: #ffb4ab; --wrong-ground: #3a1f1d;
    --right: #8fdca6; --right-ground: #17301f;
  }
}
* { box-sizing: border-box; }
html, dialog { hyphens: auto; hyphenate-limit-chars: 12 5 5; }
body {
  margin: 0; padding: 2.5rem 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 var(--font); overflow-wrap: break-word;
}
main {
  max-width: 27rem; margin: 0 auto; padding: 2rem; background: var(--paper);
  border: 1px solid transparent; border-radius: calc(var(--radius) * 1.5); box-shadow: 0 1px 3px rgb(0 0 0 / 0.16);
}
h1 { margin: 0 0 0.75rem; font-size: min(1.625rem, 10.5vw); line-height: 1.25; text-wrap: balance; }
h2 { margin: 0 0 0.5rem; font-size: 1rem; text-wrap: balance; }
p, dl { margin: 0 0 1rem; text-wrap: pretty; }
dl > div { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding: 0.25rem 0; }
dt { color: var(--faint); }
dd { min-width: 0; margin: 0; font-weight: 600; }
main > :last-child, section > :last-child { margin-bottom: 0; }
.number { font-weight: 600; }
dd .number, li .number { display: inline-block; max-width: 100%; }
.number, .key { hyphens: none; }
label { display: block; margin-bottom: 0.375rem; font-weight: 600; }
input, select, button { font: inherit; color: inherit; }
input:not([type=checkbox], [type=hidden]), select {
  display: block; width: 100%; min-height: 3rem; margin-bottom: 1rem; padding: 0.5rem 0.75rem;
  background: var(--paper); border: 1px solid var(--line); border-radius: var(--radius);
}
#code { font-size: 1.5rem; font-variant-numeric: tabular-nums; letter-spacing: 0.2em; }
[aria-invalid] { border: 2px solid var(--wrong) !important; }
[aria-invalid]:focus-visible { border-color: transparent !important; outline-color: var(--wrong); outline-offset: -2px; }
.choice { display: flex; gap: 0.625rem; align-items: start; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0.125rem 0 0; accent-color: var(--accent); }
.choice label { margin: 0; font-weight: 400; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; }
button, a.button {
  flex: 1 1 auto; min-height: 2.75rem; padding: 0.5rem 1rem; border: 1px solid var(--accent); border-radius: var(--radius);
  background: none; color: var(--accent); font-weight: 600; cursor: pointer;
}
button:hover { background: var(--ground); }
a.button { display: flex; align-items: center; justify-content: center; text-align: center; text-decoration: none; }
button.main, a.main { flex: 1 0 100%; min-height: 3rem; background: var(--accent); color: var(--on-accent); }
button.main:hover, a.main:hover { filter: brightness(0.92); }
button.plain, button.plain:hover { background: none; }
button.plain:hover, a:hover { text-decoration-thickness: 0.125em; }
button.plain { padding: 0; border: 0; text-align: start; text-decoration: underline; font-weight: 400; }
button:disabled, button.waits { border-color: var(--line); background: none; color: var(--faint); cursor: default; filter: none; }
[aria-busy] { cursor: progress; }
a { color: var(--accent); }
main > p > a:only-child:not(.button), section > p > a:only-child { display: inline-flex; min-height: 2.75rem; align-items: center; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
section { margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--ground); }
section p { color: var(--faint); }
form + form, form + p, section + form, .buttons + p { margin-top: 1rem; }
.problem, .notice { margin-bottom: 1.25rem; padding: 0.75rem 1rem; border-inline-start: 4px solid var(--line); border-radius: 0.25rem; background: var(--ground); }
.problem { background: var(--wrong-ground); border-color: var(--wrong); }
.problem:focus-visible { outline-color: var(--wrong); }
.done { background: var(--right-ground); border-color: var(--right); }
.done:focus-visible { outline-color: var(--right); }
.done p { position: relative; padding-inline-start: 1.75rem; }
.done p::before { content: "✓" / ""; position: absolute; inset-inline-start: 0; color: var(--right); font-weight: 700; }
.problem p, .notice p { margin: 0; }
.notice p + p { margin-top: 0.5rem; }
.problem a { color: var(--wrong); font-weight: 600; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[hidden], [type=hidden] { display: none !important; }
.brand { font-weight: 600; }
.qr { max-width: 14rem; margin: 0 auto 1rem; }
.key { font-family: monospace; font-weight: 600; -webkit-user-select: all; user-select: all; }
.brand img { max-height: 3rem; max-width: 100%; }
.expired { color: var(--wrong); font-weight: 600; }
.rows, .codes { margin: 0 0 1rem; padding: 0; list-style: ""; }
.codes { display: grid; gap: 0.25rem; padding: 0.75rem; border-radius: var(--radius); background: var(--ground); font-size: min(1rem, 4.25vw); overflow-wrap: anywhere; }
.faint { color: var(--faint); }
.on-phone { display: none; }
@media (hover: none) and (pointer: coarse) { .on-phone { display: block; } }
@media print {
  .buttons, form, .buttons + p, .notice { display: none; }
  body, main { padding: 0; background: none; box-shadow: none; }
  .codes { break-inside: avoid; }
}
[data-clock] { font-variant-numeric: tabular-nums; }
dialog {
  width: min(27rem, 100% - 2rem); max-height: calc(100% - 2rem); padding: 2rem; overflow: auto;
  background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--font); overflow-wrap: break-word;
  border: 1px solid transparent; border-radius: calc(var(--radius) * 1.5);
  clip-path: inset(0 round calc(var(--radius) * 1.5)); /* Firefox paints the scrollbar over round corners. */
}
dialog { padding-block: 2.75rem 0; scroll-padding-block: 1rem 5.5rem; }
dialog .foot { position: sticky; bottom: 0; margin: 1.5rem -2rem 0; padding: 0.75rem 2rem; background: var(--paper); border-top: 1px solid var(--ground); }
dialog .corner { position: absolute; top: 0.5rem; inset-inline-end: 0.5rem; margin: 0; }
dialog .corner button { min-width: 2.75rem; font-size: 1.5rem; line-height: 1; text-decoration: none; color: var(--faint); }
dialog::backdrop { background: rgb(0 0 0 / 0.6); }
@media (max-width: 30rem) {
  dialog { padding: 2.75rem 1rem 0; }
  dialog .foot { margin-inline: -1rem; padding-inline: 1rem; }
  .buttons { gap: 0.5rem; }
  .buttons > * { padding-inline: 0.75rem; }
  body { padding: 0; background: var(--paper); }
  main { padding: 1.5rem 16px; border-radius: 0; box-shadow: none; }
  .problem, .notice { padding-inline: 12px; }
}
`
