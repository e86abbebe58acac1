import express, { type Request, type Response, type Router } from 'express'
import { readClick } from '../click.js'
import type { LinkStore } from '../short-links.js'

/** Follows short URLs: every GET is a click. */
export function linkRoutes(links: LinkStore, now: () => number): Router {
  function follow(request: Request, response: Response): void {
    const link = links.at(request.originalUrl.replace(/\?.*$/s, ''))
    response.set('Cache-Control', 'no-store')
    if (link === undefined) {
      response
        .status(404)
        .json({ error: 'url', msg: 'There is no short URL at this address, or it has expired.' })
      return
    }
    // Link checkers send HEAD; only a visit counts.
    if (request.method === 'GET') links.clicked(link, readClick(request, now()))
    response.redirect(302, link.urlLong)
  }

  const router = express.Router()
  router.get('/:alias', follow)
  router.get('/:domain/:alias', follow)
  return router
}
