import type { Request } from 'express'
import { isForm } from './request-body.js'

// The site of the app: which requests come from one of its pages (CSRF).

/**
 * Returns whether another site made the browser send this request (CSRF), so that forms need no token.
 *
 * Browsers state the origin of a request (Fetch Metadata, `Origin`), and no page can forge these headers.
 * `Sec-Fetch-Site` is checked first, because a page with the referrer policy `no-referrer` sends `Origin: null` even to
 * its own site.
 */
export function isCrossSite(req: Request, allowedOrigins: readonly string[]): boolean {
  const { origin } = req.headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return false
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  // Without either header the client is no browser, so it sends no cookie of a victim.
  return origin !== undefined && !isSameOrigin(req, origin)
}

/**
 * Returns whether a page of this origin certainly posted the form. Only then may a code be sent without a click (SMS
 * pumping).
 */
export function isOwnForm(req: Request): boolean {
  if (req.method !== 'POST' || !isForm(req)) return false
  const { origin, 'sec-fetch-site': site } = req.headers
  return site === undefined ? origin !== undefined && isSameOrigin(req, origin) : site === 'same-origin'
}

/** Returns whether a URL belongs to the site that received this request. */
export function isSameOrigin(req: Request, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  // Behind a proxy that terminates TLS, Express sees https as http without `trust proxy`.
  const sameScheme = protocol === `${req.protocol}:` || (protocol === 'https:' && req.protocol === 'http')
  const ours = hostOf(req)
  // A request of HTTP/1.0 may name no host, and then matches no site.
  if (ours === undefined || !URL.canParse(`${protocol}//${ours}`)) return false
  // Proxies may add the default port, which an origin omits.
  return sameScheme && new URL(`${protocol}//${ours}`).host === host
}

/** Returns the host that received this request, as its client named it. */
export function hostOf(req: Request): string | undefined {
  const forwarded = req.app.enabled('trust proxy') ? req.get('x-forwarded-host') : undefined
  // A bridge from HTTP/2 may pass its pseudo-header only (RFC 9113, 8.3.1).
  const authority: unknown = req.headers.host ?? req.headers[':authority']
  return forwarded?.split(',')[0] ?? (typeof authority === 'string' ? authority : undefined)
}
