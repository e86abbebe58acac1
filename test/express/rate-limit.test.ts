import { expect, it } from 'vitest'
import type { Answer } from './browser.js'
import { startHost, startLoggedIn } from './kit.js'

const fieldsOf = ({ headers }: Pick<Answer, 'headers'>) => [
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
]
const nextSend = (rest: string) => [`"resend_too_soon";${rest}`, '"resend_too_soon";q=1']

it('the rate limit fields of a start and a resend announce the next send, in seconds', async () => {
  const { host, ana } = await startLoggedIn()
  expect(fieldsOf(await ana.start())).toEqual(nextSend('r=0;t=60'))
  host.clock.now += 59_001
  const tooSoon = await ana.post('/two-factor/resend', {})
  expect([tooSoon.status, ...fieldsOf(tooSoon)]).toEqual([429, ...nextSend('r=0;t=1')])
  host.clock.now += 999
  expect(fieldsOf(await ana.post('/two-factor/resend', {}))).toEqual(nextSend('r=0;t=120'))
  const unlimited = await startLoggedIn({ options: { limits: { cooldownMs: [0] } } })
  expect(fieldsOf(await unlimited.ana.start())).toEqual(nextSend('r=1'))
})

it('the rate limit fields name the limit that refuses, and no other answer has them', async () => {
  const limits = { sendsPerAddressPer10Min: 1, cooldownMs: [1], failuresBeforeLock: 1 }
  const host = await startHost({ options: { limits }, mount: (app) => app.set('trust proxy', 1) })
  const ana = host.browser({ 'x-forwarded-for': '203.0.113.7' })
  await ana.post('/login', { user: 'ana' })
  await ana.start()
  host.clock.now += 1_000
  const limited = await ana.post('/two-factor/resend', {})
  expect(limited.json.limit).toBe('address')
  expect(fieldsOf(limited)).toEqual(['"address";r=0;t=599', '"address";q=1'])
  expect(limited.headers.get('retry-after')).toBe('599')
  expect(fieldsOf(await ana.verify('111111'))).toEqual([null, null])
  host.clock.now += 600_000
  expect(fieldsOf(await ana.start())).toEqual(['"account_locked";r=0;t=300', '"account_locked";q=1'])
})

it('the rate limit fields are not on a redirect, which a client may put off because of them', async () => {
  const { ana } = await startLoggedIn()
  const redirected = await ana.submit('/two-factor/start')
  expect([redirected.status, ...fieldsOf(redirected)]).toEqual([303, null, null])
})
