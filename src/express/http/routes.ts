import { text as dialogScript } from 'served:dialog.js'
import { text as pageScript } from 'served:page.js'
import { type Request, type RequestHandler, Router } from 'express'
import { type Checks, checkOptions, nonEmptyString, optionError, that } from '../../lib/options.js'
import { middleware } from '../host/boundary.js'
import type { Warnings } from '../host/warnings.js'
import type { Pages } from '../pages/pages.js'
import { isPath, safePath } from './origin.js'

/** By path below the mount. */
const scripts = { '/dialog.js': dialogScript, '/page.js': pageScript }

/** The session before the routes may set its cookie on a file, too: in a shared cache the next visitor would get it. */
const keptByBrowsers = { 'Cache-Control': 'private, max-age=3600' }

/** One handler for each route, to be mounted anywhere. */
export interface Handlers {
  start(purpose?: string): RequestHandler
  readonly resend: RequestHandler
  readonly verify: RequestHandler
  readonly cancel: RequestHandler
  readonly status: RequestHandler
}

/** Options of `routes`. */
export interface RoutesOptions {
  /**
   * Where success leads when the request names no `returnTo`: a path of this site, for every purpose without one of
   * its own. Default `/`.
   *
   * @example
   * app.use('/two-factor', tf.routes({ successPath: '/account' }))
   */
  readonly successPath?: string
}

/** Options of `start`. */
export interface StartOptions {
  /** What for; else the body names it. */
  readonly purpose?: string
  /**
   * Where success leads, at whichever route the code is verified: for this `purpose`, or without one as in
   * `routes`.
   *
   * @example
   * tf.start({ purpose: 'login', successPath: '/account' })
   */
  readonly successPath?: string
}

const successPath = that("must be a path of this site, such as '/account'", isPath)
const purpose = nonEmptyString()

export const routesChecks: Checks<RoutesOptions> = { successPath }
/** With a misspelt purpose the browser would choose. */
export const startChecks: Checks<StartOptions> = { purpose, successPath }

/** Mounts the handlers on their paths. Each responds to every method: 405 to the wrong ones. */
export function createRouter(
  handlers: Handlers,
  pages: Pick<Pages, 'css' | 'headers'>,
  checkHere?: RequestHandler,
): Router {
  const router = createPageRouter(pages, checkHere)
  router.all('/start', handlers.start())
  router.all('/resend', handlers.resend)
  router.all('/verify', handlers.verify)
  router.all('/cancel', handlers.cancel)
  router.all('/', handlers.status)
  return router
}

/** A router with nothing but the files that pages load. */
export function createPageRouter(pages: Pick<Pages, 'css' | 'headers'>, checkHere?: RequestHandler): Router {
  const router = Router()
  if (checkHere !== undefined) router.use(checkHere)
  router.get('/page.css', (_req, res) => {
    res.set(pages.headers).set(keptByBrowsers).type('css').send(pages.css)
  })
  for (const [path, script] of Object.entries(scripts)) {
    router.get(path, (_req, res) => {
      res.set(pages.headers).set(keptByBrowsers).type('text/javascript').send(script)
    })
  }
  return router
}

type MountPath = ReturnType<typeof createMountPath>

/** The option `path`, which may hold parameters: `/app/:tenant/two-factor`. */
export function createMountPath(pattern: string) {
  const parts = segments(pattern)
  const isFixed = parts.every((part) => !part.startsWith(':'))

  /** Whether routes mounted here are those that links lead to, whatever the values. */
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
    /** Where the routes are for this request: with the values of its own address. */
    of(req: Request): string {
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

/** Tells a host that has mounted no routes, or mounted them elsewhere than links and redirects lead. */
export interface Mounts {
  /** Notes that the host has a page, or at least a route that sends codes. */
  made(what: 'page' | 'start'): void
  /** Goes before the routes themselves. Throws where the option `path` names another place. */
  readonly checkHere: RequestHandler
  /** Asked by a guard that refuses. Throws before it leads a browser to a page that there is not. */
  checkMade(leadsToPage: boolean): void
}

export function createMounts(
  pattern: string,
  path: MountPath,
  { warn, hint }: Pick<Warnings, 'warn' | 'hint'>,
): Mounts {
  const write = `write app.use('${pattern}', tf.routes())`
  const made = new Set<'page' | 'start'>()

  return {
    made: (what) => void made.add(what),

    checkHere: middleware(({ baseUrl }) => {
      if (path.fits(baseUrl)) return true
      // A proxy may have removed the first part of the path, which browsers still have to send.
      if (baseUrl !== '' && pattern.toLowerCase().endsWith(baseUrl.toLowerCase())) {
        hint('TWO_FACTOR_PATH_DIFFERS')
        return true
      }
      warn('TWO_FACTOR_PATH_DIFFERS')
      const orElse = baseUrl === '' ? '' : `, or twoFactor({ path: '${baseUrl}' })`
      throw optionError(
        `tf.routes() is mounted at "${baseUrl === '' ? '/' : baseUrl}", and the option path is "${pattern}": ${write}${orElse}`,
      )
    }),

    checkMade(leadsToPage) {
      if (made.size === 0) warn('TWO_FACTOR_ROUTES_MISSING', write)
      if (leadsToPage && !made.has('page')) {
        throw optionError(`A guard leads to a page that nobody has mounted: ${write}`)
      }
    },
  }
}

/** What the app calls to be given a router or a handler. Throws a TypeError for what is no option of it. */
export function factory<Options extends object, Made>(
  name: string,
  checks: Checks<Options>,
  make: (options: Options) => Made,
): (options?: Options) => Made {
  const takesNone = Object.keys(checks).length === 0
  return (...args: readonly [Options?]) => {
    // Express calls a middleware with three arguments: a factory that gets them was passed uncalled.
    if (args.length > 1) throw optionError(`pass ${name}(), not ${name}`)
    if (takesNone && args[0] !== undefined) throw optionError(`${name}: takes no options`)
    const [given = {} as Options] = args
    return make(checkOptions(name, given, checks))
  }
}

/** The handlers that need no options, each to be mounted by hand. */
export interface SingleHandlers {
  /** `POST /resend` as a single handler: another code for the live challenge. */
  resend(): RequestHandler
  /**
   * `POST /verify` as a single handler. Success renews the session, and writes the grant or makes the number redeemable.
   *
   * @example
   * app.post('/login/code', tf.verify())
   */
  verify(): RequestHandler
  /** `POST /cancel` as a single handler: ends the live challenge. */
  cancel(): RequestHandler
  /** `GET /` as a single handler: the live challenge or the page. Never sends. */
  status(): RequestHandler
}

export function singleHandlers(handlers: Handlers): SingleHandlers {
  return {
    resend: factory('resend', {}, () => handlers.resend),
    verify: factory('verify', {}, () => handlers.verify),
    cancel: factory('cancel', {}, () => handlers.cancel),
    status: factory('status', {}, () => handlers.status),
  }
}
