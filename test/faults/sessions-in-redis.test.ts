import { RedisStore } from 'connect-redis'
import { expect, it } from 'vitest'
import { storeCause } from '../../src/challenge/store-cause.js'
import { redisStore } from '../../src/store/redis-store.js'
import { startHost } from '../express/kit.js'
import { startConnectedRedis, withoutRedis } from '../store/redis-server.js'

it.skipIf(withoutRedis)(
  'the error handler of the app responds while the Redis of its sessions is down',
  async () => {
    const { server, client } = await startConnectedRedis()
    const store = redisStore({ client })
    const host = await startHost({
      options: { store },
      sessionStore: new RedisStore({ client }),
      listens: true,
    })
    const ana = await host.signIn()
    expect((await ana.get('/account')).status).toBe(200)
    const eventsBefore = host.events.length

    await server.kill()
    await expect.poll(() => client.isReady).toBe(false)
    for (const path of ['/account', '/two-factor']) {
      const { status, json } = await ana.get(path)
      expect([path, status, json]).toEqual([path, 500, { host: 'The client is offline' }])
    }
    // The package is not reached, so it can report nothing.
    expect(host.events.slice(eventsBefore)).toEqual([])
    const causeNow = () => Promise.resolve(store.read('tf3::auth:ana')).catch(storeCause)
    await expect.poll(causeNow).toBe('ECONNREFUSED')
    // A browser without a session reaches it.
    expect((await host.browser().get('/account')).status).toBe(401)
  },
)
