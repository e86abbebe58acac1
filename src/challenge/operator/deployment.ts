import { hostname } from 'node:os'
import { dayMs, minuteMs } from '../../lib/time.js'
import type { Entry, Store } from '../../store/store.js'
import { createKeys, createSecrets, type DomainServices } from '../keys.js'
import type { Limits } from '../limits.js'

/** Facts about the app that an operator's command needs and cannot know without it. */
export type Deployment = {
  readonly limits: Limits
  /** See `DeviceAges`. */
  readonly knownMaxAgeMs: number
  readonly trustedMaxAgeMs: number
}

/** A machine that runs a process of the app. */
type HostLine = {
  readonly host: string
  /** Short keyed hashes of the secrets of its process, in their order. */
  readonly hashes: readonly string[]
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The stored record. `secret` is a tag that identifies the secret of the process that started last. */
type StoredDeployment = Deployment & { readonly secret: string; readonly hosts?: readonly HostLine[] }

/** Hosts whose processes use equal secrets. */
export interface SecretUsers {
  /** Short hashes of these secrets, which differ with the namespace. */
  readonly hashes: readonly string[]
  readonly hosts: readonly string[]
}

/**
 * Why a command finds no app: none runs under its namespace, or the process that started last has another secret than
 * the command.
 */
export type NoDeployment = 'unknown-namespace' | 'other-secret'

/** Longer than the lifetime of every entry of an account. */
const recordLifetimeMs = 365 * dayMs

const rewrittenAfterMs = 2 * minuteMs
const listedForMs = 5 * minuteMs
const maxHosts = 50
const maxHostLength = 64
/** 36 bits tell the secrets of one app apart, and their hashes are short enough to compare by eye. */
const shortHashLength = 6

const shortHash = (tag: string): string => tag.slice(0, shortHashLength)

/** Returns the lines of hosts whose processes have written within five minutes, by clocks that may differ as much. */
const hostsOf = (entry: Entry | undefined, now: number): readonly HostLine[] =>
  ((entry?.value as StoredDeployment | undefined)?.hosts ?? []).filter(
    ({ at }) => Math.abs(now - at) < listedForMs,
  )

/** Returns which hosts use which secrets, the most frequent secrets first. It needs no secret. */
export async function listSecretUsers(
  store: Pick<Store, 'read'>,
  namespace: string,
  now: () => number,
): Promise<readonly SecretUsers[]> {
  const entry = await store.read(createKeys(namespace, createSecrets([''])).deployment())
  const users = new Map<string, SecretUsers>()
  for (const { host, hashes } of hostsOf(entry, now())) {
    const { hosts = [] } = users.get(hashes.join()) ?? {}
    users.set(hashes.join(), { hashes, hosts: [...hosts, host].sort() })
  }
  return [...users.values()].sort((one, other) => other.hosts.length - one.hosts.length)
}

/** Returns the short hash of a secret, as `listSecretUsers` lists it. */
export const shortHashOf = (secret: string, namespace: string): string =>
  shortHash(createSecrets([secret]).tag('deployment', namespace))

/**
 * Stores a record of each app. A command with a wrong namespace or secret would find no lock and lift none; this record
 * lets it report the mistake. It also lists each host with short hashes of its secrets, because a process with another
 * secret refuses correct codes.
 */
export function createDeployments(
  {
    store,
    keys,
    secrets,
    namespace,
    now,
  }: Pick<DomainServices, 'store' | 'keys' | 'secrets' | 'now'> & { readonly namespace: string },
  host = hostname().slice(0, maxHostLength),
) {
  const key = keys.deployment()
  const secret = secrets.tag('deployment', namespace)
  const hashes = secrets.tags('deployment', namespace).map(shortHash)
  const isOwn = (line: HostLine) => line.host === host && line.hashes.join() === hashes.join()

  /** Writes the facts with the line of this host. After a lost race, the next `restore` writes the line. */
  async function write(entry: Entry | undefined, facts: StoredDeployment): Promise<void> {
    const at = now()
    const others = hostsOf(entry, at).filter((line) => !isOwn(line))
    const hosts = [...others.slice(1 - maxHosts), { host, hashes, at }]
    await store.swap(key, entry?.version, { ...facts, hosts }, recordLifetimeMs)
  }

  const factsOf = ({ limits, knownMaxAgeMs, trustedMaxAgeMs }: Deployment): StoredDeployment => ({
    secret,
    limits,
    knownMaxAgeMs,
    trustedMaxAgeMs,
  })

  return {
    /** Called by each process. If two processes start at the same time, one of them writes the record. */
    async save(deployment: Deployment): Promise<void> {
      await write(await store.read(key), factsOf(deployment))
    },

    /**
     * Writes the record again if it is missing, because an operator has emptied the store, and the line of this host
     * before it expires.
     */
    async restore(deployment: Deployment): Promise<void> {
      const entry = await store.read(key)
      const line = hostsOf(entry, now()).find(isOwn)
      if (line !== undefined && now() - line.at < rewrittenAfterMs) return
      await write(entry, (entry?.value as StoredDeployment | undefined) ?? factsOf(deployment))
    },

    /** Returns the record of the process that started last. */
    async find(): Promise<Deployment | NoDeployment> {
      const entry = await store.read(key)
      if (entry === undefined) return 'unknown-namespace'
      const { secret: left, hosts: _, ...deployment } = entry.value as StoredDeployment
      return left === secret ? deployment : 'other-secret'
    },
  }
}
