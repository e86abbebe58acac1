import { text as dialogScript } from 'served:dialog.js'
import { text as pageScript } from 'served:page.js'
import { type Request, type RequestHandler, Router } from 'express'
import { type Checks, checkOptions, nonEmptyString, optionError, that } from '../../lib/options.js'
import { middleware } from '../host/boundary.js'
import type { Pages } from '../pages/pages.js'
import { isPath } from './site-paths.js'

/** Scripts by their path below the mount. */
const scripts = { '/dialog.js': dialogScript, '/page.js': pageScript }

/** The session middleware may set its cookie on a file, too. A shared cache would send it to the next visitor. */
const keptByBrowsers = { 'Cache-Control': 'private, max-age=3600' }

/** One handler for each route. */
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
   * Path of this site after success, if the request names no `returnTo`, for every purpose without its own. Default:
   * `/`.
   *
   * @example
   * app.use('/two-factor', tf.routes({ successPath: '/account' }))
   */
  readonly successPath?: string
}

/** Options of `start`. */
export interface StartOptions {
  /** Purpose of the code. Without it, the request body names the purpose. */
  readonly purpose?: string
  /**
   * Path of this site after success, whichever route verifies the code: for this `purpose`, or without one as in
   * `routes`.
   *
   * @example
   * tf.start({ purpose: 'login', successPath: '/account' })
   */
  readonly successPath?: string
}

/** Accepts a path of this site. */
export const sitePath = that("must be a path of this site, such as '/account'", isPath)
const purpose = nonEmptyString()

export const routesChecks: Checks<RoutesOptions> = { successPath: sitePath }
/** Checked, because with a misspelt purpose the browser would choose. */
export const startChecks: Checks<StartOptions> = { purpose, successPath: sitePath }

/**
 * Mounts the handlers on their paths. Each answers every method, the wrong ones with 405.
 *
 * @param check Sees each request to them, where the mount is known
 */
export function createRouter(
  handlers: Handlers,
  pages: Pick<Pages, 'css' | 'headers'>,
  check?: (req: Request) => void,
): Router {
  const router = createPageRouter(pages)
  if (check !== undefined) router.use(checkMount(check))
  router.all('/start', handlers.start())
  router.all('/resend', handlers.resend)
  router.all('/verify', handlers.verify)
  router.all('/cancel', handlers.cancel)
  router.all('/', handlers.status)
  return router
}

const checkMount = (check: (req: Request) => void): RequestHandler =>
  middleware((req) => {
    check(req)
    return true
  })

/** Creates a router with the files that pages load. */
export function createPageRouter(pages: Pick<Pages, 'css' | 'headers'>): Router {
  const router = Router()
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

/** Creates the function by which an app gets a router or a handler. It throws a TypeError for an unknown option. */
export function factory<Options extends object, Made>(
  name: string,
  checks: Checks<Options>,
  make: (options: Options) => Made,
): (options?: Options) => Made {
  return (...args: readonly [Options?]) => {
    // Express calls middleware with three arguments, so the app passed the factory without calling it.
    if (args.length > 1) throw optionError(`pass ${name}(), not ${name}`)
    const [given = {} as Options] = args
    return make(checkOptions(name, given, checks))
  }
}
