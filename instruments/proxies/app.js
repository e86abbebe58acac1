// One app with every page of the package, for the proxies to be put before.
import * as webauthn from '@simplewebauthn/server'
import express from 'express'
import session from 'express-session'
import { accountPages } from '../../dist/account/index.js'
import { createClient, providerCodes, twoFactor } from '../../dist/index.js'
import { passkeys } from '../../dist/passkeys/index.js'

const minute = 60_000

/**
 * @param mount Where a part of the path arrives at the app and is not removed: an Express app inside another has it, or
 * a proxy that keeps it.
 * @param prefix What proxies remove.
 * @param origin Of the pages, as the browser sees it.
 */
export function createApp(sandbox, { mount = '', prefix = '', isSubApp = false, origin }) {
  const numbers = new Map([['ana', ['+573001234567']]])
  const apps = new Map()
  const keys = new Map()
  const table = passkeys({
    webauthn,
    rpName: 'Acme',
    origin,
    list: () => [...keys.values()],
    save: (_subject, passkey) => keys.set(passkey.id, passkey),
    rename: (_subject, id, label) => keys.set(id, { ...keys.get(id), label }),
    remove: (_subject, id) => keys.delete(id),
    used: (_subject, id, use) => keys.set(id, { ...keys.get(id), ...use }),
  })
  const site = prefix + mount
  // The app's clock runs ahead, so that no cooldown has to be waited for.
  let ahead = 0
  const { client, key } = sandbox.credentials
  const tf = twoFactor({
    provider: providerCodes({
      client: createClient({ baseUrl: sandbox.baseUrl, client, key }),
      approvedStatuses: sandbox.approvedStatuses,
    }),
    appName: {
      login: 'Acme',
      pay: 'Acme pay',
      signup: 'Acme signup',
      'new-number': 'Acme number',
      account: 'Acme account',
    },
    secret: 'a secret of thirty-two bytes or more',
    countries: ['CO'],
    channels: ['sms', 'app', 'passkey'],
    subject: (req) => req.session.pendingUserId ?? req.session.userId,
    phone: (_req, subject) => numbers.get(subject),
    path: `${mount}/two-factor`,
    prefix,
    authenticator: { secretOf: (_req, subject) => apps.get(subject), issuer: 'Acme' },
    passkeys: table,
    pages: { links: { signIn: `${mount}/login` } },
    limits: { sendsPerHour: 50, sendsPerDay: 100, allSendsPerHour: 100, allSendsPerDay: 200 },
    onVerified: (req, _res, grant) => {
      req.session.userId = grant.subject
      delete req.session.pendingUserId
    },
    now: () => Date.now() + ahead,
  })
  const app = express()
  app.set('trust proxy', 'loopback')
  app.use(session({ secret: 'x', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  const inside = isSubApp ? express() : express.Router()
  if (mount === '') app.use(inside)
  else app.use(mount, inside)

  inside.use('/two-factor', tf.routes({ successPath: `${mount}/account` }))
  inside.get('/ahead', (_req, res) => {
    ahead += 5 * minute
    res.send('ok')
  })
  inside.get('/login', (_req, res) => res.send('<form method="post"><button>Sign in</button></form>'))
  inside.post(
    '/login',
    express.urlencoded({ extended: false }),
    (req, _res, next) => {
      req.session.pendingUserId = 'ana'
      req.body = { ...req.body, returnTo: req.query.returnTo }
      next()
    },
    tf.start({ purpose: 'login' }),
  )
  inside.get('/account', tf.requireTwoFactor(), (_req, res) => res.send('<p>Signed in.</p>'))
  inside.get('/pay', tf.requireTwoFactor(), (_req, res) =>
    res.send('<form method="post"><input name="amount" value="5"><button>Pay</button></form>'),
  )
  const confirmed = tf.requireTwoFactor({
    purpose: 'pay',
    once: true,
    resume: true,
    formPath: `${mount}/pay`,
    bind: (req) => ({ amount: req.body.amount }),
    describe: (req) => ({ rows: [['Amount', String(req.body.amount)]], action: 'Pay now' }),
  })
  inside.post('/pay', express.urlencoded({ extended: false }), confirmed, (req, res) => {
    res.send(`<p>Paid ${Number(req.body.amount)}.</p>`)
  })
  inside.get('/single', tf.requireTwoFactor(), (_req, res) =>
    res.send(`<p id="result">waiting</p><script type="module">
import { fetchWithCode } from '${site}/two-factor/dialog.js'
const body = new URLSearchParams({ amount: '7' })
const response = await fetchWithCode('${site}/pay', { method: 'POST', body }, { mount: '${site}/two-factor' })
document.querySelector('#result').textContent = await response.text()
</script>`),
  )
  const signup = tf.phoneVerification({ path: `${mount}/signup/phone`, successPath: `${mount}/signup` })
  inside.use('/signup/phone', signup.routes())
  inside.get('/signup', (_req, res) => res.send('<form method="post"><button>Sign up</button></form>'))
  inside.post('/signup', signup.requireProof(), (_req, res) => res.send('<p>Signed up.</p>'))
  const save = (req, secret) => void apps.set(req.session.userId, secret)
  inside.use('/app', tf.authenticators.routes({ save, successPath: `${mount}/account` }))
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)
  inside.use(
    '/settings',
    tf.requireTwoFactor(),
    accountPages(tf, {
      path: `${mount}/settings`,
      numbers: {
        list: (subject) => numbers.get(subject) ?? [],
        save: (subject, list, from) => same(numbers.get(subject) ?? [], from) && numbers.set(subject, list),
      },
      authenticator: {
        has: (subject) => apps.has(subject),
        save: (subject, secret) => apps.set(subject, secret),
        remove: (subject) => apps.delete(subject),
      },
      passkeys: table,
    }),
  )
  return { app, close: () => tf.close() }
}
