import { setTimeout as sleep } from 'node:timers/promises'
import { storeContract } from 'express-two-factor/testing'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteEnded, postgresStore, schema } from '../../examples/postgres-store.js'
import { startPostgres, withoutPostgres } from './postgres-server.js'
import { until } from './redis-server.js'

describe.skipIf(withoutPostgres)('the example on PostgreSQL keeps the contract', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let pool: Pool
  beforeAll(async () => {
    server = await startPostgres()
    pool = new Pool({ connectionString: server.url, max: 20 })
    await pool.query(schema)
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  storeContract({
    test: test.concurrent,
    createStore: () => postgresStore(pool),
    elapse: (ms) => sleep(ms + 5),
    createDownStore: () =>
      postgresStore(new Pool({ connectionString: 'postgres://test@127.0.0.1:1/postgres' })),
  })

  describe('what has ended', () => {
    const store = () => postgresStore(pool)
    const ended = async (key: string) => {
      await store().swap(key, undefined, {}, 1)
      await sleep(5)
    }

    test('is deleted', async () => {
      await ended('tf3::auth:ended')
      expect(await deleteEnded(pool)).toBeGreaterThan(0)
      const { rowCount } = await pool.query("SELECT FROM two_factor WHERE key = 'tf3::auth:ended'")
      expect(rowCount).toBe(0)
    })

    test('and starts again during its removal, is live and stays', async () => {
      const key = 'tf3::auth:anew'
      await ended(key)
      const other = await pool.connect()
      await other.query('BEGIN')
      await other.query("UPDATE two_factor SET ends_at = now() + interval '1 day' WHERE key = $1", [key])
      const deleting = deleteEnded(pool)
      await until(async () => {
        const { rowCount } = await pool.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        return rowCount === 1
      })
      await other.query('COMMIT')
      other.release()
      await deleting
      expect(await store().read(key)).toBeDefined()
    })
  })
})
