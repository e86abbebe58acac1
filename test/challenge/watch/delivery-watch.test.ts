import { describe, expect, it, vi } from 'vitest'
import type { MessageState } from '../../../src/challenge/code-provider.js'
import { type DeliveryRecord, nextDelivery, sharesAt } from '../../../src/challenge/watch/delivery-watch.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { hour, minute } from '../kit.js'
import { createService, person } from '../service.js'
import { handMoved } from './background.js'

const afterMs = 15_000

function watched(answer: () => Promise<MessageState>, name?: string) {
  const time = handMoved()
  const asked: string[] = []
  const service = createService({
    clock: time,
    ...(name && { name }),
    limits: { serviceSendsPerMinute: 1_000_000 },
    deliveryWatch: { afterMs },
    messageState: async ({ id }) => {
      asked.push(id)
      return answer()
    },
  })
  const told = () => service.events.filter(({ type }) => type.startsWith('message.'))
  return { time, asked, service, told }
}

describe('the delivery watch', () => {
  it.each<[string, () => Promise<MessageState>]>([
    ['message.delivered', async () => 'delivered'],
    ['message.rejected', async () => 'rejected'],
    ['message.unknown', async () => 'pending'],
    ['message.unknown', async () => 'nonsense' as MessageState],
    ['message.unknown', async () => Object.create(null)],
    ['message.unknown', () => Promise.reject(new Error('down'))],
  ])('emits %s once, 15 seconds after the send', async (type, answer) => {
    const { time, asked, service, told } = watched(answer)
    await service.challenges.start(person(1))
    expect(asked).toEqual([])
    await time.elapse(afterMs - 1)
    expect(told()).toEqual([])
    await time.elapse(1)
    expect(asked).toEqual(['message-1'])
    expect(told()).toEqual([
      expect.objectContaining({ type, ageMs: afterMs, lane: 'auth', subject: 'person-1', country: 'CO' }),
    ])
    expect(JSON.stringify(service.events)).not.toContain('message-1')
    await time.elapse(10 * afterMs)
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['acme-sms', { provider: 'acme-sms' }],
    [undefined, {}],
  ])('says which provider sent it: %s', async (name, by) => {
    const { time, service, told } = watched(async () => 'delivered', name)
    const started = await service.challenges.start(person(1))
    await time.elapse(afterMs)
    expect(told()).toStrictEqual([
      {
        type: 'message.delivered',
        ageMs: afterMs,
        subject: 'person-1',
        ...by,
        lane: 'auth',
        purpose: 'login',
        channel: 'sms',
        country: 'CO',
        challengeId: 'challenge' in started && started.challenge.id,
      },
    ])
  })

  it('gives up a service that does not answer, which is told so', async () => {
    const time = handMoved()
    const asked: AbortSignal[] = []
    const { challenges, events } = createService({
      clock: time,
      deliveryWatch: { afterMs },
      messageState: ({ signal }) => {
        asked.push(signal)
        return new Promise(() => {})
      },
    })
    await challenges.start(person(1))
    vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] })
    try {
      const looked = time.elapse(afterMs)
      await vi.advanceTimersByTimeAsync(9_999)
      expect(asked.map(({ aborted }) => aborted)).toEqual([false])
      await vi.advanceTimersByTimeAsync(1_000)
      await looked
      expect(asked.map(({ aborted }) => aborted)).toEqual([true])
      expect(events.filter(({ type }) => type === 'message.unknown')).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('watches no message that was not sent', async () => {
    const { time, asked, service, told } = watched(async () => 'delivered')
    service.provider.send = () => ({ result: 'unconfirmed' })
    await service.challenges.start(person(1))
    await time.elapse(afterMs)
    expect([asked, told()]).toEqual([[], []])
  })

  it('says at once that it will not know, where the provider named no message', async () => {
    const { asked, service, told } = watched(async () => 'delivered')
    service.provider.messageIds = false
    await service.challenges.start(person(1))
    expect(told()).toMatchObject([{ type: 'message.unknown' }])
    expect(asked).toEqual([])
  })

  it('waits for a thousand messages at most', async () => {
    const { time, asked, service, told } = watched(async () => 'delivered')
    for (let index = 0; index < 1_200; index += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, more) => service.challenges.start(person(index + more))),
      )
      await time.elapse(1_000)
    }
    expect(service.provider.sends.length).toBe(1_200)
    await time.elapse(2 * afterMs)
    expect(asked).toHaveLength(1_000)
    expect(told().filter(({ type }) => type === 'message.unknown')).toHaveLength(200)
    // There is room again.
    await service.challenges.start(person(5_000))
    await time.elapse(afterMs)
    expect(asked).toHaveLength(1_001)
  })

  it('hands what was counted to all processes within a minute, and tells it once', async () => {
    const time = handMoved()
    const store = memoryStore({ now: time.now })
    const account = { state: 'delivered' as MessageState | 'down' }
    const processes = [1, 2].map(() =>
      createService({
        clock: time,
        store: () => store,
        deliveryWatch: { afterMs },
        messageState: async () => {
          if (account.state === 'down') throw new Error('down')
          return account.state
        },
      }),
    )
    let people = 0
    async function send(count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) {
        people += 1
        await processes[people % 2]?.challenges.start(person(people)).catch(() => undefined)
      }
      await time.elapse(2 * minute)
    }
    const shares = () => processes.map(({ deliveries }) => deliveries?.shares())
    const told = () => processes.flatMap(({ events }) => events).filter(({ type }) => /^delivery/.test(type))
    const share = { country: 'CO', channel: 'sms', sent: 60, delivered: 60, rejected: 0, unknown: 0 }
    expect(shares()).toEqual([[], []])
    await send(60)
    expect(shares()).toContainEqual([share])
    await time.elapse(hour)

    // An account that cannot be asked is no country in trouble.
    account.state = 'down'
    await send(60)
    expect(told()).toEqual([])
    account.state = 'pending'
    await send(15)
    // Refused at once: nothing is left to look at.
    for (const { provider } of processes) provider.send = () => ({ result: 'failed' })
    await send(6)
    expect(told()).toEqual([
      { ...share, type: 'delivery.low', sent: 81, delivered: 0, rejected: 6, unknown: 15 },
    ])
  })

  it('gives no further code for a message that was rejected', async () => {
    const { time, service } = watched(async () => 'rejected')
    await service.challenges.start(person(1))
    await time.elapse(afterMs)
    expect(await service.challenges.start({ ...person(1), session: 'another' })).toMatchObject({
      code: 'resend_too_soon',
    })
  })
})

const low = 'delivery.low'
const recovered = 'delivery.recovered'

const noCodes = { sent: 0, delivered: 0, rejected: 0, unknown: 0 }
const noon = 1_800_000_000_000 - (1_800_000_000_000 % hour)

/** So many codes an hour to one country that arrive, and that do not; each hour is counted in one go. */
function follow(hours: string) {
  let record: DeliveryRecord | undefined
  const told = hours.split(' ').map((hourly, index) => {
    const [delivered = 0, rejected = 0] = hourly.split(':').map(Number)
    const sent = delivered + rejected
    const counted = [{ country: 'CO', channel: 'sms', ...noCodes, sent, delivered, rejected }]
    const next = nextDelivery(record, counted, noon + index * hour)
    record = next.record
    return next.events.map(({ type }) => type).join()
  })
  return { told, record }
}

describe('the codes of a country', () => {
  it.each([
    ['fall below half of what is usual', '90:10 44:56', ['', low]],
    ['stay above it', '90:10 46:54', ['', '']],
    ['are back at three quarters, and not before', '90:10 10:90 30:70 50:50', ['', low, '', recovered]],
    ['are too few to show what is usual', '49:0 0:100', ['', '']],
    ['are too few in the hour', '90:10 0:22', ['', '']],
    ['are just enough', '90:10 0:23', ['', low]],
  ])('%s (arrived:lost, by the hour, %s)', (_, hours, told) => {
    expect(follow(hours).told).toEqual(told)
  })

  it('are those of the last hour', () => {
    const record = follow('9:1').record as DeliveryRecord
    const share = { country: 'CO', channel: 'sms', sent: 10, delivered: 9, rejected: 1, unknown: 0 }
    expect(sharesAt(record, noon + hour - 1)).toEqual([share])
    expect(sharesAt(record, noon + hour)).toEqual([])
    const more = [{ country: 'CO', channel: 'sms', ...noCodes, sent: 1 }]
    const later = nextDelivery(record, more, noon + 5 * minute).record
    expect(sharesAt(later, noon + 5 * minute)).toEqual([{ ...share, sent: 11 }])
  })

  it('are told by country and method, with their figures', () => {
    const counted = ['sms', 'call'].map((channel) => ({
      country: 'CO',
      channel,
      ...noCodes,
      sent: 100,
      delivered: 100,
    }))
    const { record } = nextDelivery(undefined, counted, noon)
    const lost = { country: 'CO', channel: 'call', sent: 100, delivered: 20, rejected: 30, unknown: 50 }
    expect(nextDelivery(record, [lost], noon + hour).events).toEqual([{ type: 'delivery.low', ...lost }])
  })
})
