import { ExpressAuth, type ExpressAuthConfig, getSession } from '@auth/express'
import credentials from '@auth/express/providers/credentials'
import express, { type RequestHandler } from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from 'express-two-factor'
import type { Sandbox } from 'express-two-factor/sandbox'
import type { RehearsalAgent, RehearsalOptions } from 'express-two-factor/testing'
import { onTestFinished } from 'vitest'
import type { User } from './examples.js'

/** Who signed in at Auth.js with this request. */
const names = new WeakMap<object, string>()

const csrfToken = (agent: RehearsalAgent) =>
  decodeURIComponent(agent.cookies.get('authjs.csrf-token') ?? '')
    .split('|', 1)
    .join()

/** Auth.js, which brings pages, cookies and tokens of its own for the password, with a second factor behind it. It ends with the test. */
export function createAuthJs(
  sandbox: Sandbox,
  peopleOf: (add: (user: User) => void) => (index: number) => User,
): RehearsalOptions<User> {
  const users = new Map<string, User>()
  const config: ExpressAuthConfig = {
    basePath: '/auth',
    secret: 'a secret of thirty-two bytes or more',
    trustHost: true,
    // It would print every attack.
    logger: { error: () => {} },
    providers: [
      credentials({
        credentials: { name: {}, password: { type: 'password' } },
        authorize({ name, password }) {
          const user = users.get(String(name))
          return user !== undefined && user.password === password ? { id: user.name, name: user.name } : null
        },
      }),
    ],
  }
  const tf = twoFactor({
    provider: providerCodes({
      client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials, timeoutMs: 1_000 }),
      approvedStatuses: sandbox.approvedStatuses,
    }),
    appName: { login: 'Acme', transfer: 'Acme transfer' },
    secret: 'a secret of thirty-two bytes or more',
    countries: ['CO'],
    // What Auth.js signs in has given a password and no more: the guard asks for the rest.
    subject: (req) => names.get(req),
    phone: (_req, subject) => users.get(subject)?.phone,
  })
  const readName: RequestHandler = (req, _res, next) => {
    getSession(req, config).then((found) => {
      if (found?.user?.name) names.set(req, found.user.name)
      next()
    }, next)
  }

  const app = express()
  app.use(session({ secret: 's', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(readName)
  // A copied token of Auth.js outlives the sign-out, but opens no guard: its grants are gone.
  app.post('/auth/signout', (req, _res, next) => void tf.grants.revoke(req).then(() => next(), next))
  app.use('/auth', ExpressAuth(config))
  app.use('/two-factor', tf.routes())
  app.get('/account', tf.requireTwoFactor(), (req, res) => void res.json({ name: names.get(req) }))
  const bind = ({ body }: express.Request) => ({ amount: body.amount, payee: body.payee })
  const guard = tf.requireTwoFactor({ purpose: 'transfer', once: true, bind })
  app.post('/transfers', express.json(), guard, (req, res) => {
    const name = names.get(req) ?? ''
    sent.set(name, [...(sent.get(name) ?? []), req.body])
    res.json({ sent: req.body.amount })
  })
  const sent = new Map<string, unknown[]>()

  onTestFinished(() => tf.close())
  return {
    ...{ app, sandbox, person: peopleOf((user) => void users.set(user.name, user)) },
    async signIn(agent, { name, password }) {
      await agent.get('/auth/csrf')
      const form = { csrfToken: csrfToken(agent), name, password }
      await agent.post('/auth/callback/credentials', new URLSearchParams(form))
    },
    pages: ['/account'],
    state: ({ name }) => sent.get(name) ?? [],
    actions: [
      {
        ...{ name: 'transfer', path: '/transfers', body: { amount: 5, payee: 'Luis' } },
        changed: { amount: 999, payee: 'Eve' },
      },
    ],
    signOut: {
      ...{ name: 'sign-out', path: '/auth/signout', type: 'form' },
      body: (_person, agent) => ({ csrfToken: csrfToken(agent) }),
    },
  }
}
