import { createHash } from 'node:crypto'

/** Sends one command to the primary that holds `key`, and returns its raw reply. */
export type SendCommand = (key: string, args: string[]) => Promise<unknown>

/** `new Redis()` or `new Redis.Cluster()` of the package `ioredis`. */
export interface IoRedisClient {
  readonly isCluster: boolean
  call(command: string, ...args: string[]): Promise<unknown>
  pipeline(commands: string[][]): { exec(): Promise<Reply[] | null> }
}

type Reply = [error: Error | null, reply: unknown]

/** `createClient()`, `createClientPool()`, `createSentinel()` or `createCluster()` of the package `redis`. */
export type NodeRedisClient =
  | { sendCommand(args: string[]): Promise<unknown> }
  | { sendCommand(isReadonly: boolean, args: string[]): Promise<unknown>; getSentinelNode: unknown }
  | { sendCommand(key: string, isReadonly: boolean, args: string[]): Promise<unknown>; masters: unknown }

/** A client of one of the two packages. */
export type RedisClient = IoRedisClient | NodeRedisClient

/** A client of yours, connected and closed by you, or for any other client a function that sends. */
export type RedisConnection =
  | {
      /** A client of yours. It is never closed by the store. */
      client: RedisClient
      /** In its place: sends one command to the primary that holds the key. */
      sendCommand?: never
    }
  | {
      /** In its place: sends one command to the primary that holds the key. */
      sendCommand: SendCommand
      /** A client of yours. It is never closed by the store. */
      client?: never
    }

/** Whether `client` is one of those that `senderOf` knows how to use. */
export function isRedisClient(client: unknown): boolean {
  const { call, sendCommand } = Object(client)
  return typeof client === 'object' && (typeof call === 'function' || typeof sendCommand === 'function')
}

export function senderOf({ client, sendCommand }: RedisConnection): SendCommand {
  if (sendCommand !== undefined) return sendCommand
  if ('call' in client) {
    return client.isCluster ? ioRedisCluster(client) : (_key, args) => call(client, args)
  }
  if ('masters' in client) return (key, args) => client.sendCommand(key, false, args)
  if ('getSentinelNode' in client) return (_key, args) => client.sendCommand(false, args)
  return (_key, args) => client.sendCommand(args)
}

const call = (client: IoRedisClient, args: string[]) => client.call(...(args as [string, ...string[]]))

function ioRedisCluster(client: IoRedisClient): SendCommand {
  return async (key, args) => {
    if (args.includes(key)) return call(client, args)
    // A command without a key goes to any node, unless it follows one that only the primary of a key accepts.
    const replies = await client.pipeline([['getex', key], args]).exec()
    const [lead, reply] = replies as [Reply, Reply]
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

/** A script with the hash that Redis knows it by. */
export const script = (source: string): Script => ({
  source,
  sha: createHash('sha1').update(source).digest('hex'),
})

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
