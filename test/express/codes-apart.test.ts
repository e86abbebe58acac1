import { describe, expect, it } from 'vitest'
import { createClient, failover, ownCodes, type TwoFactorOptions, twoFactor } from '../../src/index.js'
import { baseOptions, startHost, startSignedIn, stubCodes } from './kit.js'

const bind = () => ({ amount: '5' })
const client = createClient({ baseUrl: 'http://127.0.0.1:1/v1', client: 41, key: 'k' })
const stub = { baseUrl: 'http://127.0.0.1:1/v1' } as never
const alike = stubCodes(stub, { replacesCodes: false, name: 'alike' })
const apart = ownCodes({ client, secret: 's'.repeat(32), name: 'own' })
const replacing = stubCodes(stub, { replacesCodes: true, name: 'replacing' })

const open = (options: Partial<TwoFactorOptions> = {}) =>
  twoFactor({ ...baseOptions(stub, { now: 0 }), provider: alike, ...options })

const ownName = { appName: { login: 'Acme', signup: 'Acme signup', transfer: 'Acme transfer' } }
const line = 'appName: { "login": "Acme", "signup": "Acme signup", "transfer": "Acme transfer" }'

describe('a provider that cannot tell codes apart', () => {
  it('needs an appName of its own for a purpose that binds fields, in each way to bind them', async () => {
    expect(() => open().requireTwoFactor({ purpose: 'transfer', bind })).toThrow(line)
    const start = { purpose: 'transfer', subject: 'ana', phone: '+573001234567', session: 's', bound: bind() }
    const tf = open({ purposes: { login: {}, transfer: {} } })
    // Each time: a refused start must not count as a known use.
    for (let time = 0; time < 2; time += 1) await expect(tf.challenges.start(start)).rejects.toThrow(line)
    expect(() => open(ownName).requireTwoFactor({ purpose: 'transfer', bind })).not.toThrow()
  })

  it('refuses a purpose that joins the name of a bound one later', () => {
    const tf = open({ appName: { ...ownName.appName, pay: 'Acme transfer' } })
    tf.requireTwoFactor({ purpose: 'transfer', bind })
    expect(() => tf.requireTwoFactor({ purpose: 'pay' })).toThrow(
      'the provider would also accept a code for "pay"',
    )
  })

  it.each([
    [{ bind }, {}],
    [{}, { bind }],
  ])('refuses guards of one purpose with and without bind: %j, %j', (first, second) => {
    const tf = open(ownName)
    tf.requireTwoFactor({ purpose: 'transfer', ...first })
    const add = () => tf.requireTwoFactor({ purpose: 'transfer', ...second })
    expect(add).toThrow('has a guard with bind and one without')
  })

  it('is asked about the code of a payment under the name of the payment', async () => {
    const host = await startHost({ provider: (running) => stubCodes(running, { replacesCodes: false }) })
    const ana = await host.signIn()
    const refused = await ana.post('/transfers', { amount: 5, payee: 'b' })
    await ana.start({ requirement: refused.json.requirement })
    await ana.verify('000000')
    const names = [...host.stub.sends, ...host.stub.checks].map(({ form }) => form['app-name'])
    expect(names).toEqual(['Acme', 'Acme transfer', 'Acme', 'Acme transfer'])
  })
})

it('a sign-in code that the provider may have received last confirms no payment', async () => {
  const { host, ana } = await startSignedIn()
  const { answerSend } = host.stub
  let receive = () => {}
  const received = new Promise<void>((resolve) => {
    receive = resolve
  })
  host.stub.answerSend = async (request) => {
    host.stub.answerSend = answerSend
    await received
    return answerSend(request)
  }
  const attacker = await host.login('ana')
  const slow = attacker.start()
  await expect.poll(() => host.stub.sends).toHaveLength(2)
  const { json } = await ana.post('/transfers', { amount: 5, payee: 'b' })
  const { requirement } = json
  expect((await ana.start({ requirement })).status).toBe(201)
  receive()
  await slow
  host.stub.rightCode = '111111'
  expect((await ana.verify('111111', { requirement })).refusal).toEqual([410, 'challenge_gone'])
  expect(host.stub.checks).toHaveLength(1)

  host.clock.now += 60_000
  expect((await ana.start({ requirement })).status).toBe(201)
  expect((await ana.verify(host.stub.rightCode, { requirement })).status).toBe(200)
})

it('bind needs a purpose of its own with any provider', () => {
  for (const provider of [alike, apart]) {
    for (const options of [{ bind }, { bind, purpose: 'login' }]) {
      expect(() => open({ provider }).requireTwoFactor(options)).toThrow('bind needs a purpose of its own')
    }
  }
})

it.each([
  ['own codes', apart, true],
  ['an account that replaces codes', replacing, true],
  ['members that all do', failover([apart, replacing]), true],
  ['members of which one does not', failover([apart, alike]), false],
  ['an account that does not', alike, false],
])('one appName for all purposes, and the profile psd2, suit %s: %#', (_which, provider, isApart) => {
  expect(provider.tellsCodesApart).toBe(isApart)
  const guard = { purpose: 'transfer', bind }
  const add = () => open({ provider }).requireTwoFactor(guard)
  const addPsd2 = () => open({ provider, ...ownName, limits: { profile: 'psd2' } }).requireTwoFactor(guard)
  if (isApart) {
    add()
    addPsd2()
  } else {
    expect(add).toThrow(line)
    expect(addPsd2).toThrow('needs a provider that tells codes apart')
  }
})
