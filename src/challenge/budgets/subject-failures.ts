import type { Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'
import type { Keys } from '../keys.js'
import { createUpdater } from '../updater.js'

const day = 24 * 60 * 60_000

type Tally = { readonly failures: number; readonly end: number }

/** Wrong codes of one subject over all its numbers, so that a change of number refills nothing. */
export interface SubjectFailures {
  /** Reads them together with what is under way, because they are about to be counted. */
  prefetch(): void
  /** Counts one attempt as failed before it is judged; refuses past the limit. */
  count(): Promise<Refusal | undefined>
  /** Takes it back: the attempt was approved, or never judged. */
  takeBack(): Promise<void>
}

export function createSubjectFailures(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly now: () => number
  readonly failuresPerDay: number
}): (subject: string) => SubjectFailures {
  const { store, keys, now, failuresPerDay } = parts

  // A clock that was set back must not keep a person out for longer than a day.
  const leftMs = ({ end }: Tally): number => Math.min(day, Math.max(1, end - now()))

  return (subject) => {
    const { update, prefetch } = createUpdater<Tally>(store, keys.failures(subject))
    return {
      prefetch,
      count: () =>
        update((stored) => {
          const tally =
            stored !== undefined && now() < stored.end ? stored : { failures: 0, end: now() + day }
          if (tally.failures >= failuresPerDay) {
            return { outcome: { ...refused('attempts_exhausted', leftMs(tally)), limit: 'subject' } }
          }
          const value = { ...tally, failures: tally.failures + 1 }
          return { outcome: undefined, put: { value, ttlMs: leftMs(tally) } }
        }),
      takeBack: () =>
        update((tally) => {
          if (tally === undefined || tally.failures === 0) return { outcome: undefined }
          const value = { ...tally, failures: tally.failures - 1 }
          // A sign-in without a wrong code leaves nothing behind that fills the store for a day.
          return { outcome: undefined, put: { value, ttlMs: value.failures === 0 ? 1 : leftMs(tally) } }
        }),
    }
  }
}
