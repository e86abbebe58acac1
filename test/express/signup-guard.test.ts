import { expect, it } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import { startHost } from './kit.js'

const phoneOf = (index: number) => `+57300${1_000_000 + index}`

async function startSignups(options: Partial<TwoFactorOptions>) {
  const host = await startHost({
    options: {
      limits: { enrolSendsPerAddressPer10Min: false },
      ...options,
    },
    listens: true,
    mount: (app, tf) => {
      app.set('trust proxy', 'loopback')
      app.use('/signup', tf.phoneVerification().routes())
    },
  })
  /** A sign-up with a number of its own; by default from an address of its own, too. */
  const start = (index: number, address = index) => {
    const headers = { 'x-forwarded-for': `203.0.113.${address}` }
    return host.browser().post('/signup/start', { phone: phoneOf(index) }, headers)
  }
  return { host, start }
}

const few = { mode: 'enforce', unprovenPerHour: 3 } as const

it('a country whose sign-ups nobody completes is refused with 503, and its events say why', async () => {
  const { start, host } = await startSignups({ signupGuard: few })
  for (let index = 0; index < 3; index += 1) expect((await start(index)).status).toBe(201)
  const refused = await start(3, 0)
  expect(refused.status).toBe(503)
  expect(refused.json).toMatchObject({ code: 'sending_paused', retryAfterMs: 3_600_000 })
  expect(host.stub.sends).toHaveLength(3)
  expect(host.events).toContainEqual(
    expect.objectContaining({ type: 'spend.suspected', country: 'CO', window: 'hour', sent: 3, approved: 0 }),
  )
  expect(host.events.at(-1)).toMatchObject({
    type: 'request.refused',
    code: 'sending_paused',
    limit: 'country',
  })
  // Denial of service: whoever has nothing to do with it goes through.
  expect((await start(4)).status).toBe(201)
})
