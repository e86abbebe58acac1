import { createHash } from 'node:crypto'
import type { SendCommand } from './redis-connection.js'

/** A Lua script over one key. */
export interface Script {
  readonly source: string
  readonly sha: string
}

const script = (source: string): Script => ({
  source,
  sha: createHash('sha1').update(source).digest('hex'),
})

/**
 * An entry is stored as its version, a line feed and its value as JSON.
 * ARGV: the version expected ('' when absent), the next entry ('' to remove), its lifetime in milliseconds.
 */
export const swapScript = script(`
local stored = redis.call('GET', KEYS[1])
if stored and stored == ARGV[2] then
  return {1}
end
local version = stored and string.match(stored, '^[^\\n]*')
local expected = ARGV[1] ~= '' and ARGV[1]
if version ~= expected then
  return {0, stored}
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return {1}
`)

/**
 * ARGV: the window in milliseconds, the amount. A counter without an expiry would lock an account for ever,
 * so it gets one. Zero is added rather than read, because only a primary accepts writes.
 */
export const incrementScript = script(`
local by = tonumber(ARGV[2])
if by < 1 and redis.call('EXISTS', KEYS[1]) == 0 then
  return {0, tonumber(ARGV[1])}
end
local count = redis.call('INCRBY', KEYS[1], by)
if count < 1 then
  redis.call('DEL', KEYS[1])
  return {0, tonumber(ARGV[1])}
end
local rest = redis.call('PTTL', KEYS[1])
if rest < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  rest = tonumber(ARGV[1])
end
return {count, rest}
`)

/** What the node that holds the key reports about itself. */
export const inspectScript = script(`
local info = redis.call('INFO', 'server') .. redis.call('INFO', 'memory') .. redis.call('INFO', 'replication')
local report = {}
for i, name in ipairs({'run_id', 'tcp_port', 'redis_version', 'maxmemory_policy', 'role', 'connected_slaves'}) do
  report[i] = string.match(info, '\\n' .. name .. ':([^\\r\\n]*)') or ''
end
local time = redis.call('TIME')
report[7] = time[1]
report[8] = time[2]
return report
`)

/** Runs a script by its hash, and by its source where the server does not have it cached. */
export async function runScript(
  send: SendCommand,
  { source, sha }: Script,
  key: string,
  args: string[] = [],
) {
  try {
    return await send(key, ['evalsha', sha, '1', key, ...args])
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return send(key, ['eval', source, '1', key, ...args])
  }
}
