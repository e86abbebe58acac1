import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failover, ownCodes } from '../../src/index.js'
import { phones, signupAt, startHost, stubCodes } from './kit.js'

const fixed = { fixedCodes: { '+573001234567': '975310' } }
const ownFixed = (more: object = fixed) => ownCodes({ client: sendsNothing, secret: 's'.repeat(32), ...more })
const sendsNothing = {
  async sendSms(): Promise<never> {
    throw new Error('A code was sent.')
  },
}

describe('a fixed code', () => {
  beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}))
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  it.each<[string, Parameters<typeof startHost>[0]]>([
    ['of the provider', { provider: (stub) => stubCodes(stub, fixed) }],
    ['of ours', { provider: () => ownFixed() }],
    ['behind a failover', { provider: (stub) => failover([stubCodes(stub, { name: 'main', ...fixed })]) }],
  ])('signs in, again and again, with nothing sent: %s', async (_name, given) => {
    const host = await startHost({ ...given, listens: true })
    expect(process.emitWarning).toHaveBeenCalledWith(
      expect.stringContaining('1 numbers have a fixed code.'),
      { type: 'TwoFactorWarning', code: 'TWO_FACTOR_FIXED_CODES' },
    )
    for (let day = 0; day < 2; day += 1) {
      const ana = await host.challenged()
      expect((await ana.verify('975311')).json.attemptsRemaining).toBe(4)
      expect((await ana.verify('975310')).status).toBe(200)
      host.clock.now += 60_000
    }
    expect([host.stub.sends, host.stub.checks]).toEqual([[], []])
    const marked = host.events.flatMap((event) =>
      'operation' in event ? [`${event.type} ${event.operation}`] : [],
    )
    expect(marked.slice(0, 3)).toEqual([
      'challenge.sent fixedCode',
      'challenge.rejected fixedCode',
      'challenge.approved fixedCode',
    ])
  })

  it('is for its number and for a number on file: all others get a code of their own', async () => {
    const host = await startHost({
      provider: (stub) => stubCodes(stub, fixed),
      mount: signupAt('/signup'),
    })
    const ben = await host.challenged('ben')
    expect((await ben.verify('975310')).status).toBe(422)
    const eva = host.browser()
    await eva.post('/signup/start', { phone: phones.ana })
    expect((await eva.post('/signup/verify', { code: '975310' })).status).toBe(422)
    expect(host.stub.sends).toHaveLength(2)
  })

  it('that is removed signs in no user', async () => {
    const { stub } = await startHost()
    const check = { destination: phones.ana ?? '', appName: 'Acme', signal: new AbortController().signal }
    const without = stubCodes(stub, { fixedCodes: { '+573000000000': '975310' } })
    expect(await without.checkCode({ ...check, code: '975310', handle: 'fixed' })).toBe('rejected')
  })

  it('needs a word more but in development', () => {
    for (const env of ['production', 'staging', '']) {
      vi.stubEnv('NODE_ENV', env)
      expect(() => ownFixed()).toThrow(
        'anyone who knows a fixed code can sign in with it; remove fixedCodes, set NODE_ENV',
      )
      expect(() => ownFixed({ ...fixed, dangerouslyInProduction: true })).not.toThrow()
    }
    vi.stubEnv('NODE_ENV', 'development')
    expect(() => ownFixed()).not.toThrow()
    expect(() => ownFixed({ ...fixed, dangerouslyInProduction: 1 })).toThrow(
      'ownCodes: dangerouslyInProduction must be true',
    )
  })

  it.each([
    {},
    null,
    [],
    { '573001234567': '975310' },
    { '+573001234567': 975310 },
    { '+573001234567': '1' },
  ])('belongs to a number in its sent form, and %j does not match', (fixedCodes) => {
    expect(() => ownFixed({ fixedCodes })).toThrow(
      "fixedCodes must map numbers to codes of 4 to 10 letters and digits, such as { '+573001234567': '482913' }",
    )
  })

  it('with an end counts until the end of its day, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-01T12:00:00Z') })
    const until = { fixedCodes: { '+573001234567': { code: '975310', until: '2026-12-31' } } }
    vi.stubEnv('NODE_ENV', 'production')
    const host = await startHost({ provider: (stub) => stubCodes(stub, until) })
    const typed = async (at: string) => {
      vi.setSystemTime(Date.parse(at))
      host.clock.now += 10 * 60_000
      const ana = await host.challenged()
      return (await ana.verify('975310')).status
    }
    expect(await typed('2026-12-31T23:59:59Z')).toBe(200)
    expect(await typed('2027-01-01T00:00:00Z')).toBe(422)
    expect(host.stub.sends).toHaveLength(1)
    vi.useRealTimers()
  })

  it('needs no further option in production with an end at most 60 days away', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-01T12:00:00Z') })
    vi.stubEnv('NODE_ENV', 'production')
    const made = (until: unknown) => () =>
      ownFixed({ fixedCodes: { '+573001234567': { code: '975310', until } } })
    expect(made('2026-12-31')).not.toThrow()
    expect(made('2027-01-01')).toThrow(/an end within 60 days/)
    for (const wrong of ['2026-02-30', '31.12.2026', '2026-12-31T00:00', 5, undefined]) {
      expect(made(wrong)).toThrow(/fixedCodes must map numbers to codes/)
    }
    vi.useRealTimers()
  })
})
