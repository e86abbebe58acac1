import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { read } from '../documents.js'
import { startPostgres, withoutPostgres } from '../store/postgres-server.js'

/** The statements of docs/account.md, in their order. */
const statements = (read('docs/account.md').match(/<!-- last factor -->\n```sql\n(.*?)```/s)?.[1] ?? '')
  .replaceAll(/--.*$/gm, '')
  .split(';')
  .map((statement) => statement.trim())
  .filter((statement) => statement !== '')

describe.skipIf(withoutPostgres)('the statements for the last factor in docs/account.md', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let db: Pool
  beforeAll(async () => {
    server = await startPostgres()
    db = new Pool({ connectionString: server.url })
    await db.query('CREATE TABLE users (id text, numbers text[], app text)')
    await db.query('CREATE TABLE passkeys (subject text, id text)')
  })
  afterAll(async () => {
    await db.end()
    await server.stop()
  })
  beforeEach(async () => {
    await db.query('TRUNCATE users, passkeys')
  })

  const [begin = '', lock = '', saveNumbers = '', count = '', commit = ''] = statements

  /** Makes one change as the document says. */
  async function change(statement: string, subject: string, ...values: unknown[]): Promise<boolean> {
    const connection = await db.connect()
    try {
      await connection.query(begin)
      await connection.query(lock, [subject])
      const { rowCount } = await connection.query(statement, [subject, ...values])
      const [row] = (await connection.query(count, [subject])).rows
      const isMade = rowCount !== 0 && Number(row.factors) > 0
      await connection.query(isMade ? commit : 'ROLLBACK')
      return isMade
    } finally {
      connection.release()
    }
  }
  const removeApp = 'UPDATE users SET app = NULL WHERE id = $1'
  const removePasskey = 'DELETE FROM passkeys WHERE subject = $1 AND id = $2'

  it('save a list only over the earlier list', async () => {
    await db.query(`INSERT INTO users VALUES ('ana', '{+573001234567}', NULL)`)
    expect(await change(saveNumbers, 'ana', ['+573007654321'], ['+573009999999'])).toBe(false)
    expect(await change(saveNumbers, 'ana', ['+573007654321'], ['+573001234567'])).toBe(true)
    expect((await db.query('SELECT numbers FROM users')).rows).toEqual([{ numbers: ['+573007654321'] }])
  })

  it('remove one of the last two factors when both are removed at the same moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      const subject = `ana-${round}`
      const number = '+573001234567'
      await db.query('INSERT INTO users VALUES ($1, $2, NULL)', [subject, [number]])
      await db.query(`INSERT INTO passkeys VALUES ($1, 'key')`, [subject])
      const made = await Promise.all([
        change(saveNumbers, subject, [], [number]),
        change(removePasskey, subject, 'key'),
      ])
      expect(made.toSorted()).toEqual([false, true])
    }
  })

  it('keep a last number, app and passkey', async () => {
    await db.query(
      `INSERT INTO users VALUES ('a', '{+573001234567}', NULL), ('b', '{}', 'app'), ('c', '{}', NULL)`,
    )
    await db.query(`INSERT INTO passkeys VALUES ('c', 'key')`)
    const made = [
      await change(saveNumbers, 'a', [], ['+573001234567']),
      await change(removeApp, 'b'),
      await change(removePasskey, 'c', 'key'),
    ]
    expect(made).toEqual([false, false, false])
    await db.query(`INSERT INTO passkeys VALUES ('a', 'new'), ('b', 'new'), ('c', 'new')`)
    expect(await change(saveNumbers, 'a', [], ['+573001234567'])).toBe(true)
    expect(await change(removeApp, 'b')).toBe(true)
    expect(await change(removePasskey, 'c', 'key')).toBe(true)
  })
})
