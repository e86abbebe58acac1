import type { Emit } from '../events.js'
import { dayMs } from '../lib/time.js'
import type { Store } from '../store/store.js'
import type { Keys, TallyName } from './keys.js'
import { enable } from './ledger/guessing.js'
import type { LedgerInHand } from './ledger/ledgers.js'
import type { Limits } from './limits.js'
import { type NumberState, numberState } from './numbers.js'
import type { Grants } from './proofs/grants.js'

/** The wrong codes of a subject's day, over all its numbers. */
export interface TallyState {
  /** Rejected codes at sign-in and step-up in the day that runs. */
  readonly failures: number
  /** Whether `failuresPerSubjectPerDay` has been reached: every further code is refused. */
  readonly locked: boolean
  /** Milliseconds until the day ends; 0 when not locked. */
  readonly lockedForMs: number
}

/** What an operator may ask about a subject: of browsers that are not known, and of those that are. */
export interface SubjectState extends TallyState {
  /** Browsers in which the subject has succeeded before. */
  readonly known: TallyState
  /** Over all of its destinations, where it may have more than a number. */
  readonly destinations: NumberState
}

/** The operator's view of a subject. */
export interface Subjects {
  state(subject: string): Promise<SubjectState>
  /** Forgets the wrong codes of the day, in both lanes and of both kinds of browsers, those of an app, and the recovery codes tried. */
  enable(subject: string): Promise<void>
}

export function createSubjects(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly limits: Limits
  readonly grants: Pick<Grants, 'forgetRecoveryTries'>
  /** The ledger over all destinations. */
  readonly sharedLedger: (subject: string) => LedgerInHand
  readonly emit: Emit
}): Subjects {
  const { store, keys, limits, sharedLedger } = parts

  async function stateOf(name: TallyName, subject: string): Promise<TallyState> {
    const { count, resetInMs } = await store.increment(keys.tally(name, subject), dayMs, 0)
    const locked = count >= limits.failuresPerSubjectPerDay
    return { failures: count, locked, lockedForMs: locked ? resetInMs : 0 }
  }

  return {
    async state(subject) {
      const [strangers, known, seen] = await Promise.all([
        stateOf('auth', subject),
        stateOf('known', subject),
        sharedLedger(subject).read(),
      ])
      return { ...strangers, known, destinations: numberState(seen) }
    },
    async enable(subject) {
      const names = ['auth', 'enrol', 'known'] as const
      // A count never falls below 0.
      const clear = async (key: string) => store.increment(key, dayMs, -Number.MAX_SAFE_INTEGER)
      const cleared = names.map((name) => clear(keys.tally(name, subject)))
      const forgiven = sharedLedger(subject).run(enable)
      await Promise.all([...cleared, forgiven, parts.grants.forgetRecoveryTries(subject)])
      parts.emit({ type: 'subject.enabled', subject })
    },
  }
}
