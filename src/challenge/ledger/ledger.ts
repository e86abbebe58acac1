import type { Channel } from '../exchange/code-provider.js'
import type { LedgerLimits } from '../limits.js'

/**
 * `known`: a browser in which this account has signed in before. It has no further attempts, but unknown browsers
 * cannot use all of them. Otherwise an attacker with the password could lock the owner out (denial of service).
 */
export type BrowserKind = 'unknown' | 'known'

/** A count for each kind of browser. */
export type CountByBrowser = { readonly [Each in BrowserKind]: number }

/** Identifies the requester by a hash, never by an id. */
export type RequesterTag = {
  readonly browserKind: BrowserKind
  /** Tag of the session, or at a sign-up of the visitor. */
  readonly session: string
  /** Id of the last revocation. Undefined if there was none recently. */
  readonly revocationId?: string | undefined
}

/** The owner and the purpose of a challenge. */
export type ChallengeScope = RequesterTag & {
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
}

/** A code that the provider has not decided on. Checking it again is not a new guess. */
export type UndecidedCode = {
  /** Tag of the code. */
  readonly code: string
  /** Time of its attempt. */
  readonly at: number
  /** Time of its last check. */
  readonly checkedAt: number
  /** Number of its checks. */
  readonly checks: number
}

export type Challenge = ChallengeScope & {
  readonly id: string
  /** Key of the factor of its code. */
  readonly factor: string
  readonly channel: Channel
  /** Codes submitted for this challenge and those it replaced. Each browser kind has its own count. */
  readonly attempts: CountByBrowser
  /** The attempts among them that were used before its start. */
  readonly inherited?: CountByBrowser | undefined
  /** 0 if the challenge accepts no more codes. Its attempts are still inherited. */
  readonly expiresAt: number
  /** Latest expiry, which no resend extends. */
  readonly maxExpiresAt: number
  /** Lifetime at its start, which a later option does not change. Absent in a challenge of an earlier version. */
  readonly lifetimeMs?: number | undefined
  /** Time until which its attempts count, if it expires before. */
  readonly attemptsCountUntil?: number | undefined
  /**
   * True if `usedCodes` does not concern it: the code of an app is checked by `lastStep`, and a fixed code is the same
   * each time, but a success ends its challenge.
   */
  readonly fixed?: true | undefined
  /** True if the provider may not tell its code from codes of other accounts with this number. */
  readonly isByNumber?: true | undefined
  /** Tags of the codes that were rejected after its last send. Each used an attempt. */
  readonly wrongCodes?: readonly string[] | undefined
  /** Tags of the earlier codes of this challenge that were submitted after its last send. They used no attempt. */
  readonly replacedCodes?: readonly string[] | undefined
  /** Tags of all earlier codes whose attempts came back, over all sends. */
  readonly refundedCodes?: readonly string[] | undefined
  /** The codes without a verdict, submitted after its last send. */
  readonly undecidedCodes?: readonly UndecidedCode[] | undefined
  /** The details that the user sees, sealed. */
  readonly details?: string | undefined
}

export type Send = {
  readonly id: string
  readonly at: number
  readonly browserKind: BrowserKind
  readonly factor: string
  readonly channel: Channel
  /** Challenge of the send. Undefined after its approval, if no code of the send can be received later. */
  readonly challenge?: string | undefined
  /**
   * State of the send. `booked`: recorded, outcome not known yet. `refused`: by the provider, so nothing was delivered.
   */
  readonly state: 'booked' | 'sent' | 'unconfirmed' | 'refused'
  /** The provider refused to send anything before this time. */
  readonly retryAt?: number | undefined
  /** True if the provider refused the account or every send, and not this number. */
  readonly isOfService?: true | undefined
  /** True if the code was also sent to another number, so that it proves nothing. */
  readonly isVoid?: true | undefined
  /** True after an operator's reset, and after an approval that did not end its code. */
  readonly forgiven?: true | undefined
  /** True if the provider returned no verdict for its code. */
  readonly unjudged?: true | undefined
  /**
   * Sends of other challenges to this factor that were under way with it. The provider may have received them in any
   * order.
   */
  readonly overlaps?: readonly string[] | undefined
}

/** A check in progress. */
export type PendingCheck = {
  readonly attempt: string
  readonly at: number
  /** Time until which it blocks other checks of its browser kind. */
  readonly expiresAt: number
  readonly code: string
  /** Its challenge. Undefined for a sealed one. */
  readonly challenge?: string | undefined
  /** The last send at the start of the check. A later send is another code. */
  readonly send?: string | undefined
  /** True if the code had an attempt before, which got no verdict. This check used none. */
  readonly isRetry?: true | undefined
}

/** Effect of an attempt on the account. */
export type Consequences = {
  /** This failure locked the account for unknown browsers. */
  readonly lockedForMs?: number
  /** This failure disabled the account for this browser kind. */
  readonly disabled?: true
}

export type Rejected = Consequences & {
  readonly outcome: 'rejected'
  readonly attemptsRemaining: number
  /** True if the code was used before. */
  readonly used: boolean
  /** The code was submitted before without a verdict. It may have been correct then. */
  readonly undecided?: true
  /** The code is an earlier one of this challenge. It used no attempt. */
  readonly replaced?: true
}

/** Effect of a verdict. */
export type SettleOutcome =
  /** `channel` is that of the last code. */
  | { readonly outcome: 'approved'; readonly channel: Channel }
  | Rejected
  /** `no-verdict`: the attempt stays used. `gone`: the attempt or its challenge no longer exists. */
  | (Consequences & { readonly outcome: 'no-verdict' | 'gone' })
  | { readonly outcome: 'refunded' }

/** Usage of one kind of browser. */
export type BrowserUsage = {
  /** Times of the attempts of the last day, without successful ones. */
  readonly attempts: readonly number[]
  /** Wrong codes among them since the last success. */
  readonly rejections: number
  readonly check?: PendingCheck | undefined
  /** The last settled attempt. A repeated settle returns the same outcome, whatever was written meanwhile. */
  readonly settled?: { readonly attempt: string; readonly outcome: SettleOutcome } | undefined
}

/** The provider's id of the last code that was sent to a factor. */
export type Handle = {
  readonly factor: string
  readonly challenge: string
  readonly handle: string
  readonly expiresAt: number
  /** Handles of the last earlier codes of this challenge, the newest first. */
  readonly earlier?: readonly string[] | undefined
}

/** A code or a signed challenge that was accepted. `by` is the command that accepted a signature. */
export type UsedCode = { readonly code: string; readonly at: number; readonly by?: string | undefined }

/** Stored with every ledger. It changes only if a member changes its meaning. Other versions refuse it. */
export const format = 1

/**
 * Everything that is stored about one account at sign-in, or one number at sign-up. During a rollout two versions of
 * this package share a store, so a new member is optional, and copies are made by spreading, which keeps the members of
 * a later version. Absent members are set to undefined: objects of one shape are copied ten times as fast, and every
 * command makes a copy.
 */
export type Ledger = {
  readonly format: typeof format
  /** Id of the last command that wrote it. */
  readonly command: string
  /** The challenge whose code was sent. A provider knows number and code, but no challenge. */
  readonly challenge?: Challenge | undefined
  readonly sends: readonly Send[]
  readonly unknown: BrowserUsage
  readonly known: BrowserUsage
  /** End of the lock for unknown browsers. 0 without a lock since the last success. */
  readonly lockExpiresAt: number
  /** Each code is accepted once (replay). */
  readonly usedCodes: readonly UsedCode[]
  readonly handles?: readonly Handle[] | undefined
  /** Step of the last accepted code of an app (RFC 6238, 5.2). */
  readonly lastStep?: number | undefined
  /** Destination of the last correct code. Pages show it first. */
  readonly last?: { readonly factor: string; readonly channel: Channel } | undefined
  /** Time of the last change. */
  readonly at: number
}

/** A ledger with the time and the limits of a decision. */
export interface LedgerSnapshot {
  readonly ledger: Ledger
  readonly now: number
  readonly limits: LedgerLimits
}

/** Outcome of a command, with the next ledger if it changed. */
export interface Decision<Outcome> {
  readonly outcome: Outcome
  readonly next?: Ledger
}

// Shared, because a million challenges have no attempt.
export const noAttempts: CountByBrowser = { unknown: 0, known: 0 }

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

/** Returns the ledger with changed usage of one browser kind. */
export function updateUsage(ledger: Ledger, browserKind: BrowserKind, change: Partial<BrowserUsage>): Ledger {
  const side = { ...ledger[browserKind], ...change }
  // A computed name would copy three times as slowly.
  return browserKind === 'known' ? { ...ledger, known: side } : { ...ledger, unknown: side }
}

/** Returns the ledger without failures and lock: after a success, or by an operator. */
export function forgiven(ledger: Ledger): Ledger {
  const none = { rejections: 0 }
  return { ...updateUsage(updateUsage(ledger, 'unknown', none), 'known', none), lockExpiresAt: 0 }
}

/** Returns the consecutive wrong codes of both browser kinds. */
export const countConsecutiveWrongCodes = ({ unknown, known }: Ledger): number =>
  unknown.rejections + known.rejections
