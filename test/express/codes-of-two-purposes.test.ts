import { expect, it, onTestFinished } from 'vitest'
import { createClient, providerCodes } from '../../src/index.js'
import { type SandboxOptions, startSandbox } from '../../src/tools/sandbox/index.js'
import { mum, transfersAfterPassword } from './described-transfers.js'
import { startHost } from './kit.js'

const appName = { login: 'Acme', signup: 'Acme signup', pay: 'Acme payments', settings: 'Acme' }

/** Ana has signed in, and then asked for a code for a payment. Returns both codes. */
async function startPayment(
  resend: NonNullable<SandboxOptions['resend']>,
  { isPsd2 = false }: { readonly isPsd2?: boolean } = {},
) {
  const sandbox = await startSandbox({ resend })
  onTestFinished(() => sandbox.close())
  const { baseUrl, credentials, approvedStatuses } = sandbox
  const provider = providerCodes({
    client: createClient({ baseUrl, ...credentials }),
    approvedStatuses,
    replacesCodes: resend === 'replace',
  })
  const host = await startHost({
    provider: () => provider,
    options: isPsd2
      ? { limits: { profile: 'psd2' }, appName: { login: 'Acme', signup: 'Acme signup' } }
      : { appName },
    routes: transfersAfterPassword,
  })
  const newestCode = () => sandbox.inbox.list()[0]?.code ?? ''
  const ana = await host.login()
  await ana.start()
  expect((await ana.verify(newestCode())).status).toBe(200)
  host.clock.now += 60_000
  await ana.start()
  const ofSignIn = newestCode()
  const { requirement } = (await ana.post('/pay', mum)).json
  host.clock.now += 60_000
  const { id: challenge } = (await ana.start({ requirement })).json.challenge
  return { ana, challenge, ofSignIn, ofPayment: newestCode() }
}

it.each(['both', 'repeat', 'replace'] as const)(
  'a code for a sign-in confirms no payment with a name of its own, where the service sends %s',
  async (resend) => {
    const { ana, challenge, ofSignIn, ofPayment } = await startPayment(resend)
    expect((await ana.verify(ofSignIn, { challenge })).refusal).toEqual([422, 'code_not_accepted'])
    expect((await ana.verify(ofPayment, { challenge })).status).toBe(200)
    expect((await ana.post('/pay', mum)).status).toBe(200)
  },
)

it('where a new code ends the earlier ones, the profile psd2 works with one name for all', async () => {
  const { ana, challenge, ofSignIn, ofPayment } = await startPayment('replace', { isPsd2: true })
  expect((await ana.verify(ofSignIn, { challenge })).refusal).toEqual([422, 'code_not_accepted'])
  expect((await ana.verify(ofPayment, { challenge })).status).toBe(200)
  expect((await ana.post('/pay', mum)).status).toBe(200)
})
