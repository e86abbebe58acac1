import { type Request, type RequestHandler, Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { type Account, type Accounts, balanceOf, money, textOf } from './accounts.js'
import type { Pages } from './pages.js'
import { fill } from './texts.js'

/** Routes that need a sign-in, and routes that need a fresh code. */
export function bankRoutes(tf: TwoFactor, accounts: Accounts, pages: Pages): Router {
  const router = Router()
  // The guard admitted this subject, so the account exists.
  const ownerOf = (req: Request) => accounts.find(req.session.userId) as Account
  const transferOf = (req: Request) => ({
    amount: textOf(req.body, 'amount') ?? '',
    payee: textOf(req.body, 'payee') ?? '',
  })

  router.get('/account', tf.requireTwoFactor(), (req, res) => {
    const account = ownerOf(req)
    const { name, email, movements } = account
    const [newest] = movements
    const isNews = req.query.news === 'transfer' && newest !== undefined
    const { account: page, t } = pages(req)
    const sent = isNews && { amount: money(-newest.amount), payee: newest.what }
    const news = sent ? fill(t.transferred, sent) : undefined
    res.format({ html: () => res.send(page(account, news)), json: () => res.json({ name, email }) })
  })

  router.use('/settings', tf.requireTwoFactor({ purpose: 'settings' }))
  router.get('/settings', (req, res) => {
    res.send(pages(req).settings(ownerOf(req).email))
  })
  router.post('/settings', (req, res) => {
    ownerOf(req).email = textOf(req.body, 'email') ?? ownerOf(req).email
    res.redirect(303, '/account')
  })

  // Runs before the guard, so that no user enters a code for an impossible transfer, and after it, because the balance may
  // have changed.
  const canBeDone: RequestHandler = (req, res, next) => {
    const { amount, payee } = transferOf(req)
    const account = accounts.find(req.session.userId)
    const balance = account === undefined ? Number.POSITIVE_INFINITY : balanceOf(account)
    const isWhole = /^[1-9]\d{0,5}$/.test(amount) && payee !== ''
    if (isWhole && Number(amount) <= balance) return next()
    const { transfer, t } = pages(req)
    const problem = isWhole ? fill(t.notEnough, { balance: money(balance) }) : t.wholeDollars
    res.status(422).send(transfer({ amount, payee }, problem))
  }
  const confirmed = tf.requireTwoFactor({
    purpose: 'transfer',
    once: true,
    bind: transferOf,
    describe: (req) => {
      const { amount, payee } = transferOf(req)
      const { t } = pages(req)
      return {
        title: t.transfer,
        rows: [
          [t.amount, money(Number(amount))],
          [t.to, payee],
        ],
        action: t.transfer,
      }
    },
    resume: true,
  })
  router.get('/transfer', tf.requireTwoFactor(), (req, res) => {
    res.send(pages(req).transfer({ amount: '100', payee: 'Luis' }))
  })
  router.post('/transfer', canBeDone, confirmed, canBeDone, (req, res) => {
    const done = transferOf(req)
    ownerOf(req).movements.unshift({ what: done.payee, amount: -Number(done.amount) })
    res.format({ html: () => res.redirect(303, '/account?news=transfer'), json: () => res.json({ done }) })
  })

  return router
}
