import { expect, it } from 'vitest'
import { hearWarnings } from '../express/kit.js'
import { path, signIn, startAccounts } from './kit.js'

const { codes, said } = hearWarnings()

it('account pages without a guard warn once, when a user with a factor has given only the password', async () => {
  const host = await startAccounts({ isBehindPassword: true })
  const eve = await host.login('eve')
  expect((await eve.get(path)).status).toBe(200)
  expect((await host.browser().get(path)).status).toBe(401)
  const signedIn = await signIn(host)
  expect((await signedIn.get(path)).status).toBe(200)
  expect(await codes()).toEqual([])
  for (let time = 0; time < 2; time += 1) expect((await (await host.login()).get(path)).status).toBe(200)
  expect(await codes()).toEqual(['TWO_FACTOR_ACCOUNT_UNGUARDED'])
  expect(said[0]?.message).toContain(`app.use('${path}', tf.requireTwoFactor(), accountPages(tf, { … }))`)
})

it('account pages behind a guard warn of nothing', async () => {
  const host = await startAccounts()
  const ana = await signIn(host)
  expect((await ana.get(path)).status).toBe(200)
  expect((await (await host.login('eve')).get(path)).status).toBe(200)
  expect(await codes()).toEqual([])
})
