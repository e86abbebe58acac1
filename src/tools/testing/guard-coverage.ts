import type { Request, RequestHandler } from 'express'
import { subjectsNamedBy, watch } from '../../express/guard/coverage.js'
import { checkOptions, list, optionError, that } from '../../lib/options.js'
import type { TwoFactor } from '../../two-factor.js'

/** Which routes the tests of a host reached without a guard. */
export interface GuardCoverage {
  /** To be mounted behind the session (and whatever else `subject` reads) and in front of every route. */
  readonly middleware: RequestHandler
  /**
   * Throws an Error that lists every route that answered an unsafe method with 2xx or 3xx, to an identified
   * subject, past no guard: each with the path that its router is mounted at, and an address that was asked for
   * where a parameter stands in its own. `ignore` takes `'POST /logout'`, `'/logout'` for every method, or a RegExp on the former.
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
  const subjectOf = subjectsNamedBy.get(tf)
  if (subjectOf === undefined) throw optionError('guardCoverage: tf must come from twoFactor()')
  const unguarded = new Map<string, string>()
  let requests = 0

  return {
    middleware(req, res, next) {
      requests += 1
      // Asked on the way in: whoever signs in by this request was nobody before.
      if (!safeMethods.has(req.method) && subjectOf(req) !== undefined) {
        const watched = watch(req)
        res.once('finish', () => {
          // A redirect is how every HTML form is answered.
          if (res.statusCode >= 400 || watched.guarded) return
          const path = pathOf(req)
          const route = routeOf(req, path)
          const name = `${req.method} ${route}`
          if (!unguarded.has(name)) unguarded.set(name, remarks(req, route, path))
        })
      }
      next()
    },

    report(options = {}) {
      checkOptions('report', options, checks)
      const { ignore = [] } = options
      // Otherwise a middleware that nobody mounted would pass for an app without a gap.
      if (requests === 0) throw new Error('guardCoverage: no request passed the middleware. Is it mounted?')
      const found = [...unguarded.keys()]
        .filter((route) => !ignore.some((pattern) => matches(pattern, route)))
        .sort()
      if (found.length === 0) return
      const lines = found.map((route) => `\n  ${route}${unguarded.get(route)}`).join('')
      throw new Error(`guardCoverage: answered without a second factor:${lines}`)
    },
  }
}

const pathOf = ({ originalUrl }: Request): string => withoutEnd(originalUrl.split('?', 1).join())

const withoutEnd = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path)

/**
 * The route as it was declared, so that one with a parameter is listed once; the path where none was. A route
 * that has passed the request on is still on it, and is not what answered.
 */
function routeOf({ route, baseUrl }: Request, path: string): string {
  const declared = route === undefined ? '' : withoutEnd(baseUrl + String(route.path))
  const [names, given] = [declared.split('/'), path.split('/')]
  const stands = names.every((name, at) => name.startsWith(':') || name === given[at])
  return stands && names.length === given.length ? declared : path
}

/** Where to look for it. */
function remarks({ baseUrl }: Request, route: string, path: string): string {
  const told = [
    ...(baseUrl === '' || baseUrl === route ? [] : [`mounted at ${baseUrl}`]),
    ...(route === path ? [] : [`such as ${path}`]),
  ]
  return told.length === 0 ? '' : ` (${told.join(', ')})`
}

/** Whether a pattern of `ignore` names a route, in whichever spelling either of them has. */
function matches(pattern: string | RegExp, route: string): boolean {
  const found = oneSpelling(route)
  if (typeof pattern !== 'string') return route.search(pattern) >= 0 || found.search(pattern) >= 0
  const named = oneSpelling(pattern)
  return pattern.startsWith('/') ? found.endsWith(` ${named}`) : found === named
}

/** As most routers read it: without regard to case, doubled slashes or one at the end. */
const oneSpelling = (route: string): string =>
  route
    .toLowerCase()
    .replace(/^[a-z]+(?= )/, (method) => method.toUpperCase())
    .replaceAll(/\/+/g, '/')
    .replace(/(?<=[^ ])\/$/, '')
