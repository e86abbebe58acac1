import { dayMs } from '../../lib/time.js'
import type { DomainServices } from '../keys.js'
import type { Limits } from '../limits.js'

/** What an operator's command cannot know without the app, and has to go by. */
export type Deployment = {
  readonly limits: Limits
  /** As `DeviceAges`. */
  readonly knownMaxAgeMs: number
  readonly trustedMaxAgeMs: number
}

/** As it is stored. `secret`: a tag that tells the secret of the app from others. */
type StoredDeployment = Deployment & { readonly secret: string }

/** Why a command has nothing to work on: nobody serves under its namespace, or somebody does with another secret. */
export type NoDeployment = 'unknown-namespace' | 'other-secret'

/** As long as anything of an account. */
const keptForMs = 365 * dayMs

/**
 * The word that each process of an app leaves in the store, so that a command is told when its namespace or secret is not
 * that of the app: it would find nothing locked, and lift nothing.
 */
export function createDeployments({
  store,
  keys,
  secrets,
  namespace,
}: Pick<DomainServices, 'store' | 'keys' | 'secrets'> & { readonly namespace: string }) {
  const key = keys.deployment()
  const secret = secrets.tag('deployment', namespace)

  return {
    /** Called by each process. Where two start at once, one of them has left it. */
    async save({ limits, knownMaxAgeMs, trustedMaxAgeMs }: Deployment): Promise<void> {
      const entry = await store.read(key)
      const left: StoredDeployment = { secret, limits, knownMaxAgeMs, trustedMaxAgeMs }
      await store.swap(key, entry?.version, left, keptForMs)
    },

    /** That of the process that started last. */
    async find(): Promise<Deployment | NoDeployment> {
      const entry = await store.read(key)
      if (entry === undefined) return 'unknown-namespace'
      const { secret: left, ...deployment } = entry.value as StoredDeployment
      return left === secret ? deployment : 'other-secret'
    },
  }
}
