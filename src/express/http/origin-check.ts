import type { Request } from 'express'

/**
 * Whether another site made the browser send this request. Forms need no hidden token then.
 *
 * Browsers say themselves where a request comes from (Fetch Metadata, `Origin`), and no page can
 * forge that. `Sec-Fetch-Site` is asked first because a page with the referrer policy `no-referrer`
 * sends `Origin: null` even to its own site.
 */
export function isCrossSite(req: Request, allowedOrigins: readonly string[]): boolean {
  const { origin } = req.headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return false
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  // With neither header it is no browser, so there is no cookie that somebody else could ride on.
  return origin !== undefined && !isSameOrigin(req, origin)
}

/** Whether a URL belongs to the site that this request was sent to. */
export function isSameOrigin(req: Request, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  // Behind a proxy that ends TLS, and without `trust proxy`, Express takes https for http.
  const sameScheme = protocol === `${req.protocol}:` || (protocol === 'https:' && req.protocol === 'http')
  // Proxies may add the usual port, which an origin leaves out.
  const ours = `${protocol}//${hostOf(req)}`
  return sameScheme && URL.canParse(ours) && new URL(ours).host === host
}

function hostOf(req: Request): string | undefined {
  const forwarded = req.app.enabled('trust proxy')
    ? req.get('x-forwarded-host')?.split(',')[0]?.trim()
    : undefined
  return (forwarded ?? req.headers.host)?.toLowerCase()
}
