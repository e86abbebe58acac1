import { describe, expect, it } from 'vitest'
import { enough } from '../in-full.js'
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

const sessions = enough(30, { inFull: 100 })
const wrongCodes = 10 * sessions
const rightCodes = enough(60, { inFull: 200 })
const starts = enough(60, { inFull: 200 })

/** Nobody's address is what is counted here. */
const options = {
  limits: { verificationsPerAddressPer10Min: false, sendsPerAddressPer10Min: false },
} as const

describe.each(codeProvidersOfEachKind)('parallel requests, over %s,', (_name, provider) => {
  it('let at most five of hundreds of wrong codes over many sessions of one subject reach the provider', async () => {
    const host = await startHost({ provider, options })
    const browsers = await times(sessions, () => host.login())
    await times(sessions, (index) => (browsers[index] ?? host.browser()).post('/two-factor/start', {}))
    const answers = await times(wrongCodes, (index) =>
      (browsers[index % sessions] ?? host.browser()).post('/two-factor/verify', { code: wrongCode(index) }),
    )
    expect(host.stub.sends).toHaveLength(1)
    expect(host.stub.checks.length).toBeLessThanOrEqual(5)
    expect(answers.filter(({ status }) => status === 200)).toEqual([])
    figure(1, `${host.stub.checks.length} checks for ${wrongCodes} wrong codes over ${sessions} sessions`)
  })

  it('let exactly one of many right codes succeed', async () => {
    const host = await startHost({ provider, options })
    const ana = await host.challenged()
    const answers = await times(rightCodes, () =>
      ana.copy().post('/two-factor/verify', { code: host.stub.rightCode }),
    )
    expect(statuses(answers)[200]).toBe(1)
    expect(host.stub.checks).toHaveLength(1)
    figure(2, `1 success for ${rightCodes} right codes`)
  })

  it('make one send of as many starts as there are sessions', async () => {
    const host = await startHost({ provider, options })
    const browsers = await times(starts, () => host.login())
    await times(starts, (index) => (browsers[index] ?? host.browser()).post('/two-factor/start', {}))
    expect(host.stub.sends).toHaveLength(1)
    figure(3, `1 send for ${starts} starts over ${starts} sessions`)
  })
})
