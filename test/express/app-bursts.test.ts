import { describe, expect, it } from 'vitest'
import { postAtOnce, wrongCodes } from '../../src/tools/testing/rehearsal/bursts.js'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { withoutRedis } from '../store/redis-server.js'
import { startAppHost } from './app-kit.js'
import { bringDevice, phones } from './kit.js'
import { patientMs, redisOfFile, times } from './redis.js'

const sessions = enough(30, { inFull: 100 })
const rightCodes = enough(60, { inFull: 500 })
const signIns = 20

/** Nobody's address, session or day is what is counted here. */
const limits = {
  sendsPerAddressPer10Min: false,
  allSendsPerHour: 1_000,
  storeTimeoutMs: patientMs,
} as const

const { stores, onRedis } = redisOfFile()

describe.each(Object.entries(stores))(
  'two numbers and the app of one account, at once, %s,',
  (where, storeOf) => {
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

    it('allow five checks, and ten wrong codes until the lock, over hundreds and many sessions', async () => {
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
      await browsers[0]?.post('/two-factor/start', { channel: 'app' })
      await browsers[0]?.post('/two-factor/verify', { code: '000000' })
      const judged = events.filter(({ type }) => type === 'challenge.rejected').length
      expect(host.stub.checks.length).toBeLessThanOrEqual(5)
      // Nobody is asked about codes of the app: the lock ends them.
      expect(judged).toBeLessThanOrEqual(10)
      expect(judged).toBeGreaterThan(0)
      expect(host.stub.sends.length).toBeLessThanOrEqual(2)
      figure(
        1,
        `${host.stub.checks.length} checks, ${judged} wrong codes in all by two numbers and an app for ${30 * sessions} wrong codes over ${sessions} sessions, ${where}`,
      )
    })

    it('let exactly one of many right codes in, in one session and over many', async () => {
      const { host, shows } = await start('right')
      const zoe = await host.login('zoe')
      await zoe.post('/two-factor/start')
      const copies = Array.from({ length: rightCodes }, () => zoe.copy())
      const code = { code: shows() }
      const inOne = await postAtOnce(copies, '/two-factor/verify', Array(rightCodes).fill(code))
      expect(inOne.get(200)).toBe(1)

      host.clock.now += 60_000
      const others = await times(sessions, () => host.login('zoe'))
      const next = { code: shows() }
      const signIn = async (browser: (typeof others)[number]) => {
        await browser.post('/two-factor/start')
        return (await browser.post('/two-factor/verify', next)).status
      }
      const statuses = await Promise.all(others.map(signIn))
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      figure(
        2,
        `1 success for ${rightCodes} right codes of an app, and for ${sessions} sessions with one, ${where}`,
      )
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

    it('send one text to each number for as many starts as there are sessions, apps among them', async () => {
      const { host } = await start('starts')
      const browsers = await times(2 * sessions, () => host.login())
      const ways = browsers.map((_, index) => ({ channel: index % 3 === 0 ? 'app' : 'sms' }))
      await postAtOnce(browsers, '/two-factor/start', ways)
      const sentTo = host.stub.sends.map(({ form }) => form.phone)
      expect(sentTo.length).toBe(new Set(sentTo).size)
      figure(
        3,
        `${sentTo.length} sends, one to each number, for ${2 * sessions} starts by two numbers and an app, ${where}`,
      )
    })
  },
)

describe.skipIf(withoutRedis)('a code of an app that was used', () => {
  it('is refused after a restart, by every process on the same Redis', async () => {
    const first = await startAppHost({ store: onRedis(), limits })
    const zoe = await first.host.login('zoe')
    await zoe.post('/two-factor/start')
    expect((await zoe.post('/two-factor/verify', { code: first.shows() })).status).toBe(200)
    const later = await startAppHost({ store: onRedis(), limits })
    const thief = await later.host.login('zoe')
    await thief.post('/two-factor/start')
    const told = await thief.post('/two-factor/verify', { code: later.shows() })
    expect([told.status, told.json.attemptsRemaining]).toEqual([422, 5])
  })
})
