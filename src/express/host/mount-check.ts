import type { Request, Router } from 'express'
import { areMountedElsewhere } from './router-mounts.js'
import type { Warnings } from './warnings.js'

/** Users sent to the code page without a request there. One or two may have closed the browser. */
const maxLost = 3

/** Creates the check that users who are sent to the code page arrive there: elsewhere, a paid code ends in a 404. */
export function createMountCheck(path: string, { warn, withdraw }: Pick<Warnings, 'warn' | 'withdraw'>) {
  const routers = new WeakSet<Router>()
  let count = 0
  let isReached = false
  let hasLooked = false
  let lost = 0

  /** Looks for the routes at the first code or redirect, when the app has mounted them. */
  function look(req: Request): void {
    if (count === 0) warn('TWO_FACTOR_ROUTES_NOT_MOUNTED', `path: '${path}'`)
    if (isReached || hasLooked) return
    hasLooked = true
    if (areMountedElsewhere({ routers, count }, path, req))
      warn('TWO_FACTOR_ROUTES_ELSEWHERE', `path: '${path}'`)
  }

  return {
    /** The app has called `tf.routes()`. */
    made(router: Router): void {
      routers.add(router)
      count += 1
    },
    /** A request has reached the routes. */
    reached({ baseUrl }: Pick<Request, 'baseUrl'>): void {
      isReached = true
      withdraw('TWO_FACTOR_ROUTES_NOT_MOUNTED')
      // Express ignores the case of a path.
      if (baseUrl.toLowerCase() === path.toLowerCase()) return
      warn('TWO_FACTOR_ROUTES_ELSEWHERE', `path: '${path}', mounted at '${baseUrl || '/'}'`)
    },
    /** A code was sent. A program submits it later, so only routes that are missing or elsewhere are reported. */
    started: look,
    /** A user was sent to the code page. */
    sent(req: Request): void {
      look(req)
      if (isReached) return
      lost += 1
      if (lost >= maxLost) warn('TWO_FACTOR_ROUTES_NOT_MOUNTED', `path: '${path}'`)
    },
  }
}
