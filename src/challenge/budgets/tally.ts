import type { Keys, TallyName } from '../keys.js'
import type { Limits } from '../limits.js'
import { type CounterStore, counter } from './allowance.js'

const windowMs = 24 * 60 * 60_000

interface TallyParts {
  readonly store: CounterStore
  readonly keys: Keys
  readonly limits: Pick<Limits, 'failuresPerSubjectPerDay'>
}

/**
 * Wrong codes of one subject over all its numbers, so that a change of number gives no new guesses. Each lane has
 * its own, and so have known browsers: neither wrong codes of a phone verification nor those of somebody who
 * has only the password may keep anybody from signing in (denial of service by lockout).
 */
export function subjectTally({ store, keys, limits }: TallyParts, name: TallyName, subject: string) {
  const key = keys.tally(name, subject)
  const limited = counter(store, {
    key,
    max: limits.failuresPerSubjectPerDay,
    windowMs,
    code: 'attempts_exhausted',
    limit: 'subject',
  })
  return {
    ...limited,
    /** Takes back every hit; a count never falls below 0. */
    clear: async () => store.increment(key, windowMs, -Number.MAX_SAFE_INTEGER),
  }
}
