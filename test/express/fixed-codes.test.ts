import { afterEach, describe, expect, it, vi } from 'vitest'
import { failover, ownCodes } from '../../src/index.js'
import { phones, signupAt, startChallenged, startHost, stubCodes } from './kit.js'

const fixed = { fixedCodes: { '+573001234567': '975310' } }

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const warnings = () => vi.spyOn(process, 'emitWarning').mockImplementation(() => {})

describe('a fixed code', () => {
  it.each<[string, Parameters<typeof startHost>[0]]>([
    ['of the provider', { provider: (stub) => stubCodes(stub, fixed) }],
    [
      'of ours',
      { provider: () => ownCodes({ client: { sendSms: sentByMistake }, secret: 's'.repeat(32), ...fixed }) },
    ],
    ['behind a failover', { provider: (stub) => failover([stubCodes(stub, { name: 'main', ...fixed })]) }],
  ])('signs in, again and again, with nothing sent: %s', async (_name, given) => {
    const told = warnings()
    const host = await startHost({ ...given, listens: true })
    expect(told).toHaveBeenCalledWith(expect.stringContaining('1 numbers have a fixed code.'), {
      type: 'TwoFactorWarning',
      code: 'TWO_FACTOR_FIXED_CODES',
    })
    for (let day = 0; day < 2; day += 1) {
      const ana = await host.login()
      expect((await ana.post('/two-factor/start')).status).toBe(201)
      expect((await ana.verify('975311')).json.attemptsRemaining).toBe(4)
      expect((await ana.verify('975310')).status).toBe(200)
      expect((await ana.verify('975310')).json.code).toBe('challenge_gone')
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
    warnings()
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

  it('keeps all limits', async () => {
    warnings()
    const { ana } = await startChallenged({ provider: (stub) => stubCodes(stub, fixed) })
    expect((await ana.post('/two-factor/resend')).json.code).toBe('resend_too_soon')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, guess) => ana.verify(String(100_000 + guess))),
    )
    expect(answers.filter(({ status }) => status === 422).length).toBeLessThanOrEqual(5)
    for (let guess = 0; guess < 5; guess += 1) await ana.verify(`20000${guess}`)
    expect((await ana.verify('975310')).json.code).toBe('attempts_exhausted')
  })

  it('that is taken back admits nobody', async () => {
    warnings()
    const { stub } = await startHost()
    const check = { destination: phones.ana ?? '', appName: 'Acme', signal: new AbortController().signal }
    const without = stubCodes(stub, { fixedCodes: { '+573000000000': '975310' } })
    expect(await without.checkCode({ ...check, code: '975310', handle: 'fixed' })).toBe('rejected')
  })

  it('needs a word more in production, and numbers and codes as they are', () => {
    warnings()
    const client = { sendSms: sentByMistake }
    const make = (more: object) => () => ownCodes({ client, secret: 's'.repeat(32), ...more })
    for (const env of ['production', 'staging', '']) {
      vi.stubEnv('NODE_ENV', env)
      expect(make(fixed)).toThrow('ownCodes: fixedCodes admit whoever knows them; remove them, set NODE_ENV')
      expect(make({ ...fixed, dangerouslyInProduction: true })).not.toThrow()
    }
    vi.stubEnv('NODE_ENV', 'development')
    expect(make(fixed)).not.toThrow()
    const fix = "must be codes of 4 to 10 letters and digits by number, such as { '+573001234567': '482913' }"
    for (const fixedCodes of [
      {},
      null,
      [],
      { '573001234567': '975310' },
      { '+573001234567': 975310 },
      { '+573001234567': '1' },
    ]) {
      expect(make({ fixedCodes })).toThrow(`ownCodes: fixedCodes ${fix}`)
    }
    expect(make({ ...fixed, dangerouslyInProduction: 1 })).toThrow(
      'ownCodes: dangerouslyInProduction must be true',
    )
  })
})

async function sentByMistake(): Promise<never> {
  throw new Error('A code was sent.')
}
