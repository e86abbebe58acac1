import type { Channel } from '../exchange/code-provider.js'
import type { LedgerLimits } from '../limits.js'

/**
 * `known`: a browser in which this account has succeeded before. It gets no further guesses, but strangers cannot use
 * up all of them: an attacker with the password could otherwise lock the owner out (denial of service).
 */
export type BrowserKind = 'unknown' | 'known'

/** How many of each rank. */
export type CountByBrowser = { readonly [Each in BrowserKind]: number }

/** Who acts. A tag, never the id itself. */
export type RequesterTag = {
  readonly browserKind: BrowserKind
  /** At sign-in the session, at sign-up the visitor. */
  readonly session: string
  /** The last revocation before; undefined when there was none recently. */
  readonly revocationId?: string | undefined
}

/** Whose challenge it is, and for what. */
export type ChallengeScope = RequesterTag & {
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
}

/** What a number has had in its day, over all accounts. */
export type NumberCount = {
  /** How often a provider was asked to send to it, also in vain. */
  readonly asked: number
  /** The codes among them, a call as two, without what was refused and given back. */
  readonly sent: number
}

export type Challenge = ChallengeScope & {
  readonly id: string
  /** Key of the place that its code comes from. */
  readonly factor: string
  readonly channel: Channel
  /** Codes that were typed for it and for whatever it replaced. Each rank is held to its own count. */
  readonly attempts: CountByBrowser
  /** 0: no code is accepted for it any more, but its attempts are still inherited. */
  readonly expiresAt: number
  /** No resend carries it past this moment. */
  readonly maxExpiresAt: number
  /** Until when its attempts stay spent, if it expires before that. */
  readonly attemptsCountUntil?: number | undefined
  /** Not its code, but something else tells a replay: the code is the same each time, or an app has shown it. */
  readonly fixed?: true | undefined
  /**
   * Where no handle tells whose code it is: what its number had had when its last code went out. What was asked for in vain
   * since for this challenge is in it.
   */
  readonly count?: NumberCount | undefined
  /** Tags of the codes that were rejected since its last send. Each of them cost an attempt. */
  readonly wrongCodes?: readonly string[] | undefined
  /** Tags of the codes about which no verdict came. */
  readonly openCodes?: readonly string[] | undefined
  /** What the person is shown, sealed. */
  readonly details?: string | undefined
}

export type Send = {
  readonly id: string
  readonly at: number
  readonly browserKind: BrowserKind
  readonly factor: string
  readonly channel: Channel
  /** The challenge it was for; undefined once that was approved. */
  readonly challenge?: string | undefined
  /** What became of it. `booked`: nobody knows yet. `refused`: by the provider, so that nothing was delivered. */
  readonly state: 'booked' | 'sent' | 'unconfirmed' | 'refused'
  /** By an operator. */
  readonly forgiven?: true | undefined
  /** The provider had no verdict on its code. */
  readonly unjudged?: true | undefined
}

/** A check that is under way. */
export type Check = {
  readonly attempt: string
  readonly at: number
  /** Until when it keeps others of its rank waiting. */
  readonly expiresAt: number
  readonly code: string
  /** The challenge; undefined for one that is not in the ledger. */
  readonly challenge?: string | undefined
  /** The last send when it began: a code that was sent later is another one. */
  readonly send?: string | undefined
}

/** What an attempt did to its account. */
export type Consequences = {
  /** This failure locked it for strangers. */
  readonly lockedForMs?: number
  /** This failure disabled it for whoever typed the code. */
  readonly disabled?: true
}

export type Rejected = Consequences & {
  readonly outcome: 'rejected'
  readonly attemptsRemaining: number
  /** Whether the code had been used before. */
  readonly used: boolean
  /** It was typed before, and no verdict came: it may have been right then. */
  readonly open?: true
}

/** What a verdict came to. */
export type SettleOutcome =
  /** `channel`: by which the last code went out. */
  | { readonly outcome: 'approved'; readonly channel: Channel }
  | Rejected
  /** `spent`: there was no verdict. `gone`: the attempt or its challenge no longer exists. */
  | (Consequences & { readonly outcome: 'spent' | 'gone' })
  | { readonly outcome: 'refunded' }

/** What one kind of browser has used up. */
export type BrowserUsage = {
  /** The moments of the attempts of the last day, but for those that succeeded. */
  readonly attempts: readonly number[]
  /** The codes among them that were judged wrong since the last success. */
  readonly rejections: number
  readonly check?: Check | undefined
  /** The last that was settled: asked about again, the ledger says the same, whoever wrote meanwhile. */
  readonly settled?: { readonly attempt: string; readonly outcome: SettleOutcome } | undefined
}

/** What the provider wants back at the check of the last code that went to a place. */
export type Handle = {
  readonly factor: string
  readonly challenge: string
  readonly handle: string
  readonly expiresAt: number
}

/** Stored with every ledger. It changes only when a member changes its meaning; versions refuse another one. */
export const format = 1

/**
 * Everything remembered about one account at sign-in, about one number at sign-up, as it is stored. Two versions of this
 * package share a store while one is rolled out, so a new member is optional, and copies are made by spreading: what a
 * later version has added is kept. Absent members are set to undefined: objects of one shape are copied ten times as
 * fast, and every command makes a copy.
 */
export type Ledger = {
  readonly format: typeof format
  /** Id of the command that wrote it last. */
  readonly command: string
  /** The one whose code was sent. A provider knows number and code, but no challenge. */
  readonly challenge?: Challenge | undefined
  readonly sends: readonly Send[]
  readonly unknown: BrowserUsage
  readonly known: BrowserUsage
  /** Of strangers. 0: never since the last success. */
  readonly lockExpiresAt: number
  /** A code is accepted once (replay). */
  readonly usedCodes: readonly { readonly code: string; readonly at: number }[]
  readonly handles?: readonly Handle[] | undefined
  /** The last step of an app whose code was taken (RFC 6238, 5.2). */
  readonly lastStep?: number | undefined
  /** Where the last code came from that was right: it is shown first. */
  readonly last?: { readonly factor: string; readonly channel: Channel } | undefined
  /** When it last changed. */
  readonly at: number
}

/** A ledger, and the time and the limits of whoever decides on it. */
export interface LedgerSnapshot {
  readonly ledger: Ledger
  readonly now: number
  readonly limits: LedgerLimits
}

/** What a command returns and, only if something changed, the ledger after it. */
export interface Decision<Outcome> {
  readonly outcome: Outcome
  readonly next?: Ledger
}

const unusedSide: BrowserUsage = { attempts: [], rejections: 0, check: undefined, settled: undefined }

export const emptyLedger: Ledger = {
  format,
  command: '',
  challenge: undefined,
  sends: [],
  unknown: unusedSide,
  known: unusedSide,
  lockExpiresAt: 0,
  usedCodes: [],
  handles: undefined,
  lastStep: undefined,
  last: undefined,
  at: 0,
}

/** The ledger with one of its sides changed. */
export function updateUsage(ledger: Ledger, browserKind: BrowserKind, change: Partial<BrowserUsage>): Ledger {
  const side = { ...ledger[browserKind], ...change }
  // Not by a computed name, which copies three times as slowly.
  return browserKind === 'known' ? { ...ledger, known: side } : { ...ledger, unknown: side }
}

/** As the ledger without failures and lock: after a success, or by an operator. */
export function forgiven(ledger: Ledger): Ledger {
  const none = { rejections: 0 }
  return { ...updateUsage(updateUsage(ledger, 'unknown', none), 'known', none), lockExpiresAt: 0 }
}

/** Wrong codes since the last success, of both ranks. */
export const judgedIn = ({ unknown, known }: Ledger): number => unknown.rejections + known.rejections
