import { describe, expect, it } from 'vitest'
import { postAtOnce, wrongCodes } from '../../src/tools/testing/rehearsal/bursts.js'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { codeProvidersOfEachKind } from './code-providers.js'
import { startChallenged, startHost } from './kit.js'
import { times } from './redis.js'

const sessions = enough(30, { inFull: 100 })
const rightCodes = enough(60, { inFull: 200 })
const starts = enough(60, { inFull: 200 })

/** Nobody's address is what is counted here. */
const options = {
  limits: { sendsPerAddressPer10Min: false },
} as const

describe.each(codeProvidersOfEachKind)('parallel requests, over %s,', (_name, provider) => {
  it('let at most five of hundreds of wrong codes over many sessions of one subject reach the provider', async () => {
    const host = await startHost({ provider, options })
    const browsers = await times(sessions, () => host.login())
    await postAtOnce(browsers, '/two-factor/start', Array(sessions).fill({}))
    const codes = wrongCodes(10 * sessions).map((code) => ({ code }))
    const statuses = await postAtOnce(browsers, '/two-factor/verify', codes)
    expect(host.stub.sends).toHaveLength(1)
    expect(host.stub.checks.length).toBeLessThanOrEqual(5)
    expect(statuses.get(200)).toBeUndefined()
    figure(1, `${host.stub.checks.length} checks for ${codes.length} wrong codes over ${sessions} sessions`)
  })

  it('let exactly one of many right codes succeed', async () => {
    const { host, ana } = await startChallenged({ provider, options })
    const copies = Array.from({ length: rightCodes }, () => ana.copy())
    const codes = copies.map(() => ({ code: host.stub.rightCode }))
    const statuses = await postAtOnce(copies, '/two-factor/verify', codes)
    expect(statuses.get(200)).toBe(1)
    expect(host.stub.checks).toHaveLength(1)
    figure(2, `1 success for ${rightCodes} right codes`)
  })

  it('make one send of as many starts as there are sessions', async () => {
    const host = await startHost({ provider, options })
    const browsers = await times(starts, () => host.login())
    await postAtOnce(browsers, '/two-factor/start', Array(starts).fill({}))
    expect(host.stub.sends).toHaveLength(1)
    figure(3, `1 send for ${starts} starts over ${starts} sessions`)
  })
})
