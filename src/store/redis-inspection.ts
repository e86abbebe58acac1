import { withinDeadline } from '../lib/promises.js'
import { clockLeewayMs } from '../lib/time.js'
import { runScript, type SendCommand, script } from './redis-connection.js'
import type { Finding } from './store.js'

/** Keys enough to meet every node of a cluster of usual size. */
const samples = 32

/** Half the leeway: two machines that are each this far from the clock of Redis may be twice that apart. */
const redisLeewayMs = clockLeewayMs / 2

/** What the node that holds the key reports about itself. */
const inspectScript = script(`
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

interface Node {
  readonly port: string
  readonly version: string
  readonly eviction: string
  readonly role: string
  readonly replicas: number
  /** How far the clock of Redis leads ours. */
  readonly leadMs: number
}

/** Looks for what would break the rules later: eviction, clocks apart, a replica in place of a primary. */
export async function inspectRedis(
  send: SendCommand,
  { namespace, timeoutMs, strict }: { namespace: string; timeoutMs: number; strict: boolean },
): Promise<readonly Finding[]> {
  const nodes = new Map<string, Node>()
  const meet = async (_: unknown, sample: number) => {
    const sentAt = Date.now()
    const reply = await runScript(send, inspectScript, `tf2:${namespace}:inspect:${sample}`)
    const [id = '', port = '', version = '', eviction = '', role = '', replicas, seconds, micros] = (
      reply as unknown[]
    ).map(String)
    const leadMs = Number(seconds) * 1_000 + Number(micros) / 1_000 - (sentAt + Date.now()) / 2
    nodes.set(id, { port, version, eviction, role, replicas: Number(replicas), leadMs })
  }
  try {
    await withinDeadline(timeoutMs, () => Promise.all(Array.from({ length: samples }, meet)))
  } catch (error) {
    return [
      {
        code: 'store_unreachable',
        message: `Redis cannot be used: ${error instanceof Error ? error.message : error}`,
        fix: 'start Redis, and check the address, the password and the permissions of the client',
      },
    ]
  }
  return [...nodes.values()].flatMap((node) => findingsOf(node, strict))
}

/** Each check returns what is wrong with a node, if anything is. */
const checks: readonly {
  code: string
  wrong: (node: Node, strict: boolean) => string | false
  fix: string
}[] = [
  {
    // Brute force: an attacker who fills an evicting Redis makes it drop a lock.
    code: 'store_evicts',
    wrong: ({ eviction }) =>
      eviction !== 'noeviction' && `may forget what is live, maxmemory-policy is ${eviction}`,
    fix: 'set maxmemory-policy to noeviction',
  },
  {
    code: 'store_read_only',
    wrong: ({ role }) => role !== 'master' && 'is a replica',
    fix: 'connect to the primary, or through Sentinel or a cluster client',
  },
  {
    code: 'store_too_old',
    wrong: ({ version }) => /^([0-5]|6\.[01])\./.test(version) && `has version ${version}`,
    fix: 'use Redis 6.2 or newer',
  },
  {
    code: 'store_clock',
    wrong: ({ leadMs }) =>
      Math.abs(leadMs) > redisLeewayMs &&
      `has a clock ${(leadMs / 1_000).toFixed(1)} s ahead of this machine`,
    fix: 'let both machines take their time from NTP',
  },
  {
    code: 'store_unreplicated',
    wrong: ({ replicas }, strict) =>
      strict && replicas < 1 && 'has no replica, so that strict refuses every change',
    fix: 'connect a replica, or leave strict out',
  },
]

const findingsOf = (node: Node, strict: boolean): Finding[] =>
  checks.flatMap(({ code, wrong, fix }) => {
    const message = wrong(node, strict)
    return message === false ? [] : [{ code, message: `Redis on port ${node.port} ${message}`, fix }]
  })
