import express, { type Express } from 'express'
import type { TwoFactor } from '../../src/index.js'
import { ok } from './kit.js'

export const mum = { amount: '5', payee: 'Mum' }
export const mallory = { amount: '9999', payee: 'Mallory' }

/** A transfer whose amount and payee the person is shown, and something of another purpose. */
export function describedTransfers(app: Express, tf: TwoFactor): void {
  app.post(
    '/pay',
    express.json(),
    express.urlencoded({ extended: false }),
    tf.requireTwoFactor({
      purpose: 'pay',
      once: true,
      bind: ({ body }) => ({ amount: body.amount, payee: body.payee }),
      describe: ({ body }) => ({
        rows: [
          ['Amount', body.amount],
          ['To', body.payee],
        ],
      }),
    }),
    (req, res) => void res.json({ paid: req.body.payee }),
  )
  app.get('/settings', tf.requireTwoFactor({ purpose: 'settings' }), ok)
}
