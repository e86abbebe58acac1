import { describe, expect, it } from 'vitest'
import type { SendResult } from '../../../src/challenge/code-provider.js'
import type { Lane } from '../../../src/challenge/limits.js'
import type { Reading } from '../../../src/challenge/watch/balance-watch.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { day, minute } from '../kit.js'
import { createService, person, rightCode, visitor } from '../service.js'
import { handMoved } from './background.js'

const second = 1_000
const everyMs = 5 * minute

/** Processes that share one store, one account and one clock. */
function openProcesses(count: number) {
  const time = handMoved()
  const store = memoryStore({ now: time.now })
  const account = { reading: 900 as Reading, asked: 0 }
  const processes = Array.from({ length: count }, () => {
    const service = createService({
      clock: time,
      store: () => store,
      balance: { everyMs, low: 50, warnBeforeMs: 24 * 60 * minute },
      ask: async () => {
        account.asked += 1
        if (account.reading === 'failed') throw new Error('down')
        return { credits: account.reading }
      },
    })
    service.provider.send = () => (Number(account.reading) > 0 ? { result: 'sent' } : { result: 'failed' })
    return service
  })
  const told = () =>
    processes.flatMap(({ events }) => events.map(({ type }) => type)).filter((type) => /^balance/.test(type))
  const [first] = processes
  if (first === undefined) throw new Error('at least one process')
  return { time, account, processes, first, told }
}

type Process = ReturnType<typeof createService>

/** A visitor, whose number is nobody else's. */
const signingUp = (index: number) => ({ ...visitor(index), phone: `+57302${1_000_000 + index}` })

/** A start of a person in each lane. */
const startIn = ({ challenges }: Process, lane: Lane, index: number) =>
  challenges
    .start(lane === 'auth' ? person(index) : signingUp(index))
    .catch((error: { code: string }) => ({ outcome: 'failed', code: error.code }))
const start = (process: Process, index: number) => startIn(process, 'auth', index)

describe('the balance watch', () => {
  it('emits each event once, over all processes', async () => {
    const { time, account, told } = openProcesses(8)
    await time.elapse(minute)
    for (const reading of [40, 30, 'failed', 'failed', 900, 800] as const) {
      account.reading = reading
      await time.elapse(everyMs)
    }
    expect(told()).toEqual(['balance.low', 'balance.unknown', 'balance.recovered'])
  })

  it('is asked when the question goes out, however long the answer takes', async () => {
    const time = handMoved()
    let lateMs = 0
    const { funds } = createService({
      clock: { ...time, now: () => time.now() + lateMs },
      balance: { everyMs, warnBeforeMs: day },
      ask: async () => {
        lateMs = 5 * second
        return { credits: 900 }
      },
    })
    const askedAt = time.now()
    await time.elapse(second)
    expect(funds?.state()).toMatchObject({ credits: 900, askedAt })
  })

  it('drops an answer that another look has overtaken, and leaves the sends to the next one', async () => {
    const [slow, quick] = [handMoved(), handMoved()]
    const store = memoryStore({ now: slow.now })
    const open = (clock: typeof slow, ask: () => Promise<{ credits: number }>) =>
      createService({ clock, store: () => store, balance: { everyMs, warnBeforeMs: 1 }, ask })
    const other = open(quick, async () => ({ credits: 900 }))
    let looks = 0
    const { events, funds } = open(slow, async () => {
      looks += 1
      if (looks > 1) return { credits: 890 }
      other.provider.send = () => ({ result: 'failed' })
      await quick.elapse(second)
      await start(other, 1)
      await quick.elapse(second)
      other.provider.send = () => ({ result: 'sent' })
      await start(other, 2)
      await quick.elapse(second)
      return { credits: 0 }
    })
    await slow.elapse(minute)
    expect(funds?.state()).toMatchObject({ condition: 'ok', credits: 900 })
    expect(events).toEqual([])
    await slow.elapse(everyMs)
    expect(funds?.state()).toMatchObject({ credits: 890, creditsPerSend: 10 })
  })

  it('outlives a store that fails for a while', async () => {
    const time = handMoved()
    let isDown = true
    const account = { asked: 0 }
    createService({
      clock: time,
      commands: (well) => ({
        increment: (...given) => {
          if (isDown) throw new Error('down')
          return well.increment(...given)
        },
      }),
      balance: { everyMs, warnBeforeMs: 1 },
      ask: async () => {
        account.asked += 1
        return { credits: 10 }
      },
    })
    await time.elapse(2 * everyMs)
    expect(account.asked).toBe(0)
    isDown = false
    await time.elapse(everyMs)
    expect(account.asked).toBe(1)
  })

  it('is not asked while the provider is down, which is told as such', async () => {
    const { time, account, first, told } = openProcesses(1)
    await time.elapse(minute)
    first.provider.send = () => ({ result: 'not-sent' })
    for (let index = 0; index < 6; index += 1) await start(first, index)
    expect(first.eventTypes()).toContain('provider.paused')
    account.reading = 'failed'
    await time.elapse(everyMs)
    expect([account.asked, told()]).toEqual([1, []])
    first.provider.send = () => ({ result: 'sent' })
    await start(first, 10)
    account.reading = 900
    await time.elapse(everyMs)
    expect([account.asked, told()]).toEqual([2, []])
  })

  it('raises no alarm about an account that nobody can ask', async () => {
    const time = handMoved()
    const { events, funds } = createService({ clock: time, balance: { everyMs, warnBeforeMs: 1 } })
    await time.elapse(everyMs)
    expect(funds?.state()).toMatchObject({ condition: 'unknown' })
    expect(events).toEqual([])
  })

  it('lets codes out, and failures be told, before anybody has asked', async () => {
    const { account, first } = openProcesses(1)
    expect(await start(first, 1)).toMatchObject({ outcome: 'started' })
    account.reading = 0
    expect(await start(first, 2)).toMatchObject({ code: 'delivery_failed' })
  })

  it('is not asked for each code that is sent, and learns from them how fast the credits go', async () => {
    const { time, account, processes } = openProcesses(2)
    const [first, other] = processes as [Process, Process]
    await time.elapse(minute)
    for (let index = 0; index < 11; index += 1) await start(first, index)
    other.provider.send = () => ({ result: 'unconfirmed' })
    await start(other, 11)
    // What did not go out costs nothing.
    other.provider.send = () => ({ result: 'foreign-number' })
    await start(other, 12)
    account.reading = 900 - 24
    await time.elapse(everyMs)
    expect(account.asked).toBe(2)
    const weight = Math.exp(-everyMs / (60 * minute))
    const { creditsPerSend, sendsPerHour } = first.funds?.state() ?? {}
    expect(creditsPerSend).toBe(2)
    expect(sendsPerHour).toBeCloseTo(144 * (1 - weight))
    // Each is counted once.
    await time.elapse(everyMs)
    expect(first.funds?.state()?.sendsPerHour).toBeCloseTo(144 * (1 - weight) * weight)
  })

  it('is remembered for a week without any process, so that no alarm is raised twice', async () => {
    const time = handMoved()
    const store = memoryStore({ now: time.now })
    const open = () => {
      const balance = { everyMs, low: 50, warnBeforeMs: 1 }
      const ask = async () => ({ credits: 40 })
      return createService({ clock: time, store: () => store, balance, ask })
    }
    const before = open()
    await time.elapse(1)
    expect(before.eventTypes()).toEqual(['balance.low'])
    time.background.close()
    await time.elapse(7 * day)
    const after = open()
    await time.elapse(1)
    expect(after.funds?.state()).toMatchObject({ condition: 'low' })
    expect(after.eventTypes()).toEqual([])
  })
})

describe('an account that runs dry', () => {
  it('is told with the first send that fails, and from then on costs nobody anything', async () => {
    const { time, account, processes, first, told } = openProcesses(4)
    await time.elapse(minute)
    account.reading = 0
    expect(await start(first, 1)).toMatchObject({ code: 'delivery_failed' })
    await time.elapse(1)
    expect(told()).toEqual(['balance.empty'])

    // The probe that finds it still empty.
    expect(await start(first, 2)).toMatchObject({ code: 'delivery_failed' })
    const sends = processes.flatMap(({ provider }) => provider.sends).length
    for (const [index, process] of processes.entries()) {
      const refused = await start(process, 10 + index)
      expect(refused).toMatchObject({ code: 'sending_paused', limit: 'balance' })
    }
    expect(processes.flatMap(({ provider }) => provider.sends)).toHaveLength(sends)

    // Nothing was booked for them: no cooldown, nothing counted.
    account.reading = 900
    await time.elapse(31 * second)
    expect(await start(first, 10)).toMatchObject({ outcome: 'started' })
  })

  it('lets one start in 30 seconds try, of 200 at once', async () => {
    const { time, account, processes, first } = openProcesses(4)
    await time.elapse(minute)
    account.reading = 0
    await start(first, 1)
    await time.elapse(1)
    const before = processes.flatMap(({ provider }) => provider.sends).length
    for (let round = 1; round <= 3; round += 1) {
      const tries = Array.from({ length: 200 }, (_, index) =>
        start(processes[index % 4] ?? first, round * 1_000 + index),
      )
      const outcomes = await Promise.all(tries)
      expect(outcomes.filter((one) => 'code' in one && one.code === 'sending_paused')).toHaveLength(199)
      expect(processes.flatMap(({ provider }) => provider.sends)).toHaveLength(before + round)
      await time.elapse(30 * second)
    }
  })

  it('is asked every 30 seconds while it is empty, though nobody starts anything', async () => {
    const { time, account, processes, told } = openProcesses(4)
    account.reading = 0
    await time.elapse(30 * second - 1)
    expect(account.asked).toBe(1)
    await time.elapse(2 * minute)
    expect(account.asked).toBe(5)
    account.reading = 900
    await time.elapse(30 * second)
    expect(told()).toEqual(['balance.empty', 'balance.recovered'])
    expect(processes.map(({ funds }) => funds?.state()?.condition)).toContain('ok')
    const before = account.asked
    await time.elapse(2 * minute)
    expect(account.asked).toBe(before)
  })

  it('pauses at once when another send fails while it is being asked', async () => {
    const time = handMoved()
    let lateMs = 0
    let credits = 900
    const service = createService({
      clock: { ...time, now: () => time.now() + lateMs },
      balance: { everyMs, warnBeforeMs: day },
      ask: async () => {
        if (credits > 0) return { credits }
        lateMs += 500
        if (lateMs === 500) await start(service, 2)
        return { credits }
      },
    })
    await time.elapse(second)
    credits = 0
    service.provider.send = () => ({ result: 'failed' })
    await start(service, 1)
    await time.elapse(second)
    // The first one goes through, to see whether it is over.
    await start(service, 3)
    expect(await start(service, 4)).toMatchObject({ code: 'sending_paused' })
  })

  it('is looked at by one timer of a process, however many sends fail', async () => {
    const { time, first } = openProcesses(1)
    await time.elapse(minute)
    first.provider.send = () => ({ result: 'failed' })
    for (let index = 0; index < 20; index += 1) await start(first, index)
    // The other one is that of the regular look.
    expect(time.waiting()).toBe(2)
  })

  it('is looked at again by a process whose send failed just after another one had asked', async () => {
    const { time, account, processes } = openProcesses(2)
    const [first, other] = processes as [Process, Process]
    await time.elapse(minute)
    first.provider.send = () => ({ result: 'failed' })
    await start(first, 1)
    await time.elapse(second)
    expect(account.asked).toBe(2)
    account.reading = 0
    await start(other, 2)
    await time.elapse(second)
    expect(account.asked).toBe(2)
    await time.elapse(30 * second)
    expect(account.asked).toBe(3)
    await start(other, 3)
    expect(await start(other, 4)).toMatchObject({ code: 'sending_paused' })
  })

  it('is looked at again by a process that found nothing while the store took no figure', async () => {
    const time = handMoved()
    const store = memoryStore({ now: time.now })
    let isDown = true
    const swap: typeof store.swap = (key, ...given) => {
      if (isDown && key.includes('balance')) throw new Error('down')
      return store.swap(key, ...given)
    }
    const open = () => {
      const process = createService({
        clock: time,
        store: () => ({ ...store, swap }),
        balance: { everyMs, warnBeforeMs: 1 },
        ask: async () => ({ credits: 0 }),
      })
      process.provider.send = () => ({ result: 'failed' })
      return process
    }
    const processes = [open(), open()] as const
    for (const [index, process] of processes.entries()) await start(process, index)
    await time.elapse(second)
    expect(processes[1].funds?.state()).toBeUndefined()
    isDown = false
    await time.elapse(30 * second)
    expect(processes[1].funds?.state()).toMatchObject({ condition: 'empty', paused: 'all' })
  })

  it('is unknown after a send that went out all the same, until it is asked', async () => {
    const { time, account, first } = openProcesses(1)
    await time.elapse(minute)
    account.reading = 0
    await start(first, 1)
    await time.elapse(second)
    expect(first.funds?.state()).toMatchObject({ condition: 'empty', paused: 'all' })
    first.provider.send = () => ({ result: 'sent' })
    await start(first, 2)
    await new Promise((resolve) => setImmediate(resolve))
    expect(first.funds?.state()).toMatchObject({ condition: 'unknown', alarm: 'empty' })
    expect(first.funds?.state()).not.toHaveProperty('paused')
  })

  it.each<[string, readonly Lane[], SendResult['result']]>([
    ['a sign-in failed after a sign-up', ['enrol', 'auth'], 'failed'],
    ['a sign-up failed after a sign-in', ['auth', 'enrol'], 'failed'],
    ['the account was refused at a sign-up', ['enrol', 'enrol'], 'misconfigured'],
  ])('stops sign-ins and sign-ups when %s, at once or later', async (_, lanes, result) => {
    for (const pauseMs of [0, second]) {
      const { time, account, first } = openProcesses(1)
      await time.elapse(minute)
      account.reading = 0
      first.provider.send = () => ({ result }) as SendResult
      for (const [index, lane] of lanes.entries()) {
        await startIn(first, lane, index)
        if (pauseMs > 0) await time.elapse(pauseMs)
      }
      await time.elapse(second)
      // The try of each.
      for (const lane of ['auth', 'enrol'] as const) await startIn(first, lane, 10)
      for (const lane of ['auth', 'enrol'] as const) {
        expect(await startIn(first, lane, 11)).toMatchObject({ code: 'sending_paused' })
      }
    }
  })

  it('sends again at the first start after the recharge, in every process, and says so', async () => {
    const { time, account, processes, first, told } = openProcesses(4)
    await time.elapse(minute)
    account.reading = 0
    await start(first, 1)
    await time.elapse(30 * second)
    account.reading = 900
    // Before anybody has looked at the account again.
    expect(await start(first, 2)).toMatchObject({ outcome: 'started' })
    await time.elapse(1)
    for (const [index, process] of processes.entries()) {
      expect(await start(process, 10 + index)).toMatchObject({ outcome: 'started' })
    }
    await time.elapse(30 * second)
    expect(told()).toEqual(['balance.empty', 'balance.recovered'])
  })

  it('is over once, though another process finds out while a send is under way', async () => {
    const { time, account, processes, told } = openProcesses(2)
    const [first, other] = processes as [Process, Process]
    await time.elapse(minute)
    account.reading = 0
    await start(first, 1)
    await time.elapse(30 * second)
    account.reading = 900
    other.provider.send = (async () => {
      expect(await start(first, 2)).toMatchObject({ outcome: 'started' })
      await time.elapse(1)
      return { result: 'sent' }
    }) as never
    expect(await other.challenges.start(signingUp(1))).toMatchObject({ outcome: 'started' })
    await time.elapse(30 * second)
    expect(told()).toEqual(['balance.empty', 'balance.recovered'])
  })

  it('asks no captcha of those who are refused for it', async () => {
    const { time, account, first } = openProcesses(1)
    await time.elapse(minute)
    account.reading = 0
    await start(first, 1)
    await time.elapse(1)
    await start(first, 2)
    let asked = 0
    const beforeSend = () => {
      asked += 1
      return true
    }
    expect(await first.challenges.start({ ...person(3), beforeSend })).toMatchObject({
      code: 'sending_paused',
    })
    expect(asked).toBe(0)
  })

  it('stops no sign-in for the numbers that visitors of a signup form pick', async () => {
    const { time, account, first } = openProcesses(1)
    account.reading = 0
    const isDead = () => first.provider.sends.at(-1)?.destination.startsWith('+57302')
    first.provider.send = () => ({ result: isDead() ? 'failed' : 'sent' })
    await time.elapse(minute)
    const signUp = (phone: string) =>
      first.challenges.start({ ...visitor(1), session: phone, phone }).catch(() => 'refused')
    for (let round = 1; round <= 3; round += 1) {
      // The one that pauses, and the one that takes the try.
      for (const dead of [1, 2]) {
        expect(await signUp(`+57302${round}00000${dead}`)).toBe('refused')
        await time.elapse(1)
      }
      expect(await signUp(`+57301${round}000000`)).toMatchObject({ code: 'sending_paused', limit: 'balance' })
      const signIns = Array.from({ length: 6 }, (_, index) => start(first, round * 10 + index))
      expect((await Promise.all(signIns)).map(({ outcome }) => outcome)).toEqual(Array(6).fill('started'))
      await time.elapse(minute)
    }
  })

  it('keeps nobody from entering a code that was sent before', async () => {
    const { time, account, first } = openProcesses(1)
    await time.elapse(minute)
    await start(first, 5)
    account.reading = 0
    await start(first, 1)
    await time.elapse(1)
    const typed = first.challenges.verify({ ...person(5), code: rightCode })
    expect(await typed).toMatchObject({ outcome: 'approved' })
  })
})
