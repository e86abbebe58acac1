// A change of number, told at the old number and every other address: the way back when it was somebody else's.
import { hash, randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import type { Sandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    userId?: string
  }
}

export type Account = { phone: string; readonly email: string; mustResetPassword?: boolean }
type Change = { readonly subject: string; readonly phone: string; readonly tag: string; readonly end: number }

export function createApp(
  { baseUrl, credentials, approvedStatuses }: Sandbox,
  accounts: ReadonlyMap<string, Account>,
  sendMail: (to: string, text: string) => Promise<void>,
  origin = 'http://localhost:3000', // never from the Host header, which the visitor writes
) {
  const client = createClient({ baseUrl, ...credentials })
  const tf = twoFactor({
    provider: providerCodes({ client, approvedStatuses }),
    ...{ secret: secret('TWO_FACTOR_SECRET'), countries: ['CO'] },
    appName: { login: 'Acme', 'new-number': 'Acme new number' },
    ...{ subject: (req) => req.session.userId, phone: (_req, subject) => accounts.get(subject)?.phone },
  })
  const newNumber = tf.phoneVerification({ purpose: 'new-number' })
  let changes: readonly Change[] = [] // oldest first; a table of your database
  const app = express()
  const cookie = { sameSite: 'lax' } as const
  app.use(session({ secret: secret('SESSION_SECRET'), resave: false, saveUninitialized: false, cookie }))
  app.use('/two-factor', tf.routes())
  app.post('/sign-in', (req, res) => {
    const { mustResetPassword } = accounts.get('ana') ?? {}
    if (!mustResetPassword) req.session.userId = 'ana' // what a checked password would have done
    res.sendStatus(mustResetPassword ? 403 : 200)
  })
  const signedIn = tf.requireTwoFactor()
  app.get('/account', signedIn, (req, res) => void res.json(accounts.get(req.session.userId ?? '')))
  app.use('/number/code', signedIn, newNumber.routes())
  const readNewNumber: express.RequestHandler = (req, res, next) => {
    newNumber.proven(req).then((proven) => {
      req.provenPhone = proven
      proven === undefined ? res.status(409).json({ prove: '/number/code' }) : next()
    }, next)
  }
  // The proof of the new number first, then a code to the old one, for this new number and no other.
  const byOldNumber = tf.requireTwoFactor({
    ...{ purpose: 'change-number', once: true },
    bind: (req) => ({ phone: req.provenPhone?.phone ?? null }),
    describe: (req) => ({ title: 'New number', rows: [['Number', req.provenPhone?.phone ?? '']] }),
  })
  app.post('/number', readNewNumber, byOldNumber, newNumber.requireProof(), async (req, res) => {
    const subject = String(req.session.userId)
    const [account, phone] = [accounts.get(subject), req.provenPhone?.phone]
    if (account === undefined || phone === undefined) return void res.sendStatus(404)
    const [token, end] = [randomBytes(32).toString('base64url'), Date.now() + 7 * 86_400_000]
    changes = [...changes, { subject, phone: account.phone, tag: hash('sha256', token), end }]
    // The whole address of your own site: a short link could be anybody's.
    const news = `Acme: your number was changed. If this was not you: ${origin}/not-me?token=${token}`
    const told = [client.sendSms({ phone: account.phone, sms: news }), sendMail(account.email, news)]
    account.phone = phone
    // Ends every session's grants, this one's too; whoever has just proven both numbers stays signed in.
    await Promise.allSettled([...told, tf.subjects.revokeEverything(subject)])
    await tf.grants.write({ subject, session: req.session.id, purpose: 'login', method: 'new-number' })
    res.json({ changed: true })
  })
  // Scanners of mail open every link: a GET changes nothing.
  app.get('/not-me', (req, res) => {
    const token = String(req.query.token).replace(/[^\w-]/g, '') // XSS
    res.set({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
    res.send(`<form method=post><input type=hidden name=token value="${token}"><button>Undo it</button>`)
  })
  app.post('/not-me', express.urlencoded({ extended: false }), (req, res, next) => {
    const tag = hash('sha256', String(req.body.token))
    const index = changes.findIndex((change) => change.tag === tag && Date.now() < change.end)
    const { subject = '', phone = '' } = changes[index] ?? {}
    const account = accounts.get(subject)
    if (account === undefined) return void res.status(410).send('This link no longer works. Contact support.')
    // Later changes are undone with it: their links went to numbers of whoever made this one.
    changes = changes.filter((other, at) => other.subject !== subject || at < index)
    Object.assign(account, { phone, mustResetPassword: true })
    tf.subjects.revokeEverything(subject).then(() => res.send('Undone. Reset your password.'), next)
  })
  return { app, close: () => tf.close() }
}
