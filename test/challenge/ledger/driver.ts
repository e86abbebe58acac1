import { it as plain } from 'vitest'
import type { ChallengeRef } from '../../../src/challenge/commands.js'
import type { Channel, SendResult, Verdict } from '../../../src/challenge/exchange/code-provider.js'
import { reserve } from '../../../src/challenge/ledger/attempts.js'
import { cancel } from '../../../src/challenge/ledger/challenge.js'
import {
  type Challenge,
  type Decision,
  emptyLedger,
  type Ledger,
  type LedgerSnapshot,
  type RequesterTag,
} from '../../../src/challenge/ledger/ledger.js'
import { timeOf } from '../../../src/challenge/ledger/ledgers.js'
import { resend, type SendOutcome, settleSend, start } from '../../../src/challenge/ledger/sends.js'
import { type Attempt, settle } from '../../../src/challenge/ledger/settlement.js'
import type { LedgerLimits } from '../../../src/challenge/limits.js'
import { ledgerLimits, liveShown } from '../kit.js'

/** Who acts, by tags that are easy to read. */
export interface Acting {
  session?: string
  purpose?: string
  bound?: string
  factor?: string
  channel?: Channel
  /** From a browser in which the account has succeeded before. */
  known?: boolean
  /** The last revocation. */
  revocationId?: string
  /** Default: the challenge that lives. */
  displayed?: ChallengeRef
  /** What its numbers have been sent in their day. */
  lastSends?: Readonly<Record<string, readonly string[]>>
  /** The account has several places. */
  hasChoice?: boolean
  /** The provider ends earlier codes with each new one. */
  tellsCodesApart?: boolean
}

export const whoOf = ({ known = false, session = 's1', revocationId }: Acting): RequesterTag => ({
  browserKind: known ? 'known' : 'unknown',
  session,
  ...(revocationId === undefined ? {} : { revocationId }),
})

/** One account's ledger under a hand-moved clock: runs commands and keeps what they leave. */
export function driveLedger(limits: LedgerLimits = ledgerLimits) {
  let ledger: Ledger = emptyLedger
  let clock = 1_000_000_000
  let issued = 0
  const next = (prefix: string) => `${prefix}${++issued}`
  const attempts = new Map<string, Attempt>()

  function run<Outcome>(command: (view: LedgerSnapshot) => Decision<Outcome>): Outcome {
    const decided = command({ ledger, now: timeOf(ledger, clock), limits })
    if (decided.next !== undefined) ledger = decided.next
    return decided.outcome
  }
  const findFactor = ({ factor = 'home' }: Acting) => factor

  const driver = {
    get ledger() {
      return ledger
    },
    get challenge() {
      return ledger.challenge
    },
    /** What strangers have used up. */
    get side() {
      return ledger.unknown
    },
    get now() {
      return clock
    },
    get view(): LedgerSnapshot {
      return { ledger, now: timeOf(ledger, clock), limits }
    },
    /** Moves the clock, also backwards. */
    wait(ms: number) {
      clock += ms
    },
    book(who: Acting = {}) {
      const { purpose = 'login', bound, channel = 'sms' } = who
      const order = {
        sendId: next('send-'),
        challengeId: next('challenge-'),
        ...whoOf(who),
        purpose,
        ...(bound === undefined ? {} : { bound }),
        factor: findFactor(who),
        channel,
        tellsCodesApart: who.tellsCodesApart,
        lastSends: who.lastSends,
      }
      return run((view) => start(view, order))
    },
    settleSend(booked: SendOutcome, result: SendResult) {
      if (booked.outcome !== 'booked') throw new Error(`nothing was booked: ${booked.outcome}`)
      return run((view) => settleSend(view, booked, result))
    },
    /** Books and settles in one step. */
    start(who: Acting = {}, sent: SendResult = { result: 'sent', lifetimeMs: 600_000 }) {
      const outcome = driver.book(who)
      if (outcome.outcome === 'booked') driver.settleSend(outcome, sent)
      return outcome
    },
    bookAgain(who: Acting = {}) {
      const { channel = 'sms', displayed = liveShown(ledger), lastSends } = who
      const order = { ...whoOf(who), displayed, lastSends, sendId: next('send-'), channel }
      return run((view) => resend(view, order))
    },
    resend(who: Acting = {}, sent: SendResult = { result: 'sent', lifetimeMs: 600_000 }) {
      const outcome = driver.bookAgain(who)
      if (outcome.outcome === 'booked') driver.settleSend(outcome, sent)
      return outcome
    },
    reserve(who: Acting = {}, code = next('wrong-'), id = next('attempt-'), sealed?: Challenge) {
      const { displayed = sealed ? { challenge: sealed.id } : liveShown(ledger) } = who
      const { lastSends, hasChoice, tellsCodesApart } = who
      const factor = who.factor ?? sealed?.factor ?? ledger.challenge?.factor ?? 'home'
      const given = { displayed, id, code, factor, lastSends, sealed, hasChoice, tellsCodesApart }
      const attempt = { ...whoOf(who), ...given }
      attempts.set(id, attempt)
      return { id, outcome: run((view) => reserve(view, attempt)) }
    },
    settle(id: string, verdict: Verdict, step?: number) {
      const attempt = attempts.get(id)
      if (attempt === undefined) throw new Error(`nothing was reserved: ${id}`)
      return run((view) => settle(view, attempt, verdict, step))
    },
    /** Reserves and settles in one step. */
    verify(verdict: Verdict, who: Acting = {}, code?: string) {
      const { id, outcome } = driver.reserve(who, code)
      return outcome.outcome === 'reserved' ? driver.settle(id, verdict) : outcome
    },
    /** A code of an app: undefined for a wrong one. */
    show(step: number | undefined, who: Acting = {}) {
      const { id, outcome } = driver.reserve(who, `app ${step}`, undefined, driver.sealedChallenges(who))
      if (outcome.outcome !== 'reserved') return outcome
      return driver.settle(id, step === undefined ? 'rejected' : 'approved', step)
    },
    /** A challenge that no ledger holds. */
    sealedChallenges: (who: Acting = {}): Challenge => ({
      ...whoOf(who),
      id: next('unsent-'),
      purpose: who.purpose ?? 'login',
      factor: 'app',
      channel: 'app',
      attempts: { unknown: 0, known: 0 },
      expiresAt: clock + limits.codeLifetimeMs,
      maxExpiresAt: clock + limits.codeLifetimeMs,
      fixed: true,
    }),
    cancel(who: Acting = {}) {
      return run((view) => cancel(view, whoOf(who)))
    },
    run,
  }
  return driver
}

export type Driver = ReturnType<typeof driveLedger>

/** An account whose challenge is live. */
export function startedLedger(limits?: LedgerLimits) {
  const account = driveLedger(limits)
  account.start()
  return account
}

/** A test with an account of its own: a fresh one, or one whose challenge is live. */
export const it = plain.extend('fresh', () => driveLedger()).extend('started', () => startedLedger())
