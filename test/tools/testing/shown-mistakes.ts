import type { RequestHandler } from 'express'
import { checkPassword, openAccount, parse, rightWiring, sendMoney, type Wiring } from './bank.js'
import { type Mistake, mistake } from './mistakes.js'

type Users = Parameters<Wiring['front']>[0]['users']

/** Answers a request of a person who has given only the password in this way. */
const toWaiting = (
  users: Users,
  respond: (res: Parameters<RequestHandler>[1], phone: string) => void,
): RequestHandler => {
  return ({ session: { pendingUserId } }, res, next) => {
    const waiting = users.get(pendingUserId ?? '')
    if (waiting === undefined) next()
    else respond(res, waiting.phone)
  }
}

/** An account whose page shows the number to people with a code. */
const accountWithNumber = (refuse: (users: Users) => RequestHandler): Partial<Wiring> => ({
  account: ({ app, tf, users }) => {
    app.get('/account', refuse(users), tf.requireTwoFactor(), ({ session: { userId = '' } }, res) => {
      const { name, phone } = users.get(userId) ?? {}
      res.json({ name, phone, offers: 'Cards and loans', text: 'The full page has these words' })
    })
  },
})

/** A page of one person, at a path with the name. */
const profile = (show: (user: { name: string; phone: string }, isOwn: boolean) => object | undefined) => ({
  wiring: {
    account: (bank) => {
      rightWiring.account(bank)
      const { app, tf, users } = bank
      app.get('/users/:name', tf.requireTwoFactor(), (req, res) => {
        const user = users.get(String(req.params.name))
        const shown = user && show(user, user.name === req.session.userId)
        if (shown === undefined) res.sendStatus(404)
        else res.json(shown)
      })
    },
  } satisfies Partial<Wiring>,
  plan: () => ({ pages: ['/account', ({ name }: { name: string }) => `/users/${name}`] }),
})

const { wiring: openProfile, plan: planOfProfile } = profile(({ name, phone }, isOwn) =>
  isOwn
    ? { name, phone, text: 'Your own profile, of which nobody else sees all' }
    : { member: 'yes', contact: phone },
)

/** Wrong apps that show what they should hide, or do it for two people at once. */
export const shownMistakes: readonly Mistake[] = [
  mistake('a header with the number of the person', 'secrets', {
    front: ({ app, users }) =>
      void app.use(({ session: { userId, pendingUserId = userId } }, res, next) => {
        const user = users.get(pendingUserId ?? '')
        if (user !== undefined) res.set('X-Debug-User', JSON.stringify({ phone: user.phone }))
        next()
      }),
  }),
  mistake('a refusal of an action that names the number', 'secrets', {
    transfers: (bank, guard) => {
      const refuse = toWaiting(
        bank.users,
        (res, phone) => void res.status(403).json({ error: `Enter the code that we sent to ${phone}` }),
      )
      bank.app.post('/transfers', refuse)
      rightWiring.transfers(bank, guard)
    },
  }),
  mistake('an answer to the password that has the number, as people write it', 'secrets', {
    login: ({ app, users }) => {
      app.post('/login', parse, checkPassword(users), (req, res) => {
        const [, area, first, last] =
          /^\+57(...)(...)(....)$/.exec(users.get(req.body.name)?.phone ?? '') ?? []
        res.json({ codeGoesTo: `(${area}) ${first}-${last}` })
      })
    },
  }),
  mistake('a number at another spelling of the path', 'secrets', {
    account: ({ app, tf, users }) => {
      const answer = toWaiting(users, (res, phone) => void res.json({ phone }))
      app.get(
        '/account',
        (req, res, next) => (req.path === '/account/' ? answer(req, res, next) : next()),
        tf.requireTwoFactor(),
        (req, res) => void res.json({ name: req.session.userId }),
      )
    },
  }),
  mistake(
    'a page with the number in place of the account',
    'password-only',
    accountWithNumber((users) => toWaiting(users, (res, phone) => void res.json({ codeGoesTo: phone }))),
  ),
  mistake(
    'a refusal with all data of the account',
    'password-only',
    accountWithNumber((users) => ({ session: { pendingUserId } }, res, next) => {
      const { name, phone } = users.get(pendingUserId ?? '') ?? {}
      if (name === undefined) return next()
      const rest = { offers: 'Cards and loans', text: 'The full page has these words' }
      res.status(403).json({ error: 'second factor required', user: { name, phone, ...rest } })
    }),
  ),
  mistake('a profile that shows its number to every member', 'password-only', openProfile, planOfProfile),
  mistake('a proof that is used up after the account is open', 'sign-up', {
    signUp: ({ app, users }, { proven, redeem }) => {
      app.post('/signup', parse, async (req, res) => {
        const proof = await proven(req)
        if (proof === undefined || users.has(req.body.username)) return void res.sendStatus(403)
        // The password is hashed.
        await new Promise((resolve) => setTimeout(resolve, 30))
        openAccount(users, req, res, proof.phone)
        await redeem(req).catch(() => {})
      })
    },
  }),
  mistake('a current user of the module, who is read after a wait', 'of-another', {
    transfers: ({ app, tf }, guard) => {
      let current: Parameters<typeof sendMoney>[0]['session']
      app.use('/transfers', ({ session }, _res, next) => {
        if (session.userId !== undefined) current = session
        next()
      })
      app.post('/transfers', parse, tf.requireTwoFactor(guard), async ({ body }, res) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        sendMoney({ session: current, body })
        res.json({ sent: body.amount, to: body.payee })
      })
    },
  }),
]
