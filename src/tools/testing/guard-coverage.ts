import { isRegExp } from 'node:util/types'
import type { Request, RequestHandler } from 'express'
import { subjectsNamedBy, watch } from '../../express/guard/coverage.js'
import { checkOptions, list, optionError, that } from '../../lib/options.js'
import type { TwoFactor } from '../../two-factor.js'

/** Records the routes that your tests reached without a guard. */
export interface GuardCoverage {
  /** Mount it after the session (and anything else that `subject` reads) and before every route. */
  readonly middleware: RequestHandler
  /**
   * Throws an Error that lists each route that returned 2xx or 3xx for an unsafe method, to an identified subject,
   * without a guard. Each has the path of its router, and a requested address if its own path has a parameter. `ignore`
   * takes `'POST /logout'`, `'/logout'` for every method, or a RegExp on the former.
   */
  report(options?: { readonly ignore?: readonly (string | RegExp)[] }): void
}

/** Methods that change nothing (RFC 9110, 9.2.1, and QUERY). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])

const checks = {
  ignore: list(
    that('must be a string or a RegExp', (value) => typeof value === 'string' || isRegExp(value)),
    "must be an array such as ['POST /logout']",
  ),
}

/**
 * Finds routes without a guard while your tests run: the copy under `/v2`, the form beside the API. A request that a
 * guard admitted counts as guarded, also by `exempt`.
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
      // Read before the handler: a request that signs in had no subject before.
      if (!safeMethods.has(req.method) && subjectOf(req) !== undefined) {
        const watched = watch(req)
        res.once('finish', () => {
          // A redirect is the usual response to an HTML form.
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
      // Without this check, an unmounted middleware would look like an app without gaps.
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
 * Returns the declared route, so that a route with a parameter is listed once, or else the path. A route that called
 * `next` is still on the request, although it did not respond.
 */
function routeOf({ route, baseUrl }: Request, path: string): string {
  const declared = route === undefined ? '' : withoutEnd(baseUrl + String(route.path))
  const [names, given] = [declared.split('/'), path.split('/')]
  const stands = names.every((name, at) => name.startsWith(':') || name === given[at])
  return stands && names.length === given.length ? declared : path
}

/** Returns hints for finding the route. */
function remarks({ baseUrl }: Request, route: string, path: string): string {
  const told = [
    ...(baseUrl === '' || baseUrl === route ? [] : [`mounted at ${baseUrl}`]),
    ...(route === path ? [] : [`such as ${path}`]),
  ]
  return told.length === 0 ? '' : ` (${told.join(', ')})`
}

/** Returns whether a pattern of `ignore` matches a route, in any spelling of both. */
function matches(pattern: string | RegExp, route: string): boolean {
  const found = oneSpelling(route)
  if (typeof pattern !== 'string') return route.search(pattern) >= 0 || found.search(pattern) >= 0
  const named = oneSpelling(pattern)
  return pattern.startsWith('/') ? found.endsWith(` ${named}`) : found === named
}

/** Most routers ignore case, doubled slashes and a slash at the end. */
export const oneSpelling = (route: string): string =>
  route
    .toLowerCase()
    .replace(/^[a-z]+(?= )/, (method) => method.toUpperCase())
    .replaceAll(/\/+/g, '/')
    .replace(/(?<=[^ ])\/$/, '')
