import type { RequestHandler } from 'express'
import type { RouteContext } from '../index.js'

/** Calls middleware by hand. Returns false if it has responded or the client has disconnected. */
export function passes(middleware: RequestHandler, { req, res }: RouteContext): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (res.closed) return resolve(false)
    res.once('close', () => resolve(false))
    middleware(req, res, (error?: unknown) => (error ? reject(error) : resolve(true)))
  })
}
