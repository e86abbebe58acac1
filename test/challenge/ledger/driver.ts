import { it as plain } from 'vitest'
import type { Channel, SendResult, Verdict } from '../../../src/challenge/code-provider.js'
import type { Shown } from '../../../src/challenge/commands.js'
import { reserve, settle } from '../../../src/challenge/ledger/attempts.js'
import { cancel } from '../../../src/challenge/ledger/challenge.js'
import {
  type Decision,
  emptyLedger,
  type Ledger,
  type LedgerView,
} from '../../../src/challenge/ledger/ledger.js'
import { timeOf } from '../../../src/challenge/ledger/ledgers.js'
import { resend, type SendOutcome, start } from '../../../src/challenge/ledger/sends.js'
import { settleSend } from '../../../src/challenge/ledger/settled-send.js'
import type { LedgerLimits } from '../../../src/challenge/limits.js'
import { ledgerLimits, liveShown } from '../kit.js'

/** Who acts, by tags that are easy to read. */
export interface Who {
  session?: string
  subject?: string
  purpose?: string
  bound?: string
  channel?: Channel
  /** By which it must have come. */
  methods?: readonly Channel[]
  /** Under which its code is filed. */
  appName?: string
  /** From a browser in which the subject has succeeded before. */
  known?: boolean
  /** The last revocation. */
  epoch?: string
  /** Default: the challenge that lives. */
  shown?: Shown
}

/** One number's ledger under a hand-moved clock: runs commands and keeps what they leave. */
export function driveLedger(limits: LedgerLimits = ledgerLimits, from = 1_000_000_000) {
  let ledger: Ledger = emptyLedger
  let clock = from
  let issued = 0
  const next = (prefix: string) => `${prefix}${++issued}`

  function run<Outcome>(command: (view: LedgerView) => Decision<Outcome>): Outcome {
    const decision = command({ ledger, now: timeOf(ledger, clock), limits })
    if (decision.next !== undefined) ledger = decision.next
    return decision.outcome
  }
  const whoOf = ({ known = false, session = 's1', subject = 'ana', epoch }: Who) => ({
    budget: known ? ('known' as const) : ('strangers' as const),
    session,
    subject,
    ...(epoch === undefined ? {} : { epoch }),
  })
  const bindingOf = ({ purpose = 'login', bound, ...who }: Who) => ({
    ...whoOf(who),
    purpose,
    ...(bound === undefined ? {} : { bound }),
  })

  const driver = {
    get ledger() {
      return ledger
    },
    /** What strangers have used up: nearly all tests are about one budget. */
    get budget() {
      return ledger.strangers
    },
    get now() {
      return clock
    },
    /** Moves the clock, also backwards. */
    wait(ms: number) {
      clock += ms
    },
    book(who: Who = {}) {
      const order = {
        sendId: next('send-'),
        challengeId: next('challenge-'),
        ...bindingOf(who),
        channel: who.channel ?? 'sms',
        appName: who.appName,
        methods: who.methods,
      }
      return run((view) => start(view, order))
    },
    settleSend(booked: SendOutcome, sent: SendResult) {
      if (booked.outcome !== 'booked') throw new Error(`nothing was booked: ${booked.outcome}`)
      return run((view) => settleSend(view, booked, sent))
    },
    /** Books and settles in one step. */
    start(who: Who = {}, sent: SendResult = { result: 'sent', lifetimeMs: 600_000 }) {
      const outcome = driver.book(who)
      if (outcome.outcome === 'booked') driver.settleSend(outcome, sent)
      return outcome
    },
    resend(who: Who = {}, sent: SendResult = { result: 'sent', lifetimeMs: 600_000 }) {
      const sendId = next('send-')
      const channel = who.channel === undefined ? {} : { channel: who.channel }
      const shown = who.shown ?? liveShown(ledger, whoOf(who))
      const outcome = run((view) => resend(view, { ...whoOf(who), shown, sendId, ...channel }))
      if (outcome.outcome === 'booked') driver.settleSend(outcome, sent)
      return outcome
    },
    reserve(who: Who = {}, code = next('wrong-'), id = next('attempt-')) {
      const shown = who.shown ?? liveShown(ledger, whoOf(who))
      return { id, outcome: run((view) => reserve(view, { ...whoOf(who), shown, id, code })) }
    },
    settle: (id: string, verdict: Verdict) => run((view) => settle(view, id, verdict)),
    /** Reserves and settles in one step. */
    verify(verdict: Verdict, who: Who = {}, code?: string) {
      const { id, outcome } = driver.reserve(who, code)
      return outcome.outcome === 'reserved' ? driver.settle(id, verdict) : outcome
    },
    cancel(who: Who = {}) {
      return run((view) => cancel(view, whoOf(who)))
    },
    run,
  }
  return driver
}

/** A number whose challenge is live. */
export function startedLedger(limits?: LedgerLimits) {
  const number = driveLedger(limits)
  number.start()
  return number
}

/** A test with a number of its own: a fresh one, or one whose challenge is live. */
export const it = plain.extend('fresh', () => driveLedger()).extend('started', () => startedLedger())
