import type { Accounts } from './accounts.js'
import type { NumberCounters } from './budgets/number-counters.js'
import type { Basis } from './keys.js'
import { enable, isDisabled, pauseBeforeCheck } from './ledger/guessing.js'
import type { Ledger, Rank } from './ledger/ledger.js'
import { reservedUntil, roomAt } from './ledger/pacing.js'
import type { Grants } from './proofs/grants.js'

// What an operator sees of accounts that are locked, and how they are let in again.

/** What browsers may do in which the subject has succeeded before. Times in milliseconds. */
export interface KnownState {
  /** Whether so many wrong codes came that only `enable` lifts it. */
  readonly disabled: boolean
  /** Until a code may be sent, the cooldown of a single number apart; 0 when one may. Waiting does not enable. */
  readonly nextSendInMs: number
  /** Until a code may be checked; 0 when one may. */
  readonly nextCheckInMs: number
}

/** What an account may do, over all its numbers and its app: outside `known`, in browsers that are not known. */
export interface SubjectState extends KnownState {
  /** Whether too many wrong codes came, for a while. */
  readonly locked: boolean
  /** Milliseconds until the lock ends; 0 when not locked. */
  readonly lockedForMs: number
  /** Wrong codes since the last success, in all browsers. */
  readonly judged: number
  /** Browsers in which the subject has succeeded before. */
  readonly known: KnownState
}

/** The operator's view of an account. */
export function createSubjects(
  parts: Basis & {
    readonly grants: Pick<Grants, 'forgetRecoveryTries'>
    readonly accounts: Pick<Accounts, 'ledgerOf'>
    readonly numberCounters: NumberCounters
  },
) {
  const { accounts, numberCounters, grants, emit } = parts

  /** By their keys: what an account was sent to in the last day. */
  const numbersIn = ({ sends }: Ledger) => [...new Set(sends.map(({ place }) => place))]

  return {
    async state(subject: string): Promise<SubjectState> {
      const seen = await accounts.ledgerOf(subject).read()
      const { ledger, now, limits } = seen
      const lockedForMs = Math.max(0, ledger.lockExpiresAt - now)
      const stateOf = async (rank: Rank): Promise<KnownState> => {
        const waits = await Promise.all(numbersIn(ledger).map((number) => numberCounters.waits(number, rank)))
        const ofLock = rank === 'stranger' ? lockedForMs : 0
        const freeAt = Math.max(reservedUntil(seen, rank), roomAt(seen, rank, 'sms'))
        return {
          disabled: isDisabled(ledger, rank, limits),
          nextSendInMs: Math.max(ofLock, freeAt - now, ...waits.map(({ sendMs }) => sendMs)),
          nextCheckInMs: Math.max(
            ofLock,
            pauseBeforeCheck(seen, rank),
            ...waits.map(({ checkMs }) => checkMs),
          ),
        }
      }
      const [strangers, known] = await Promise.all([stateOf('stranger'), stateOf('known')])
      const judged = ledger.stranger.rejections + ledger.known.rejections
      return { locked: lockedForMs > 0, lockedForMs, judged, ...strangers, known }
    },

    /**
     * Lifts lock and disabling, and forgets what was counted: guesses and sends, those of the numbers that codes went to,
     * and the recovery codes tried.
     */
    async enable(subject: string): Promise<void> {
      const ledger = accounts.ledgerOf(subject)
      const numbers = numbersIn((await ledger.read()).ledger)
      await Promise.all([
        ledger.run(enable),
        ...numbers.map((number) => numberCounters.clear(number)),
        grants.forgetRecoveryTries(subject),
      ])
      emit({ type: 'subject.enabled', subject })
    },
  }
}
