import { expect, it } from 'vitest'
import { startHost } from './kit.js'

const newest = 'This is a new code, and only the newest one works.'

it('after a resend, the page and the response to the older code explain that only the newest works', async () => {
  const host = await startHost()
  const ana = await host.login()
  await ana.submit('/two-factor/start')
  const older = host.stub.rightCode
  expect((await ana.open('/two-factor')).text).not.toContain(newest)
  host.clock.now += 60_000
  await ana.submit('/two-factor/resend')
  expect(host.stub.sends).toHaveLength(2)
  expect((await ana.open('/two-factor')).text).toContain(newest)
  expect((await ana.submit('/two-factor/verify', { code: older })).text).toContain(newest)
  expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
})
