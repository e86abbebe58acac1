import express, { type Request, type Response, type Router } from 'express'
import { readClick } from '../click.js'
import type { LinkKeeper } from '../short-links.js'

/** Short URLs at work: every GET is a click. */
export function linkRoutes(links: LinkKeeper, now: () => number): Router {
  function follow(request: Request, response: Response): void {
    const link = links.at(request.originalUrl.replace(/\?.*$/s, ''))
    response.set('Cache-Control', 'no-store')
    if (link === undefined) {
      response.status(404).json({ error: 'url', msg: 'No living short URL is here.' })
      return
    }
    // Link checkers ask with HEAD; only a visit counts.
    if (request.method === 'GET') links.clicked(link, readClick(request, now()))
    response.redirect(302, link.urlLong)
  }

  const router = express.Router()
  router.get('/:alias', follow)
  router.get('/:domain/:alias', follow)
  return router
}
