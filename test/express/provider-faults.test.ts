import { describe, expect, it } from 'vitest'
import type { StubAnswer } from '../provider-stub.js'
import { startHost, stubCodes } from './kit.js'

/** Short only where no answer comes: on a busy machine others may take a while. */
const patience = (answer: StubAnswer) => {
  const timeoutMs = answer === 'hang' ? 300 : 20_000
  return { limits: { verifyTimeoutMs: timeoutMs, sendTimeoutMs: timeoutMs } }
}
const html = (status: number): StubAnswer => ({ status, text: '<html>verified</html>' })

describe('what the provider answers to a code', () => {
  // What each answer means, verdict.test.ts says.
  it.each<[string, StubAnswer, number, string]>([
    ['{}', { json: {} }, 503, 'verification_unavailable'],
    ['the success word alone', { json: 'verified' }, 503, 'verification_unavailable'],
    ['a list of successes', { json: [{ status: 'verified' }] }, 503, 'verification_unavailable'],
    ['{"status": 1} where "verified" is success', { json: { status: 1 } }, 422, 'code_not_accepted'],
    ['success in HTTP 201', { status: 201, json: { status: 'verified' } }, 503, 'verification_unavailable'],
    ['HTML', html(200), 503, 'verification_unavailable'],
    ['520 with an error', { status: 520, json: { error: 1001, msg: 'wrong' } }, 422, 'code_not_accepted'],
    ['no answer in time', 'hang', 503, 'verification_unavailable'],
    ['a cut connection', 'reset', 503, 'verification_unavailable'],
    ['an account error', { status: 520, json: { error: 1003 } }, 503, 'provider_unavailable'],
  ])('%s lets nobody in', async (_name, answer, status, code) => {
    const host = await startHost({ options: patience(answer) })
    const ana = await host.challenged()
    host.stub.answerCheck = () => answer

    const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect(told.status).toBe(status)
    expect(told.json).toMatchObject({ code, status })
    if (status === 503) expect(Number(told.headers.get('retry-after'))).toBeGreaterThan(0)

    expect((await ana.get('/account')).status).toBe(403)
    const { challenge } = (await ana.get('/two-factor')).json
    expect(challenge.attemptsRemaining).toBe(4)
    expect(host.stub.checks).toHaveLength(1)
    expect(host.errors).toEqual([])
  })

  it('that does not come because nobody listens gives the attempt back', async () => {
    const host = await startHost({ options: patience('hang') })
    const ana = await host.challenged()
    await host.stub.close()
    const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect(told.status).toBe(503)
    expect(told.json.code).toBe('provider_unavailable')
    expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
  })
})

describe('what the provider answers to a send', () => {
  it.each<[string, StubAnswer, number, object]>([
    ['a refusal', { status: 520, json: { error: 1007 } }, 502, { code: 'delivery_failed' }],
    ['a plain 4xx', html(404), 502, { code: 'delivery_failed' }],
    ['two messages', { json: { id: 'x', data: [{}, {}] } }, 502, { code: 'delivery_failed' }],
    ['a refused account', { status: 403, json: {} }, 503, { code: 'provider_unavailable' }],
    ['a gateway', html(502), 202, { delivery: 'unconfirmed' }],
    ['a coded body', { text: '{"id":"x"}', coding: 'gzip' }, 202, { delivery: 'unconfirmed' }],
    ['no answer in time', 'hang', 202, { delivery: 'unconfirmed', challenge: { attemptsRemaining: 5 } }],
    ['a cut connection', 'reset', 202, { delivery: 'unconfirmed' }],
  ])('%s is told', async (_name, answer, status, body) => {
    const host = await startHost({ options: patience(answer) })
    host.stub.answerSend = () => answer
    const ana = await host.login()
    const told = await ana.post('/two-factor/start', {})
    expect(told.status).toBe(status)
    expect(told.json).toMatchObject(body)
    // What the provider said is for the operator.
    expect(told.text).not.toMatch(/100[17]|provider did/)
    expect(host.stub.sends).toHaveLength(1)

    // A code that arrives nevertheless works, one that was refused does not exist.
    const verified = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect(verified.status).toBe(status === 202 ? 200 : 410)
  })

  it('that does not come because nobody listens costs neither a send nor the pause', async () => {
    const host = await startHost({ options: patience('hang') })
    await host.stub.close()
    const ana = await host.login()
    for (let tries = 0; tries < 4; tries += 1) {
      const told = await ana.post('/two-factor/start', {})
      expect(told.json.code).toBe('provider_unavailable')
    }
  })
})

describe('ten answers in a row that are no verdict, about codes of five people', () => {
  // When it pauses, circuit-breaker.test.ts says.
  it.each<[string, StubAnswer, boolean]>([
    ['HTTP 400 with an error', { status: 400, json: { error: 'malformed code' } }, false],
    ['HTTP 520 with an error', { status: 520, json: { error: 1008 } }, false],
    ['an object without an error', { status: 500, json: {} }, true],
    ['a page', html(520), true],
    ['cut connections', 'reset', true],
  ])('%s: whoever has not met it is asked about next, and all are once it is over', async (...row) => {
    const [, answer, pauses] = row
    const host = await startHost({
      provider: (stub) => stubCodes(stub, { rejectedCodes: ['1001'] }),
      options: { ...patience(answer), phone: (_req, user) => `+57300123456${user}` },
    })
    const people = await Promise.all(['0', '1', '2', '3', '4', '5'].map((user) => host.login(user)))
    for (const person of people) await person.post('/two-factor/start', {})
    const { answerCheck } = host.stub
    host.stub.answerCheck = () => answer
    const told = new Set<string>()
    for (const code of ['111111', '222222']) {
      for (const person of people.slice(0, 5)) {
        told.add((await person.post('/two-factor/verify', { code })).json.code)
      }
    }
    // Paused means: nobody is asked, and no attempt is spent.
    expect([...told]).toEqual(['verification_unavailable', ...(pauses ? ['provider_unavailable'] : [])])
    expect(host.stub.checks.length < 10).toBe(pauses)
    host.stub.answerCheck = answerCheck
    expect((await people[5]?.post('/two-factor/verify', { code: host.stub.rightCode }))?.status).toBe(200)
    expect((await people[4]?.post('/two-factor/verify', { code: '333333' }))?.status).toBe(422)
  })
})
