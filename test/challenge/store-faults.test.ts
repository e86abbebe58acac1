import { describe, expect, onTestFinished, vi } from 'vitest'
import { minute } from './kit.js'
import { ana, createService, it, rightCode, type ServiceOptions, visitor } from './service.js'

/**
 * When a command fails: before anything was done, or once it was, so that only its answer is lost. So many milliseconds:
 * the store stops for them, and then does all that it was told meanwhile, in order.
 */
type Fault = (
  command: 'read' | 'swap' | 'increment',
  key: string,
  by: number,
) => 'before' | 'after' | number | undefined

/** A service whose store fails as it is told, and not by itself. */
function setUp({ limits }: Pick<ServiceOptions, 'limits'> = {}) {
  const trouble: { fault: Fault } = { fault: () => undefined }
  let resumesAt = 0
  async function troubled<Result>(fault: ReturnType<Fault>, work: () => Result | Promise<Result>) {
    if (fault === 'before') throw new Error('down')
    if (typeof fault === 'number') resumesAt = performance.now() + fault
    const stopped = resumesAt - performance.now()
    if (stopped > 0) await new Promise((resume) => setTimeout(resume, stopped))
    const result = await work()
    if (fault === 'after') throw new Error('the connection broke')
    return result
  }
  const service = createService({
    ...(limits && { limits }),
    commands: (well) => ({
      read: (key) => troubled(trouble.fault('read', key, 0), () => well.read(key)),
      swap: (...args) => troubled(trouble.fault('swap', args[0], 0), () => well.swap(...args)),
      increment: (key, windowMs, by = 1) =>
        troubled(trouble.fault('increment', key, by), () => well.increment(key, windowMs, by)),
    }),
  })
  return { ...service, trouble }
}

/** The next command of a kind meets this, and no other. */
function once(is: (...command: Parameters<Fault>) => boolean, fault: ReturnType<Fault>): Fault {
  let isOver = false
  return (...command) => {
    if (isOver || !is(...command)) return undefined
    isOver = true
    return fault
  }
}

/** The next answer of a kind is lost, and that of no other. */
const losesOne = (is: (...command: Parameters<Fault>) => boolean) => once(is, 'after')

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
      // Of a new challenge no code is out yet.
      const typed = await challenges.verify({ ...who, code: 'wrong1' })
      const [taken, attemptsRemaining] =
        command === 'start' ? [{ code: 'challenge_gone' }, 5] : [{ outcome: 'rejected' }, 4]
      expect(typed).toMatchObject(taken)
      await vi.advanceTimersByTimeAsync(100)
      expect(await sending).toMatchObject({ outcome: 'started', challenge: { attemptsRemaining } })
      expect(provider.sends).toHaveLength(2)
      expect(eventTypes().includes('challenge.superseded')).toBe(command === 'start')
    },
  )

  it('to a count, it is counted once more, and the code still belongs to its account', async () => {
    const { challenges, provider, wait, trouble } = setUp()
    await challenges.start(login)
    wait(minute)
    fakeTimers()
    trouble.fault = losesOne((command, key) => command === 'swap' && key.includes(':number-sends:'))
    const resending = challenges.resend(ana)
    await vi.advanceTimersByTimeAsync(100)
    expect(await resending).toMatchObject({ outcome: 'started' })
    expect(provider.sends).toHaveLength(2)
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})

describe('a store that stops for a moment as a send is counted', () => {
  const stopsFor = (ms: number) => once((_, __, by) => by > 0, ms)

  it.each([1_000, 2_500])('has counted it as often as it was sent, after %i ms', async (ms) => {
    const { challenges, provider, trouble, store, keys, signups } = setUp()
    fakeTimers()
    trouble.fault = stopsFor(ms)
    const start = (index: number) => challenges.start({ ...visitor(index), session: 'one' })
    const first = start(1).catch(({ code }) => code)
    await vi.advanceTimersByTimeAsync(5_000)
    await first
    expect(provider.sends).toHaveLength(ms === 1_000 ? 1 : 0)
    const counted = await store.read(keys.counter('count-enrol-service-sends', 'day'))
    expect(counted?.value ?? 0).toBe(provider.sends.length)
    expect(await signups.sums()).toMatchObject([
      { sent: provider.sends.length },
      { sent: provider.sends.length },
    ])
    // Three numbers that nobody has proven, whichever was interrupted.
    for (const index of [1, 2, 3]) expect((await start(index)).outcome).not.toBe('refused')
    expect(await start(4)).toMatchObject({ limit: 'session' })
  })

  it.each([1_000, 2_500])('accepts no code of a different account, after %i ms', async (ms) => {
    const { challenges, wait, trouble } = setUp()
    await challenges.start(login)
    wait(minute)
    fakeTimers()
    trouble.fault = stopsFor(ms)
    const resending = challenges.resend(ana).catch(({ code }) => code)
    await vi.advanceTimersByTimeAsync(5_000)
    await resending
    expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
  })
})

describe.each(['before', 'after'] as const)(
  'what was given back for a code and lost %s it was done',
  (when) => {
    /** Somebody with a code, whose next one was not sent. */
    async function setUpRefused(result: 'failed' | 'not-sent' | 'misconfigured') {
      const service = setUp()
      const { challenges, provider, wait, trouble } = service
      await challenges.start(login)
      wait(minute)
      const { send } = provider
      provider.send = () => ({ result })
      let swaps = 0
      const isOfNumber = (command: string, key: string) =>
        command === 'swap' && key.includes(':number-sends:')
      // The booking is stored, and nothing after it.
      trouble.fault = (command, key) => (isOfNumber(command, key) && ++swaps > 1 ? when : undefined)
      await expect(challenges.resend(ana)).rejects.toThrow()
      provider.send = send
      trouble.fault = () => undefined
      return service
    }

    it.each(['failed', 'not-sent', 'misconfigured'] as const)(
      'leaves the code before good: %s',
      async (result) => {
        const { challenges } = await setUpRefused(result)
        expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ outcome: 'approved' })
      },
    )

    it('makes no code of another account one for this', async () => {
      const { challenges } = await setUpRefused('failed')
      await challenges.start({ ...login, subject: 'ben', session: 'session-2' })
      expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ code: 'challenge_gone' })
    })
  },
)

describe('what cannot be counted', () => {
  it('is not sent, uses no limit, and blocks no user', async () => {
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

  it('leaves the number its limits, also if its booking was stored and the response lost', async () => {
    const { challenges, provider, trouble } = setUp({ limits: { allSendsPerHour: 1 } })
    // Loads the numbering plans, which takes real time.
    await challenges.start({ ...login, subject: 'eve', phone: '+573009998877' })
    fakeTimers()
    let isBooked = false
    let reads = 0
    trouble.fault = (command, key) => {
      if (!key.includes(':number-sends:')) return undefined
      const wasBooked = isBooked
      isBooked ||= command === 'swap'
      if (!wasBooked) return isBooked ? 'after' : undefined
      // Down for longer than a booking is retried. Then the store responds, and breaks once more at the second attempt.
      const isDown = performance.now() < 1_600
      if (!isDown) reads += 1
      return isDown || reads === 2 ? 'before' : undefined
    }
    const starting = challenges.start(login).catch(({ code }) => code)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await starting).toBe('store_unavailable')
    expect(provider.sends).toHaveLength(1)
    const other = { ...login, subject: 'ben', session: 'session-2' }
    expect(await challenges.start(other)).toMatchObject({ outcome: 'started' })
  })

  it('is not checked if it is a code, and the attempt is refunded', async () => {
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
