import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { signupAt, startHost, storeThrough } from './kit.js'

const canaries = ['k-canary', '573001234567', '573009', 'ana', 'thirty-two bytes']

it('health shows working and failing parts from memory, and contains no secret', async () => {
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
  await host.signIn()
  expect(host.tf.health()).toEqual({
    at: host.clock.now,
    versions: { package: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.versions.node },
    provider: { state: 'ok', lastSentAt: host.clock.now },
    store: { state: 'ok' },
    limits: [],
    spend: { suspected: [] },
    lastFailures: [],
  })

  await host.browser().post('/signup/start', { phone: '+573009998877' })
  host.stub.answerSend = () => ({ status: 520, json: { error: 1007, msg: 'no credits for 573001234567' } })
  const ben = await host.challenged('ben')
  isDown = true
  await ben.start()
  isDown = false
  const health = host.tf.health()
  expect(health).toMatchObject({
    provider: { lastFailure: { type: 'challenge.undelivered', reason: 'failed', httpStatus: 520 } },
    store: { state: 'failing', lastFailure: { type: 'store.failed', command: 'read' } },
    spend: { suspected: [{ country: 'CO', sent: 1, approved: 0 }] },
  })
  expect(health.lastFailures[0]?.type).toBe('store.failed')
  expect(JSON.parse(JSON.stringify(health))).toEqual(health)
  const shown = inspect(health, { depth: 10, showHidden: true }) + JSON.stringify(health)
  for (const canary of canaries) expect(shown).not.toContain(canary)
})
