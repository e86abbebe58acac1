import { type Request, type RequestHandler, Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { type Account, type Accounts, balanceOf, textOf } from './accounts.js'
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
    const account = ownerOf(req)
    const { name, email } = account
    const [newest] = account.movements
    const news =
      req.query.news === 'transfer' && newest ? `${-newest.amount} went to ${newest.what}.` : undefined
    res.format({ json: () => res.json({ name, email }), html: () => res.send(pages.account(account, news)) })
  })

  router.use('/settings', tf.requireTwoFactor({ purpose: 'settings' }))
  router.get('/settings', (req, res) => {
    res.send(pages.settings(ownerOf(req).email))
  })
  router.post('/settings', (req, res) => {
    ownerOf(req).email = textOf(req.body, 'email') ?? ownerOf(req).email
    res.redirect(303, '/account')
  })

  router.use('/devices', tf.requireTwoFactor())
  router.get('/devices', async (req, res) => {
    const devices = await tf.trustedDevices.list(ownerOf(req).name)
    res.send(
      pages.devices(
        devices,
        req.query.news === 'revoked' ? 'That browser asks for a code again.' : undefined,
      ),
    )
  })
  router.post('/devices', async (req, res) => {
    await tf.trustedDevices.revoke(ownerOf(req).name, textOf(req.body, 'id') ?? '')
    res.redirect(303, '/devices?news=revoked')
  })

  // Before the guard: nobody should type a code for what cannot be done anyway.
  const canBeDone: RequestHandler = (req, res, next) => {
    const { amount, payee } = transferOf(req)
    if (/^[1-9]\d{0,5}$/.test(amount) && payee !== '') return next()
    res.status(422).send(pages.transfer('Enter a whole amount and who gets it.'))
  }
  const confirmed = tf.requireTwoFactor({
    purpose: 'transfer',
    once: true,
    bind: transferOf,
    describe: (req) => {
      const { amount, payee } = transferOf(req)
      return {
        title: 'Transfer',
        rows: [
          ['Amount', amount],
          ['To', payee],
        ],
      }
    },
    resume: true,
  })
  router.get('/transfer', tf.requireTwoFactor(), (_req, res) => {
    res.send(pages.transfer())
  })
  router.post('/transfer', canBeDone, confirmed, (req, res) => {
    const done = transferOf(req)
    const account = ownerOf(req)
    if (balanceOf(account) < Number(done.amount)) {
      res.status(422).send(pages.transfer('There is not enough on the account.'))
      return
    }
    account.movements.unshift({ what: done.payee, amount: -Number(done.amount) })
    res.format({ json: () => res.json({ done }), html: () => res.redirect(303, '/account?news=transfer') })
  })

  return router
}
