import { describe, expect, onTestFinished, vi } from 'vitest'
import { minute } from './kit.js'
import { ana, createService, it, rightCode } from './service.js'

/** When a command fails: before anything was done, or once it was, so that only its answer is lost. */
type Fault = (command: 'swap' | 'increment', key: string, by: number) => 'before' | 'after' | undefined

/** A service whose store fails as it is told, and not by itself. */
function setUp() {
  const trouble: { fault: Fault } = { fault: () => undefined }
  async function troubled<Result>(fault: ReturnType<Fault>, work: () => Result | Promise<Result>) {
    if (fault === 'before') throw new Error('down')
    const result = await work()
    if (fault === 'after') throw new Error('the connection broke')
    return result
  }
  const service = createService({
    commands: (well) => ({
      swap: (...args) => troubled(trouble.fault('swap', args[0], 0), () => well.swap(...args)),
      increment: (key, windowMs, by = 1) =>
        troubled(trouble.fault('increment', key, by), () => well.increment(key, windowMs, by)),
    }),
  })
  return { ...service, trouble }
}

/** The next answer of a kind is lost, and that of no other. */
function losesOne(is: (...command: Parameters<Fault>) => boolean): Fault {
  let isLost = false
  return (...command) => {
    if (isLost || !is(...command)) return undefined
    isLost = true
    return 'after'
  }
}

/** What the store is left alone for passes at once. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

const login = { ...ana, purpose: 'login' }

describe('where the answer of the store is lost', () => {
  it.each(['start', 'resend'] as const)(
    'to a booking, its code is sent once, though others write before the store is asked again: %s',
    async (command) => {
      const { challenges, provider, eventTypes, wait, trouble } = setUp()
      await challenges.start(login)
      wait(minute)
      fakeTimers()
      trouble.fault = losesOne((asked) => asked === 'swap')
      const who = { ...login, session: command === 'start' ? 'session-2' : ana.session }
      const sending = challenges[command](who)
      await vi.advanceTimersByTimeAsync(0)
      const typed = await challenges.verify({ ...who, code: 'wrong1' })
      expect(typed).toMatchObject({ outcome: 'rejected', attemptsRemaining: 4 })
      await vi.advanceTimersByTimeAsync(100)
      expect(await sending).toMatchObject({ outcome: 'started', challenge: { attemptsRemaining: 4 } })
      expect(provider.sends).toHaveLength(2)
      expect(eventTypes().includes('challenge.superseded')).toBe(command === 'start')
    },
  )

  it('to a count, it is counted once more, and the code still belongs to its account', async () => {
    const { challenges, provider, wait, trouble } = setUp()
    await challenges.start(login)
    wait(minute)
    fakeTimers()
    trouble.fault = losesOne((_, key, by) => by > 0 && key.includes(':number-sends:'))
    const resending = challenges.resend(ana)
    await vi.advanceTimersByTimeAsync(100)
    expect(await resending).toMatchObject({ outcome: 'started' })
    expect(provider.sends).toHaveLength(2)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})

describe('what cannot be counted', () => {
  it('is not sent, costs nothing, and keeps nobody waiting', async () => {
    const { challenges, provider, trouble } = setUp()
    const refunded: string[] = []
    trouble.fault = (_, key, by) => {
      if (by < 0) refunded.push(key)
      return by === 1 && key.includes('count-auth-address-sends') ? 'before' : undefined
    }
    const here = { ...login, address: '203.0.113.7' }
    await expect(challenges.start(here)).rejects.toMatchObject({ cause: { message: 'down' } })
    expect(provider.sends).toEqual([])
    expect(refunded.some((key) => key.includes('count-auth-service'))).toBe(true)
    expect(refunded.some((key) => key.includes('count-auth-address-sends'))).toBe(false)
    trouble.fault = () => undefined
    expect(await challenges.start(here)).toMatchObject({ outcome: 'started' })
  })

  it('is asked of nobody where it is a code, and the attempt comes back', async () => {
    const { challenges, provider, trouble } = setUp()
    await challenges.start(login)
    trouble.fault = (_, key) => (key.includes('wrong') ? 'before' : undefined)
    const typed = { ...ana, code: 'wrong1' }
    await expect(challenges.verify(typed)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(provider.checks).toEqual([])
    trouble.fault = () => undefined
    expect(await challenges.verify(typed)).toMatchObject({ attemptsRemaining: 4 })
  })
})

describe('what cannot be taken back', () => {
  it('hides no failure that stopped a send', async () => {
    const { challenges, provider, trouble } = setUp()
    const onPassed = async () => {
      trouble.fault = (command) => (command === 'swap' ? 'before' : undefined)
      throw new Error('no session')
    }
    await expect(challenges.start({ ...login, onPassed })).rejects.toThrow('no session')
    expect(provider.sends).toEqual([])
  })

  it('changes no answer where it is a count', async () => {
    const { challenges, provider, trouble } = setUp()
    let failures = 0
    trouble.fault = (_, __, by) => {
      if (by >= 0) return undefined
      failures += 1
      return 'before'
    }
    /** How often it happened. */
    const inVain = async (work: () => Promise<unknown>) => {
      failures = 0
      await work()
      return failures
    }
    provider.send = () => ({ result: 'failed' })
    const ofSend = await inVain(() =>
      expect(challenges.start({ ...ana, lane: 'enrol', purpose: 'signup' })).rejects.toMatchObject({
        code: 'delivery_failed',
      }),
    )
    provider.send = () => ({ result: 'sent' })
    const asked = { ...login, address: '203.0.113.7' }
    const ofQuestion = await inVain(async () => {
      const refused = await challenges.start({ ...asked, beforeSend: async () => false })
      expect(refused).toMatchObject({ code: 'send_refused' })
    })
    const ofCode = await inVain(async () => {
      expect(await challenges.start(asked)).toMatchObject({ outcome: 'started' })
      expect(await challenges.verify({ ...asked, code: rightCode })).toMatchObject({ outcome: 'approved' })
    })
    expect(Math.min(ofSend, ofQuestion, ofCode)).toBeGreaterThan(0)
  })
})
