import { dark, isReadable, light, nearestReadable } from '../../lib/contrast.js'
import { present } from '../../lib/present.js'
import { safePath } from '../http/return-path.js'
import { css as pageCss } from './style.js'

/**
 * The look of the built-in pages. Colours are `#rgb` or `#rrggbb`.
 *
 * @example
 * twoFactor({ pages: { brand: { name: 'Acme', logoUrl: '/logo.svg', accent: '#0b6e4f' } } })
 */
export interface BrandOptions {
  /** Shown above every page, and in its title. */
  readonly name: string
  /** A path of this site or an https URL; its origin is added to `img-src`. */
  readonly logoUrl?: string
  /** Colour of links and buttons; needs a contrast of 4.5:1 (WCAG 2.2, 1.4.3). */
  readonly accent?: string
  /** The same in dark mode; by default derived from `accent`. */
  readonly accentDark?: string
  /** A CSS `font-family` list. */
  readonly font?: string
  /** Rounding of corners in CSS pixels. */
  readonly radius?: number
  /** CSS appended to the style sheet of the pages, whose custom properties it may set. */
  readonly css?: string
  /** Further sources that the pages may load from, for an own `render` or `css`. */
  readonly csp?: {
    readonly imgSrc?: readonly string[]
    readonly fontSrc?: readonly string[]
    readonly styleSrc?: readonly string[]
  }
}

/** Why a brand cannot be used, as the end of the sentence "brand.…"; undefined when it can. */
export function brandProblem({ accent, accentDark, logoUrl = '/' }: BrandOptions): string | undefined {
  if (!isLogo(logoUrl)) return 'logoUrl must be a path of this site or an https URL'
  return colourProblem('accent', accent, light) ?? colourProblem('accentDark', accentDark, dark)
}

/** Less than a link may be: `mailto:` has no origin, and would stand as `null` in the policy. */
function isLogo(url: string): boolean {
  return safePath(url) !== undefined || (URL.canParse(url) && new URL(url).protocol === 'https:')
}

function colourProblem(name: string, colour: string | undefined, on: typeof light): string | undefined {
  if (colour === undefined || isReadable(colour, on)) return undefined
  const nearest = nearestReadable(colour, on)
  return `${name} cannot be read on the page (contrast below 4.5:1); the nearest colour that can is '${nearest}'`
}

/** The style sheet of the pages, with what the brand adds. */
export function styleSheet(brand: BrandOptions | undefined): string {
  const { accent, font, radius, css = '' } = brand ?? {}
  const accentDark = brand?.accentDark ?? (accent && nearestReadable(accent, dark))
  const root = rootRule({ accent, font, radius: radius === undefined ? undefined : `${radius}px` })
  const night = accentDark && `@media (prefers-color-scheme: dark) { ${rootRule({ accent: accentDark })} }`
  return [pageCss, root, night, css].filter(Boolean).join('\n')
}

function rootRule(properties: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(present(properties)).map(([name, value]) => `--${name}: ${value};`)
  return set.length === 0 ? '' : `:root { ${set.join(' ')} }`
}

/**
 * The content security policy of the pages: nothing inline runs, nothing foreign loads but what the brand names.
 * A `render` of the host may show images of its own site.
 */
export function contentSecurityPolicy(brand: BrandOptions | undefined, hasRender: boolean): string {
  const { imgSrc = [], fontSrc = [], styleSrc = [] } = brand?.csp ?? {}
  const logo = brand?.logoUrl === undefined ? [] : [originOf(brand.logoUrl)]
  const images = [...(hasRender ? ["'self'"] : []), ...logo, ...imgSrc]
  const directives: readonly (readonly [string, readonly string[]])[] = [
    ['default-src', ["'none'"]],
    ['style-src', ["'self'", ...styleSrc]],
    ['script-src', ["'self'"]],
    ['img-src', images],
    ['font-src', fontSrc],
    ['form-action', ["'self'"]],
    ['base-uri', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
  ]
  return directives
    .filter(([, sources]) => sources.length > 0)
    .map(([name, sources]) => `${name} ${[...new Set(sources)].join(' ')}`)
    .join('; ')
}

const originOf = (url: string): string => (url.startsWith('/') ? "'self'" : new URL(url).origin)

/**
 * Headers of every page. Nothing inline runs (XSS), no frame holds the page (clickjacking). The referrer
 * policy keeps `Origin` on form posts, which `no-referrer` would turn into `null`.
 */
export function createPageHeaders(
  brand: BrandOptions | undefined,
  hasRender = false,
): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(brand, hasRender),
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
}
