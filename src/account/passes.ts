import type { RequestHandler } from 'express'
import type { RouteContext } from '../index.js'

/** Calls a middleware by hand. False where it has responded, or nobody waits for a response any more. */
export function passes(middleware: RequestHandler, { req, res }: RouteContext): Promise<boolean> {
  return new Promise((resolve, reject) => {
    if (res.closed) return resolve(false)
    res.once('close', () => resolve(false))
    middleware(req, res, (error?: unknown) => (error ? reject(error) : resolve(true)))
  })
}
