import { once } from 'node:events'
import { createServer } from 'node:net'
import { threadId } from 'node:worker_threads'

const [lowest, count] = [10_000, 10_000]
// Test files that run beside each other begin far from each other.
let next = process.pid * 97 + threadId * 1_009

/**
 * A port that nobody listens on. The system hands out none of these by itself, neither to a server on port 0
 * nor to a connection, so that the port is free still when it is used, or used again. A bus of Redis Cluster,
 * 10,000 above its port, is out of the way as well.
 */
export async function freePort() {
  for (let tries = 0; tries < count; tries += 1) {
    const port = lowest + (next % count)
    next += 1
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${lowest} on is free`)
}

async function isFree(port) {
  const probe = createServer()
  try {
    probe.listen(port)
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
