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

it('checks wait for no send that came before them', async () => {
  const { asked, hold, people } = await startSlow(4, { sendTimeoutMs: 2_000, verifyTimeoutMs: 60_000 })
  const [owners, others] = await Promise.all([people(0, 12), people(100, 124)])
  for (const owner of owners) await owner.start()
  const { opened, open } = gate()
  hold.sends = opened
  const sends = others.map((other) => other.start())
  await until(() => asked.sends.length === 12 + 4)
  const checks = owners.map((owner) => owner.verify(right))
  // Four hang, twenty wait before the checks came; each place that becomes free is for a check.
  const refused = (await Promise.all(sends.slice(4))).length
  expect([refused, asked.sends.length]).toEqual([20, 16])
  open()
  expect((await Promise.all(checks)).map(({ status }) => status)).toEqual(Array(12).fill(200))
})

it('sign-ups that hang hold half of the places, and no sign-in waits for them', async () => {
  const { asked, hold, host, people } = await startSlow(8, { sendTimeoutMs: 60_000 })
  host.app.use('/phone', host.tf.phoneVerification().routes())
  const { opened, open } = gate()
  hold.sends = opened
  const visitors = Array.from({ length: 30 }, (_, index) =>
    host.browser().post('/phone/start', { phone: `+57310${1_000_000 + index}` }),
  )
  await until(() => asked.sends.length === 4)
  const inTime = await people(0, 4)
  const sends = inTime.map((person) => person.start())
  await until(() => asked.sends.length === 8)
  expect(asked.sends.filter((phone) => phone.startsWith('+57310'))).toHaveLength(4)
  open()
  expect((await Promise.all(sends)).map(({ status }) => status)).toEqual(Array(4).fill(201))
  await Promise.all(visitors)
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
