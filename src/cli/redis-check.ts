import { redisStore } from '../store/redis-store.js'
import type { Row } from './findings.js'
import { printable } from './quote.js'
import { openRedis, type RedisConnection } from './redis-client.js'

const name = 'Redis'
const fix = 'start it, and check the address, the password and the permissions in REDIS_URL'

/** Whether Redis can be reached and written, and is set up to forget nothing that is live. */
export async function redisRows(url: string | undefined): Promise<readonly Row[]> {
  if (url === undefined) return [{ name, found: 'skipped', text: 'not asked: REDIS_URL is not set' }]
  const connection = openRedis(url)
  if (connection === undefined) {
    const text = 'neither redis nor ioredis is installed here'
    return [{ name, found: 'wrong', text, fix: 'npm install redis in the folder of the app' }]
  }
  try {
    return await inspected(connection)
  } catch (error) {
    return [{ name, found: 'wrong', text: `cannot be used: ${printable(reasonOf(error))}`, fix }]
  } finally {
    connection.end()
  }
}

async function inspected({ client, connect }: RedisConnection): Promise<readonly Row[]> {
  await connect()
  const store = redisStore({ client })
  const findings = (await store.inspect?.()) ?? []
  if (findings.some(({ message }) => message.includes('MOVED '))) {
    return [{ name, found: 'skipped', text: 'is a cluster: ask it with selfTest() in the app' }]
  }
  // Looking takes no permission to write.
  if (findings.length === 0) await store.increment('tf1:doctor', 1_000)
  const rows = findings.map(
    ({ message, fix }): Row => ({ name, found: 'wrong', text: printable(message), fix }),
  )
  return rows.length > 0 ? rows : [{ name, found: 'ok', text: 'reachable, and forgets nothing that is live' }]
}

/** The store wraps what a client said; a refused connection to several addresses has a code alone. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
