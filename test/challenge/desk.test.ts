import { expect, it } from 'vitest'
import { openDesk } from '../../src/challenge/desk.js'
import { memoryStore, type TwoFactorOptions } from '../../src/index.js'
import { bringDevice, signupAt } from '../express/kit.js'
import { recover, startRecoveryHost, wrongCode } from '../express/recovery-kit.js'
import { minute } from './kit.js'

const secret = 'a secret of thirty-two bytes or more'
const day = 24 * 60 * minute

/** An app, and the desk on its store, once the app has left word. */
async function startDesk(options: Partial<TwoFactorOptions> = {}) {
  const store = memoryStore()
  const host = await startRecoveryHost({
    mount: signupAt('/signup'),
    options: { store, ...options },
  })
  const now = () => host.clock.now
  const open = async () => openDesk({ store, secret, namespace: '' }, now)
  await expect.poll(open, { timeout: 10_000 }).not.toBe('unknown-namespace')
  const desk = await open()
  if (typeof desk === 'string') throw new Error(desk)
  return { host, desk }
}

it('shows what strangers and known browsers have to wait for, each by itself', async () => {
  const { host, desk } = await startDesk({ limits: { failuresBeforeLock: 2 } })
  const known = await host.signIn()
  const thief = await host.login()
  await thief.start()
  for (const code of ['111111', '222222']) await thief.verify(code)
  const seen = await desk.person('ana')
  expect(seen).toMatchObject({ isKnown: true, lockedForMs: 15 * minute, judged: 2, sessions: 1 })
  expect(seen.strangers).toMatchObject({ cooldown: minute, send: { lock: 15 * minute } })
  expect(seen.known).toMatchObject({ cooldown: 0, send: { lock: 0 }, check: { lock: 0 } })

  const ana = bringDevice(await host.login(), known)
  await ana.start()
  const later = await desk.person('ana')
  expect(later.strangers.send.knownBrowser).toBe(5 * minute)
  expect(later.codes.map(({ state, inKnownBrowser }) => [state, inKnownBrowser])).toEqual([
    ['entered', false],
    ['sent', false],
    ['sent', true],
  ])
})

it('shows trusted devices and tries of recovery codes, and ends them', async () => {
  const label = () => 'Firefox, Linux'
  const { host, desk } = await startDesk({ trustedDevices: { maxAgeMs: 30 * day, label } })
  const ana = await host.login()
  await recover(ana, wrongCode())
  await ana.start()
  await ana.verify(host.stub.rightCode, { trustDevice: true })
  const seen = await desk.person('ana')
  expect(seen.trustedDevices.map((device) => device.label)).toEqual(['Firefox, Linux'])
  expect(seen.recoveryTries).toEqual({ count: 1, most: 10, endsInMs: day })

  await desk.enable('ana')
  await desk.revokeEverything('ana')
  expect(await desk.person('ana')).toMatchObject({
    sessions: 0,
    trustedDevices: [],
    recoveryTries: { count: 0, endsInMs: 0 },
    codes: [{ isForgiven: true }],
  })
  expect((await ana.get('/account')).status).toBe(403)
})

it('goes by the limits of the app, and knows no browsers where the app knows none', async () => {
  const { host, desk } = await startDesk({ limits: { sendsPerHour: 1 }, knownBrowsers: false })
  const ana = await host.login()
  await ana.start()
  const seen = await desk.person('ana')
  expect(seen.strangers.send.sends).toBe(60 * minute)
  expect(seen.known).toBeUndefined()
})

it('shows of a number what the sign-up lane has', async () => {
  const { host, desk } = await startDesk()
  const visitor = host.browser()
  await visitor.post('/signup/start', { phone: '+573009998877' })
  expect(await desk.number('57 300 999 8877')).toBe('not-a-number')
  expect(await desk.number('+57 300 999 8877')).toMatchObject({
    isKnown: true,
    strangers: { cooldown: minute },
    codes: [{ state: 'sent' }],
  })
})
