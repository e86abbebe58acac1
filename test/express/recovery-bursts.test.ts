import { describe, expect, it } from 'vitest'
import type { Browser } from './browser.js'
import { recover, startRecoveryHost, wrongCode } from './recovery-kit.js'
import { redisOfFile, times } from './redis.js'

const sessions = 15
const uses = 150

const { stores } = redisOfFile()

describe.each(Object.entries(stores))('recovery codes, %s,', (_, open) => {
  async function setUp(namespace: string) {
    // A host function that takes its time: every use that was let through is at it together.
    const consume = async (consumed: () => boolean) => {
      await new Promise((resolve) => setImmediate(resolve))
      return consumed()
    }
    const host = await startRecoveryHost({ consume, options: { store: open(), namespace } })
    const admitted = async (browsers: readonly Browser[]) => {
      const answers = await times(browsers.length, async (index) => browsers[index]?.get('/account'))
      return answers.filter((answer) => answer?.status === 200).length
    }
    return { ...host, admitted }
  }

  it('succeed once for many uses of one code over many sessions', async () => {
    const host = await setUp('sessions')
    const browsers = await times(sessions, () => host.login())
    const answers = await times(uses, (index) =>
      recover(browsers[index % sessions] ?? host.browser(), host.codes[0]),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.every(({ status }) => [200, 401, 409, 422, 429].includes(status))).toBe(true)
    expect(await host.admitted(browsers)).toBe(1)
    expect(host.asked.length).toBeLessThanOrEqual(10)
    expect(host.kept.size).toBe(9)
  })

  it('have ten attempts for many wrong codes in parallel', async () => {
    const host = await setUp('wrong')
    const browsers = await times(sessions, () => host.login())
    const answers = await times(uses, (index) => {
      return recover(browsers[index % sessions] ?? host.browser(), wrongCode(index % 20))
    })
    expect(host.asked).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 200)).toEqual([])
  })
})
