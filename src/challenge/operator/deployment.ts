import { dayMs } from '../../lib/time.js'
import type { DomainServices } from '../keys.js'
import type { Limits } from '../limits.js'

/** Facts about the app that an operator's command needs and cannot know without it. */
export type Deployment = {
  readonly limits: Limits
  /** See `DeviceAges`. */
  readonly knownMaxAgeMs: number
  readonly trustedMaxAgeMs: number
}

/** The stored record. `secret` is a tag that identifies the app's secret. */
type StoredDeployment = Deployment & { readonly secret: string }

/** Why a command finds no app: none runs under its namespace, or the app there has another secret. */
export type NoDeployment = 'unknown-namespace' | 'other-secret'

/** Longer than the lifetime of every entry of an account. */
const recordLifetimeMs = 365 * dayMs

/**
 * Stores a record of each app. A command with a wrong namespace or secret would find no lock and lift none; this record
 * lets it report the mistake.
 */
export function createDeployments({
  store,
  keys,
  secrets,
  namespace,
}: Pick<DomainServices, 'store' | 'keys' | 'secrets'> & { readonly namespace: string }) {
  const key = keys.deployment()
  const secret = secrets.tag('deployment', namespace)

  async function write(
    { limits, knownMaxAgeMs, trustedMaxAgeMs }: Deployment,
    version: string | undefined,
  ): Promise<void> {
    const left: StoredDeployment = { secret, limits, knownMaxAgeMs, trustedMaxAgeMs }
    await store.swap(key, version, left, recordLifetimeMs)
  }

  return {
    /** Called by each process. If two processes start at the same time, one of them writes the record. */
    async save(deployment: Deployment): Promise<void> {
      const entry = await store.read(key)
      await write(deployment, entry?.version)
    },

    /** Writes the record again if it is missing, because an operator has emptied the store. */
    async restore(deployment: Deployment): Promise<void> {
      if ((await store.read(key)) === undefined) await write(deployment, undefined)
    },

    /** Returns the record of the process that started last. */
    async find(): Promise<Deployment | NoDeployment> {
      const entry = await store.read(key)
      if (entry === undefined) return 'unknown-namespace'
      const { secret: left, ...deployment } = entry.value as StoredDeployment
      return left === secret ? deployment : 'other-secret'
    },
  }
}
