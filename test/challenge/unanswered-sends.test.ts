import { describe, expect, it } from 'vitest'
import type { CodeProvider, SendResult } from '../../src/challenge/exchange/code-provider.js'
import { failover } from '../../src/provider/failover.js'
import { createService } from './service.js'

const minute = 60_000

const member = (name: string, result: 'sent' | 'unconfirmed') => {
  const sends: string[] = []
  const provider: CodeProvider = {
    name,
    async sendCode({ destination }): Promise<SendResult> {
      sends.push(destination)
      return { result }
    },
    checkCode: async () => (result === 'sent' ? 'approved' : 'unavailable'),
  }
  return { sends, provider }
}

describe('a send without a response', () => {
  it('is followed by a send of the next provider, for every person who asks again', async () => {
    const [silent, other] = [member('silent', 'unconfirmed'), member('other', 'sent')]
    const { challenges, wait } = createService({
      codes: failover([silent.provider, other.provider], { pick: () => 'silent' }),
    })
    for (let person = 0; person < 40; person += 1) {
      const phone = `+57300${1_000_000 + person}`
      const who = { subject: phone, session: phone, phone, purpose: 'login' }
      const first = await challenges.start(who)
      wait(minute)
      const second = await challenges.start(who)
      expect([first, second]).toMatchObject([{ outcome: 'started' }, { delivery: 'sent' }])
      expect(other.sends.filter((number) => number === phone)).not.toHaveLength(0)
      expect(await challenges.verify({ ...who, code: '123456' })).toMatchObject({ outcome: 'approved' })
    }
  })

  it('is followed by the next provider also after the time that the provider gives its codes', async () => {
    const [silent, other] = [member('silent', 'unconfirmed'), member('other', 'sent')]
    const { challenges, wait } = createService({ codes: failover([silent.provider, other.provider]) })
    const who = { subject: 'ana', session: 'ana', phone: '+573001234567', purpose: 'login' }
    await challenges.start(who)
    wait(9 * minute)
    expect(await challenges.start(who)).toMatchObject({ delivery: 'sent' })
    expect([silent.sends, other.sends]).toMatchObject([{ length: 1 }, { length: 1 }])
  })
})

describe('a check without a verdict', () => {
  it('is followed by a send of the next provider, which checks its code', async () => {
    const [undecided, other] = [member('undecided', 'sent'), member('other', 'sent')]
    const provider = { ...undecided.provider, checkCode: async () => 'unavailable' as const }
    const { challenges, wait } = createService({ codes: failover([provider, other.provider]) })
    const who = { subject: 'ana', session: 'ana', phone: '+573001234567', purpose: 'login' }
    await challenges.start(who)
    await expect(challenges.verify({ ...who, code: '123456' })).rejects.toThrow('no verdict')
    wait(minute)
    await challenges.start(who)
    expect([undecided.sends, other.sends]).toMatchObject([{ length: 1 }, { length: 1 }])
    expect(await challenges.verify({ ...who, code: '654321' })).toMatchObject({ outcome: 'approved' })
  })
})
