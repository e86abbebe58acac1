import { type Request, Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { type Account, type Accounts, textOf } from './accounts.js'
import type { Pages } from './pages.js'

/** What only its owner may see, and what asks for a fresh code. */
export function bankRoutes(tf: TwoFactor, accounts: Accounts, pages: Pages): Router {
  const router = Router()
  // The guard has let this subject pass, so the account is there.
  const ownerOf = (req: Request) => accounts.find(req.session.userId) as Account
  const transferOf = (req: Request) => ({
    amount: textOf(req.body, 'amount') ?? '',
    payee: textOf(req.body, 'payee') ?? '',
  })

  router.get('/account', tf.requireTwoFactor(), (req, res) => {
    const { name, email } = ownerOf(req)
    res.format({ json: () => res.json({ name, email }), html: () => res.send(pages.account(name, email)) })
  })

  router.use('/settings', tf.requireTwoFactor({ purpose: 'settings' }))
  router.get('/settings', (req, res) => {
    res.send(pages.settings(ownerOf(req).email))
  })
  router.post('/settings', (req, res) => {
    ownerOf(req).email = textOf(req.body, 'email') ?? ownerOf(req).email
    res.redirect(303, '/account')
  })

  router.get('/transfer', tf.requireTwoFactor(), (_req, res) => {
    res.send(pages.transfer())
  })
  const confirmed = tf.requireTwoFactor({ purpose: 'transfer', once: true, bind: transferOf })
  router.post('/transfer', confirmed, (req, res) => {
    const done = transferOf(req)
    res.format({ json: () => res.json({ done }), html: () => res.send(pages.transfer(done)) })
  })

  return router
}
