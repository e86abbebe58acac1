import { type RequestHandler, Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { type Accounts, textOf } from './accounts.js'
import type { Pages } from './pages.js'

/** Home, sign-in with password and code, and sign-out. */
export function signInRoutes(tf: TwoFactor, accounts: Accounts, pages: Pages): Router {
  const router = Router()
  const checkPassword: RequestHandler = (req, res, next) => {
    const account = accounts.find(textOf(req.body, 'name'))
    if (account === undefined || account.password !== textOf(req.body, 'password')) {
      const { login, t } = pages(req)
      res.status(401).send(login(textOf(req.body, 'returnTo'), t.wrongPassword))
      return
    }
    req.session.pendingUserId = account.name
    next()
  }

  router.get('/bank', (req, res) => {
    res.send(pages(req).home(req.session.userId))
  })
  router.get('/login', (req, res) => {
    res.send(pages(req).login(textOf(req.query, 'returnTo')))
  })
  router.post('/login', checkPassword, tf.start({ purpose: 'login', successPath: '/account' }))
  // For programs that start the challenge in a second request.
  router.post('/password', checkPassword, (_req, res) => {
    res.json({ next: '/two-factor/start' })
  })
  router.post('/logout', async (req, res) => {
    await tf.grants.revoke(req)
    // Chromium keeps pages for Back until an HttpOnly cookie changes.
    req.session.destroy(() => res.clearCookie('connect.sid').redirect(303, '/bank'))
  })
  return router
}
