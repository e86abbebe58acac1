import { type RequestHandler, Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { type Accounts, textOf } from './accounts.js'
import type { Pages } from './pages.js'

/** An account is opened for a number that its owner has proven in this session. */
export function signupRoutes(tf: TwoFactor, accounts: Accounts, pages: Pages): Router {
  const router = Router()
  const signup = tf.phoneVerification({ purpose: 'signup', successPath: '/signup' })

  // Else whoever proves a number of his own takes over the account of that name.
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
  // Asked for the name again behind the proof, because somebody may have been faster.
  router.post('/', freeName, signup.requireProof(), freeName, async (req, res) => {
    const name = textOf(req.body, 'name') ?? ''
    const password = textOf(req.body, 'password') ?? ''
    accounts.open({ name, password, phone: req.provenPhone?.phone ?? '' })
    // The code has just proven the phone, in a session whose id was renewed for it: signed in without a second one.
    req.session.userId = name
    await tf.grants.write({ subject: name, session: req.sessionID, purpose: 'login', method: 'sign-up' })
    res.format({
      html: () => res.redirect(303, '/account'),
      json: () => res.status(201).json({ name }),
    })
  })
  return router
}
