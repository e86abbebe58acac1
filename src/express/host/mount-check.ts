import type { Request, Router } from 'express'
import type { Background } from '../../lib/promises.js'
import { secondMs } from '../../lib/time.js'
import { areMountedElsewhere, isMounted } from './router-mounts.js'
import type { Warnings } from './warnings.js'

/** Users sent to the code page without a request there. One or two may have closed the browser. */
const maxLost = 3

/** A browser follows a redirect at once. */
const redirectMs = 5 * secondMs

/** Creates the check that users who are sent to the code page arrive there: elsewhere, a paid code ends in a 404. */
export function createMountCheck(
  path: string,
  { warn, withdraw }: Pick<Warnings, 'warn' | 'withdraw'>,
  /** Absent if another process may get the request that follows a redirect. */
  background: Pick<Background, 'after'> | undefined,
) {
  const routers = new WeakSet<Router>()
  const factories = new WeakSet<object>()
  let count = 0
  let isReached = false
  let hasLooked = false
  let lost = 0

  const warnUnreached = () => warn('TWO_FACTOR_ROUTES_NOT_MOUNTED', `path: '${path}'`)

  /** Looks for the routes at the first code or redirect, when the app has mounted them. */
  function look(req: Request): void {
    if (isReached || hasLooked) return
    hasLooked = true
    const mounts = count > 0 ? { routers, count } : { routers: factories, count: 1 }
    if (count === 0 && !isMounted(factories, req)) warnUnreached()
    else if (areMountedElsewhere(mounts, path, req)) warn('TWO_FACTOR_ROUTES_ELSEWHERE', `path: '${path}'`)
    // Each request to `tf.routes` in place of `tf.routes()` is an error that names the mistake.
    else if (count === 0) isReached = true
  }

  return {
    /** The function `tf.routes`, which an app may mount by mistake. */
    offered(factory: object): void {
      factories.add(factory)
    },
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
    /** A browser was redirected to the code page. */
    sent(req: Request): void {
      look(req)
      if (isReached) return
      lost += 1
      if (lost >= maxLost) warnUnreached()
      if (lost > 1) return
      background?.after(redirectMs, async () => {
        if (!isReached) warnUnreached()
      })
    },
  }
}
