import { describe, expect, it } from 'vitest'
import type { Answer } from './browser.js'
import { startHost } from './kit.js'

/** The only forms that the fields have: one item, a string with its parameters (RFC 9651). */
const limitField = /^"([a-z_]+)";r=(0;t=[1-9]\d{0,14}|1)$/
const policyField = /^"([a-z_]+)";q=1$/

const fieldsOf = ({ headers }: Pick<Answer, 'headers'>) => [
  headers.get('ratelimit'),
  headers.get('ratelimit-policy'),
]

/** The fields as they follow from the body alone. */
function following({ status, json: body }: Pick<Answer, 'status' | 'json'>) {
  const waitMs = status === 429 ? body.retryAfterMs : body.challenge.resendInMs
  const name = status === 429 ? (body.limit ?? body.code) : 'resend_too_soon'
  const seconds = Math.ceil((waitMs ?? 60_000) / 1_000)
  return [seconds > 0 ? `"${name}";r=0;t=${seconds}` : `"${name}";r=1`, `"${name}";q=1`]
}

describe('the rate limit fields', () => {
  it('of a start and a resend announce the next send, in seconds', async () => {
    const host = await startHost()
    const ana = await host.login()
    const started = await ana.post('/two-factor/start', {})
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
    const host = await startHost({ options: { limits: { cooldownMs: [0] } } })
    const ana = await host.login()
    expect(fieldsOf(await ana.post('/two-factor/start', {}))).toEqual([
      '"resend_too_soon";r=1',
      '"resend_too_soon";q=1',
    ])
  })

  it('say nothing that the body does not say, whichever limit refuses', async () => {
    const host = await startHost({
      options: {
        limits: {
          sendsPerAddressPer10Min: 3,
          sendsPerSubjectPerDay: 2,
          failuresBeforeLock: 3,
          cooldownMs: [1],
        },
      },
    })
    const ana = await host.login()
    const replies: Answer[] = []
    for (const code of ['111111', '222222', '333333', '444444']) {
      replies.push(await ana.post('/two-factor/start', {}))
      replies.push(await ana.post('/two-factor/verify', { code }))
      host.clock.now += 1_000
    }
    const ben = await host.login('ben')
    replies.push(await ben.post('/two-factor/start', {}), await ben.post('/two-factor/start', {}))
    const limited = replies.filter(({ status }) => status === 429)
    expect(new Set(limited.map(({ json }) => json.limit ?? json.code)).size).toBeGreaterThan(1)
    for (const reply of replies) {
      const [limit, policy] = fieldsOf(reply)
      if (reply.status === 422) expect([limit, policy]).toEqual([null, null])
      else expect([limit, policy]).toEqual(following(reply))
      if (reply.status === 429) {
        expect(limit).toMatch(limitField)
        expect(policy).toMatch(policyField)
        expect(limit?.split('t=')[1]).toBe(reply.headers.get('retry-after'))
      }
    }
  })

  it('are not on a redirect, which a client may put off because of them', async () => {
    const host = await startHost()
    const ana = await host.login()
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
