import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { own } from './code-providers.js'
import { startHost, startLoggedIn, stubCodes } from './kit.js'

type Phase = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error'

/** Everything that is published on one of the channels until the test ends. */
function trace(name: 'send' | 'check') {
  const phases: [Phase, object][] = []
  const noted = (phase: Phase) => (context: object) => void phases.push([phase, { ...context }])
  const subscribers = {
    start: noted('start'),
    end: noted('end'),
    asyncStart: noted('asyncStart'),
    asyncEnd: noted('asyncEnd'),
    error: noted('error'),
  }
  const channel = tracingChannel<unknown, object>(`express-two-factor:${name}`)
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return {
    phases,
    ended: () => phases.filter(([phase]) => phase === 'asyncEnd').map(([, context]) => context),
  }
}

describe('the tracing channels', () => {
  it('publish each send and each check with its result', async () => {
    const sends = trace('send')
    const checks = trace('check')
    const { host, ana } = await startLoggedIn({
      provider: (stub) => stubCodes(stub, { name: 'acme-sms' }),
    })
    host.whileChecked(() => {
      host.clock.now += 80
    })
    await ana.start({ channel: 'call' })
    await ana.verify('111111')
    await ana.verify(host.stub.rightCode)
    expect(sends.phases.map(([phase]) => phase)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    const called = { lane: 'auth', channel: 'call', purpose: 'login', provider: 'acme-sms' }
    expect(sends.phases[0]?.[1]).toEqual(called)
    const sent = { operation: 'sendCallCode', httpStatus: 200, durationMs: 0, result: 'sent' }
    expect(sends.ended()).toEqual([{ ...called, ...sent }])
    const asked = { lane: 'auth', provider: 'acme-sms', operation: 'verifyCode', httpStatus: 200 }
    expect(checks.ended()).toMatchObject([
      { ...asked, durationMs: 80, reason: 'answer', status: 'wrong', result: 'rejected' },
      { ...asked, durationMs: 80, result: 'approved' },
    ])
    expect(host.stub.sends).toHaveLength(1)
    expect(host.stub.checks).toHaveLength(2)
  })

  it('hold no code, handle, number, key or session', async () => {
    const channels = (['send', 'check'] as const).map(trace)
    const host = await startHost({ provider: (stub) => own(stub) })
    await host.signIn()
    const told = inspect(
      channels.map(({ phases }) => phases),
      { depth: 10, maxArrayLength: null },
    )
    expect(channels.every(({ phases }) => phases.length > 0)).toBe(true)
    for (const canary of [host.stub.rightCode, '3001234567', 'k-canary', 'connect.sid', 'handle', 'tf3']) {
      expect(told).not.toContain(canary)
    }
  })
})
