import { MockAgent } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../../src/provider/index.js'
import { canary, canaryClient, failureOf } from '../faults/failing-call.js'

const agents: MockAgent[] = []
function mockAgent(): MockAgent {
  const agent = new MockAgent()
  agent.disableNetConnect()
  agents.push(agent)
  return agent
}
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.close())))

const origin = 'https://provider.example'
type Dispatcher = NonNullable<ClientOptions['dispatcher']>
const failing = (error: Error) =>
  ({
    dispatch() {
      throw error
    },
  }) as unknown as Dispatcher
/** What undici 6 does with a handler of undici 7. */
const oldDispatcher = failing(
  Object.assign(new Error('invalid onConnect method'), { code: 'UND_ERR_INVALID_ARG' }),
)
const mistaken = failing(new TypeError('Cannot read properties of undefined'))

describe('a dispatcher of one’s own', () => {
  test('carries every request', async () => {
    const dispatcher = mockAgent()
    const form = 'client=1&key=k&phone=573001234567&app-name=Acme&code=482913'
    dispatcher
      .get(origin)
      .intercept({ path: '/v1/2fa/verification-code', method: 'POST', body: form })
      .reply(200, { status: 'verified' })
    const client = createClient({ baseUrl: `${origin}/v1`, client: 1, key: 'k', dispatcher })
    expect(await client.verifyCode({ phone: '+573001234567', appName: 'Acme', code: '482913' })).toEqual({
      httpStatus: 200,
      status: 'verified',
    })
  })

  test('that quotes the query when it fails leaks nothing', async () => {
    const dispatcher = mockAgent()
    dispatcher.get(origin).intercept({ path: '/other', method: 'GET' }).reply(200, '')
    const client = canaryClient(`${origin}/v1`, { dispatcher })
    expect(await failureOf(client.balance())).toMatchObject({ delivery: 'not-sent' })
    expect(await failureOf(client.blockPhone({ phone: canary.phone }))).toMatchObject({
      delivery: 'not-sent',
    })
  })

  test.each([
    ['of another undici', oldDispatcher, 'pass a dispatcher of undici 7, not of another major version'],
    ['that has a mistake in it', mistaken, 'pass a dispatcher of undici 7'],
  ])('%s is named, and not the network', async (_what, dispatcher, advice) => {
    const error = await failureOf(canaryClient(`${origin}/v1`, { dispatcher }).balance())
    expect(error).toMatchObject({ delivery: 'not-sent', reason: 'dispatcher' })
    expect(error.message).toContain(advice)
    expect(error.message).not.toMatch(/network|connection/)
  })

  test('that never starts a request is reported, and not as a firewall', async () => {
    const dispatcher = { dispatch: () => true } as unknown as Dispatcher
    const client = canaryClient(`${origin}/v1`, { dispatcher, timeoutMs: 100 })
    const error = await failureOf(client.balance())
    expect(error).toMatchObject({ delivery: 'not-sent', reason: 'timeout' })
    expect(error.advice).toContain('The option dispatcher never started the request')
    expect(error.message).not.toContain('firewall')
  })
})
