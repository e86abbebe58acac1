import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import { type LedgerLimits, shareOfUnknownBrowsers } from '../limits.js'
import { isEnded } from './challenge.js'
import {
  type BrowserKind,
  type CountByBrowser,
  type Decision,
  forgiven,
  type Ledger,
  type LedgerSnapshot,
  type PendingCheck,
  updateUsage,
} from './ledger.js'
import { windowEnd } from './pacing.js'

// Limits on attempts: shares, windows and the lock.

/** Number of further failures that locks again after the first lock. */
const failuresPerFurtherLock = 5
const maxLockMs = hourMs

/** Returns the share of `most` attempts for unknown browsers. Less than one challenge allows would exclude them. */
function unknownShareOf(most: number, { browsersAreKnown, attemptsPerChallenge }: LedgerLimits): number {
  if (!browsersAreKnown) return most
  return Math.max(attemptsPerChallenge, shareOfUnknownBrowsers(most))
}

/**
 * Returns whether this browser kind has used its share of `most` attempts. Known browsers use the rest, and no separate
 * limit: a stolen cookie would give further attempts (brute force).
 */
function hasUsedShare(
  { unknown, known }: CountByBrowser,
  browserKind: BrowserKind,
  most: number,
  limits: LedgerLimits,
): boolean {
  const allAreUsed = unknown + known >= most
  if (browserKind === 'known') return allAreUsed && known >= limits.attemptsPerChallenge
  return allAreUsed || unknown >= unknownShareOf(most, limits)
}

/** Returns whether the account is disabled: at most 100 consecutive failures (NIST SP 800-63B-4, 3.2.2). */
export function isDisabled(
  { unknown, known }: Ledger,
  browserKind: BrowserKind,
  limits: LedgerLimits,
): boolean {
  const judged = { unknown: unknown.rejections, known: known.rejections }
  return hasUsedShare(judged, browserKind, limits.failuresBeforeDisable, limits)
}

/** Returns why this browser kind may neither start nor submit a code now. The lock concerns unknown browsers only. */
export function refuseLocked(
  { ledger, now, limits }: LedgerSnapshot,
  browserKind: BrowserKind,
): Refusal | undefined {
  if (isDisabled(ledger, browserKind, limits)) return refused('account_disabled')
  const lockedForMs = browserKind === 'known' ? 0 : ledger.lockExpiresAt - now
  return lockedForMs > 0 ? refused('account_locked', lockedForMs) : undefined
}

/**
 * Returns how long no code can be submitted, whatever the challenge has left. 0 if one can. A window allows the
 * attempts of its own sends only, not those of a code sent just before it (brute force).
 */
export function pauseBeforeCheck({ ledger, now, limits }: LedgerSnapshot, browserKind: BrowserKind): number {
  const { attemptsPerChallenge: each, sendsPerHour, sendsPerDay } = limits
  const known = ledger.known.attempts
  const unknown = ledger.unknown.attempts
  const endOf = (most: number, windowMs: number) => {
    const allEnd = windowEnd([...unknown, ...known], most, windowMs, now)
    return browserKind === 'known'
      ? Math.min(allEnd, windowEnd(known, each, windowMs, now))
      : Math.max(allEnd, windowEnd(unknown, unknownShareOf(most, limits), windowMs, now))
  }
  return Math.max(0, endOf(each * sendsPerHour, hourMs) - now, endOf(each * sendsPerDay, dayMs) - now)
}

/**
 * Returns how many codes this browser kind can still submit if no challenge counts them: until the lock, and at most as
 * many as a challenge allows.
 */
export function guessesLeft(view: LedgerSnapshot, browserKind: BrowserKind): number {
  const { ledger, now, limits } = view
  for (let left = 0; left < limits.attemptsPerChallenge; left += 1) {
    const { rejections, attempts } = ledger[browserKind]
    const change = { rejections: rejections + left, attempts: [...attempts, ...Array(left).fill(now)] }
    const later = { ...view, ledger: updateUsage(ledger, browserKind, change) }
    const locks = browserKind === 'unknown' && left > 0 && lockAfter(rejections + left, limits) !== undefined
    if (locks || refuseLocked(later, browserKind) !== undefined || pauseBeforeCheck(later, browserKind) > 0)
      return left
  }
  return limits.attemptsPerChallenge
}

/**
 * Returns the check that must end before another one. Each browser kind has its own: a known browser does not wait for
 * an unknown one, unless both may be the last wrong code of the account.
 */
export function checkUnderWay(
  { ledger, now, limits }: LedgerSnapshot,
  browserKind: BrowserKind,
): PendingCheck | undefined {
  const running = (of: BrowserKind) => {
    const { check } = ledger[of]
    return check !== undefined && now < check.expiresAt ? check : undefined
  }
  const [own, other] = [running(browserKind), running(otherBrowserKind(browserKind))]
  const judged = (of: BrowserKind) =>
    ledger[of].rejections + (of !== browserKind && other !== undefined ? 1 : 0)
  const tally = { unknown: judged('unknown'), known: judged('known') }
  return own ?? (hasUsedShare(tally, browserKind, limits.failuresBeforeDisable, limits) ? other : undefined)
}

export const otherBrowserKind = (browserKind: BrowserKind): BrowserKind =>
  browserKind === 'known' ? 'unknown' : 'known'

/** Returns the ledger after one more wrong code, which may lock the account for unknown browsers. */
export function addRejection({ ledger, now, limits }: LedgerSnapshot, browserKind: BrowserKind): Ledger {
  const rejections = ledger[browserKind].rejections + 1
  const next = updateUsage(ledger, browserKind, { rejections })
  const lockMs = browserKind === 'unknown' ? lockAfter(rejections, limits) : undefined
  return lockMs === undefined ? next : { ...next, lockExpiresAt: now + lockMs }
}

/**
 * Returns the duration of the lock: the first at `failuresBeforeLock`, then at every fifth failure, each twice as long,
 * up to an hour.
 */
function lockAfter(failures: number, limits: LedgerLimits): number | undefined {
  const beyond = failures - limits.failuresBeforeLock
  if (beyond < 0 || beyond % failuresPerFurtherLock !== 0) return undefined
  const doubled = limits.lockMs * 2 ** (beyond / failuresPerFurtherLock)
  return Math.min(doubled, Math.max(limits.lockMs, maxLockMs))
}

/** Lifts lock and disabling for an operator, and resets the attempts and sends of the account. */
export function unlock({ ledger, now }: LedgerSnapshot): Decision<undefined> {
  const none = { attempts: [] }
  const clear = updateUsage(updateUsage(forgiven(ledger), 'unknown', none), 'known', none)
  const { challenge } = ledger
  const open = challenge && !isEnded(challenge) ? challenge : undefined
  return {
    outcome: undefined,
    next: {
      ...clear,
      challenge: open && { ...open, attempts: { unknown: 0, known: 0 } },
      sends: ledger.sends.map((send) => ({ ...send, forgiven: true as const })),
      at: now,
    },
  }
}
