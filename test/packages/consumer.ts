// Compiled by the package check as a user's program would be, against each line of Express.
import express, { type Request } from 'express'
import {
  createClient,
  expressSession,
  memoryStore,
  providerCodes,
  type SessionAdapter,
  TwoFactorError,
  type TwoFactorEvent,
  tokenSession,
  twoFactor,
} from 'express-two-factor'
import { createClient as createProviderClient, judge, ProviderError } from 'express-two-factor/client'
import { startSandbox } from 'express-two-factor/sandbox'

const sandbox = await startSandbox()
const session: SessionAdapter = process.env.TOKENS
  ? tokenSession((req) => req.get('x-sid'))
  : expressSession()

const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: { login: 'Acme', signup: 'Acme signup', transfer: 'Acme transfer' },
  secret: 'a consumer keeps its secret in the environment',
  countries: ['CO'],
  store: memoryStore({ maxLedgers: 10 }),
  session,
  subject: (req) => req.get('x-subject'),
  phone: async () => '+573001234567',
  pages: { messages: { es: { 'code.title': 'Mira tu celular' } } },
  onEvent(event: TwoFactorEvent) {
    if (event.type === 'subject.locked') console.log(event.lockedForMs)
  },
})

const app = express()
app.use('/two-factor', tf.routes())
app.post('/login', tf.start({ purpose: 'login' }))
app.get('/account', tf.requireTwoFactor({ maxAgeMs: 60_000 }), (req, res) => {
  const verifiedAt: number | undefined = req.twoFactor?.grant.verifiedAt
  // @ts-expect-error a subject that the guard exempts has no grant
  const { method } = req.twoFactor.grant
  res.json({ verifiedAt, method })
})
app.post(
  '/transfers',
  tf.requireTwoFactor({
    purpose: 'transfer',
    once: true,
    bind: (req) => ({ amount: Number(req.body.amount) }),
    exempt: async (req, subject) => subject === req.get('x-newcomer'),
  }),
)
// @ts-expect-error a bound field is plain data
tf.requireTwoFactor({ bind: () => ({ at: new Date() }) })
// @ts-expect-error start takes only a purpose
tf.start({ lockMs: 5 })
const signup = tf.phoneVerification({ purpose: 'signup' })
app.use('/signup/phone', signup.routes())

export async function proven(req: Request): Promise<string> {
  try {
    return (await signup.redeem(req)).phone
  } catch (error) {
    if (error instanceof TwoFactorError && error.code === 'second_factor_required') return 'nobody'
    throw error
  }
}

const client = createProviderClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials })
const answer = await client.verifyCode({ phone: '+573001234567', appName: 'Acme', code: '123456' })
console.log(judge(answer, { approvedStatuses: ['verified'] }), ProviderError.name)

// @ts-expect-error there is no default for who is signing in
twoFactor({
  provider: providerCodes({ client, approvedStatuses: ['verified'] }),
  appName: 'Acme',
  secret: '',
  countries: [],
  phone: () => undefined,
})
