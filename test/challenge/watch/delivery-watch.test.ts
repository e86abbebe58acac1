import { describe, expect, it } from 'vitest'
import type { MessageState } from '../../../src/challenge/code-provider.js'
import { createService } from '../service.js'
import { handMoved } from './background.js'

const afterMs = 15_000
const person = (index: number) => ({
  subject: `person-${index}`,
  session: `session-${index}`,
  phone: `+57300${1_000_000 + index}`,
  purpose: 'login',
})

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

  it('watches no message that was not sent', async () => {
    const { time, asked, service, told } = watched(async () => 'delivered')
    service.provider.send = () => ({ result: 'unconfirmed' })
    await service.challenges.start(person(1))
    await time.elapse(afterMs)
    expect([asked, told()]).toEqual([[], []])
  })

  it('keeps no start waiting', async () => {
    const { time, service, told } = watched(() => new Promise(() => {}))
    expect(await service.challenges.start(person(1))).toMatchObject({ outcome: 'started' })
    void time.elapse(afterMs)
    expect(await service.challenges.start(person(2))).toMatchObject({ outcome: 'started' })
    expect(told()).toEqual([])
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

  it('gives no further code for a message that was rejected', async () => {
    const { time, service } = watched(async () => 'rejected')
    await service.challenges.start(person(1))
    await time.elapse(afterMs)
    expect(await service.challenges.start({ ...person(1), session: 'another' })).toMatchObject({
      code: 'resend_too_soon',
    })
  })

  it('ends with its timers', async () => {
    const { time, asked, service } = watched(async () => 'delivered')
    await service.challenges.start(person(1))
    time.background.close()
    await time.elapse(afterMs)
    expect(asked).toEqual([])
  })
})
