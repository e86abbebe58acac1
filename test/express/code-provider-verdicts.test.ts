import { describe, expect, it } from 'vitest'
import type { CodeProvider, Limits, SendResult, Verdict } from '../../src/index.js'
import type { ProviderStub } from '../provider-stub.js'
import { type Change, own, second, withHandles } from './code-providers.js'
import { startHost } from './kit.js'

type Broken = 'rejects' | 'hangs' | 'returns nonsense'
type Sent = SendResult['result'] | Broken
type Judged = Verdict | Broken

const minute = 60_000

/** Which refusal is told when several refuse, provider/failover.test.ts says. */
const providers = [
  ['codes of our own', own],
  ['a provider with handles', withHandles],
  ['failover, the first one not reached', second('not-sent')],
] as const

/** A signed-in browser at a host whose provider does as it is told, once it is told. */
async function startScripted(
  provider: (stub: ProviderStub, change: Change) => CodeProvider,
  limits: Partial<Limits> = {},
) {
  const script: { send?: Sent; check?: Judged } = {}
  const asked = { sends: 0, checks: 0 }
  const change: Change = (real) => ({
    ...real,
    async sendCode(send) {
      asked.sends += 1
      const sent = await real.sendCode(send)
      return script.send === undefined ? sent : played(script.send, sentAs(script.send, sent))
    },
    async checkCode(check) {
      asked.checks += 1
      const verdict = await real.checkCode(check)
      return script.check === undefined ? verdict : played(script.check, script.check as Verdict)
    },
  })
  const host = await startHost({ provider: (stub) => provider(stub, change), options: { limits } })
  return { host, ana: await host.login(), script, asked }
}

async function played<Result>(how: string, result: Result): Promise<Result> {
  if (how === 'rejects') throw new Error('out of order')
  return how === 'hangs' ? new Promise<never>(() => {}) : result
}

/** Of a send that may have arrived, the handle is known. */
function sentAs(how: Sent, sent: SendResult): SendResult {
  return how === 'sent' || how === 'unconfirmed' ? { ...sent, result: how } : ({ result: how } as SendResult)
}

const undelivered = { code: 'delivery_failed' }
const unreachable = { code: 'provider_unavailable' }
const unconfirmed = { delivery: 'unconfirmed', challenge: { attemptsRemaining: 5 } }

/** The answer to a start; what the code that was sent is worth after it. */
const sends = {
  sent: [201, { challenge: { attemptsRemaining: 5 } }, 200],
  unconfirmed: [202, unconfirmed, 200],
  failed: [502, undelivered, 410],
  'foreign-number': [502, undelivered, 410],
  'not-sent': [503, unreachable, 410],
  misconfigured: [503, unreachable, 410],
  // The code may have arrived, but its handle is lost: nobody can say whether it is right.
  rejects: [202, unconfirmed, 503],
  hangs: [202, unconfirmed, 503],
  'returns nonsense': [202, unconfirmed, 503],
} as const satisfies Record<Sent, readonly [number, object, number]>

describe.each(providers)('over %s,', (_name, provider) => {
  describe.each(Object.keys(sends) as Sent[])('a send that ends as "%s"', (sent) => {
    const [status, body, codeStatus] = sends[sent]
    /** As long as a send that arrives may take, where one comes before the one that hangs. */
    const within = (sendTimeoutMs: number) => (sent === 'hangs' ? { sendTimeoutMs } : {})

    it('has its documented answer at a start, and its code is worth no more than that', async () => {
      const { host, ana, script, asked } = await startScripted(provider, within(100))
      script.send = sent
      const told = await ana.post('/two-factor/start', {})
      expect(told.status).toBe(status)
      expect(told.json).toMatchObject(body)
      const verified = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
      expect(verified.status).toBe(codeStatus)
      expect((await ana.get('/account')).status).toBe(codeStatus === 200 ? 200 : 403)
      expect(asked.sends).toBe(1)
      expect(host.errors).toEqual([])
    })

    it('has its documented answer at a resend, and gives no attempt back', async () => {
      const { host, ana, script, asked } = await startScripted(provider, within(1_000))
      await ana.post('/two-factor/start', {})
      expect((await ana.post('/two-factor/verify', { code: '000000' })).status).toBe(422)
      host.clock.now += minute
      script.send = sent
      const told = await ana.post('/two-factor/resend', {})
      expect(told.status).toBe(status === 201 ? 200 : status)
      const left = (await ana.get('/two-factor')).json.challenge?.attemptsRemaining
      expect(left).toBe(sent === 'foreign-number' ? undefined : 4)
      expect(asked.sends).toBe(2)
      expect(host.errors).toEqual([])
    })
  })

  it.each(['sent', 'unconfirmed', 'foreign-number', 'rejects', 'returns nonsense'] as const)(
    'a send that ends as "%s" happens at most five times in an hour',
    async (sent) => {
      const { host, ana, script, asked } = await startScripted(provider)
      script.send = sent
      for (let start = 0; start < 11; start += 1) {
        await ana.post('/two-factor/start', {})
        host.clock.now += 5 * minute
      }
      expect(asked.sends).toBe(5)
    },
  )

  describe.each([
    ['rejected', 422, 'code_not_accepted'],
    ['unavailable', 503, 'verification_unavailable'],
    ['misconfigured', 503, 'provider_unavailable'],
    ['rejects', 503, 'verification_unavailable'],
    ['hangs', 503, 'verification_unavailable'],
    ['returns nonsense', 503, 'verification_unavailable'],
  ] as const)('a check that ends as "%s"', (judged, status, code) => {
    it('lets nobody in, has its documented answer and is asked five times for one challenge', async () => {
      const limits = judged === 'hangs' ? { verifyTimeoutMs: 50 } : {}
      const { host, ana, script, asked } = await startScripted(provider, limits)
      await ana.post('/two-factor/start', {})
      script.check = judged
      const typed = [host.stub.rightCode, '000001', '000002', '000003', '000004']
      for (const [before, submitted] of typed.entries()) {
        const told = await ana.post('/two-factor/verify', { code: submitted })
        expect([told.status, told.json.code]).toEqual([status, code])
        const { challenge } = (await ana.get('/two-factor')).json
        expect(challenge?.attemptsRemaining).toBe(4 - before)
      }
      script.check = 'approved'
      expect((await ana.post('/two-factor/verify', { code: '000005' })).json.code).toBe('attempts_exhausted')
      expect(asked.checks).toBe(5)
      expect((await ana.get('/account')).status).toBe(403)
      expect(host.errors).toEqual([])
    })
  })

  it('a check that reached nobody gives its attempt back and lets nobody in', async () => {
    const { host, ana, script, asked } = await startScripted(provider)
    await ana.post('/two-factor/start', {})
    script.check = 'not-sent'
    for (let check = 0; check < 3; check += 1) {
      const told = await ana.post('/two-factor/verify', { code: host.stub.rightCode })
      expect([told.status, told.json.code]).toEqual([503, 'provider_unavailable'])
      expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
    }
    expect(asked.checks).toBe(3)
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('a check that ends as "approved" lets in once', async () => {
    const { ana, script, asked } = await startScripted(provider)
    await ana.post('/two-factor/start', {})
    script.check = 'approved'
    expect((await ana.post('/two-factor/verify', { code: '000000' })).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
    expect((await ana.post('/two-factor/verify', { code: '000000' })).status).toBe(410)
    expect(asked.checks).toBe(1)
  })
})

describe.each(['sent', 'unconfirmed', 'foreign-number'] as const)(
  'over failover, the first one answering "%s",',
  (result) => {
    it('nobody else is asked to send', async () => {
      const { ana, asked } = await startScripted(second(result))
      expect((await ana.post('/two-factor/start', {})).status).toBe(sends[result][0])
      expect(asked.sends).toBe(0)
    })
  },
)
