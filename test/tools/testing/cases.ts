import { randomInt } from 'node:crypto'
import type express from 'express'
import type { RequestHandler } from 'express'
import { createClient } from 'express-two-factor'
import { accountPages } from 'express-two-factor/account'
import {
  freeName,
  openAccount,
  parse,
  rightWiring,
  sendMoney,
  transfer,
  type Wiring,
  withAction,
} from './bank.js'
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
const openPage = (isOpen: (req: express.Request) => boolean): Partial<Wiring> => ({
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

/** Sends each of a list of transfers. */
const sendEach: RequestHandler = ({ session, body }, res) => {
  for (const one of [body].flat()) sendMoney({ session, body: one })
  res.json({})
}

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
      openPage((req) => req.get('x-forwarded-for')?.startsWith(network) === true),
    ),
  ),
  mistake(
    'an account page for a host name',
    'forged-headers',
    openPage((req) => req.hostname === 'internal'),
  ),
  mistake(
    'a page whose path the guard compares',
    'spellings',
    openPage((req) => req.path !== '/account'),
  ),
  mistake(
    'a page whose path is open in one spelling',
    'spellings',
    openPage((req) => req.path === '/Account'),
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
    openPage((req) => req.query.debug === '1'),
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
  mistake('a list of transfers as the body, of which the guard reads the first', 'changed', {
    transfers: ({ app, tf }, guard) => {
      const bind = ({ body }: express.Request) => ({ ...[body].flat()[0] })
      app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, bind }), sendEach)
    },
  }),
  mistake('a list of transfers as the body, for which no code is required', 'other-fields', {
    transfers: ({ app, tf }, guard) => {
      const requireCode = tf.requireTwoFactor(guard)
      app.post(
        '/transfers',
        parse,
        (req, res, next) => (Array.isArray(req.body) ? next() : requireCode(req, res, next)),
        sendEach,
      )
    },
  }),
  mistake('an amount that the guard rounds, and the handler does not', 'changed', {
    ...amounts((amount) => String(Math.round(Number(amount))), Number),
  }),
  mistake('a payee that the guard reads in small letters, and the handler as it is written', 'changed', {
    ...behind((requireCode) => requireCode, {
      bind: ({ body }) => ({ amount: body.amount, payee: String(body.payee).toLowerCase() }),
    }),
  }),
  mistake('a guard by path, in front of a server that takes the path from a header', 'forged-headers', {
    transfers: ({ app, tf }, guard) => {
      const requireCode = tf.requireTwoFactor(guard)
      app.use(parse, (req, res, next) => (req.path === '/transfers' ? requireCode(req, res, next) : next()))
      app.use((req, _res, next) => {
        req.url = req.get('x-original-url') ?? req.url
        next()
      })
      app.post('/transfers', transfer)
    },
  }),
  mistake('an account page of the user whom a header names', 'forged-headers', {
    account: ({ app, tf }) => {
      const requireCode = tf.requireTwoFactor()
      const isNamed = (req: express.Request) => req.get('x-user-id') !== undefined
      app.get(
        '/account',
        (req, res, next) => (isNamed(req) ? next() : requireCode(req, res, next)),
        (req, res) => void res.json({ name: req.get('x-user-id') ?? req.session.userId, plan: 'gold' }),
      )
    },
  }),
  mistake('a guard for requests of browsers only, which it knows by their origin', 'forged-headers', {
    ...behind(
      (requireCode) => (req, res, next) =>
        req.get('origin') === undefined ? next() : requireCode(req, res, next),
    ),
  }),
  mistake('an account page of the user whom the query names', 'other-fields', {
    account: ({ app, tf, users }) => {
      app.get('/account', tf.requireTwoFactor(), (req, res) => {
        const user = users.get(String(req.query.user ?? req.session.userId))
        res.json({ name: user?.name, phone: user?.phone })
      })
    },
  }),
  mistake('a sign-in by leaving the code page', 'password-only', {
    options: () => ({
      onCancelled: ({ session }) => {
        session.userId = String(session.pendingUserId)
      },
    }),
    account: ({ app }) =>
      void app.get('/account', ({ session: { userId } }, res) => {
        if (userId === undefined) res.sendStatus(401)
        else res.json({ name: userId, plan: 'gold' })
      }),
  }),
  mistake('names that a sign-up tells apart by their capitals, and the sign-in does not', 'taken-name', {
    signUp: ({ app, users }, { requireProof }) => {
      app.post('/signup', parse, freeName(users), requireProof(), (req, res) => {
        req.body.username = String(req.body.username).toLowerCase()
        openAccount(users, req, res, String(req.provenPhone?.phone))
      })
    },
  }),
  mistake('the account of the first person, which stays in the session of the next', 'same-browser', {
    account: ({ app, tf, users }) =>
      void app.get('/account', tf.requireTwoFactor(), (req, res) => {
        const user = users.get(req.session.userId ?? '')
        req.session.approved ??= JSON.stringify({ name: user?.name, phone: user?.phone })
        res.type('json').send(req.session.approved)
      }),
  }),
  mistake(
    'a number that the guard reads by parseInt, in front of a handler with rules of its own',
    'changed',
    {
      ...behind(
        (requireCode) => [
          requireCode,
          (req, res, next) => {
            const amount = Number(req.body.amount)
            if (!(amount > 0)) return void res.status(422).json({ wrong: 'amount' })
            req.body.amount = amount
            next()
          },
        ],
        {
          bind: ({ body }) => ({
            amount: Number.parseInt(String(body.amount), 10),
            payee: String(body.payee),
          }),
        },
      ),
    },
  ),
  mistake(
    'bind of the number and the sum of a list',
    'changed',
    {
      transfers: ({ app, tf }, guard) => {
        const listOf = ({ body }: express.Request): readonly { amount: number }[] =>
          Array.isArray(body?.transfers) ? body.transfers : []
        const bind = (req: express.Request) => ({
          count: listOf(req).length,
          sum: listOf(req).reduce((sum, { amount }) => sum + Number(amount), 0),
        })
        app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, bind }), (req, res) => {
          for (const body of listOf(req)) sendMoney({ session: req.session, body })
          res.json({})
        })
      },
    },
    (bank) =>
      withAction(bank, {
        body: { transfers: ['Luis', 'Rosa'].map((payee) => ({ amount: 5, payee })) },
        changed: {},
      }),
  ),
  mistake(
    'a query that switches the guard off',
    'other-fields',
    behind(
      (requireCode) => (req, res, next) =>
        req.query.stepUp === 'off' ? next() : requireCode(req, res, next),
    ),
  ),
  mistake('a provider of its own that accepts the code of anybody', 'other-session', {
    options: ({ sandbox }) => {
      const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
      const live = new Set<string>()
      return {
        provider: {
          tellsCodesApart: true,
          async sendCode({ destination }) {
            const code = String(randomInt(100_000, 1_000_000))
            live.add(code)
            await client.sendSms({ phone: destination, sms: `Your code is ${code}` })
            return { result: 'sent' }
          },
          checkCode: async ({ code }) => (live.delete(code) ? 'approved' : 'rejected'),
        },
      }
    },
  }),
]
