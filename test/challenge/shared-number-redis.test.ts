import { describe, expect, it } from 'vitest'
import { redisOfFile } from '../express/redis.js'
import { figure } from '../prove/figure.js'
import { withoutRedis } from '../store/redis-server.js'
import { hour } from './kit.js'
import { createSiege } from './shared-number.js'

const { onRedis } = redisOfFile()

/** Redis counts by its own clock, so it sees one day, however far the clock of the domain is moved. */
describe.skipIf(withoutRedis)('five accounts of an attacker with the number of the owner, on Redis', () => {
  it('keep the owner out at no hour of a day, where the provider knows the number alone', async () => {
    const siege = createSiege({ isToldApart: false, kind: 'blind', service: { store: onRedis } })
    await siege.settle()
    const tries: string[] = []
    for (let times = 0; times < 4; times += 1) {
      await siege.pass(6 * hour)
      tries.push(await siege.signIn())
    }
    const { sendsInDay, wrongInDay } = siege.figures()
    figure(13, `on Redis: the attacker used ${sendsInDay} codes and ${wrongInDay} wrong ones in a day`)
    expect(tries).toEqual(Array(4).fill('approved'))
    expect([sendsInDay, wrongInDay]).toEqual([30, 60])
  })
})
