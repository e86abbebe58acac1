import type { Request, RequestHandler } from 'express'
import { subjectsNamedBy, watch } from '../express/guard/coverage.js'
import type { TwoFactor } from '../express/host/two-factor.js'
import { checkOptions, list, optionError, that } from '../lib/options.js'

/** Which routes the tests of a host reached without a guard. */
export interface GuardCoverage {
  /** To be mounted behind the session (and whatever else `subject` reads) and in front of every route. */
  readonly middleware: RequestHandler
  /**
   * Throws an Error that lists every route that answered an unsafe method with 2xx, to an identified subject,
   * past no guard. `ignore` takes `'POST /logout'`, `'/logout'` for every method, or a RegExp on the former.
   */
  report(options?: { readonly ignore?: readonly (string | RegExp)[] }): void
}

/** Methods that change nothing (RFC 9110, 9.2.1, and QUERY). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])

const checks = {
  ignore: list(
    that('must be a string or a RegExp', (value) => typeof value === 'string' || value instanceof RegExp),
    "must be an array such as ['POST /logout']",
  ),
}

/**
 * Finds the route that somebody forgot to guard, while the host's own tests run: the twin under `/v2`, the
 * form beside the API. A request that a guard admitted counts as guarded, also by `exempt`.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'` when `tf` was not made by `twoFactor()`
 * @example
 * const coverage = guardCoverage(tf)
 * app.use(session(…), coverage.middleware)
 * // … the tests of the app …
 * afterAll(() => coverage.report({ ignore: ['POST /logout'] }))
 */
export function guardCoverage(tf: TwoFactor): GuardCoverage {
  const subjectOf = subjectsNamedBy(tf)
  if (subjectOf === undefined) throw optionError('guardCoverage: tf must come from twoFactor()')
  const unguarded = new Set<string>()
  let requests = 0

  return {
    middleware(req, res, next) {
      requests += 1
      // Asked on the way in: whoever signs in by this request was nobody before.
      if (!safeMethods.has(req.method) && subjectOf(req) !== undefined) {
        const watched = watch(req)
        res.once('finish', () => {
          if (res.statusCode < 300 && !watched.guarded) unguarded.add(`${req.method} ${routeOf(req)}`)
        })
      }
      next()
    },

    report(options = {}) {
      checkOptions('report', options, checks)
      const { ignore = [] } = options
      // Otherwise a middleware that nobody mounted would pass for an app without a gap.
      if (requests === 0) throw new Error('guardCoverage: no request passed the middleware. Is it mounted?')
      const found = [...unguarded]
        .filter((route) => !ignore.some((pattern) => matches(pattern, route)))
        .sort()
      if (found.length === 0) return
      const lines = found.map((route) => `\n  ${route}`).join('')
      throw new Error(`guardCoverage: answered without a second factor:${lines}`)
    },
  }
}

/** The route as it was declared, so that one with a parameter is listed once; the path where there is none. */
function routeOf({ route, baseUrl, originalUrl }: Request): string {
  const path = route === undefined ? originalUrl.split('?', 1).join() : baseUrl + String(route.path)
  return path.length > 1 ? path.replace(/\/$/, '') : path
}

function matches(pattern: string | RegExp, route: string): boolean {
  if (typeof pattern !== 'string') return route.search(pattern) >= 0
  return pattern.startsWith('/') ? route.endsWith(` ${pattern}`) : route === pattern
}
