import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { signupAt, startHost, storeThrough } from './kit.js'

const canaries = ['k-canary', '573001234567', '3001234567', '573009', 'ana', '482913', 'thirty-two bytes']

it('health is a plain object from memory, which says that all is well', async () => {
  const host = await startHost()
  await host.signIn()
  const health = host.tf.health()
  expect(JSON.parse(JSON.stringify(health))).toEqual(health)
  expect(health).toEqual({
    at: host.clock.now,
    versions: { package: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.versions.node },
    provider: { state: 'ok', lastSentAt: host.clock.now },
    store: { state: 'ok' },
    limits: [],
    spend: { suspected: [] },
    lastFailures: [],
  })
})

it('health says what fails, and holds no secret', async () => {
  let isDown = false
  const host = await startHost({
    options: {
      signupGuard: { unprovenPerHour: 1 },
      store: storeThrough((command, _key, work) => {
        if (isDown && command === 'read') throw new Error('573001234567 k-canary')
        return work()
      }),
    },
    mount: signupAt('/signup'),
  })
  await host.browser().post('/signup/start', { phone: '+573009998877' })
  const ana = await host.login()
  host.stub.answerSend = () => ({ status: 520, json: { error: 1007, msg: 'no credits for 573001234567' } })
  await ana.start()
  isDown = true
  await ana.start()

  isDown = false
  const health = host.tf.health()
  expect(health.provider.lastFailure).toMatchObject({
    type: 'challenge.undelivered',
    reason: 'failed',
    httpStatus: 520,
  })
  expect(health.store).toMatchObject({
    state: 'failing',
    lastFailure: { type: 'store.failed', command: 'read' },
  })
  expect(health.spend.suspected).toEqual([{ country: 'CO', sent: 1, approved: 0 }])
  expect(health.lastFailures[0]?.type).toBe('store.failed')
  const shown = inspect(health, { depth: 10, showHidden: true }) + JSON.stringify(health)
  for (const canary of canaries) expect(shown).not.toContain(canary)
})
