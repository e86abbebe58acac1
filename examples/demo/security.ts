import { type Request, type RequestHandler, Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { type Account, type Accounts, textOf } from './accounts.js'
import type { Pages } from './pages.js'

/** The number, the recovery codes and the trusted browsers of an account. */
export function securityRoutes(tf: TwoFactor, accounts: Accounts, pages: Pages): Router {
  const router = Router()
  const newNumber = tf.phoneVerification({ purpose: 'new-number', successPath: '/number' })
  const signedIn = tf.requireTwoFactor()
  const ownerOf = (req: Request) => accounts.find(req.session.userId) as Account

  router.get('/security', signedIn, async (req, res) => {
    const account = ownerOf(req)
    const browsers = await tf.trustedDevices.list(account.name, req)
    const { security, t } = pages(req)
    const news = { revoked: t.browserRevoked, number: t.numberChanged }[textOf(req.query, 'news') ?? '']
    res.send(security(account, browsers, news))
  })
  router.post('/browsers', signedIn, async (req, res) => {
    await tf.trustedDevices.revoke(ownerOf(req).name, textOf(req.body, 'id') ?? '')
    res.redirect(303, '/security?news=revoked')
  })

  // A recovery code must not bring the next ones: by phone only.
  const byPhone = tf.requireTwoFactor({ purpose: 'recovery-codes', methods: ['code'], resume: true })
  router.post('/recovery-codes', byPhone, (req, res) => {
    const account = ownerOf(req)
    const { codes, hashes } = tf.recoveryCodes.generate(account.name)
    account.recoveryHashes = new Set(hashes)
    res.set('Cache-Control', 'no-store').send(pages(req).recoveryCodes(codes))
  })
  // A reload shows them no second time.
  router.get('/recovery-codes', (_req, res) => res.redirect('/security'))

  // The new number is proven first, then the old one confirms it: this new number and no other.
  router.use('/number/code', signedIn, newNumber.routes())
  const readNewNumber: RequestHandler = (req, res, next) => {
    newNumber.proven(req).then((proven) => {
      req.provenPhone = proven
      if (proven === undefined) res.redirect(303, '/number/code')
      else next()
    }, next)
  }
  const byOldNumber = tf.requireTwoFactor({
    purpose: 'change-number',
    once: true,
    bind: (req) => ({ phone: req.provenPhone?.phone ?? null }),
    describe: (req) => {
      const { newNumber, number, useNumber } = pages(req).t
      return { title: newNumber, rows: [[number, req.provenPhone?.phone ?? '']], action: useNumber }
    },
    resume: true,
  })
  router.get('/number', signedIn, readNewNumber, (req, res) => {
    res.send(pages(req).newNumber(req.provenPhone?.phone ?? ''))
  })
  router.post('/number', signedIn, readNewNumber, byOldNumber, newNumber.requireProof(), async (req, res) => {
    const account = ownerOf(req)
    account.phone = req.provenPhone?.phone ?? account.phone
    await tf.trustedDevices.revokeSubject(account.name)
    res.redirect(303, '/security?news=number')
  })

  return router
}
