import type express from 'express'
import { createClient } from 'express-two-factor'
import { parse, rightWiring, type Wiring } from './bank.js'
import { behind, cors, type Mistake, mistake } from './mistakes.js'

// Written after the rows, and before anybody had tried them on these.

const page = (title: string, body: string) =>
  `<!doctype html><title>${title}</title><h1>Acme Bank</h1>${body}`
const loginForm =
  '<form method="post" action="/login">Name <input name="name"> <input type="password"></form>'

/** The account as a page, for whoever this lets see it. All others get the form to sign in, with 200. */
const htmlAccount = (isShown: (req: express.Request) => boolean): Partial<Wiring> => ({
  account: ({ app, users }) => {
    app.get('/account', (req, res) => {
      const user = users.get(req.session.userId ?? req.session.pendingUserId ?? '')
      if (user === undefined || !isShown(req)) return void res.send(page('Sign in', loginForm))
      res.send(
        page('Your account', `<p>Hello ${user.name}, your balance today is 5 and your card is active</p>`),
      )
    })
  },
})

export const laterMistakes: readonly Mistake[] = [
  mistake('a sign-out that forgets the user and nothing else', 'sign-out', {
    signOut: ({ app }) =>
      void app.post('/logout', (req, res) => {
        delete req.session.userId
        res.json({ signedOut: true })
      }),
  }),
  mistake(
    'CORS for whatever begins like the own origin',
    'cross-site',
    cors((origin, host) => origin.startsWith(`http://${host}`)),
  ),
  mistake(
    'CORS for the origin null',
    'cross-site',
    cors((origin) => origin === 'null'),
  ),
  mistake('bind that reads the query, and a handler that reads the body', 'changed', {
    guard: {
      ...rightWiring.guard,
      bind: (req) => ({ amount: String(req.query.amount), payee: String(req.query.payee) }),
    },
  }),
  mistake('a flag for the next transfer, whatever it is', 'changed', {
    options: () => ({
      onVerified: (req, _res, grant) => {
        req.session.userId = grant.subject
        if (grant.purpose === 'transfer') req.session.approved = 'yes'
        delete req.session.pendingUserId
      },
    }),
    ...behind(
      (requireCode) => (req, res, next) => {
        if (req.session.approved !== 'yes') return void requireCode(req, res, next)
        delete req.session.approved
        next()
      },
      { once: false },
    ),
  }),
  mistake(
    'an account as HTML for whoever has given a password',
    'password-only',
    htmlAccount(() => true),
  ),
  mistake('a used code that is remembered as good', 'replay', {
    front: (bank) => {
      const used = new Set<string>()
      bank.app.post('/two-factor/verify', parse, async (req, res, next) => {
        const subject = req.session.pendingUserId
        const key = `${subject} ${req.body.code}`
        if (subject !== undefined && used.has(key)) {
          await bank.tf.grants.write({ subject, session: req.session.id, purpose: 'login', method: 'cache' })
          return void res.json({ verified: true })
        }
        res.once('finish', () => void (res.statusCode === 200 && used.add(key)))
        next()
      })
    },
  }),
  mistake('a verify of its own with a gap between look and use', 'right-codes', {
    front: ({ app, users, sandbox }) => {
      const used = new Set<unknown>()
      app.post('/two-factor/verify', parse, async (req, res, next) => {
        const phone = users.get(req.session.pendingUserId ?? '')?.phone
        const [newest] = phone === undefined ? [] : sandbox.inbox.list(phone)
        if (newest === undefined || newest.code !== req.body.code || used.has(newest.id)) return next()
        // Long enough for a second request, also on a busy machine.
        await new Promise((resolve) => setTimeout(resolve, 200))
        used.add(newest.id)
        res.json({ verified: true })
      })
    },
  }),
  mistake('a code of its own at every start', 'starts', {
    front: ({ app, users, sandbox }) => {
      const client = createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
      app.post('/two-factor/start', async (req, _res, next) => {
        const phone = users.get(req.session.pendingUserId ?? '')?.phone
        if (phone !== undefined) await client.sendSmsCode({ phone, appName: 'Acme' })
        next()
      })
    },
  }),
]
