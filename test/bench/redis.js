// Bar 9: what a shared store costs.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import { logins } from './load.js'
import { ratio } from './rounds.js'
import { cpuPerUnit } from './sides.js'

const app = new URL('login-app.js', import.meta.url).href
const binary = process.env.REDIS_SERVER ?? 'redis-server'

const without = () =>
  spawnSync(binary, ['--version']).error && `there is no ${binary} here; set REDIS_SERVER to its path`

export const bars = [
  {
    bar: 9,
    what: 'login with Redis / with the memory store, CPU',
    atMost: 1.15,
    without,
    async measure({ rounds, provider }) {
      const redis = await startRedis()
      try {
        return await ratio(
          rounds,
          () => cpuPerUnit(app, 'ours', { provider, redis: redis.port }, logins()),
          () => cpuPerUnit(app, 'ours', { provider }, logins()),
        )
      } finally {
        redis.stop()
      }
    },
  },
]

/** Empty, on a free port, with nothing on disk. */
async function startRedis() {
  const port = await freePort()
  const settings = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn(binary, settings.map(String), { stdio: 'ignore' })
  const client = new Redis(port)
  // Asks again until it is up.
  client.on('error', () => {})
  await client.ping()
  client.disconnect()
  return { port, stop: () => server.kill() }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}
