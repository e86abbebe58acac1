import { expect, it } from 'vitest'
import type { CodeProvider } from '../../src/index.js'
import { until } from '../store/redis-server.js'
import { gate, startHost } from './kit.js'

const right = '482913'

// Who waits for a place, and for how long, exchange-queue.test.ts says.
it('a send without a free slot soon reports that nothing was sent, and can be repeated', async () => {
  const sentTo: string[] = []
  const held = gate()
  let holds = false
  const provider: CodeProvider = {
    timeoutMs: 5_000,
    maxExchanges: 3,
    async sendCode({ destination }) {
      sentTo.push(destination)
      if (holds) await held.opened
      return { result: 'sent', lifetimeMs: 600_000 }
    },
    checkCode: async ({ code }) => (code === right ? 'approved' : 'rejected'),
  }
  const host = await startHost({ provider: () => provider, listens: true })
  const [ana, ben, eva] = [await host.challenged(), await host.login('ben'), await host.login('eva')]
  const liveChallenge = async () => (await ana.get('/two-factor')).json.challenge.id
  const before = await liveChallenge()
  host.clock.now += 60_000
  holds = true
  // One of the three places is kept for checks.
  const underWay = [ben.start(), eva.start()]
  await until(() => sentTo.length === 3)

  const told = await ana.start({ purpose: 'login' })
  expect(told.refusal).toEqual([503, 'provider_unavailable'])
  expect(told.headers.get('retry-after')).toBe('5')
  expect(sentTo).toHaveLength(3)
  expect(host.events).toContainEqual(
    expect.objectContaining({ type: 'provider.unavailable', command: 'send', sent: false, reason: 'busy' }),
  )
  expect(host.tf.health().provider.state).toBe('failing')
  // The code that it was to replace is good again.
  expect(await liveChallenge()).toBe(before)
  held.open()
  await Promise.all(underWay)
  expect((await ana.start()).status).toBe(201)
  expect((await ana.verify(right)).status).toBe(200)
})
