import { type BrandOptions, brandCss, contentSecurityPolicy } from './brand.js'
import { css } from './style.js'

/** A file that the pages load from their own mount, made from options. */
export interface Asset {
  readonly contentType: string
  readonly body: string
}

/** Path below the mount to file. */
export function createAssets(brand: BrandOptions | undefined): Readonly<Record<string, Asset>> {
  return {
    '/page.css': { contentType: 'text/css; charset=utf-8', body: css + brandCss(brand) },
  }
}

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
