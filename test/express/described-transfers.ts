import express, { type Express, type RequestHandler } from 'express'
import type { GuardOptions, TwoFactor } from '../../src/index.js'
import { ok } from './kit.js'

export const mum = { amount: '5', payee: 'Mum' }
export const mallory = { amount: '9999', payee: 'Mallory' }

/** A transfer whose amount and payee the person is shown, unless the guard says otherwise. */
export const transfersAt =
  (
    path: string,
    guard: Partial<GuardOptions> = {},
    parsers: RequestHandler[] = [express.json(), express.urlencoded({ extended: false })],
  ) =>
  (app: Express, tf: TwoFactor): void => {
    const confirmed = tf.requireTwoFactor({
      purpose: 'pay',
      once: true,
      bind: ({ body }) => ({ amount: body.amount, payee: body.payee }),
      describe: ({ body }) => ({
        title: 'Transfer',
        rows: [
          ['Amount', body.amount],
          ['To', body.payee],
        ],
      }),
      ...guard,
    })
    app.all(path, ...parsers, confirmed)
    app.all(path, (req, res) => void res.json({ paid: req.body, query: req.query }))
  }

/** The same beside something of another purpose. */
export function describedTransfers(app: Express, tf: TwoFactor): void {
  transfersAt('/pay')(app, tf)
  app.get('/settings', tf.requireTwoFactor({ purpose: 'settings' }), ok)
}

/** The transfers behind a sign-in whose password only names the user: it sends no code. */
export function transfersAfterPassword(app: Express, tf: TwoFactor): void {
  app.post('/login', express.json(), (req, res) => {
    req.session.pendingUserId = req.body.user
    res.json({})
  })
  app.use('/two-factor', tf.routes())
  describedTransfers(app, tf)
}
