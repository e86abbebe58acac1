import type { Channel } from '../code-provider.js'
import type { LedgerLimits } from '../limits.js'

/**
 * Which budget an action is counted in. `known`: browsers in which this subject has succeeded before. With
 * one budget for all, an attacker with the password could lock the owner out (denial of service).
 */
export type BudgetName = 'strangers' | 'known'

/** Who acts on a number. Tags, never the ids themselves. */
export type Who = {
  readonly budget: BudgetName
  readonly session: string
  readonly subject: string
  /** The last revocation before; undefined when there was none recently. */
  readonly epoch?: string | undefined
}

/** Whose challenge it is and for what. */
export type Binding = Who & {
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
}

export type Challenge = Binding & {
  readonly id: string
  readonly channel: Channel
  readonly attempts: number
  /** 0: no code is accepted for it any more, but its attempts are still inherited. */
  readonly expiresAt: number
  /** No resend carries it past this moment. */
  readonly maxExpiresAt: number
  /** Until when its attempts stay spent, if it expires before that. */
  readonly spentUntil?: number | undefined
  /** Not its code, but something else tells a replay: the code is the same each time, or an app has shown it. */
  readonly fixed?: true | undefined
  /** What the code provider wants back at the check. */
  readonly handle?: string | undefined
  /** Tags of the codes that were rejected since its last send. Each of them cost an attempt. */
  readonly wrongCodes?: readonly string[] | undefined
  /** What the person is shown, sealed. */
  readonly details?: string | undefined
  /** Key of the destination, where the subject may have several. */
  readonly number?: string | undefined
}

export type Send = {
  readonly id: string
  readonly at: number
  readonly channel: Channel
  /** The challenge it was for; undefined once that was approved. */
  readonly challenge?: string | undefined
  /** The provider refused it: it costs its cooldown and nothing else. */
  readonly refused?: true | undefined
}

/** A send of an approved challenge counts towards the absolute caps only. */
export function isApproved(send: Send): boolean {
  return send.challenge === undefined
}

/** A send that the provider refused costs its cooldown only: nothing was delivered. */
export function isSent(send: Send): boolean {
  return send.refused === undefined
}

/** The one check that may be under way in a budget. */
export type Lease = {
  readonly attempt: string
  readonly challenge: string
  readonly code: string
  /** The last send when it began: a code that was sent later is another one. */
  readonly send?: string | undefined
  readonly expiresAt: number
}

/** What an attempt did to its number. */
export type Consequences = {
  /** This failure locked it. */
  readonly lockedForMs?: number
  /** This failure disabled it. */
  readonly disabled?: true
}

export type Rejected = Consequences & {
  readonly outcome: 'rejected'
  readonly attemptsRemaining: number
  /** Whether the code had been used before. */
  readonly used: boolean
}

export type Approved = {
  readonly outcome: 'approved'
  /** Of the challenge, as its last code went out. */
  readonly channel: Channel
}

/** What a verdict came to. */
export type SettleOutcome =
  | Approved
  | Rejected
  /** `spent`: there was no verdict. `gone`: the attempt or its challenge no longer exists. */
  | (Consequences & { readonly outcome: 'spent' | 'gone' })
  | { readonly outcome: 'refunded' }

/** The attempt that was settled last: whoever had no answer from the store settles it again, and is told the same. */
export type Settled = { readonly attempt: string; readonly outcome: SettleOutcome }

/** A destination by its key, and how the code travelled there. */
type Way = { readonly number: string; readonly channel: Channel }

export type UsedCode = { readonly code: string; readonly at: number }

/** What one kind of browser has used up, and its challenge. */
export type Budget = {
  readonly challenge?: Challenge | undefined
  readonly lease?: Lease | undefined
  readonly settled?: Settled | undefined
  /** Judged or not. */
  readonly attemptsSinceSuccess: number
  /** Those among them that the provider, or the memory of used codes, called wrong. */
  readonly rejections: number
  /** 0: never locked since the last success. */
  readonly lockExpiresAt: number
  readonly sends: readonly Send[]
  /** The moments of the attempts of the last day, but for those that succeeded. */
  readonly attemptTimes: readonly number[]
}

/** Stored with every ledger. It changes only when a member changes its meaning; versions refuse another one. */
export const format = 1

/**
 * Everything remembered about one number in one lane, as it is stored. Two versions of this package share a store
 * while one is rolled out, so a new member is optional, and copies are made by spreading: what a later version has
 * added is kept. Absent members are set to undefined: objects of one shape are copied ten times as fast, and every
 * command makes a copy.
 */
export type Ledger = {
  readonly format: typeof format
  /** Id of the command that wrote it last. */
  readonly command: string
  readonly strangers: Budget
  /** At most one of the two challenges is live: the provider knows number and code, but no challenge. */
  readonly known: Budget
  /** Shared by both budgets: a code is accepted once (replay). */
  readonly usedCodes: readonly UsedCode[]
  /** The last step of an app whose code was taken (RFC 6238, 5.2). */
  readonly lastStep?: number | undefined
  /** Where its last right code had been sent, where the subject may have several destinations: that one comes first. */
  readonly lastWay?: Way | undefined
  /** When it last changed. */
  readonly at: number
}

/** A ledger, and the time and the limits of whoever decides on it. */
export interface LedgerView {
  readonly ledger: Ledger
  readonly now: number
  readonly limits: LedgerLimits
  /** That of the subject, where its attempts count over several destinations. */
  readonly shared?: LedgerView
}

/** What a command returns and, only if something changed, the ledger after it. */
export interface Decision<Outcome> {
  readonly outcome: Outcome
  readonly next?: Ledger
}

export const emptyBudget: Budget = {
  challenge: undefined,
  lease: undefined,
  settled: undefined,
  attemptsSinceSuccess: 0,
  rejections: 0,
  lockExpiresAt: 0,
  sends: [],
  attemptTimes: [],
}

export const emptyLedger: Ledger = {
  format,
  command: '',
  strangers: emptyBudget,
  known: emptyBudget,
  usedCodes: [],
  lastStep: undefined,
  at: 0,
}

/** The ledger with one of its budgets replaced. */
export function withBudget(ledger: Ledger, name: BudgetName, budget: Budget, now: number): Ledger {
  // Not by a computed name, which copies three times as slowly.
  return name === 'known' ? { ...ledger, known: budget, at: now } : { ...ledger, strangers: budget, at: now }
}
