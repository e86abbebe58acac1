import type { DomainServices } from '../keys.js'
import { attemptsCountUntil } from '../ledger/challenge.js'
import { isDisabled, pauseBeforeCheck, unlock } from '../ledger/guessing.js'
import { type BrowserKind, judgedIn, type Ledger, type LedgerSnapshot } from '../ledger/ledger.js'
import { cooldownExpiresAt, reservedUntil, roomAt } from '../ledger/pacing.js'
import type { Devices } from '../proofs/devices.js'
import type { Grants } from '../proofs/grants.js'
import type { NumberCounters } from '../rate-limits/number-counters.js'
import type { Accounts } from '../reach/accounts.js'

// What an operator sees of accounts that are locked, and how they are let in again.

/** What browsers may do in which the subject has succeeded before. Times in milliseconds. */
export interface KnownState {
  /** Whether so many wrong codes came that only `unlock` lifts it. */
  readonly disabled: boolean
  /**
   * Until a code may be sent to each number that the account was sent one in the last day, cooldowns apart: another number
   * may be free before, and so may the app. 0 when nothing is in the way. Waiting does not lift it.
   */
  readonly nextSendInMs: number
  /** The same until a code of each may be checked. */
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

/** What keeps a code from being sent or checked, and for how long in milliseconds; 0 where it does not. */
export interface Waits {
  readonly disabled: boolean
  readonly send: Readonly<Record<'lock' | 'challenge' | 'knownBrowser' | 'sends' | 'number', number>>
  /** After the last code, at the number that it went to. */
  readonly cooldown: number
  readonly check: Readonly<Record<'lock' | 'challenge' | 'guesses' | 'number', number>>
}

/** What its numbers have to wait for by themselves, each. */
type NumberWaits = readonly Awaited<ReturnType<NumberCounters['waits']>>[]

/** What this rank has to wait for. */
export function waitsOf(
  snapshot: LedgerSnapshot,
  browserKind: BrowserKind,
  numbers: NumberWaits = [],
): Waits {
  const { ledger, now, limits } = snapshot
  const lock = browserKind === 'unknown' ? lockedForMs(snapshot) : 0
  const last = ledger.sends.findLast((send) => send.browserKind === browserKind)
  const until = (moment: number) => Math.max(0, moment - now)
  // Its attempts pass on to whatever replaces it, until its end.
  const isSpent = (ledger.challenge?.attempts[browserKind] ?? 0) >= limits.attemptsPerChallenge
  const challenge = ledger.challenge && isSpent ? until(attemptsCountUntil(ledger.challenge)) : 0
  return {
    disabled: isDisabled(ledger, browserKind, limits),
    send: {
      lock,
      challenge,
      knownBrowser: until(reservedUntil(snapshot, browserKind)),
      sends: until(roomAt(snapshot, browserKind, 'sms')),
      number: Math.max(0, ...numbers.map(({ sendMs }) => sendMs)),
    },
    cooldown: last === undefined ? 0 : until(cooldownExpiresAt(snapshot, browserKind, last)),
    check: {
      lock,
      challenge,
      guesses: pauseBeforeCheck(snapshot, browserKind),
      number: Math.max(0, ...numbers.map(({ checkMs }) => checkMs)),
    },
  }
}

export const lockedForMs = ({ ledger, now }: LedgerSnapshot): number =>
  Math.max(0, ledger.lockExpiresAt - now)

/** The longest of them. */
export const longest = (waits: Readonly<Record<string, number>>): number => Math.max(...Object.values(waits))

const stateOf = ({ disabled, send, check }: Waits): KnownState => ({
  disabled,
  nextSendInMs: longest(send),
  nextCheckInMs: longest(check),
})

/** The operator's view of an account. */
export function createSubjects(
  parts: DomainServices & {
    readonly grants: Pick<Grants, 'forgetRecoveryTries' | 'revokeEverything'>
    readonly devices: Pick<Devices, 'forgetSubject'>
    readonly accounts: Pick<Accounts, 'ledgerOf'>
    readonly numberCounters: NumberCounters
  },
) {
  const { accounts, numberCounters, grants, devices, emit } = parts

  /** By their keys: what an account was sent to in the last day. */
  const numbersIn = ({ sends }: Ledger) => [...new Set(sends.map(({ factor }) => factor))]

  /** Its ledger, and what either kind of browser has to wait for. */
  async function look(subject: string) {
    const snapshot = await accounts.ledgerOf(subject).read()
    const waits = async (browserKind: BrowserKind) =>
      waitsOf(
        snapshot,
        browserKind,
        await Promise.all(
          numbersIn(snapshot.ledger).map((number) => numberCounters.waits(number, browserKind)),
        ),
      )
    const [strangers, known] = await Promise.all([waits('unknown'), waits('known')])
    return { snapshot, strangers, known }
  }

  return {
    look,

    async state(subject: string): Promise<SubjectState> {
      const { snapshot, strangers, known } = await look(subject)
      const forMs = lockedForMs(snapshot)
      const judged = judgedIn(snapshot.ledger)
      return { locked: forMs > 0, lockedForMs: forMs, judged, ...stateOf(strangers), known: stateOf(known) }
    },

    /**
     * Lifts lock and disabling, and forgets what was counted: guesses and sends, those of the numbers that codes went to,
     * and the recovery codes tried.
     */
    async unlock(subject: string): Promise<void> {
      const ledger = accounts.ledgerOf(subject)
      const numbers = numbersIn((await ledger.read()).ledger)
      await Promise.all([
        ledger.run(unlock),
        ...numbers.map((number) => numberCounters.clear(number)),
        grants.forgetRecoveryTries(subject),
      ])
      emit({ type: 'subject.unlocked', subject })
    },

    /** Ends all that it has. */
    async revokeEverything(subject: string): Promise<void> {
      await grants.revokeEverything(subject)
      await devices.forgetSubject(subject)
    },
  }
}
