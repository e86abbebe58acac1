import { setTimeout as sleep } from 'node:timers/promises'
import { storeContract } from 'express-two-factor/testing'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStore, schema } from '../../examples/postgres-store.js'
import { startPostgres, withoutPostgres } from './postgres-server.js'

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

  test('what has ended can be deleted', async () => {
    const store = postgresStore(pool)
    await store.swap('tf3::auth:ended', undefined, {}, 1)
    await sleep(5)
    const { rowCount } = await pool.query('DELETE FROM two_factor WHERE ends_at <= now()')
    expect(rowCount).toBeGreaterThan(0)
    expect(await store.read('tf3::auth:ended')).toBeUndefined()
  })
})
