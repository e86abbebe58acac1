import express from 'express'
import { host } from './host.js'

/** The same login in two steps on this package. */
export function loginWithPackage(tf) {
  const app = host()
  const takePassword = (req, _res, next) => {
    req.session.pendingUserId = req.body.user
    next()
  }
  app.post('/login', express.json(), takePassword, tf.start({ purpose: 'login' }))
  app.use('/two-factor', tf.routes())
  const hello = (req, res) => res.json({ hello: req.session.userId })
  app.get('/open', hello)
  app.get('/account', tf.requireTwoFactor(), hello)
  return app
}
