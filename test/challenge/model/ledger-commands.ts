import type { SendResult, Verdict } from '../../../src/challenge/exchange/code-provider.js'
import { reserve } from '../../../src/challenge/ledger/attempts.js'
import { cancel } from '../../../src/challenge/ledger/challenge.js'
import { unlock } from '../../../src/challenge/ledger/guessing.js'
import type { Ledger, RequesterTag } from '../../../src/challenge/ledger/ledger.js'
import {
  type Booked,
  type ResendOnLedger,
  resend,
  type StartOnLedger,
  settleSend,
  start,
} from '../../../src/challenge/ledger/sends.js'
import { type Attempt, settle } from '../../../src/challenge/ledger/settlement.js'
import type { LedgerLimits as Limits } from '../../../src/challenge/limits.js'

/** The pure ledger as one thing that a seeded bug can take a part of: each thing that a command goes by is an argument. */
export const ledgerCommands = {
  start: (ledger: Ledger, command: StartOnLedger, now: number, limits: Limits) =>
    start({ ledger, now, limits }, command),
  resend: (ledger: Ledger, command: ResendOnLedger, now: number, limits: Limits) =>
    resend({ ledger, now, limits }, command),
  settleSend: (ledger: Ledger, order: Booked, sent: SendResult, now: number, limits: Limits) =>
    settleSend({ ledger, now, limits }, order, sent),
  reserve: (ledger: Ledger, attempt: Attempt, now: number, limits: Limits) =>
    reserve({ ledger, now, limits }, attempt),
  settle: (
    ledger: Ledger,
    attempt: Attempt,
    verdict: Verdict,
    step: number | undefined,
    now: number,
    limits: Limits,
  ) => settle({ ledger, now, limits }, attempt, verdict, step),
  cancel: (ledger: Ledger, who: RequesterTag, now: number, limits: Limits) =>
    cancel({ ledger, now, limits }, who),
  enable: (ledger: Ledger, now: number, limits: Limits) => unlock({ ledger, now, limits }),
}

export type LedgerCommands = typeof ledgerCommands
