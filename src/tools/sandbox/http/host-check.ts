import type { Request, RequestHandler } from 'express'
import { streamPath } from './live-pages.js'

/**
 * Accepts requests from programs and from the sandbox's own page. A foreign page in the same browser can also reach a
 * loopback port: under a name rebound to 127.0.0.1 (DNS rebinding), which the Host header shows, or by a cross-site
 * form (CSRF), which Sec-Fetch-Site and Origin show.
 */
export function hostCheck(allowedHosts: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const host = request.headers.host ?? ''
    if (!isAllowed(host, allowedHosts)) {
      const msg = `Host "${host}" is not allowed; allowed: ${allowedHosts.join(', ')}. Add it with allowedHosts or --allowed-hosts.`
      response.status(421).json({ error: 'host', msg })
    } else if (!isHarmless(request) && isCrossSite(request)) {
      response.status(403).json({ error: 'cross-site', msg: 'Another site sent this request.' })
    } else {
      next()
    }
  }
}

/** An entry without a port allows the name at any port. */
function isAllowed(host: string, allowedHosts: readonly string[]): boolean {
  const given = host.toLowerCase()
  return allowedHosts.includes(given) || allowedHosts.includes(given.replace(/:\d+$/, ''))
}

/** A link changes nothing. A stream that a foreign page keeps open would use up a slot of our pages. */
function isHarmless({ method, path }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && path !== streamPath
}

function isCrossSite(request: Request): boolean {
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const origin = request.get('origin')
  if (origin === undefined) return false
  // Compares only the host: a proxy in front may use https with the browser.
  return !URL.canParse(origin) || new URL(origin).host !== request.headers.host
}
