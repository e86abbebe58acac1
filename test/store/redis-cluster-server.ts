import { type RedisServer, startRedis, until } from './redis-server.js'

/** A real Redis Cluster on this machine: three primaries, and a replica for each if asked for. */
export interface RedisClusterServer {
  readonly primaries: readonly RedisServer[]
  readonly replicas: readonly RedisServer[]
  stop(): Promise<void>
}

const slots = 16_384

export async function startRedisCluster({ withReplicas = false } = {}): Promise<RedisClusterServer> {
  const start = () => startRedis('--cluster-enabled', 'yes', '--cluster-node-timeout', '1500')
  const primaries = await Promise.all([start(), start(), start()])
  const replicas = withReplicas ? await Promise.all([start(), start(), start()]) : []
  const all = [...primaries, ...replicas]

  for (const [i, node] of primaries.entries()) {
    const [from, to] = [Math.floor((slots * i) / 3), Math.floor((slots * (i + 1)) / 3)]
    await node.ask('CLUSTER', 'ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => `${from + slot}`))
    await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', `${i + 1}`)
  }
  const [first] = primaries
  for (const node of all.slice(1)) await node.ask('CLUSTER', 'MEET', '127.0.0.1', `${first.port}`)
  await until(() => everyNode(all, (info) => info.includes(`cluster_known_nodes:${all.length}`)))
  for (const [i, node] of replicas.entries()) {
    await node.ask('CLUSTER', 'REPLICATE', String(await primaries[i]?.ask('CLUSTER', 'MYID')))
  }
  await until(() => everyNode(all, (info) => info.includes('cluster_state:ok')))
  for (const node of withReplicas ? primaries : []) {
    await until(async () => String(await node.ask('INFO', 'replication')).includes('state=online'))
  }
  return {
    primaries,
    replicas,
    stop: async () => void (await Promise.all(all.map((node) => node.kill()))),
  }
}

const everyNode = async (nodes: readonly RedisServer[], holds: (info: string) => boolean) =>
  (await Promise.all(nodes.map((node) => node.ask('CLUSTER', 'INFO')))).every((info) => holds(String(info)))

/** Moves the slot of a key to another primary, key by key, as resharding does. */
export async function migrateSlot(key: string, from: RedisServer, to: RedisServer): Promise<void> {
  const slot = String(await from.ask('CLUSTER', 'KEYSLOT', key))
  const [fromId, toId] = [String(await from.ask('CLUSTER', 'MYID')), String(await to.ask('CLUSTER', 'MYID'))]
  await to.ask('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId)
  await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
  for (;;) {
    const keys = (await from.ask('CLUSTER', 'GETKEYSINSLOT', slot, '10')) as string[]
    if (keys.length === 0) break
    await from.ask('MIGRATE', '127.0.0.1', `${to.port}`, '', '0', '5000', 'KEYS', ...keys)
  }
  await to.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId)
  await from.ask('CLUSTER', 'SETSLOT', slot, 'NODE', toId)
}
