import type { Request, RequestHandler } from 'express'

/**
 * Lets in what a program or a page of this sandbox sends. A foreign page in the same browser reaches
 * loopback ports too: under a name that it rebinds to 127.0.0.1, which the Host header tells, or by a
 * cross-site form, which Sec-Fetch-Site and Origin tell.
 */
export function onlyFromHere(port: string): RequestHandler {
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`)
  return (request, response, next) => {
    if (!hosts.includes(request.headers.host ?? '')) {
      response.status(421).json({ error: 'host', msg: `The sandbox answers as ${hosts.join(' and ')} only.` })
    } else if (isForeign(request)) {
      response.status(403).json({ error: 'cross-site', msg: 'Another site sent this request.' })
    } else {
      next()
    }
  }
}

function isForeign(request: Request): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const origin = request.get('origin')
  return origin !== undefined && origin !== `http://${request.headers.host}`
}
