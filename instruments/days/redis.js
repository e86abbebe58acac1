// A redis-server of our own that keeps every write over a crash, and trouble for it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../test/free-port.js'

const binary = process.env.REDIS_SERVER ?? 'redis-server'

/** Time passes for entries at rest as well: a step brings the end of each of them nearer. */
const agingScript = `
local page = redis.call('SCAN', ARGV[1], 'COUNT', 1000)
for _, key in ipairs(page[2]) do
  local rest = redis.call('PTTL', key) - ARGV[2]
  if rest > 0 then redis.call('PEXPIRE', key, rest) else redis.call('DEL', key) end
end
return page[1]
`

export async function startRedis() {
  const dir = mkdtempSync(join(tmpdir(), 'two-factor-days-'))
  const port = await freePort()
  // Written before the reply, so that nothing is forgotten when the process is killed.
  const durable = ['--appendonly', 'yes', '--appendfsync', 'no', '--save', '']
  const factor = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--maxmemory-policy',
    'noeviction',
  ]
  const launch = () => spawn(binary, [...factor, ...durable], { stdio: 'ignore' })
  let server = launch()
  const killOnExit = () => server.kill('SIGKILL')
  process.on('exit', killOnExit)
  // Asks again until the server is up.
  const control = new Redis(port, { retryStrategy: () => 20, maxRetriesPerRequest: null }).on(
    'error',
    () => {},
  )
  await control.ping()

  const troubles = {
    async killed() {
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
      server = launch()
      await control.ping()
    },
    async frozen() {
      server.kill('SIGSTOP')
      await wait(400)
      server.kill('SIGCONT')
    },
    async full() {
      await control.config('SET', 'maxmemory', '1')
      await wait(300)
      await control.config('SET', 'maxmemory', '0')
    },
    'without its scripts': () => control.script('FLUSH'),
    'without its clients': () => control.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
  }

  return {
    port,
    troubles,
    async pass(ms) {
      let cursor = '0'
      do cursor = await control.eval(agingScript, 0, cursor, ms)
      while (cursor !== '0')
    },
    async stop() {
      control.disconnect()
      process.off('exit', killOnExit)
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
