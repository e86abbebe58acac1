import type { RequestHandler } from 'express'

/**
 * Lets in what a program or page of this machine sends on purpose. A foreign page in the same browser can
 * reach loopback ports too: by a name that it rebinds to 127.0.0.1 (the Host header tells), or by a
 * cross-site form (Sec-Fetch-Site tells).
 */
export function onlyFromHere(port: string): RequestHandler {
  const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`)
  return (request, response, next) => {
    if (!names.includes(request.headers.host ?? '')) {
      response.status(421).json({ error: 'host', msg: `The sandbox answers as ${names.join(', ')} only.` })
      return
    }
    const site = request.get('sec-fetch-site')
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads && site !== undefined && site !== 'same-origin' && site !== 'none') {
      response.status(403).json({ error: 'cross-site', msg: 'Another site sent this request.' })
      return
    }
    next()
  }
}
