import { createHash } from 'node:crypto'
import { withinDeadline } from '../lib/promises.js'
import { isError } from '../lib/realms.js'
import { clockLeewayMs } from '../lib/time.js'
import type { Finding } from './store.js'

/** Sends one command to the primary that holds `key` and returns its raw reply. */
export type RunCommand = (key: string, args: string[]) => Promise<unknown>

/** `new Redis()` or `new Redis.Cluster()` of the package `ioredis`. */
export interface IoRedisClient {
  readonly isCluster: boolean
  call(command: string, ...args: string[]): Promise<unknown>
  pipeline(commands: string[][]): { exec(): Promise<RedisReply[] | null> }
}

type RedisReply = [error: Error | null, reply: unknown]

/** `createClient()`, `createClientPool()`, `createSentinel()` or `createCluster()` of the package `redis`. */
export type NodeRedisClient =
  | { sendCommand(args: string[]): Promise<unknown> }
  | { sendCommand(isReadonly: boolean, args: string[]): Promise<unknown>; getSentinelNode: unknown }
  | { sendCommand(key: string, isReadonly: boolean, args: string[]): Promise<unknown>; masters: unknown }

/** A client of one of the two packages. */
export type RedisClient = IoRedisClient | NodeRedisClient

/** A client that you connect and close, or a function that sends commands through any other client. */
export type RedisConnection =
  | {
      /**
       * A client of yours. The store only replaces the connection of `createClient()` if Redis is silent for 5 s, and
       * sends EXISTS through it after 2 s without a command.
       */
      client: RedisClient
      /** Instead of `client`: sends one command to the primary that holds the key. */
      sendCommand?: never
    }
  | {
      /** Instead of `client`: sends one command to the primary that holds the key. */
      sendCommand: RunCommand
      /** A client of yours. The store never closes it. */
      client?: never
    }

/** Returns whether `senderOf` supports this client. */
export function isRedisClient(client: unknown): boolean {
  const { call, sendCommand } = Object(client)
  return typeof client === 'object' && (typeof call === 'function' || typeof sendCommand === 'function')
}

export function senderOf({ client, sendCommand }: RedisConnection): RunCommand {
  if (sendCommand !== undefined) return sendCommand
  if ('call' in client) {
    return client.isCluster ? ioRedisCluster(client) : (_key, args) => call(client, args)
  }
  if ('masters' in client) return (key, args) => client.sendCommand(key, false, args)
  if ('getSentinelNode' in client) return (_key, args) => client.sendCommand(false, args)
  return (_key, args) => client.sendCommand(args)
}

const call = (client: IoRedisClient, args: string[]) => client.call(...(args as [string, ...string[]]))

function ioRedisCluster(client: IoRedisClient): RunCommand {
  return async (key, args) => {
    if (args.includes(key)) return call(client, args)
    // A command without a key goes to any node, unless it follows a command that only the primary of a key accepts.
    const replies = await client.pipeline([['getex', key], args]).exec()
    const [lead, reply] = replies as [RedisReply, RedisReply]
    if (lead[0] !== null) throw lead[0]
    if (reply[0] !== null) throw reply[0]
    return reply[1]
  }
}

/** A Lua script over one key. */
interface Script {
  readonly source: string
  readonly sha: string
}

/** Creates a script with the hash by which Redis caches it. */
export const script = (source: string): Script => ({
  source,
  sha: createHash('sha1').update(source).digest('hex'),
})

/** Runs a script by its hash, or by its source if the server has not cached it. */
export async function runScript(send: RunCommand, { source, sha }: Script, key: string, args: string[] = []) {
  try {
    return await send(key, ['evalsha', sha, '1', key, ...args])
  } catch (error) {
    if (!(isError(error) && error.message.startsWith('NOSCRIPT'))) throw error
    return send(key, ['eval', source, '1', key, ...args])
  }
}

/** Number of keys that reaches every node of a usual cluster. */
const samples = 32

/** Half the leeway: two machines at this distance from the clock of Redis may be twice as far apart. */
const redisLeewayMs = clockLeewayMs / 2

/** Returns facts about the node that holds the key. */
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
  /** Milliseconds by which the clock of Redis is ahead of ours. */
  readonly leadMs: number
}

/** Finds settings that would break the rules later: eviction, clocks that differ, a replica instead of a primary. */
export async function inspectRedis(
  send: RunCommand,
  { namespace, timeoutMs, strict }: { namespace: string; timeoutMs: number; strict: boolean },
): Promise<readonly Finding[]> {
  const nodes = new Map<string, Node>()
  const meet = async (_: unknown, sample: number) => {
    const sentAt = Date.now()
    const reply = await runScript(send, inspectScript, `tf3:${namespace}:inspect:${sample}`)
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
        message: `Redis cannot be used: ${isError(error) ? error.message : error}`,
        fix: 'start Redis, and check the address, the password and the permissions of the client',
      },
    ]
  }
  return [...nodes.values()].flatMap((node) => findingsOf(node, strict))
}

/** Each check returns the problem of a node, or undefined. */
const checks: readonly {
  code: string
  wrong: (node: Node, strict: boolean) => string | false
  fix: string
}[] = [
  {
    // An attacker who fills an evicting Redis makes it drop a lock (brute force).
    code: 'store_evicts',
    wrong: ({ eviction }) =>
      eviction !== 'noeviction' && `may evict live records: maxmemory-policy is ${eviction}`,
    fix: 'if Redis is almost full, raise maxmemory first; then set maxmemory-policy to noeviction',
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
    fix: 'synchronize the clocks of both machines by NTP',
  },
  {
    code: 'store_unreplicated',
    wrong: ({ replicas }, strict) =>
      strict && replicas < 1 && 'has no replica, so strict refuses every change',
    fix: 'connect a replica, or remove strict',
  },
]

const findingsOf = (node: Node, strict: boolean): Finding[] =>
  checks.flatMap(({ code, wrong, fix }) => {
    const message = wrong(node, strict)
    return message === false ? [] : [{ code, message: `Redis on port ${node.port} ${message}`, fix }]
  })
