import { type RequestHandler, Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { type Accounts, textOf } from './accounts.js'
import type { Pages } from './pages.js'

/** Opens an account for a number that was verified in this session. */
export function signupRoutes(tf: TwoFactor, accounts: Accounts, pages: Pages): Router {
  const router = Router()
  const signup = tf.phoneVerification({ purpose: 'signup', successPath: '/signup' })

  // Otherwise an attacker could take over an account by a sign-up with its name.
  const freeName: RequestHandler = (req, res, next) => {
    const name = textOf(req.body, 'name') ?? ''
    const password = textOf(req.body, 'password') ?? ''
    if (name !== '' && password !== '' && accounts.find(name) === undefined) next()
    else res.status(422).send(pages(req).signup(pages(req).t.chooseName))
  }

  router.use('/phone', signup.routes())
  router.get('/', (req, res) => {
    res.send(pages(req).signup())
  })
  // The name is checked twice, because another sign-up may have taken it meanwhile.
  router.post('/', freeName, signup.requireProof(), freeName, async (req, res) => {
    const name = textOf(req.body, 'name') ?? ''
    const password = textOf(req.body, 'password') ?? ''
    accounts.open({ name, password, phone: req.provenPhone?.phone ?? '' })
    // The code has just verified the phone and renewed the session id, so the sign-in needs no second code.
    req.session.userId = name
    await tf.grants.write({ subject: name, session: req.sessionID, purpose: 'login', method: 'sign-up' })
    res.format({
      html: () => res.redirect(303, '/account'),
      json: () => res.status(201).json({ name }),
    })
  })
  return router
}
