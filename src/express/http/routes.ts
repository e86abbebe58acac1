import { text as dialogScript } from 'served:dialog.js'
import { text as pageScript } from 'served:page.js'
import { type RequestHandler, Router } from 'express'
import { type Checks, checkOptions, nonEmptyString, optionError, that } from '../../lib/options.js'
import { middleware } from '../host/boundary.js'
import type { Pages } from '../pages/pages.js'
import { isPath } from './origin.js'

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

/** A path of this site, where a page leads. */
export const sitePath = that("must be a path of this site, such as '/account'", isPath)
const purpose = nonEmptyString()

export const routesChecks: Checks<RoutesOptions> = { successPath: sitePath }
/** With a misspelt purpose the browser would choose. */
export const startChecks: Checks<StartOptions> = { purpose, successPath: sitePath }

/**
 * Mounts the handlers on their paths. Each responds to every method: 405 to the wrong ones.
 *
 * @param path Where this router has to be mounted, where it is known
 */
export function createRouter(
  handlers: Handlers,
  pages: Pick<Pages, 'css' | 'headers'>,
  path?: string,
): Router {
  const router = createPageRouter(pages)
  if (path !== undefined) router.use(mountedAt(path))
  router.all('/start', handlers.start())
  router.all('/resend', handlers.resend)
  router.all('/verify', handlers.verify)
  router.all('/cancel', handlers.cancel)
  router.all('/', handlers.status)
  return router
}

/** Lets nothing through where a router is mounted elsewhere: what leads to its path would lead nowhere. */
const mountedAt = (path: string): RequestHandler =>
  middleware(({ baseUrl }) => {
    // To Express the case of a path does not matter.
    if (baseUrl.toLowerCase() === path.toLowerCase()) return true
    throw optionError(`path is '${path}', but these routes are mounted at '${baseUrl}'; make both the same`)
  })

/** A router with nothing but the files that pages load. */
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

/** What the app calls to be given a router or a handler. Throws a TypeError for what is no option of it. */
export function factory<Options extends object, Made>(
  name: string,
  checks: Checks<Options>,
  make: (options: Options) => Made,
): (options?: Options) => Made {
  return (...args: readonly [Options?]) => {
    // Express calls a middleware with three arguments: a factory that gets them was passed uncalled.
    if (args.length > 1) throw optionError(`pass ${name}(), not ${name}`)
    const [given = {} as Options] = args
    return make(checkOptions(name, given, checks))
  }
}
