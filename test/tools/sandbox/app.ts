import express from 'express'
import session from 'express-session'
import { type CodeProvider, twoFactor } from '../../../src/index.js'

/** The app of the document's example: a sign-in with a password, and a guarded page. */
export function createApp(provider: CodeProvider) {
  const tf = twoFactor({
    provider,
    appName: 'Acme',
    secret: 'only for tests, at least 32 bytes long',
    countries: ['CO'],
    subject: (req) => req.session.pendingUserId ?? req.session.userId,
    phone: () => '+573001234567',
    onVerified: (req, _res, grant) => {
      req.session.userId = grant.subject
      delete req.session.pendingUserId
    },
  })
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use('/two-factor', tf.routes())
  app.post(
    '/login',
    express.json(),
    (req, res, next) => {
      const { name, password } = req.body
      if (name !== 'ana' || password !== 'sesame') return void res.sendStatus(401)
      req.session.pendingUserId = name
      next()
    },
    tf.start({ purpose: 'login' }),
  )
  app.get('/account', tf.requireTwoFactor(), (_req, res) => void res.send('Hello Ana'))
  return { app, tf }
}
