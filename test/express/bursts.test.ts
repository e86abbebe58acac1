import { describe, expect, it } from 'vitest'
import { postAtOnce, wrongCodes } from '../../src/tools/testing/rehearsal/bursts.js'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { startAppHost } from './app-kit.js'
import { codeProvidersOfEachKind } from './code-providers.js'
import { bringDevice, phones, startChallenged, startHost } from './kit.js'
import { redisOfFile, times } from './redis.js'

const sessions = enough(30, { inFull: 100 })
const rightCodes = enough(60, { inFull: 500 })
const starts = enough(60, { inFull: 200 })
const signIns = enough(8, { inFull: 20 })

describe.each(codeProvidersOfEachKind)('parallel requests, over %s,', (_name, provider) => {
  /** Nobody's address is what is counted here. */
  const options = { limits: { sendsPerAddressPer10Min: false } } as const

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

  it('accept exactly one of many correct codes', async () => {
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

const { stores } = redisOfFile()

describe.each(Object.entries(stores))(
  'two numbers and the app of one account, at once, %s,',
  (where, storeOf) => {
    /** Nobody's address, session or day is what is counted here. */
    const limits = {
      sendsPerAddressPer10Min: false,
      allSendsPerHour: 1_000,
    } as const

    function start(namespace: string) {
      let turn = 0
      const numbers = [String(phones.ana), String(phones.ben)]
      // Each start prefers the other number than the one before.
      const phone = () => {
        turn += 1
        return turn % 2 === 0 ? numbers : numbers.toReversed()
      }
      return startAppHost({ store: storeOf(), namespace, limits, phone })
    }

    it('allow five checks, ten wrong codes until the lock, and a text to each number', async () => {
      const { host, events } = await start('guesses')
      const browsers = await times(sessions, () => host.login())
      const ways = browsers.map((_, index) => ({ channel: index % 2 === 0 ? 'app' : 'sms' }))
      const guess = async () => {
        await postAtOnce(browsers, '/two-factor/start', ways)
        await postAtOnce(
          browsers,
          '/two-factor/verify',
          wrongCodes(10 * sessions).map((code) => ({ code })),
        )
      }
      // Each starts again while others guess.
      await Promise.all([guess(), guess(), guess()])
      // It may be that each had another one's challenge: now nobody else starts.
      await browsers[0]?.start({ channel: 'app' })
      await browsers[0]?.verify('000000')
      const judged = events.filter(({ type }) => type === 'challenge.rejected').length
      expect(host.stub.checks.length).toBeLessThanOrEqual(5)
      // Nobody is asked about codes of the app: the lock ends them.
      expect(judged).toBeLessThanOrEqual(10)
      expect(judged).toBeGreaterThan(0)
      const sentTo = host.stub.sends.map(({ form }) => form.phone)
      expect(sentTo.length).toBe(new Set(sentTo).size)
      figure(
        1,
        `${host.stub.checks.length} checks, ${judged} wrong codes in all by two numbers and an app for ${30 * sessions} wrong codes over ${sessions} sessions, ${where}`,
      )
    })

    it('accept exactly one of many correct app codes over many sessions', async () => {
      const { host, shows } = await start('right')
      const browsers = await times(sessions, () => host.login('zoe'))
      await postAtOnce(browsers, '/two-factor/start', Array(sessions).fill({}))
      const codes = Array(rightCodes).fill({ code: shows() })
      const statuses = await postAtOnce(browsers, '/two-factor/verify', codes)
      expect(statuses.get(200)).toBe(1)
      figure(2, `1 success for ${rightCodes} right codes of an app over ${sessions} sessions, ${where}`)
    })

    it.each([
      ['in a browser that is known', true],
      ['in a new one each time', false],
    ])(
      'lose the owner no sign-in %s while every session starts at the app without end',
      async (which, isKnown) => {
        const { host, shows } = await start(`flood-${isKnown}`)
        const first = await host.signIn()
        const thieves = await times(sessions, () => host.login())
        let floods = 0
        let isOver = false
        const flood = thieves.map(async (thief) => {
          while (!isOver) {
            await thief.start({ channel: 'app' })
            floods += 1
          }
        })
        const statuses: number[] = []
        for (let nth = 0; nth < signIns; nth += 1) {
          host.clock.now += 60_000
          const owner = await host.login()
          if (isKnown) bringDevice(owner, first)
          const channel = nth % 2 === 0 ? 'sms' : 'app'
          const { json } = await owner.start({ channel })
          const code = channel === 'sms' ? host.stub.rightCode : shows()
          statuses.push((await owner.verify(code, { challenge: json.challenge?.id })).status)
        }
        isOver = true
        await Promise.all(flood)
        figure(
          13,
          `${statuses.filter((status) => status !== 200).length} of ${signIns} sign-ins of the owner lost ${which}, by text and by app, to ${floods} starts at the app over ${sessions} sessions, ${where}`,
        )
        expect(statuses).toEqual(Array(signIns).fill(200))
        expect(floods).toBeGreaterThan(10 * sessions)
      },
    )
  },
)
