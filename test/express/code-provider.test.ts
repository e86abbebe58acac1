import { EventEmitter, once } from 'node:events'
import { inspect } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { type CodeProvider, failover, memoryStore, ownCodes, twoFactor } from '../../src/index.js'
import { startProviderStub } from '../provider-stub.js'
import { until } from '../store/redis-server.js'
import { codeProvidersOfEachKind, own, ownCodesSecret } from './code-providers.js'
import { baseOptions, gate, recordingStore, startHost, startLoggedIn, stubCodes } from './kit.js'

it.each(codeProvidersOfEachKind)(
  'over %s, no code, handle, secret or key is in the store, the events or an answer',
  async (_name, provider) => {
    const handles: string[] = []
    const noting =
      provider &&
      ((stub: Parameters<typeof provider>[0]): CodeProvider => {
        const real = provider(stub)
        return {
          checkCode: (check) => real.checkCode(check),
          async sendCode(send) {
            const sent = await real.sendCode(send)
            if ('handle' in sent) handles.push(sent.handle ?? '')
            return sent
          },
        }
      })
    const { store, told: written } = recordingStore()
    const { host, ana } = await startLoggedIn({ provider: noting, options: { store }, listens: true })
    const answers = [await ana.start()]
    const codes = [host.stub.rightCode]
    host.clock.now += 60_000
    answers.push(await ana.post('/two-factor/resend', {}))
    codes.push(host.stub.rightCode)
    const wrong = '135790'
    answers.push(await ana.verify(wrong))
    answers.push(await ana.verify(host.stub.rightCode))
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 422, 200])

    const told = inspect([written(), host.events, host.errors, answers], {
      depth: 10,
      maxStringLength: null,
      maxArrayLength: null,
    })
    for (const canary of [...codes, wrong, ...handles, ownCodesSecret, 'k-canary', '573001234567']) {
      expect(told).not.toContain(canary)
    }
    if (noting !== undefined) expect(handles).toHaveLength(2)
  },
)

it('a code that is typed before its send is answered is not judged, and costs nothing', async () => {
  const told = new EventEmitter()
  const released = once(told, 'release')
  const texted = once(told, 'text')
  const client = {
    async sendSms({ sms }: { readonly sms: string }) {
      told.emit('text', sms)
      await released
    },
  }
  const provider = ownCodes({ client, secret: ownCodesSecret })
  const { ana } = await startLoggedIn({ options: { provider } })
  const started = ana.start()
  const code = /\d{6}/.exec(String(await texted))?.[0] ?? ''
  const other = code === '000000' ? '000001' : '000000'
  for (const early of [code, other, code]) {
    expect((await ana.verify(early)).refusal).toEqual([503, 'provider_unavailable'])
  }
  told.emit('release')
  expect((await started).status).toBe(201)
  const wrong = await ana.verify(other)
  expect([wrong.status, wrong.json.attemptsRemaining]).toEqual([422, 4])
  expect((await ana.verify(code)).status).toBe(200)
})

it.each([
  ['the account of a provider', stubCodes],
  ['codes of our own', own],
])('a code that only %s sent stays valid beside a further provider', async (_name, of) => {
  const store = memoryStore()
  const { tf: before, stub, clock } = await startHost({ provider: of, options: { store } })
  const provider = failover([of(stub), stubCodes(stub, { name: 'next' })])
  const after = twoFactor({ ...baseOptions(stub, clock), store, provider })
  onTestFinished(() => after.close())
  const ana = { subject: 'ana', phone: '+573001234567', session: 's1' }

  await before.challenges.start({ ...ana, purpose: 'login' })
  expect(await after.challenges.verify({ ...ana, code: stub.rightCode })).toMatchObject({
    outcome: 'approved',
  })
})

it('each code is checked by its provider in every step of a change of the provider', async () => {
  const store = memoryStore()
  const { stub, clock } = await startHost()
  const next = await startProviderStub()
  onTestFinished(() => next.close())
  next.answerSend = () => {
    next.rightCode = String(600_000 + next.sends.length)
    return { json: { id: 'a1', minutes_to_expire: 5 } }
  }
  const [old, successor] = [stubCodes(stub, { name: 'old' }), stubCodes(next, { name: 'next' })]
  const steps = [old, failover([old, successor]), failover([successor, old]), successor].map((provider) => {
    const tf = twoFactor({ ...baseOptions(stub, clock), store, provider })
    onTestFinished(() => tf.close())
    return tf.challenges
  })
  // The codes of a step are entered in it and, while processes are replaced, in the next one.
  for (const [index, from] of steps.entries()) {
    for (const to of steps.slice(index, index + 2)) {
      clock.now += 10 * 60_000
      const ana = { subject: 'ana', phone: '+573001234567', session: 's1' }
      const sends = [stub.sends.length, next.sends.length]
      expect(await from.start({ ...ana, purpose: 'login' })).toMatchObject({ outcome: 'started' })
      const isByNext = next.sends.length > (sends[1] ?? 0)
      expect(isByNext).toBe(index >= 2)
      const { rightCode } = isByNext ? next : stub
      expect(await to.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
    }
  }
})

it('a code that is entered while another provider sends it is checked by the first one, which costs an attempt', async () => {
  const second = await startProviderStub()
  onTestFinished(() => second.close())
  second.rightCode = '600000'
  const held = gate()
  const { host, ana } = await startLoggedIn({
    provider: (stub) => failover([stubCodes(stub, { name: 'first' }), stubCodes(second, { name: 'second' })]),
  })
  host.stub.answerSend = () => ({ status: 520, json: { error: 1007 } })
  second.answerSend = async () => {
    await held.opened
    return { json: { id: 'a1', minutes_to_expire: 5 } }
  }
  const started = ana.start()
  await until(() => second.sends.length === 1)
  expect((await ana.verify(second.rightCode)).json).toMatchObject({ status: 422, attemptsRemaining: 4 })
  expect([host.stub.checks.length, second.checks.length]).toEqual([1, 0])
  held.open()
  expect((await started).status).toBe(201)
  host.clock.now += 5_000
  expect((await ana.verify(second.rightCode)).json).toMatchObject({ verified: true })
})
