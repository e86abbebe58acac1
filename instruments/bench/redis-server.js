import { spawn, spawnSync } from 'node:child_process'
import { Redis } from 'ioredis'
import { freePort } from '../../test/free-port.js'

const binary = process.env.REDIS_SERVER ?? 'redis-server'

/** Why there can be none here. */
export const withoutRedis = () =>
  spawnSync(binary, ['--version']).error && `there is no ${binary} here; set REDIS_SERVER to its path`

/** Runs a measurement with a server of its own: empty, on a free port, with nothing on disk. */
export async function withRedis(measure) {
  const port = await freePort()
  const settings = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn(binary, settings.map(String), { stdio: 'ignore' })
  try {
    await untilUp(port)
    return await measure(port)
  } finally {
    server.kill()
  }
}

async function untilUp(port) {
  const client = new Redis(port)
  // Asks again until it is up.
  client.on('error', () => {})
  await client.ping()
  client.disconnect()
}
