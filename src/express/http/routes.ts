import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type RequestHandler, Router } from 'express'
import { middleware } from '../host/boundary.js'
import type { Pages } from '../pages/pages.js'

/** Path below the mount to the bundle that it serves. */
const scripts = { '/dialog.js': 'index.js', '/page.js': 'page.js' }

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
  for (const [path, file] of Object.entries(scripts)) {
    router.get(
      path,
      middleware(async (_req, res) => {
        res.set(pages.headers).type('text/javascript')
        await new Promise<void>((resolve, reject) => {
          const sent = (error?: Error) => (error ? reject(error) : resolve())
          res.sendFile(browserFile(file), { headers: keptByBrowsers, dotfiles: 'allow' }, sent)
        })
        return false
      }),
    )
  }
  return router
}

/** Found by the name of the package, so that a bundled server finds it too; read only when it is asked for. */
function browserFile(name: string): string {
  const entry = createRequire(import.meta.url).resolve('express-two-factor/browser')
  return join(dirname(entry), name)
}
