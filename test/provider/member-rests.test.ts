import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CodeProvider, SendResult } from '../../src/challenge/exchange/code-provider.js'
import { failover } from '../../src/provider/failover.js'
import { submitted as check, order } from './recorder.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Two members that answer as they are told, and who was asked. */
function setUp() {
  const asked: string[] = []
  const member = (name: string, result: SendResult['result']) => {
    const says = { result, asked: true }
    const provider: CodeProvider = {
      name,
      async sendCode({ report }) {
        asked.push(name)
        if (!says.asked) report?.({ asked: false })
        return { result: says.result }
      },
      async checkCode() {
        asked.push(`${name} about a code`)
        return 'approved'
      },
    }
    return { says, provider }
  }
  const [main, spare] = [member('main', 'unconfirmed'), member('spare', 'sent')]
  const both = failover([main.provider, spare.provider], { pick: () => 'main' })
  return {
    main: main.says,
    spare: spare.says,
    /** So many sends, one after the other; who was asked. */
    async send(times: number, lane: 'auth' | 'enrol' | 'unnamed' = 'auth') {
      asked.length = 0
      for (let sent = 0; sent < times; sent += 1)
        await both.sendCode({ ...order, lane: lane === 'unnamed' ? undefined : lane })
      return asked
    },
    /** The same at once. */
    async sendTogether(times: number) {
      asked.length = 0
      await Promise.all(Array.from({ length: times }, () => both.sendCode({ ...order, lane: 'auth' })))
      return asked
    },
    async check(handle: string) {
      asked.length = 0
      await both.checkCode({ ...check, handle })
      return asked
    },
  }
}

const times = (count: number, name: string) => Array<string>(count).fill(name)

describe('a member that gave no answer five times in a row', () => {
  it('rests as well where nothing left at all, and in the lane of sign-ins where none is named', async () => {
    const { send, main } = setUp()
    main.result = 'not-sent'
    expect(await send(5, 'unnamed')).toEqual(Array.from({ length: 5 }, () => ['main', 'spare']).flat())
    expect(await send(1, 'auth')).toEqual(['spare'])
  })

  it('is asked after the next one for fifteen seconds, though it is picked, and then by one send', async () => {
    const { send, sendTogether } = setUp()
    expect(await send(5)).toEqual(times(5, 'main'))
    expect(await send(3)).toEqual(times(3, 'spare'))
    vi.advanceTimersByTime(14_999)
    expect(await send(1)).toEqual(['spare'])
    vi.advanceTimersByTime(1)
    expect(await sendTogether(4)).toEqual(['main', ...times(3, 'spare')])
    vi.advanceTimersByTime(14_999)
    expect(await send(1)).toEqual(['spare'])
  })

  it('pauses twice as long after each trial without a response, up to five minutes, also in a crowd', async () => {
    const { send, sendTogether } = setUp()
    await sendTogether(20)
    const pauses = [15, 30, 60, 120, 240, 300, 300]
    for (const seconds of pauses) {
      vi.advanceTimersByTime(seconds * 1_000 - 1)
      expect([seconds, await send(1)]).toEqual([seconds, ['spare']])
      vi.advanceTimersByTime(1)
      expect([seconds, await sendTogether(20)]).toEqual([seconds, ['main', ...times(19, 'spare')]])
    }
  })

  it('pauses for fifteen seconds again after it responded once', async () => {
    const { send, main } = setUp()
    await send(5)
    vi.advanceTimersByTime(15_000)
    await send(1)
    vi.advanceTimersByTime(30_000)
    main.result = 'sent'
    await send(1)
    main.result = 'unconfirmed'
    await send(5)
    vi.advanceTimersByTime(15_000)
    expect(await send(1)).toEqual(['main'])
  })

  it('goes first again once it has answered', async () => {
    const { send, main } = setUp()
    await send(5)
    vi.advanceTimersByTime(15_000)
    main.result = 'sent'
    expect(await send(3)).toEqual(times(3, 'main'))
  })

  it('is still used if the next one sends nothing', async () => {
    const { send, main, spare } = setUp()
    await send(5)
    main.result = 'sent'
    spare.result = 'failed'
    expect(await send(2)).toEqual(['spare', 'main', 'main'])
  })

  it('keeps its place where all of them rest', async () => {
    const { send, main, spare } = setUp()
    main.result = 'not-sent'
    spare.result = 'not-sent'
    await send(5)
    expect(await send(2)).toEqual(['main', 'spare', 'main', 'spare'])
  })

  it('checks its own codes, and no member else does', async () => {
    const { send, check } = setUp()
    await send(5)
    expect(await check('main:handle')).toEqual(['main about a code'])
  })

  it.each(['auth', 'enrol'] as const)('in lane %s rests in that lane only', async (lane) => {
    const { send } = setUp()
    await send(5, lane)
    expect(await send(1, lane === 'auth' ? 'enrol' : 'unnamed')).toEqual(['main'])
    expect(await send(1, lane)).toEqual(['spare'])
  })
})

describe('five in a row are not', () => {
  it.each<SendResult['result']>(['sent', 'misconfigured'])(
    'those with one between that was %s',
    async (result) => {
      const { send, main } = setUp()
      await send(4)
      main.result = result
      await send(1)
      main.result = 'unconfirmed'
      expect(await send(4)).toEqual(times(4, 'main'))
      expect(await send(1)).toEqual(['main'])
      expect(await send(1)).toEqual(['spare'])
    },
  )

  it('failures without a request to the service', async () => {
    const { send, main } = setUp()
    main.result = 'not-sent'
    main.asked = false
    expect(await send(6)).toEqual(Array.from({ length: 6 }, () => ['main', 'spare']).flat())
  })
})
