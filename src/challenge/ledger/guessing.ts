import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import { type LedgerLimits, shareOfUnknownBrowsers } from '../limits.js'
import { isEnded } from './challenge.js'
import {
  type BrowserKind,
  type Check,
  type CountByBrowser,
  type Decision,
  forgiven,
  type Ledger,
  type LedgerSnapshot,
  updateUsage,
} from './ledger.js'
import { windowEnd } from './pacing.js'

// How often a code may be tried: shares, windows and the lock.

/** After the first lock, so many further failures lock again. */
const failuresPerFurtherLock = 5
const maxLockMs = hourMs

/** How many of `most` guesses strangers may make: fewer than one challenge allows would shut them out. */
function unknownShareOf(most: number, { browsersAreKnown, attemptsPerChallenge }: LedgerLimits): number {
  if (!browsersAreKnown) return most
  return Math.max(attemptsPerChallenge, shareOfUnknownBrowsers(most))
}

/**
 * Whether this rank may make no further one of `most` guesses. Known browsers have whatever is left, and no budget of
 * their own beside it: a stolen cookie would give further guesses (brute force).
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

/** NIST SP 800-63B-4, 3.2.2: no more than 100 consecutive failures on one authenticator. */
export function isDisabled(
  { unknown, known }: Ledger,
  browserKind: BrowserKind,
  limits: LedgerLimits,
): boolean {
  const judged = { unknown: unknown.rejections, known: known.rejections }
  return hasUsedShare(judged, browserKind, limits.failuresBeforeDisable, limits)
}

/** Why this rank may neither start nor try a code now. The lock stops strangers only. */
export function refuseLocked(
  { ledger, now, limits }: LedgerSnapshot,
  browserKind: BrowserKind,
): Refusal | undefined {
  if (isDisabled(ledger, browserKind, limits)) return refused('account_disabled')
  const lockedForMs = browserKind === 'known' ? 0 : ledger.lockExpiresAt - now
  return lockedForMs > 0 ? refused('account_locked', lockedForMs) : undefined
}

/**
 * How long no code may be tried, whatever the challenge has left; 0 when one may. A window allows the guesses of its own
 * sends only, not those of a code sent just before it (brute force).
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

/** How many codes this rank may still try where no challenge counts them: until the lock, at most as many as a challenge. */
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
 * The check that has to end before another one. One for each rank: a known browser waits for no stranger, unless both
 * may be the last wrong code that the account allows.
 */
export function checkUnderWay(
  { ledger, now, limits }: LedgerSnapshot,
  browserKind: BrowserKind,
): Check | undefined {
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

/** The ledger after one more code of this rank was judged wrong, which may lock it for strangers. */
export function addRejection({ ledger, now, limits }: LedgerSnapshot, browserKind: BrowserKind): Ledger {
  const rejections = ledger[browserKind].rejections + 1
  const next = updateUsage(ledger, browserKind, { rejections })
  const lockMs = browserKind === 'unknown' ? lockAfter(rejections, limits) : undefined
  return lockMs === undefined ? next : { ...next, lockExpiresAt: now + lockMs }
}

/** How long this many failures lock: the first at `failuresBeforeLock`, then every fifth, each twice as long, up to an hour. */
function lockAfter(failures: number, limits: LedgerLimits): number | undefined {
  const beyond = failures - limits.failuresBeforeLock
  if (beyond < 0 || beyond % failuresPerFurtherLock !== 0) return undefined
  const doubled = limits.lockMs * 2 ** (beyond / failuresPerFurtherLock)
  return Math.min(doubled, Math.max(limits.lockMs, maxLockMs))
}

/** The operator's command: lifts lock and disabling, and what the account has used up of guesses and sends. */
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
