import { randomUUID } from 'node:crypto'
import type express from 'express'
import type { RequestHandler } from 'express'
import { createClient, type GuardOptions } from 'express-two-factor'
import {
  checkPassword,
  freeName,
  openAccount,
  parse,
  rightWiring,
  sendMoney,
  type Wiring,
  withAction,
} from './bank.js'
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

/** Whoever has given a code for a transfer makes the next one, whatever it is. */
const flagged: Partial<Wiring> = {
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
}

/** A guard with this `bind`, and behind it a handler that refuses other fields. */
const boundTo = (
  bind: NonNullable<GuardOptions['bind']>,
  isAccepted: (body: express.Request['body']) => boolean = () => true,
): Partial<Wiring> =>
  behind(
    (requireCode) => [
      requireCode,
      (req, res, next) => (isAccepted(req.body) ? next() : void res.sendStatus(422)),
    ],
    { bind },
  )

const longText = 'Invoice 24-B of the twelfth of March, thanks'
const firstWords: NonNullable<GuardOptions['bind']> = ({ body }) => ({
  amount: body.amount,
  payee: String(body.payee).slice(0, 30),
})

export const laterMistakes: readonly Mistake[] = [
  mistake('a sign-out that forgets the user and nothing else', 'sign-out', {
    signOut: ({ app }) =>
      void app.post('/logout', (req, res) => {
        delete req.session.userId
        res.json({ signedOut: true })
      }),
  }),
  ...Object.entries({
    'whatever begins like the own origin': (origin, host) => origin.startsWith(`http://${host}`),
    'whatever ends like the own host': (origin, host) => origin.endsWith(host),
    'whatever ends like the domain of a front end': (origin) => /acme\.example$/.test(origin),
    'the origin null': (origin) => origin === 'null',
    'every name with localhost in it': (origin) => origin.includes('localhost'),
  } satisfies Record<string, Parameters<typeof cors>[0]>).map(([whom, isOwn]) =>
    mistake(`CORS for ${whom}`, 'cross-site', cors(isOwn)),
  ),
  mistake('a session cookie without SameSite', 'cookies', { cookie: {} }),
  mistake('a session cookie for every subdomain', 'cookies', {
    cookie: { sameSite: 'lax', domain: 'localhost' },
  }),
  mistake('bind that reads the query, and a handler that reads the body', 'changed', {
    guard: {
      ...rightWiring.guard,
      bind: ({ query }) => ({ amount: String(query.amount ?? 0), payee: String(query.payee ?? 'Luis') }),
    },
  }),
  mistake('a flag for the next transfer, whatever it is', 'changed', flagged),
  mistake('a flag for the next transfer, whoever makes it', 'same-browser', flagged),
  mistake('an account that only asks for the code beside what it shows', 'password-only', {
    account: ({ app }) =>
      void app.get('/account', ({ session: { pendingUserId, userId = pendingUserId } }, res) => {
        const asking = { notice: 'Type the code that we sent', link: 'Send another' }
        if (userId === undefined) res.sendStatus(401)
        else res.json({ name: userId, ...(pendingUserId !== undefined && asking) })
      }),
  }),
  mistake('a page that anybody may see', 'password-only', {
    account: ({ app }) =>
      void app.get('/account', (_req, res) => void res.send(page('Statement', 'Balance 5'))),
  }),
  mistake('a subject from a header', 'named-by-request', {
    options: () => ({
      subject: (req) => req.get('x-user-id') ?? req.session.pendingUserId ?? req.session.userId,
    }),
  }),
  mistake('a number from the body', 'named-by-request', {
    front: ({ app }) => void app.use(parse),
    options: ({ users }) => ({ phone: (req, subject) => req.body?.mobile ?? users.get(subject)?.phone }),
  }),
  mistake('a proof that opens one account after the other', 'sign-up', {
    signUp: ({ app, users }, { requireProof }) => {
      const prove = requireProof()
      const onceOnly: RequestHandler = (req, res, next) =>
        req.session.sid === undefined ? prove(req, res, next) : next()
      app.post('/signup', parse, freeName(users), onceOnly, (req, res) => {
        req.session.sid ??= String(req.provenPhone?.phone)
        openAccount(users, req, res, req.session.sid)
      })
    },
  }),
  mistake('a way back that is kept from leaving by ://', 'return-to', {
    login: ({ app, users }) => {
      app.post('/login', parse, checkPassword(users), (req, res) => {
        const next = String(req.query.next ?? '/two-factor')
        res.redirect(303, next.includes('://') ? '/two-factor' : next)
      })
    },
  }),
  mistake('the code page in any frame', 'headers', {
    front: ({ app }) =>
      void app.use((_req, res, next) => {
        const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => express.Response
        res.writeHead = (...given: unknown[]) => {
          for (const name of ['Content-Security-Policy', 'X-Frame-Options']) res.removeHeader(name)
          return writeHead(...given)
        }
        next()
      }),
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
  mistake(
    'an amount that the guard reads by parseInt, in a plan with another amount',
    'changed',
    behind(
      (requireCode) => [
        requireCode,
        (req, res, next) => {
          req.body.amount = Number.parseFloat(req.body.amount)
          if (req.body.amount > 0) next()
          else res.sendStatus(422)
        },
      ],
      { bind: ({ body }) => ({ amount: Number.parseInt(body.amount, 10), payee: body.payee }) },
    ),
    (bank) =>
      withAction(bank, {
        type: 'form',
        body: { amount: '25.10', payee: 'Luis' },
        changed: { amount: '900.50', payee: 'Eve' },
      }),
  ),
  ...Object.entries({ 'last four': [-4], 'first four': [0, 4], outer: [0, 8, -8] }).map(
    ([which, [from, to, last]]) =>
      mistake(
        `bind of the ${which} characters of an account`,
        'changed',
        boundTo(
          ({ body: { amount, payee } }) => ({
            amount,
            payee: String(payee).slice(from, to) + (last === undefined ? '' : String(payee).slice(last)),
          }),
          ({ payee }) => /^[A-Z]{2}\d{14,30}$/.test(payee),
        ),
        (bank) => withAction(bank, { body: { amount: 5, payee: 'ES9121000418450200051332' }, changed: {} }),
      ),
  ),
  mistake(
    'bind of an address in small letters, and a handler that needs the capitals',
    'changed',
    boundTo(
      ({ body }) => ({ amount: body.amount, payee: String(body.payee).trim().toLowerCase() }),
      ({ payee }) => /^[1-9A-HJ-NP-Za-km-z]{26,44}$/.test(payee),
    ),
    (bank) =>
      withAction(bank, { body: { amount: 5, payee: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }, changed: {} }),
  ),
  mistake(
    'bind of a list without its repetitions',
    'changed',
    {
      transfers: ({ app, tf }, guard) => {
        const listOf = ({ body }: express.Request): readonly unknown[] =>
          Array.isArray(body?.payees) ? body.payees : []
        const bind = (req: express.Request) => ({ payees: JSON.stringify([...new Set(listOf(req))]) })
        app.post('/transfers', parse, tf.requireTwoFactor({ ...guard, bind }), (req, res) => {
          for (const payee of listOf(req)) sendMoney({ session: req.session, body: { payee } })
          res.json({})
        })
      },
    },
    (bank) => withAction(bank, { body: { payees: ['Luis', 'Rosa'] }, changed: {} }),
  ),
  mistake('a remark that bind cuts, and the handler does not', 'changed', boundTo(firstWords), (bank) =>
    withAction(bank, { body: { amount: 5, payee: longText }, changed: {} }),
  ),
  mistake(
    'a remark that bind cuts, and the state does not show',
    'changed',
    {
      transfers: ({ app, tf }, guard) =>
        void app.post(
          '/transfers',
          parse,
          tf.requireTwoFactor({ ...guard, bind: firstWords }),
          (req, res) => {
            sendMoney({ session: req.session, body: { amount: req.body.amount } })
            res.json({})
          },
        ),
    },
    (bank) => withAction(bank, { body: { amount: 5, payee: longText }, changed: {} }),
  ),
  ...['1500', '1500.50'].map((amount) =>
    mistake(
      `no code for ${amount} with a comma, which is no number for the guard`,
      'other-fields',
      behind((requireCode) => [
        (req, res, next) =>
          Number(req.body.amount) >= 100 || typeof req.body.amount !== 'string'
            ? requireCode(req, res, next)
            : next(),
        (req, res, next) => {
          if (!/^\d{1,3}(,?\d{3})*(\.\d+)?$/.test(req.body.amount)) return void res.sendStatus(422)
          req.body.amount = Number(req.body.amount.replaceAll(',', ''))
          next()
        },
      ]),
      (bank) => withAction(bank, { type: 'form', body: { amount, payee: 'Luis' }, changed: {} }),
    ),
  ),
  mistake(
    'a draft that is carried out without a code',
    'without-code',
    {
      transfers: ({ app, tf }) => {
        const drafts = new Map<string, express.Request['body']>()
        app.post('/drafts', parse, tf.requireTwoFactor(), (req, res) => {
          const id = randomUUID()
          drafts.set(`${id} of ${req.session.userId}`, req.body)
          res.json({ id })
        })
        app.post('/transfers', parse, tf.requireTwoFactor(), (req, res) => {
          const draft = `${req.body.id} of ${req.session.userId}`
          if (!drafts.has(draft)) return void res.sendStatus(404)
          sendMoney({ session: req.session, body: drafts.get(draft) })
          drafts.delete(draft)
          res.json({})
        })
      },
    },
    (bank) =>
      withAction(bank, {
        body: async (_person, agent) => {
          const { json } = await agent.post('/drafts', { amount: 5, payee: 'Luis' })
          return { id: json?.id }
        },
        changed: {},
      }),
  ),
]
