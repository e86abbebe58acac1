import { secondMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { DomainServices } from '../keys.js'
import { update } from '../updater.js'
import type { ServiceLimits } from './service-limits.js'

/** Milliseconds since 1970, by the clock of the writer. The entry itself expires by the clock of the store. */
type StoredPause = { readonly endsAt: number }

export type SignupPause = ReturnType<typeof createSignupPause>

/** Creates the pause that stops the sends of all sign-ups in every process, while an operator investigates. */
export function createSignupPause({
  store,
  keys,
  now,
  service,
}: Pick<DomainServices, 'store' | 'keys' | 'now'> & { readonly service: ServiceLimits }) {
  const key = keys.signupPause()
  const put = (value: StoredPause | undefined, ttlMs: number) =>
    update<StoredPause, undefined>(store, key, () => ({ outcome: undefined, put: { value, ttlMs } }))

  /** Returns the remaining time, or undefined if sign-ups are not paused. */
  async function remainingMs(): Promise<number | undefined> {
    const entry = await store.read(key)
    if (entry === undefined) return undefined
    const { endsAt } = entry.value as StoredPause
    // The entry exists, so by the clock of the store the pause is not over.
    return Math.max(secondMs, endsAt - now())
  }

  return {
    remainingMs,

    /** Returns the refusal of a sign-up during a pause, and emits the event of this process. */
    async refusal(): Promise<Refusal | undefined> {
      const waitMs = await remainingMs()
      if (waitMs === undefined) {
        service.open('enrol', 'pause')
        return undefined
      }
      service.close('enrol', 'pause', waitMs)
      return { ...refused('sending_paused', waitMs), limit: 'service' }
    },

    /** Starts a pause now, in place of a current one. */
    begin: (forMs: number): Promise<undefined> => put({ endsAt: now() + forMs }, forMs),
    end: (): Promise<undefined> => put(undefined, secondMs),
  }
}
