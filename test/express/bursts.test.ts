import { describe, expect, it } from 'vitest'
import { figure } from '../prove/figure.js'
import { codeProvidersOfEachKind } from './code-providers.js'
import { startHost } from './kit.js'

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

function statuses(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Each another one: the same wrong code again would not reach the provider. */
const wrongCode = (index: number) => String(100_000 + index)

/** Nobody's address is what is counted here. */
const options = {
  limits: { verificationsPerAddressPer10Min: false, sendsPerAddressPer10Min: false },
} as const

describe.each(codeProvidersOfEachKind)('parallel requests, over %s,', (_name, provider) => {
  it('let at most five of 1,000 wrong codes over 100 sessions of one subject reach the provider', async () => {
    const host = await startHost({ provider, options })
    const browsers = await times(100, () => host.login())
    await times(100, (index) => (browsers[index] ?? host.browser()).post('/two-factor/start', {}))
    const answers = await times(1_000, (index) =>
      (browsers[index % 100] ?? host.browser()).post('/two-factor/verify', { code: wrongCode(index) }),
    )
    expect(host.stub.sends).toHaveLength(1)
    expect(host.stub.checks.length).toBeLessThanOrEqual(5)
    expect(answers.filter(({ status }) => status === 200)).toEqual([])
    figure(1, `${host.stub.checks.length} checks for 1,000 wrong codes over 100 sessions`)
  })

  it('let exactly one of 200 right codes succeed', async () => {
    const host = await startHost({ provider, options })
    const ana = await host.challenged()
    const answers = await times(200, () =>
      ana.copy().post('/two-factor/verify', { code: host.stub.rightCode }),
    )
    expect(statuses(answers)[200]).toBe(1)
    expect(host.stub.checks).toHaveLength(1)
    figure(2, '1 success for 200 right codes')
  })

  it('make one send of 200 starts over 200 sessions', async () => {
    const host = await startHost({ provider, options })
    const browsers = await times(200, () => host.login())
    await times(200, (index) => (browsers[index] ?? host.browser()).post('/two-factor/start', {}))
    expect(host.stub.sends).toHaveLength(1)
    figure(3, '1 send for 200 starts over 200 sessions')
  })
})
