import { dayMs, hourMs } from '../../lib/time.js'
import { type Refusal, refused } from '../commands.js'
import { type LedgerLimits, shareOfStrangers } from '../limits.js'
import { isVoided } from './challenge.js'
import {
  type Check,
  type Decision,
  forgiven,
  type Ledger,
  type LedgerView,
  type Rank,
  type Tally,
  withSide,
} from './ledger.js'
import { windowEnd } from './pacing.js'

// How often a code may be tried: shares, windows and the lock.

/** After the first lock, so many further failures lock again. */
const failuresPerFurtherLock = 5
const maxLockMs = hourMs

/** How many of `most` guesses strangers may make: fewer than one challenge allows would shut them out. */
function shareOf(most: number, { browsersAreKnown, attemptsPerChallenge }: LedgerLimits): number {
  if (!browsersAreKnown) return most
  return Math.max(attemptsPerChallenge, shareOfStrangers(most))
}

/**
 * Whether this rank may make no further one of `most` guesses. Known browsers have whatever is left, and no budget of
 * their own beside it: a stolen cookie would give further guesses (brute force).
 */
function areUsedUp({ stranger, known }: Tally, rank: Rank, most: number, limits: LedgerLimits): boolean {
  const allAreUsed = stranger + known >= most
  if (rank === 'known') return allAreUsed && known >= limits.attemptsPerChallenge
  return allAreUsed || stranger >= shareOf(most, limits)
}

/** NIST SP 800-63B-4, 3.2.2: no more than 100 consecutive failures on one authenticator. */
export function isDisabled({ stranger, known }: Ledger, rank: Rank, limits: LedgerLimits): boolean {
  const judged = { stranger: stranger.rejections, known: known.rejections }
  return areUsedUp(judged, rank, limits.failuresBeforeDisable, limits)
}

/** Why this rank may neither start nor try a code now. The lock stops strangers only. */
export function refusalOf({ ledger, now, limits }: LedgerView, rank: Rank): Refusal | undefined {
  if (isDisabled(ledger, rank, limits)) return refused('account_disabled')
  const lockedForMs = rank === 'known' ? 0 : ledger.lockExpiresAt - now
  return lockedForMs > 0 ? refused('account_locked', lockedForMs) : undefined
}

/**
 * How long no code may be tried, whatever the challenge has left; 0 when one may. A window allows the guesses of its own
 * sends only, not those of a code sent just before it (brute force).
 */
export function pauseBeforeCheck({ ledger, now, limits }: LedgerView, rank: Rank): number {
  const { attemptsPerChallenge: each, sendsPerHour, sendsPerDay } = limits
  const known = ledger.known.attempts
  const stranger = ledger.stranger.attempts
  const endOf = (most: number, windowMs: number) => {
    const allEnd = windowEnd([...stranger, ...known], most, windowMs, now)
    return rank === 'known'
      ? Math.min(allEnd, windowEnd(known, each, windowMs, now))
      : Math.max(allEnd, windowEnd(stranger, shareOf(most, limits), windowMs, now))
  }
  return Math.max(0, endOf(each * sendsPerHour, hourMs) - now, endOf(each * sendsPerDay, dayMs) - now)
}

/** How many codes this rank may still try where no challenge counts them: until the lock, at most as many as a challenge. */
export function guessesLeft(view: LedgerView, rank: Rank): number {
  const { ledger, now, limits } = view
  for (let left = 0; left < limits.attemptsPerChallenge; left += 1) {
    const { rejections, attempts } = ledger[rank]
    const change = { rejections: rejections + left, attempts: [...attempts, ...Array(left).fill(now)] }
    const later = { ...view, ledger: withSide(ledger, rank, change) }
    const locks = rank === 'stranger' && left > 0 && lockAfter(rejections + left, limits) !== undefined
    if (locks || refusalOf(later, rank) !== undefined || pauseBeforeCheck(later, rank) > 0) return left
  }
  return limits.attemptsPerChallenge
}

/**
 * The check that has to end before another one. One for each rank: a known browser waits for no stranger, unless both
 * may be the last wrong code that the account allows.
 */
export function checkUnderWay({ ledger, now, limits }: LedgerView, rank: Rank): Check | undefined {
  const running = (of: Rank) => {
    const { check } = ledger[of]
    return check !== undefined && now < check.expiresAt ? check : undefined
  }
  const [own, other] = [running(rank), running(otherThan(rank))]
  const judged = (of: Rank) => ledger[of].rejections + (of !== rank && other !== undefined ? 1 : 0)
  const tally = { stranger: judged('stranger'), known: judged('known') }
  return own ?? (areUsedUp(tally, rank, limits.failuresBeforeDisable, limits) ? other : undefined)
}

export const otherThan = (rank: Rank): Rank => (rank === 'known' ? 'stranger' : 'known')

/** The ledger after one more code of this rank was judged wrong, which may lock it for strangers. */
export function withRejection({ ledger, now, limits }: LedgerView, rank: Rank): Ledger {
  const rejections = ledger[rank].rejections + 1
  const next = withSide(ledger, rank, { rejections })
  const lockMs = rank === 'stranger' ? lockAfter(rejections, limits) : undefined
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
export function unlock({ ledger, now }: LedgerView): Decision<undefined> {
  const none = { attempts: [] }
  const clear = withSide(withSide(forgiven(ledger), 'stranger', none), 'known', none)
  const { challenge } = ledger
  const open = challenge && !isVoided(challenge) ? challenge : undefined
  return {
    outcome: undefined,
    next: {
      ...clear,
      challenge: open && { ...open, attempts: { stranger: 0, known: 0 } },
      sends: ledger.sends.map((send) => ({ ...send, forgiven: true as const })),
      at: now,
    },
  }
}
