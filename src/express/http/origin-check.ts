import type { Request } from 'express'
import { mediaTypeOf } from './request-body.js'

/**
 * Whether another site made the browser send this request (CSRF), so that forms need no token.
 *
 * Browsers state where a request comes from (Fetch Metadata, `Origin`), and no page can forge these
 * headers. `Sec-Fetch-Site` comes first because a page with the referrer policy `no-referrer` sends
 * `Origin: null` even to its own site.
 */
export function isCrossSite(req: Request, allowedOrigins: readonly string[]): boolean {
  const { origin } = req.headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return false
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  // Without either header the caller is not a browser, and no cookie of a victim comes along.
  return origin !== undefined && !isSameOrigin(req, origin)
}

/** Whether a page of this very origin certainly posted this form: only then may a code go out that nobody asked for (SMS pumping). */
export function isOwnForm(req: Request): boolean {
  if (req.method !== 'POST' || mediaTypeOf(req) !== 'application/x-www-form-urlencoded') return false
  const { origin, 'sec-fetch-site': site } = req.headers
  return site === undefined ? origin !== undefined && isSameOrigin(req, origin) : site === 'same-origin'
}

/** Whether a URL belongs to the site that this request was sent to. */
export function isSameOrigin(req: Request, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  // Behind a proxy that terminates TLS, and without `trust proxy`, Express sees https as http.
  const sameScheme = protocol === `${req.protocol}:` || (protocol === 'https:' && req.protocol === 'http')
  const ours = hostOf(req)
  // A request of HTTP/1.0 may name no host: then no site is its own.
  if (ours === undefined || !URL.canParse(`${protocol}//${ours}`)) return false
  // Proxies may add the default port, which an origin omits.
  return sameScheme && new URL(`${protocol}//${ours}`).host === host
}

function hostOf(req: Request): string | undefined {
  const forwarded = req.app.enabled('trust proxy') ? req.get('x-forwarded-host') : undefined
  return forwarded?.split(',')[0] ?? req.headers.host
}
