import { expect, it } from 'vitest'
import type { CodeProvider } from '../../src/index.js'
import { until } from '../store/redis-server.js'
import { gate, startHost } from './kit.js'

const right = '482913'
const numberOf = (user: string) => `+57300${1_000_000 + Number(user)}`

/** A service with few places, whose sends and checks end when the test says so. */
function slow(maxExchanges: number) {
  const asked = { sends: [] as string[], checks: [] as string[] }
  const hold: { sends?: Promise<void>; checks?: Promise<void> } = {}
  const provider: CodeProvider = {
    maxExchanges,
    async sendCode({ destination }) {
      asked.sends.push(destination)
      await hold.sends
      return { result: 'sent', lifetimeMs: 600_000 }
    },
    async checkCode({ destination, code }) {
      asked.checks.push(destination)
      await hold.checks
      return code === right ? 'approved' : 'rejected'
    },
  }
  return { asked, hold, provider: () => provider }
}

async function startSlow(maxExchanges: number, limits: object) {
  const { asked, hold, provider } = slow(maxExchanges)
  const options = { phone: (_req: unknown, user: string) => numberOf(user), limits }
  const host = await startHost({ provider, options, listens: true })
  const people = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, index) => host.login(String(from + index))))
  return { asked, hold, host, people }
}

it('who finds no place for a send is told soon that nothing was sent, and may ask again at once', async () => {
  const { asked, hold, host, people } = await startSlow(2, { sendTimeoutMs: 5_000 })
  const [first, second, third] = await people(1, 4)
  const { opened, open } = gate()
  await third?.start()
  const before = (await third?.get('/two-factor'))?.json
  host.clock.now += 60_000
  hold.sends = opened
  const underWay = [first?.start(), second?.start()]
  await until(() => asked.sends.length === 3)

  const told = await third?.start({ purpose: 'login', challenge: undefined })
  expect(told?.refusal).toEqual([503, 'provider_unavailable'])
  expect(told?.headers.get('retry-after')).toBe('5')
  expect(asked.sends).toHaveLength(3)
  expect(host.events).toContainEqual(
    expect.objectContaining({ type: 'provider.unavailable', command: 'send', sent: false, reason: 'busy' }),
  )
  expect(host.tf.health().provider.state).toBe('failing')
  // The code that it was to replace is good again.
  expect((await third?.get('/two-factor'))?.json.challenge.id).toBe(before.challenge.id)
  open()
  await Promise.all(underWay)
  expect((await third?.start())?.status).toBe(201)
  expect((await third?.verify(right))?.status).toBe(200)
})

it('who finds no place for a check has the attempt back', async () => {
  const { asked, hold, people } = await startSlow(1, { verifyTimeoutMs: 5_000 })
  const [first, second] = await people(1, 3)
  await first?.start()
  await second?.start()
  const { opened, open } = gate()
  hold.checks = opened
  const underWay = first?.verify(right)
  await until(() => asked.checks.length === 1)
  const told = await second?.verify('000000')
  expect(told?.refusal).toEqual([503, 'provider_unavailable'])
  expect((await second?.get('/two-factor'))?.json.challenge.attemptsRemaining).toBe(5)
  open()
  expect((await underWay)?.status).toBe(200)
  expect((await second?.verify(right))?.status).toBe(200)
})

it('who has gone leaves the queue, and nothing is sent or kept', async () => {
  const { asked, hold, host, people } = await startSlow(1, { sendTimeoutMs: 60_000 })
  const [first, second] = await people(1, 3)
  const { opened, open } = gate()
  hold.sends = opened
  const underWay = first?.start()
  await until(() => asked.sends.length === 1)
  const leaving = second?.request('POST', '/two-factor/start').send({})
  leaving?.end(() => undefined)
  await until(() => host.events.filter(({ type }) => type === 'challenge.started').length === 2)
  leaving?.abort()
  await until(() => host.events.some(({ type }) => type === 'challenge.undelivered'))
  open()
  await underWay
  expect(asked.sends).toEqual([numberOf('1')])
  expect((await second?.start())?.status).toBe(201)
})
