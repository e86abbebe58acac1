// Passport verifies the password, and a code is required in addition. In the source, after `npm run build`:
// node build/examples/passport.js
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import { startSandbox } from 'express-two-factor/sandbox'
import passport from 'passport'
import { Strategy } from 'passport-local'
import { secret } from './secret.js'

interface Account {
  readonly name: string
  readonly password: string
  readonly phone: string
}

declare module 'express-session' {
  interface SessionData {
    /** The password was verified. Passport has no user yet. */
    pendingUserId?: string
  }
}

const ana: Account = { name: 'ana', password: 'sesame', phone: '+57 300 123 4567' }
const users = new Map([['ana', ana]])
const nameOf = (user: Express.User | undefined) => (user as Account | undefined)?.name

passport.use(
  new Strategy({ usernameField: 'name' }, (name, password, done) => {
    const user = users.get(name)
    done(null, user?.password === password ? user : false)
  }),
)
passport.serializeUser((user, done) => done(null, nameOf(user)))
passport.deserializeUser((name: string, done) => done(null, users.get(name) ?? false))

// Replaces the provider. With a real account, use its baseUrl, client, key and approvedStatuses.
const sandbox = await startSandbox()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: 'Acme',
  secret: secret('TWO_FACTOR_SECRET'),
  countries: ['CO'],
  subject: (req) => req.session.pendingUserId ?? nameOf(req.user),
  phone: (_req, subject) => users.get(subject)?.phone,
  // req.login() renews the session id and drops pendingUserId. The grant moves to the new id.
  onVerified: (req, _res, { subject }) =>
    new Promise((resolve, reject) => {
      req.login(users.get(subject) as Account, (error) => (error ? reject(error) : resolve()))
    }),
})

const app = express()
app.use(
  session({
    secret: secret('SESSION_SECRET'),
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
)
app.use(passport.session())
app.use('/two-factor', tf.routes())

// `session: false`, because a password is not enough to sign in.
const checkPassword = passport.authenticate('local', { session: false })
const setPending: express.RequestHandler = (req, _res, next) => {
  req.session.pendingUserId = String(nameOf(req.user))
  next()
}
const parse = [express.json(), express.urlencoded({ extended: false })]
app.post('/login', parse, checkPassword, setPending, tf.start({ purpose: 'login' }))
app.get('/account', tf.requireTwoFactor(), (req, res) => {
  res.send(`Signed in as ${nameOf(req.user)}.`)
})
app.post('/logout', (req, res, next) => {
  const signOut = () => req.logout((error) => (error ? next(error) : res.redirect('/')))
  tf.grants.revoke(req).then(signOut, next) // while the session still contains the user
})

const port = process.env.PORT ?? 3000
app.listen(port).once('listening', () => {
  console.log(`http://localhost:${port} is the app, ${sandbox.inboxUrl} shows the codes`)
})
