import { dayMs } from '../lib/time.js'
import { type PhoneNumber, parsePhoneNumber } from '../phone-number.js'
import { type Basis, hashId } from './keys.js'
import { enable, isDisabled, pauseBeforeCheck } from './ledger/guessing.js'
import type { BudgetName, LedgerView } from './ledger/ledger.js'
import { pauseBeforeSend } from './ledger/pacing.js'
import type { Lane, Limits } from './limits.js'
import type { Grants } from './proofs/grants.js'
import type { Targets } from './targets.js'

// What an operator sees of numbers and subjects that are locked, and how they are let in again.

/** What one kind of browser may do with a number, or with all destinations of a subject. */
export interface BudgetState {
  /** Whether too many wrong codes came, for a while. */
  readonly locked: boolean
  /** Milliseconds until the lock ends; 0 when not locked. */
  readonly lockedForMs: number
  /** Whether so many came that only `enable` lifts it. */
  readonly disabled: boolean
  /** Attempts since the last success. */
  readonly failures: number
  /** Milliseconds until a code may be sent; 0 when one may. Waiting does not enable a disabled number. */
  readonly nextSendInMs: number
  /** Milliseconds until a code may be checked; 0 when one may. */
  readonly nextCheckInMs: number
}

/** The same of browsers that are not known, and of those that are. */
export interface NumberState extends BudgetState {
  /** Browsers in which the subject has succeeded before. */
  readonly known: BudgetState
}

/** The operator's view of a number on file. Both methods reject with a TypeError for a string that is not a phone number. */
export interface Numbers {
  /**
   * What a number may do now.
   *
   * @example
   * const { locked, lockedForMs, disabled } = await tf.numbers.state('+573001234567')
   */
  state(phone: string): Promise<NumberState>
  /** Lifts a disabled or locked number, for both kinds of browsers. */
  enable(phone: string): Promise<void>
}

export function createNumbers({ emit }: Basis, targets: Targets): Numbers {
  return {
    async state(phone) {
      return numberState(await targets.ledgerOf(await numberFrom(phone)).read())
    },
    async enable(phone) {
      await targets.ledgerOf(await numberFrom(phone)).run(enable)
      emit({ type: 'number.enabled' })
    },
  }
}

/** What may be done by what was read. */
function numberState(seen: LedgerView): NumberState {
  const { ledger, now, limits } = seen
  const stateOf = (name: BudgetName): BudgetState => {
    const budget = ledger[name]
    const lockedForMs = Math.max(0, budget.lockExpiresAt - now)
    return {
      locked: lockedForMs > 0,
      lockedForMs,
      disabled: isDisabled(ledger, name, limits),
      failures: budget.attemptsSinceSuccess,
      nextSendInMs: Math.max(lockedForMs, pauseBeforeSend(seen, name, 'sms')?.retryAfterMs ?? 0),
      nextCheckInMs: Math.max(lockedForMs, pauseBeforeCheck(seen, name)),
    }
  }
  return { ...stateOf('strangers'), known: stateOf('known') }
}

async function numberFrom(given: string): Promise<PhoneNumber> {
  const parsed = await parsePhoneNumber(typeof given === 'string' ? given : '', { countries: 'any' })
  if (parsed.ok) return parsed.phone
  throw new TypeError('phone must be one number in international form, such as +573001234567')
}

/** Which wrong codes of a subject are counted together. `known`: those typed in known browsers at sign-in and step-up. */
type Tally = Lane | 'known'

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
export function createSubjects(
  parts: Basis & {
    readonly limits: Limits
    readonly grants: Pick<Grants, 'forgetRecoveryTries'>
    readonly targets: Pick<Targets, 'shared'>
  },
) {
  const { store, keys, limits, targets } = parts

  const tally = (name: Tally, subject: string) => keys.counter(`${name}-tally`, hashId(subject))

  async function stateOf(name: Tally, subject: string): Promise<TallyState> {
    const { count, resetInMs } = await store.increment(tally(name, subject), dayMs, 0)
    const locked = count >= limits.failuresPerSubjectPerDay
    return { failures: count, locked, lockedForMs: locked ? resetInMs : 0 }
  }

  return {
    async state(subject: string): Promise<SubjectState> {
      const [strangers, known, seen] = await Promise.all([
        stateOf('auth', subject),
        stateOf('known', subject),
        targets.shared(subject).read(),
      ])
      return { ...strangers, known, destinations: numberState(seen) }
    },
    /** Forgets the wrong codes of the day, in both lanes and of both kinds of browsers, those of an app, and the recovery codes tried. */
    async enable(subject: string): Promise<void> {
      const names = ['auth', 'enrol', 'known'] as const
      // A count never falls below 0.
      const clear = async (key: string) => store.increment(key, dayMs, -Number.MAX_SAFE_INTEGER)
      const cleared = names.map((name) => clear(tally(name, subject)))
      const forgiven = targets.shared(subject).run(enable)
      await Promise.all([...cleared, forgiven, parts.grants.forgetRecoveryTries(subject)])
      parts.emit({ type: 'subject.enabled', subject })
    },
  }
}
