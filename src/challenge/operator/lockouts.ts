import { parsePhoneNumber } from '../../phone-number.js'
import type { DomainServices } from '../keys.js'
import { attemptsCountUntil } from '../ledger/challenge.js'
import { isDisabled, pauseBeforeCheck, unlock } from '../ledger/guessing.js'
import {
  type BrowserKind,
  countConsecutiveWrongCodes,
  type Ledger,
  type LedgerSnapshot,
} from '../ledger/ledger.js'
import { cooldownExpiresAt, reservedUntil, roomAt, unjudgedPauseExpiresAt } from '../ledger/pacing.js'
import type { Devices } from '../proofs/devices.js'
import type { Grants } from '../proofs/grants.js'
import type { NumberCounters, NumberState } from '../rate-limits/number-counters.js'
import type { Accounts } from '../reach/accounts.js'

// An operator's view of locked accounts, and how to unlock them.

/** State of browsers in which the account has signed in before. Times are milliseconds. */
export interface KnownState {
  /** True after too many wrong codes, until `unlock`. */
  readonly disabled: boolean
  /**
   * Milliseconds until a code may be sent to every number that received one in the last day, without cooldowns. Another
   * number or the app may be free earlier. 0 if nothing blocks a send. Waiting does not lift a disabled account.
   */
  readonly nextSendInMs: number
  /** Milliseconds until a code for each of these numbers may be checked. */
  readonly nextCheckInMs: number
}

/** State of an account, over all its numbers and its app. Members outside of `known` concern unknown browsers. */
export interface SubjectState extends KnownState {
  /** True while the account is locked after too many wrong codes. */
  readonly locked: boolean
  /** Milliseconds until the lock ends. 0 if there is none. */
  readonly lockedForMs: number
  /** Consecutive wrong codes in all browsers. */
  readonly judged: number
  /** State of browsers in which the account has signed in before. */
  readonly known: KnownState
  /** Counters of the number in the request, over all accounts. Absent without a number. */
  readonly number?: NumberState
}

/** A number whose counters the request concerns, too: an account whose start was refused has no send. */
export interface OfNumber {
  /** With its country code. */
  readonly phone?: string | undefined
}

/** What `unlock` reset besides the counters of the account. */
export interface Unlocked {
  /** How many numbers had their counters over all accounts reset: each that received a code of the account, and `phone`. */
  readonly numbers: number
}

/** Reasons that block a send or a check, each with its duration in milliseconds. 0 if it does not block. */
export interface Waits {
  readonly disabled: boolean
  readonly send: Readonly<
    Record<'lock' | 'challenge' | 'knownBrowser' | 'sends' | 'unjudged' | 'number', number>
  >
  /** The pause after the last code, for the number that received it. */
  readonly cooldown: number
  readonly check: Readonly<Record<'lock' | 'challenge' | 'guesses' | 'number', number>>
}

/** The waits of each number of the account. */
type NumberWaits = readonly Awaited<ReturnType<NumberCounters['waits']>>[]

/** Returns the waits of one kind of browser. */
export function waitsOf(
  snapshot: LedgerSnapshot,
  browserKind: BrowserKind,
  numbers: NumberWaits = [],
): Waits {
  const { ledger, now, limits } = snapshot
  const lock = browserKind === 'unknown' ? lockedForMs(snapshot) : 0
  const last = ledger.sends.findLast((send) => send.browserKind === browserKind)
  const until = (moment: number) => Math.max(0, moment - now)
  // Until the challenge ends, its attempts pass to each challenge that replaces it.
  const isSpent = (ledger.challenge?.attempts[browserKind] ?? 0) >= limits.attemptsPerChallenge
  const challenge = ledger.challenge && isSpent ? until(attemptsCountUntil(ledger.challenge)) : 0
  return {
    disabled: isDisabled(ledger, browserKind, limits),
    send: {
      lock,
      challenge,
      knownBrowser: until(reservedUntil(snapshot, browserKind)),
      sends: until(roomAt(snapshot, browserKind, 'sms')),
      unjudged: until(unjudgedPauseExpiresAt(snapshot, browserKind)),
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

/** Returns the longest wait. */
export const longest = (waits: Readonly<Record<string, number>>): number => Math.max(...Object.values(waits))

const stateOf = ({ disabled, send, check }: Waits): KnownState => ({
  disabled,
  nextSendInMs: longest(send),
  nextCheckInMs: longest(check),
})

/** Creates an operator's view of accounts. */
export function createSubjects(
  parts: DomainServices & {
    readonly grants: Pick<Grants, 'forgetRecoveryTries' | 'revokeEverything'>
    readonly devices: Pick<Devices, 'forgetSubject'>
    readonly accounts: Pick<Accounts, 'ledgerOf'>
    readonly numberCounters: NumberCounters
  },
) {
  const { accounts, numberCounters, grants, devices, keys, emit } = parts

  /** Returns the keys of the numbers to which the account was sent a code in the last day, and of one more. */
  const numbersIn = ({ sends }: Ledger, number: string | undefined) => [
    ...new Set([...sends.map(({ factor }) => factor), ...(number === undefined ? [] : [number])]),
  ]

  /** Returns the key of a number. Throws a TypeError if it is none. */
  async function numberOf({ phone }: OfNumber): Promise<string | undefined> {
    if (phone === undefined) return undefined
    const parsed = await parsePhoneNumber(phone, { countries: 'any' })
    if (parsed.ok) return keys.number(parsed.phone)
    throw new TypeError(
      `subjects: phone must be a number with its country code, such as '+573001234567' (${parsed.refusal})`,
    )
  }

  /** Reads the ledger of an account, its number, and the waits of both kinds of browsers. */
  async function look(subject: string, of: OfNumber = {}) {
    const number = await numberOf(of)
    const snapshot = await accounts.ledgerOf(subject).read()
    const waits = async (browserKind: BrowserKind) =>
      waitsOf(
        snapshot,
        browserKind,
        await Promise.all(
          numbersIn(snapshot.ledger, number).map((one) => numberCounters.waits(one, browserKind)),
        ),
      )
    const [strangers, known, ofNumber] = await Promise.all([
      waits('unknown'),
      waits('known'),
      number === undefined ? undefined : numberCounters.state(number),
    ])
    return { snapshot, strangers, known, ...(ofNumber && { number: ofNumber }) }
  }

  return {
    look,

    async state(subject: string, of?: OfNumber): Promise<SubjectState> {
      const { snapshot, strangers, known, number } = await look(subject, of)
      const forMs = lockedForMs(snapshot)
      const judged = countConsecutiveWrongCodes(snapshot.ledger)
      const state = { locked: forMs > 0, lockedForMs: forMs, judged, ...stateOf(strangers) }
      return { ...state, known: stateOf(known), ...(number && { number }) }
    },

    /**
     * Lifts a lock or disabling and resets the counters: attempts and sends of the account, of the numbers that
     * received codes and of `phone`, and recovery attempts.
     */
    async unlock(subject: string, of: OfNumber = {}): Promise<Unlocked> {
      const number = await numberOf(of)
      const ledger = accounts.ledgerOf(subject)
      const numbers = numbersIn((await ledger.read()).ledger, number)
      await Promise.all([
        ledger.run(unlock),
        ...numbers.map((number) => numberCounters.clear(number)),
        grants.forgetRecoveryTries(subject),
      ])
      emit({ type: 'subject.unlocked', subject })
      return { numbers: numbers.length }
    },

    /** Revokes grants, codes on their way, known and trusted browsers. */
    async revokeEverything(subject: string): Promise<void> {
      await grants.revokeEverything(subject)
      await devices.forgetSubject(subject)
    },
  }
}
