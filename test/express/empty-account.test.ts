import { describe, expect, it } from 'vitest'
import type { StubAnswer } from '../provider-stub.js'
import { signupAt, startHost } from './kit.js'

const minute = 60_000

/** No counter of a person could bear a second send. */
const limits = { sendsPerHour: 1, sendsPerDay: 1 }
const enrolLimits = {
  enrolSendsPerDay: 1,
  numbersPerSessionPerDay: 1,
  serviceEnrolSendsPerHour: 1,
  serviceEnrolSendsPerDay: 1,
}

describe.each<[string, StubAnswer, number]>([
  ['has no credits', { status: 520, json: { error: 1007 } }, 502],
  ['is refused', { status: 403, json: { error: 1003 } }, 503],
])('an account that %s', (_, answer, status) => {
  it.each([
    ['sign-in', limits, '/two-factor', {}],
    ['sign-up', enrolLimits, '/signup', { phone: '+573009998877' }],
  ] as const)(
    'sends at the next %s after the cooldown, once it is recharged',
    async (_lane, few, path, body) => {
      const host = await startHost({ options: { limits: few }, mount: signupAt('/signup') })
      const usual = host.stub.answerSend
      host.stub.answerSend = () => answer
      const ana = path === '/signup' ? host.browser() : await host.login()
      for (let refused = 1; refused <= 4; refused += 1) {
        expect((await ana.post(`${path}/start`, body)).status).toBe(status)
        const early = await ana.post(`${path}/start`, body)
        expect(early.refusal).toEqual([429, 'resend_too_soon'])
        expect(host.stub.sends).toHaveLength(refused)
        host.clock.now += early.json.retryAfterMs
      }

      host.stub.answerSend = usual
      expect((await ana.post(`${path}/start`, body)).status).toBe(201)
      // All that was given back is one send of each counter: the next one is none too many.
      host.clock.now += 10 * minute
      expect((await ana.post(`${path}/start`, body)).json.code).toBe('send_limit')
      expect(host.stub.sends).toHaveLength(5)
    },
  )
})
