import { type Awaitable, andThen } from '../../lib/promises.js'
import { secondMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import type { DomainServices } from '../keys.js'
import { update } from '../updater.js'
import type { ServiceLimits } from './service-limits.js'

/** In milliseconds since 1970, by the clock of whoever wrote it. The entry itself ends by that of the store. */
type StoredPause = { readonly endsAt: number }

export type SignupPause = ReturnType<typeof createSignupPause>

/** Stops the sends of all sign-ups, in every process at once, while somebody finds out who is behind them. */
export function createSignupPause({
  store,
  keys,
  now,
  service,
}: Pick<DomainServices, 'store' | 'keys' | 'now'> & { readonly service: ServiceLimits }) {
  const key = keys.signupPause()
  const put = (value: StoredPause | undefined, ttlMs: number) =>
    update<StoredPause, undefined>(store, key, () => ({ outcome: undefined, put: { value, ttlMs } }))

  /** For how long it goes on; undefined where sign-ups are sent. */
  const remainingMs = (): Awaitable<number | undefined> =>
    andThen(store.read(key), (entry) => {
      if (entry === undefined) return undefined
      const { endsAt } = entry.value as StoredPause
      // It is there: by a clock that differs it may be over, but not by that of the store.
      return Math.max(secondMs, endsAt - now())
    })

  return {
    remainingMs,

    /** Why a sign-up may send nothing now. Tells the operator of this process. */
    refusal: (): Awaitable<Refusal | undefined> =>
      andThen(remainingMs(), (waitMs) => {
        if (waitMs === undefined) {
          service.open('enrol', 'pause')
          return undefined
        }
        service.close('enrol', 'pause', waitMs)
        return { ...refused('sending_paused', waitMs), limit: 'service' }
      }),

    /** From now on, in place of a pause that runs. */
    begin: (forMs: number): Promise<undefined> => put({ endsAt: now() + forMs }, forMs),
    end: (): Promise<undefined> => put(undefined, secondMs),
  }
}
