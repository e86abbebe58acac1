import { describe, expect, it } from 'vitest'
import type { Answer } from './browser.js'
import { startHost, startLoggedIn } from './kit.js'

const fieldsOf = ({ headers }: Pick<Answer, 'headers'>) => [
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
]

describe('the rate limit fields', () => {
  it('of a start and a resend announce the next send, in seconds', async () => {
    const { host, ana } = await startLoggedIn()
    const started = await ana.start()
    expect([started.status, ...fieldsOf(started)]).toEqual([
      201,
      '"resend_too_soon";r=0;t=60',
      '"resend_too_soon";q=1',
    ])
    host.clock.now += 59_001
    const tooSoon = await ana.post('/two-factor/resend', {})
    expect([tooSoon.status, ...fieldsOf(tooSoon)]).toEqual([
      429,
      '"resend_too_soon";r=0;t=1',
      '"resend_too_soon";q=1',
    ])
    host.clock.now += 999
    const resent = await ana.post('/two-factor/resend', {})
    expect(fieldsOf(resent)).toEqual(['"resend_too_soon";r=0;t=120', '"resend_too_soon";q=1'])
  })

  it('say that nothing has to be waited for', async () => {
    const { ana } = await startLoggedIn({ options: { limits: { cooldownMs: [0] } } })
    expect(fieldsOf(await ana.start())).toEqual(['"resend_too_soon";r=1', '"resend_too_soon";q=1'])
  })

  it('name the limit that refuses, and no other answer has them', async () => {
    const limits = { sendsPerAddressPer10Min: 1, cooldownMs: [1], failuresBeforeLock: 1 }
    const host = await startHost({ options: { limits }, mount: (app) => app.set('trust proxy', 1) })
    const ana = host.browser({ 'x-forwarded-for': '203.0.113.7' })
    await ana.post('/login', { user: 'ana' })
    expect(fieldsOf(await ana.start())).toEqual(['"resend_too_soon";r=0;t=1', '"resend_too_soon";q=1'])
    host.clock.now += 1_000
    const limited = await ana.post('/two-factor/resend', {})
    expect([limited.json.limit, ...fieldsOf(limited)]).toEqual([
      'address',
      '"address";r=0;t=599',
      '"address";q=1',
    ])
    expect(limited.headers.get('retry-after')).toBe('599')
    expect(fieldsOf(await ana.verify('111111'))).toEqual([null, null])
    host.clock.now += 600_000
    const locked = await ana.start()
    expect(fieldsOf(locked)).toEqual(['"phone_locked";r=0;t=300', '"phone_locked";q=1'])
  })

  it('are not on a redirect, which a client may put off because of them', async () => {
    const { ana } = await startLoggedIn()
    const redirected = await ana.submit('/two-factor/start')
    expect([redirected.status, ...fieldsOf(redirected)]).toEqual([303, null, null])
    const tooSoon = await ana.submit('/two-factor/resend')
    expect([tooSoon.status, ...fieldsOf(tooSoon)]).toEqual([
      429,
      '"resend_too_soon";r=0;t=60',
      '"resend_too_soon";q=1',
    ])
  })
})
