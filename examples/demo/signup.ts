import { type ErrorRequestHandler, Router } from 'express'
import { type TwoFactor, TwoFactorError } from 'express-two-factor'
import { type Accounts, textOf } from './accounts.js'
import type { Pages } from './pages.js'

/** An account is opened for a number that its owner has proven in this session. */
export function signupRoutes(tf: TwoFactor, accounts: Accounts, pages: Pages): Router {
  const router = Router()
  const phoneVerification = tf.phoneVerification({ purpose: 'signup', successPath: '/signup' })

  router.use('/phone', phoneVerification.routes())
  router.get('/', (_req, res) => {
    res.send(pages.signup())
  })
  router.post('/', async (req, res) => {
    const name = textOf(req.body, 'name') ?? ''
    const password = textOf(req.body, 'password') ?? ''
    if (name === '' || password === '' || accounts.find(name) !== undefined) {
      res.status(422).send(pages.signup('Choose another name, and a password.'))
      return
    }
    const { phone } = await phoneVerification.redeem(req)
    accounts.add({ name, password, phone, email: `${name}@example.com`, movements: [] })
    res.status(201).format({
      json: () => res.json({ name }),
      html: () => res.send(pages.welcome(name, phone)),
    })
  })
  router.use(askForNumber)
  return router
}

/** Nothing was proven, or it was redeemed before. */
const askForNumber: ErrorRequestHandler = (error, _req, res, next) => {
  if (!(error instanceof TwoFactorError) || error.code !== 'second_factor_required') {
    next(error)
    return
  }
  res.format({
    json: () => res.status(error.status).json({ code: error.code }),
    html: () => res.redirect(303, '/signup/phone'),
  })
}
