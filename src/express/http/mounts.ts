import type { Request, RequestHandler, Router } from 'express'
import { optionError } from '../../lib/options.js'
import { middleware } from '../host/boundary.js'
import type { Warnings } from '../host/warnings.js'
import { safePath } from './return-path.js'

/** The option `path`, which may hold parameters: `/app/:tenant/two-factor`. */
export interface MountPath {
  /** Where the routes are for this request: with the values of its own address. */
  of(req: Request): string
  /** Whether routes mounted here are those that links lead to, whatever the values. */
  fits(baseUrl: string): boolean
}

export function createMountPath(pattern: string): MountPath {
  const parts = segments(pattern)
  const isFixed = parts.every((part) => !part.startsWith(':'))

  function fits(baseUrl: string): boolean {
    if (isFixed && baseUrl === pattern) return true
    const given = segments(baseUrl)
    return given.length === parts.length && parts.every((part, index) => stands(part, given[index]))
  }

  /** By the address first, because the parameters of a router that does not merge them are not there. */
  function fill(req: Request): string {
    const [pathname = ''] = req.originalUrl.split('?', 1)
    const given = segments(pathname)
    let alike = true
    const filled = parts.map((part, index) => {
      const here = given[index]
      alike &&= stands(part, here)
      if (!part.startsWith(':')) return part
      const value = req.params[part.slice(1)]
      return alike ? here : typeof value === 'string' ? encodeURIComponent(value) : ''
    })
    const path = `/${filled.join('/')}`
    // Open redirect: an empty first segment would make another site of the second.
    if (filled.every(isName) && safePath(path) !== undefined) return path
    throw optionError(
      `path "${pattern}" has parameters that this request has no values for: mount routes and guards below the same parameters`,
    )
  }

  return {
    fits,
    of(req) {
      if (isFixed) return pattern
      // Open redirect: browsers read `/\host` as another site.
      return fits(req.baseUrl) && safePath(req.baseUrl) !== undefined ? req.baseUrl : fill(req)
    },
  }
}

function segments(path: string): readonly string[] {
  return path.split('/').slice(1)
}

function stands(part: string, given: string | undefined): boolean {
  return part.startsWith(':') ? isName(given) : part.toLowerCase() === given?.toLowerCase()
}

/** No dot segment, which a browser would resolve to another place. */
function isName(segment: string | undefined): boolean {
  return segment !== undefined && segment !== '' && !/^(?:\.|%2e){1,2}$/i.test(segment)
}

/** Says where the routes are mounted elsewhere than links and redirects lead. */
export interface Mounts {
  add(router: Router): Router
  /** Registers a page that is mounted by hand: nothing is known of its path. */
  addByHand(handler: RequestHandler): RequestHandler
  /** Registers a handler that sends codes, mounted by hand. */
  addStart(handler: RequestHandler): RequestHandler
  /** Goes before the routes themselves. Throws where the option `path` names another place. */
  readonly checkHere: RequestHandler
  /** Asked by a guard that refuses. Warns where nothing was made that could send a code. */
  checkMade(): void
  /** Asked by a guard before it leads to this path. Throws where no routes are. */
  checkReached(req: Request, path: string): void
}

/** As Express keeps what is mounted; not its public interface, so everything may be missing. */
interface Layer {
  readonly handle?: { readonly stack?: readonly Layer[] }
  /** By the version of Express, what matched stands on the layer or is returned. */
  readonly path?: string
  match?(path: string): boolean | { readonly path?: string }
}

export function createMounts(
  pattern: string,
  path: MountPath,
  { warn, hint }: Pick<Warnings, 'warn' | 'hint'>,
): Mounts {
  const routers = new Set<unknown>()
  let byHand = false
  let starts = false
  let reached = false

  const write = `write app.use('${pattern}', tf.routes())`

  function mistake(what: string, orElse = ''): TypeError {
    warn('TWO_FACTOR_PATH_DIFFERS')
    return optionError(`${what}: ${write}${orElse}`)
  }

  /** Undefined when the routes are not in the tree, as far as it can be seen: a function may hide them. */
  function standing(stack: readonly Layer[], rest: string | undefined): 'reached' | 'elsewhere' | undefined {
    let found: 'elsewhere' | undefined
    for (const layer of stack) {
      const below = rest === undefined ? undefined : belowLayer(layer, rest)
      const seen = routers.has(layer.handle)
        ? below === '/'
          ? 'reached'
          : 'elsewhere'
        : layer.handle?.stack && standing(layer.handle.stack, below)
      if (seen === 'reached') return seen
      found ??= seen
    }
    return found
  }

  return {
    add(router) {
      routers.add(router)
      return router
    },
    addByHand(handler) {
      byHand = true
      return handler
    },
    addStart(handler) {
      starts = true
      return handler
    },

    checkHere: middleware(({ baseUrl }) => {
      if (path.fits(baseUrl)) return true
      // A proxy may have removed the first part of the path, which browsers still have to send.
      if (baseUrl !== '' && pattern.toLowerCase().endsWith(baseUrl.toLowerCase())) {
        hint('TWO_FACTOR_PATH_DIFFERS')
        return true
      }
      throw mistake(
        `tf.routes() is mounted at "${baseUrl === '' ? '/' : baseUrl}", and the option path is "${pattern}"`,
        baseUrl === '' ? '' : `, or twoFactor({ path: '${baseUrl}' })`,
      )
    }),

    checkMade() {
      if (routers.size === 0 && !byHand && !starts) warn('TWO_FACTOR_ROUTES_MISSING', write)
    },

    checkReached(req, target) {
      if (reached || byHand) return
      if (routers.size === 0) throw optionError(`A guard leads to a page that nobody has mounted: ${write}`)
      const stack = stackOf(req.app)
      const below = req.app.path()
      const found = tails(target).map((tail) => standing(stack, tail === below ? '/' : tail))
      reached = found.includes('reached')
      if (reached || !found.includes('elsewhere')) return
      throw mistake(`A guard leads to "${target}", and tf.routes() is mounted elsewhere`)
    },
  }
}

/** What is left of the path below a layer; undefined when it leads elsewhere. */
function belowLayer(layer: Layer, path: string): string | undefined {
  const match = layer.match?.(path)
  if (match === undefined || match === false) return undefined
  const matched = typeof match === 'object' ? match.path : layer.path
  const below = path.slice(matched?.length ?? 0)
  return below === '' ? '/' : below
}

/** The path, and what is left of it behind a proxy that removes its first parts. */
function tails(path: string): readonly string[] {
  const parts = segments(path)
  return parts.map((_part, index) => `/${parts.slice(index).join('/')}`)
}

function stackOf(app: Request['app']): readonly Layer[] {
  // Express 4 keeps it under another name, and its `router` throws.
  const { _router } = app as unknown as { _router?: { stack?: readonly Layer[] } }
  return (_router ?? (app.router as unknown as { stack?: readonly Layer[] })).stack ?? []
}
