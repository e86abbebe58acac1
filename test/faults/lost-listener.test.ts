import { expect, it } from 'vitest'
import { path } from '../documents.js'
import { startRedis, withoutRedis } from '../store/redis-server.js'
import { observe } from '../tools/cli/program.js'

it.skipIf(withoutRedis).each([
  ['without a listener for errors ends', '', 1],
  ['with a listener for errors goes on', "redis.on('error', () => {})", 0],
] as const)(
  'a process %s when its client of redis loses the first connection',
  async (_what, listener, code) => {
    const server = await startRedis()
    const script = `
    import { createClient } from 'redis'
    const redis = createClient({ url: '${server.url}', disableOfflineQueue: true })
    ${listener}
    await redis.connect()
    console.log('connected')
    setTimeout(() => process.exit(0), 1_000)`
    const child = observe(process.execPath, ['--input-type=module', '-e', script], {}, path('.'))
    await child.line()
    await server.kill()
    expect(await child.exitCode).toBe(code)
  },
)
