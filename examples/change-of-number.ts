// Account settings that an owner can undo: each change is announced at every earlier number and by mail, with a link
// that undoes it.
import { hash, randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { accountPages } from 'express-two-factor/account'
import type { Sandbox } from 'express-two-factor/sandbox'
import { secret } from './secret.js'

declare module 'express-session' {
  interface SessionData {
    userId?: string
  }
}

export type Account = { numbers: readonly string[]; readonly email: string; mustResetPassword?: boolean }
type Change = Pick<Account, 'numbers'> & {
  readonly subject: string
  readonly tag: string
  readonly end: number
}

export function createApp(
  { baseUrl, credentials, approvedStatuses }: Sandbox,
  accounts: ReadonlyMap<string, Account>,
  sendMail: (to: string, text: string) => Promise<void>,
  origin = 'http://localhost:3000', // never from the Host header, which the client chooses
) {
  const client = createClient({ baseUrl, ...credentials })
  const of = (subject: string) => accounts.get(subject) as Account
  const tf = twoFactor({
    provider: providerCodes({ client, approvedStatuses }),
    ...{ secret: secret('TWO_FACTOR_SECRET'), countries: ['CO'] },
    appName: { login: 'Acme', 'new-number': 'Acme new number', account: 'Acme account' },
    ...{ subject: (req) => req.session.userId, phone: (_req, subject) => of(subject).numbers },
  })
  let changes: readonly Change[] = [] // oldest first; a table of your database
  const app = express()
  const cookie = { sameSite: 'lax' } as const
  app.use(session({ secret: secret('SESSION_SECRET'), resave: false, saveUninitialized: false, cookie }))
  app.use('/two-factor', tf.routes())
  app.post('/sign-in', (req, res) => {
    const { mustResetPassword } = of('ana')
    if (!mustResetPassword) req.session.userId = 'ana' // a real app would verify the password here
    res.sendStatus(mustResetPassword ? 403 : 200)
  })
  const signedIn = tf.requireTwoFactor()
  app.get('/account', signedIn, (req, res) => void res.json(of(String(req.session.userId))))
  const settings = accountPages(tf, {
    path: '/account/security',
    numbers: {
      list: (subject) => of(subject).numbers,
      save(subject, numbers, from) {
        if (String(of(subject).numbers) !== String(from)) return false
        of(subject).numbers = numbers
        return true
      },
    },
    async onChanged(_req, { subject, before }) {
      const [token, end] = [randomBytes(32).toString('base64url'), Date.now() + 7 * 86_400_000]
      changes = [...changes, { subject, numbers: before, tag: hash('sha256', token), end }]
      // The whole address of your own site, because users cannot recognise a short link.
      const news = `Acme: your numbers were changed. If this was not you: ${origin}/not-me?token=${token}`
      const texts = before.map((phone) => client.sendSms({ phone, sms: news }))
      await Promise.allSettled([...texts, sendMail(of(subject).email, news)])
    },
  })
  app.use('/account/security', signedIn, settings)
  // A GET changes nothing, because mail scanners open every link.
  app.get('/not-me', (req, res) => {
    const token = String(req.query.token).replace(/[^\w-]/g, '') // XSS
    res.set({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
    res.send(`<form method=post><input type=hidden name=token value="${token}"><button>Undo it</button>`)
  })
  app.post('/not-me', express.urlencoded({ extended: false }), (req, res, next) => {
    const tag = hash('sha256', String(req.body.token))
    const index = changes.findIndex((change) => change.tag === tag && Date.now() < change.end)
    const { subject = '', numbers = [] } = changes[index] ?? {}
    const account = accounts.get(subject)
    if (account === undefined) return void res.status(410).send('This link no longer works. Contact support.')
    // Later changes are undone, too: their links went to numbers of the attacker.
    changes = changes.filter((other, at) => other.subject !== subject || at < index)
    Object.assign(account, { numbers, mustResetPassword: true })
    tf.subjects.revokeEverything(subject).then(() => res.send('Undone. Reset your password.'), next)
  })
  return { app, close: () => tf.close() }
}
