/** Sends one command to the primary that holds `key`, and gives its reply as it came. */
export type SendCommand = (key: string, args: string[]) => Promise<unknown>

/** `new Redis()` or `new Redis.Cluster()` of the package `ioredis`. */
export interface IoRedisClient {
  readonly isCluster: boolean
  call(command: string, ...args: string[]): Promise<unknown>
  pipeline(commands: string[][]): { exec(): Promise<[error: Error | null, reply: unknown][] | null> }
}

/** `createClient()`, `createClientPool()`, `createSentinel()` or `createCluster()` of the package `redis`. */
export type NodeRedisClient =
  | { sendCommand(args: string[]): Promise<unknown> }
  | { sendCommand(isReadonly: boolean, args: string[]): Promise<unknown>; getSentinelNode: unknown }
  | { sendCommand(key: string, isReadonly: boolean, args: string[]): Promise<unknown>; masters: unknown }

export type RedisClient = IoRedisClient | NodeRedisClient

/** A client of yours, connected and closed by you, or for any other client a function that sends. */
export type RedisConnection =
  | { client: RedisClient; sendCommand?: never }
  | { sendCommand: SendCommand; client?: never }

/** @throws {TypeError} when there is nothing to send with */
export function senderOf({ client, sendCommand }: RedisConnection): SendCommand {
  if (typeof sendCommand === 'function') return sendCommand
  if (typeof client === 'object' && client !== null) {
    if ('call' in client)
      return client.isCluster ? ioRedisCluster(client) : (_key, args) => call(client, args)
    if ('masters' in client) return (key, args) => client.sendCommand(key, false, args)
    if ('getSentinelNode' in client) return (_key, args) => client.sendCommand(false, args)
    if ('sendCommand' in client) return (_key, args) => client.sendCommand(args)
  }
  throw new TypeError('redisStore needs a client of redis or ioredis as client, or a function as sendCommand')
}

const call = (client: IoRedisClient, [command = '', ...args]: string[]) => client.call(command, ...args)

function ioRedisCluster(client: IoRedisClient): SendCommand {
  return async (key, args) => {
    if (args.includes(key)) return call(client, args)
    // A command without a key goes to any node, unless one that only the primary of a key answers leads the way.
    const replies = await client.pipeline([['getex', key], args]).exec()
    for (const [error] of replies ?? []) if (error !== null) throw error
    return replies?.[1]?.[1]
  }
}
