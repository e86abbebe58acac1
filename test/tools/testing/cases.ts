import type express from 'express'
import type { RequestHandler } from 'express'
import { accountPages } from 'express-two-factor/account'
import { parse, rightWiring, sendMoney, transfer, type Wiring, withAction } from './bank.js'
import { behind, type Mistake, mistake } from './mistakes.js'

/** An app whose transfers and limits read one amount in two ways. */
const amounts = (
  atGuard: (amount: unknown) => string,
  atHandler: (amount: unknown) => unknown,
): Partial<Wiring> => ({
  ...behind(
    (requireCode) => [
      requireCode,
      (req, _res, next) => {
        req.body.amount = atHandler(req.body.amount)
        next()
      },
    ],
    { bind: (req) => ({ amount: atGuard(req.body.amount), payee: String(req.body.payee) }) },
  ),
})

/** An account page behind a guard that this skips. */
const openAccount = (isOpen: (req: express.Request) => boolean): Partial<Wiring> => ({
  account: ({ app, tf, users }) => {
    const requireCode = tf.requireTwoFactor()
    const show: RequestHandler = (req, res) => {
      const all = [...users.values()].map(({ name, phone }) => `${name} ${phone}`)
      res.json({ accounts: all, reader: req.session.userId })
    }
    app.get(
      '/account',
      (req, res, next) => (isOpen(req) ? show(req, res, next) : requireCode(req, res, next)),
      show,
    )
  },
})

/** Wrong apps that an earlier rehearsal let pass. */
export const missedApps: readonly Mistake[] = [
  mistake('a handler that saves before the guard refuses', 'without-code', {
    transfers: ({ app, tf }, guard) => {
      const save: RequestHandler = (req, _res, next) => {
        sendMoney(req)
        next()
      }
      app.post(
        '/transfers',
        parse,
        save,
        tf.requireTwoFactor(guard),
        (_req, res) => void res.json({ sent: true }),
      )
    },
  }),
  ...['unguarded', 'other-methods'].map((row) =>
    mistake(
      `two routes that delete an account, one of them by DELETE and open, seen by ${row}`,
      row,
      {
        transfers: ({ app, tf, users }) => {
          const erase: RequestHandler = (req, res) => {
            const user = users.get(req.session.userId ?? req.session.pendingUserId ?? '')
            if (user !== undefined) user.password = ''
            res.sendStatus(204)
          }
          app.post('/account/delete', tf.requireTwoFactor({ purpose: 'erase', once: true }), erase)
          app.delete('/account', erase)
        },
      },
      () => ({
        state: ({ password }) => password !== '',
        actions: [{ name: 'delete the account', path: '/account/delete' }],
      }),
    ),
  ),
  mistake('a number that the guard reads as it is written, and the handler by parseInt', 'changed', {
    ...amounts(String, (amount) => Number.parseInt(String(amount), 10)),
  }),
  mistake('a number that the guard reads by parseInt, and the handler as it is written', 'changed', {
    ...amounts((amount) => String(Number.parseInt(String(amount), 10)), Number),
  }),
  mistake('a list that the guard reads as its first, and the handler as its last', 'changed', {
    ...amounts(
      (amount) => String([amount].flat()[0]),
      (amount) => [amount].flat().at(-1),
    ),
  }),
  mistake('a code that opens all transfers for some minutes', 'changed', {
    ...behind(
      (requireCode) => (req, res, next) => {
        if (req.session.approved === 'yes') return next()
        requireCode(req, res, (error) => {
          if (error === undefined) req.session.approved = 'yes'
          next(error)
        })
      },
      { once: false },
    ),
  }),
  mistake('a guard that prefers the query, and a handler that reads the body', 'changed', {
    ...behind((requireCode) => requireCode, {
      bind: ({ query, body }) => ({
        amount: Number(query.amount ?? body.amount),
        payee: String(query.payee ?? body.payee),
      }),
    }),
  }),
  mistake('a handler that prefers the query, and a guard that reads the body', 'changed', {
    ...behind((requireCode) => [
      requireCode,
      (req, _res, next) => {
        req.body = { ...req.body, ...req.query }
        next()
      },
    ]),
  }),
  ...['127.0.0.1', '172.16.0.', '192.168.'].map((network) =>
    mistake(
      `an account page for the network ${network}, by a header`,
      'forged-headers',
      openAccount((req) => req.get('x-forwarded-for')?.startsWith(network) === true),
    ),
  ),
  mistake(
    'an account page for a host name',
    'forged-headers',
    openAccount((req) => req.hostname === 'internal'),
  ),
  mistake(
    'a page whose path the guard compares',
    'spellings',
    openAccount((req) => req.path !== '/account'),
  ),
  mistake(
    'a page whose path is open in one spelling',
    'spellings',
    openAccount((req) => req.path === '/Account'),
  ),
  ...Object.entries({
    spellings: (req: express.Request) => req.path === '/account/',
    'other-fields': (req: express.Request) => req.query.format === 'json',
    'forged-headers': (req: express.Request) => req.get('x-internal') === '1',
  }).map(([row, isOpen]) =>
    mistake(`a list of all users beside a page with little but a name, seen by ${row}`, row, {
      account: ({ app, tf, users }) => {
        app.get(
          '/account',
          (req, res, next) => (isOpen(req) ? void res.json([...users.keys()]) : next()),
          tf.requireTwoFactor(),
          (req, res) => void res.send(`<h1>Your account</h1><p>Welcome back, ${req.session.userId}`),
        )
      },
    }),
  ),
  mistake('a page without a guard for HEAD and POST', 'other-methods', {
    front: ({ app, users }) =>
      void app.post('/account', (_req, res) => void res.json({ name: [...users.keys()] })),
  }),
  mistake(
    'a page with a switch for development',
    'other-fields',
    openAccount((req) => req.query.debug === '1'),
  ),
  mistake('a guard for large amounts only, which reads a list as none', 'other-fields', {
    ...behind(
      (requireCode) => (req, res, next) => (req.body.amount > 4 ? requireCode(req, res, next) : next()),
    ),
  }),
  mistake('a negative amount that needs no code', 'other-fields', {
    ...behind((requireCode) => (req, res, next) => {
      const { amount } = req.body
      return typeof amount === 'number' && amount < 4 ? next() : requireCode(req, res, next)
    }),
  }),
  mistake(
    'bind of the first in a list of transfers',
    'changed',
    {
      transfers: ({ app, tf }, guard) => {
        const bind = ({ body }: express.Request) => ({ ...body?.transfers?.[0] })
        app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, bind }), (req, res) => {
          for (const body of [req.body?.transfers].flat()) sendMoney({ session: req.session, body })
          res.json({})
        })
      },
    },
    (bank) => withAction(bank, { body: { transfers: [{ amount: 5, payee: 'Luis' }] }, changed: {} }),
  ),
  mistake('account pages in front of the guard', 'account-without-code', {
    front: (bank) => {
      const numbers = rightWiring.settings(bank)
      bank.app.use('/settings', accountPages(bank.tf, { path: '/settings', numbers }))
    },
  }),
  mistake('a transfer from the account that the body names', 'of-another', {
    transfers: ({ app, tf }, guard) =>
      void app.post('/transfers', parse, tf.requireTwoFactor(guard), (req, res, next) => {
        req.session.userId = req.body.from ?? req.session.userId
        transfer(req, res, next)
      }),
  }),
  mistake(
    'an account in the path that nobody compares',
    'of-another',
    {
      transfers: ({ app, tf }, guard) =>
        void app.post('/accounts/:name/transfers', parse, tf.requireTwoFactor(guard), (req, res) => {
          sendMoney({ session: { ...req.session, userId: req.params.name } as never, body: req.body })
          res.json({})
        }),
    },
    (bank) => withAction(bank, { path: ({ name }) => `/accounts/${name}/transfers` }),
  ),
  mistake(
    'one purpose for two actions, and no bind',
    'changed',
    {
      transfers: ({ app, tf }) => {
        const requireCode = tf.requireTwoFactor({ purpose: 'transfer', once: true })
        for (const payee of ['block', 'close']) {
          app.post(`/card/${payee}`, requireCode, (req, res) => {
            sendMoney({ session: req.session, body: { payee } })
            res.sendStatus(204)
          })
        }
      },
    },
    () => ({
      actions: ['block', 'close'].map((name) => ({ name, path: `/card/${name}` })),
    }),
  ),
  mistake('a twin of the transfer in a second version', 'unguarded', {
    front: ({ app }) => void app.post('/v2/transfers', parse, transfer),
  }),
]
