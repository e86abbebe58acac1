import type { Request } from 'express'
import type { Warnings } from './warnings.js'

/** Users sent to the code page without a request there. One or two may have closed the browser. */
const maxLost = 3

/** Creates the check that users who are sent to the code page arrive there: elsewhere, a paid code ends in a 404. */
export function createMountCheck(path: string, { warn, withdraw }: Pick<Warnings, 'warn' | 'withdraw'>) {
  let isMade = false
  let isReached = false
  let lost = 0
  return {
    /** The app has called `tf.routes()`. */
    made(): void {
      isMade = true
    },
    /** A request has reached the routes. */
    reached({ baseUrl }: Pick<Request, 'baseUrl'>): void {
      isReached = true
      withdraw('TWO_FACTOR_ROUTES_NOT_MOUNTED')
      // Express ignores the case of a path.
      if (baseUrl.toLowerCase() === path.toLowerCase()) return
      warn('TWO_FACTOR_ROUTES_ELSEWHERE', `path: '${path}', mounted at '${baseUrl || '/'}'`)
    },
    /** A code was sent. A program submits it later, so only routes that were never made are certainly missing. */
    started(): void {
      if (!isMade) warn('TWO_FACTOR_ROUTES_NOT_MOUNTED', `path: '${path}'`)
    },
    /** A user was sent to the code page. */
    sent(): void {
      if (isReached) return
      lost += 1
      if (lost >= maxLost || !isMade) warn('TWO_FACTOR_ROUTES_NOT_MOUNTED', `path: '${path}'`)
    },
  }
}
