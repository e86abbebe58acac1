import { expect, it } from 'vitest'
import type { StubAnswer } from '../provider-stub.js'
import { startHost, stubCodes } from './kit.js'

const html = (status: number): StubAnswer => ({ status, text: '<html>verified</html>' })

// What each answer means, code-adapter.test.ts says; what a challenge makes of it, challenges.test.ts.
it.each<[string, StubAnswer, number, object]>([
  ['a refusal', { status: 520, json: { error: 1007 } }, 502, { code: 'delivery_failed' }],
  ['a refused account', { status: 403, json: {} }, 503, { code: 'provider_unavailable' }],
  ['a gateway', html(502), 202, { delivery: 'unconfirmed', challenge: { attemptsRemaining: 5 } }],
  ['a cut connection', 'reset', 202, { delivery: 'unconfirmed' }],
])('what the provider answers to a send is told: %s', async (_name, answer, status, body) => {
  const host = await startHost()
  host.stub.answerSend = () => answer
  const ana = await host.login()
  const told = await ana.start()
  expect(told.status).toBe(status)
  expect(told.json).toMatchObject(body)
  // What the provider said is for the operator.
  expect(told.text).not.toMatch(/1007|provider did/)
  expect(host.stub.sends).toHaveLength(1)
  // A code that arrives nevertheless works, one that was refused does not exist.
  expect((await ana.verify(host.stub.rightCode)).status).toBe(status === 202 ? 200 : 410)
})

it.each<[string, StubAnswer, boolean]>([
  ['answers about codes', { status: 520, json: { error: 1008 } }, false],
  ['failures', html(502), true],
])('no verdicts pause the provider where they are failures: %s', async (_name, answer, pauses) => {
  const host = await startHost({
    provider: (stub) => stubCodes(stub, { rejectedCodes: ['1001'] }),
    options: { phone: (_req, user) => `+57300123456${user}` },
  })
  const people = await Promise.all(['0', '1', '2', '3', '4'].map((user) => host.login(user)))
  for (const person of people) await person.start()
  host.stub.answerCheck = () => answer
  const told = new Set()
  for (const code of ['111111', '222222', '333333', '444444']) {
    for (const person of people) told.add((await person.verify(code)).json.code)
  }
  expect([...told]).toEqual(['verification_unavailable', ...(pauses ? ['provider_unavailable'] : [])])
  expect(host.stub.checks.length < 10).toBe(pauses)
  // What nobody was asked about costs nothing, however often.
  expect((await people.at(-1)?.get('/two-factor'))?.json.challenge.attemptsRemaining).toBe(pauses ? 4 : 1)
})
