// A store of your own, on PostgreSQL 13 or newer: one table, one statement per change. A command waits for a connection
// of the pool within the `timeoutMs` below. In a test, 64 users signed in together over a pool of ten. With 250 ms, the
// default for Redis, between all and one in twenty succeeded, depending on the load of the machine. With the 2,000 ms of
// this store, all did. Give the pool as many connections as your server can spare, and a `connectionTimeoutMillis` and a
// `query_timeout` of 2,000 at most. Call `deleteEnded(pool)` every minute, in one process.
import type { Entry, Store } from 'express-two-factor'
import type { Pool } from 'pg'

export const schema = `
  CREATE TABLE IF NOT EXISTS two_factor (
    key text COLLATE "C" PRIMARY KEY,
    value json NOT NULL,
    version uuid NOT NULL DEFAULT gen_random_uuid(),
    ends_at timestamptz NOT NULL
  );
  CREATE INDEX IF NOT EXISTS two_factor_ends_at ON two_factor (ends_at)`

const create = `
  INSERT INTO two_factor (key, value, ends_at) VALUES ($1, $2, now() + $3 * interval '1 ms')
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, ends_at = excluded.ends_at
  WHERE two_factor.ends_at <= now() RETURNING version`

const replace = `
  UPDATE two_factor SET value = $2, version = gen_random_uuid(), ends_at = now() + $3 * interval '1 ms'
  WHERE key = $1 AND version::text = $4 AND ends_at > now() RETURNING version`

const remove =
  'DELETE FROM two_factor WHERE key = $1 AND version::text = $2 AND ends_at > now() RETURNING version'

// A counter that is created by a refund, or refunded to 0, has already expired.
const increment = `
  INSERT INTO two_factor AS counter (key, value, ends_at)
  VALUES ($1, to_json(greatest($3::bigint, 0)), now() + CASE WHEN $3 > 0 THEN $2::float ELSE 0 END * interval '1 ms')
  ON CONFLICT (key) DO UPDATE SET
    value = CASE WHEN counter.ends_at > now()
      THEN to_json(greatest(counter.value::text::bigint + $3, 0)) ELSE excluded.value END,
    ends_at = CASE WHEN counter.ends_at <= now() THEN excluded.ends_at
      WHEN counter.value::text::bigint + $3 > 0 THEN counter.ends_at ELSE now() END
  RETURNING value AS count,
    ceil(CASE WHEN ends_at > now() THEN extract(epoch FROM ends_at - now()) * 1000 ELSE $2 END)::float
      AS "resetInMs"`

// The expiry is compared twice, because an entry that was renewed since it was found is live and must stay.
export const deletion = `
  DELETE FROM two_factor WHERE ends_at <= now() AND key IN
    (SELECT key FROM two_factor WHERE ends_at <= now() ORDER BY ends_at LIMIT 10000)`

/** Deletes up to ten thousand expired entries, oldest first, so that locks are short. Resolves with their number. */
export async function deleteEnded(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(deletion)
  return rowCount ?? 0
}

export function postgresStore(pool: Pool): Store {
  const one = async (sql: string, ...values: unknown[]) => (await pool.query(sql, values)).rows[0]
  const read = (key: string): Promise<Entry | undefined> =>
    one('SELECT value, version FROM two_factor WHERE key = $1 AND ends_at > now()', key)
  const lasting = (ms: number) => {
    if (ms > 0 && ms < Number.POSITIVE_INFINITY) return ms
    throw new RangeError(`not a lifetime: ${ms}`)
  }
  return {
    timeoutMs: 2_000,
    read,
    async swap(key, version, next, ttlMs) {
      const isNew = version === undefined
      if (next === undefined) {
        if (await one(remove, key, version)) return { swapped: true }
      } else {
        const put = [key, JSON.stringify(next), lasting(ttlMs)]
        const written = await (isNew ? one(create, ...put) : one(replace, ...put, version))
        if (written) return { swapped: true, entry: { value: next, ...written } }
      }
      const entry = await read(key)
      return entry ? { swapped: false, entry } : { swapped: isNew && next === undefined }
    },
    increment: async (key, windowMs, by = 1) => one(increment, key, lasting(windowMs), by),
  }
}
