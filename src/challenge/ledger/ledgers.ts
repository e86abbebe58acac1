import { TwoFactorError } from '../../errors.js'
import { clockLeewayMs } from '../../lib/time.js'
import { forgottenAfter } from '../../lib/totp.js'
import type { Json } from '../../store/store.js'
import type { DomainServices } from '../keys.js'
import type { LedgerLimits } from '../limits.js'
import { createUpdater } from '../updater.js'
import { attemptsCountUntil } from './challenge.js'
import { isDisabled } from './guessing.js'
import {
  type BrowserUsage,
  type Challenge,
  type Decision,
  emptyLedger,
  format,
  type Ledger,
  type LedgerSnapshot,
  type Send,
} from './ledger.js'
import { cooldownExpiresAt, isUncounted, rememberedMs } from './pacing.js'

/** Outcome of a command with the ledger after it and the time it used. */
export interface CommandResult<Outcome> extends LedgerSnapshot {
  readonly outcome: Outcome
}

/** The ledger during one request, which reads it once for all its commands. */
export interface LedgerHandle {
  /** Reads the ledger for the next command. */
  read(): Promise<LedgerSnapshot>
  /** Decides on the ledger that was read or written last, and writes by compare-and-swap. */
  run<Outcome>(command: Command<Outcome>): Promise<CommandResult<Outcome>>
}

/** A decision on a ledger. */
export type Command<Outcome> = (view: LedgerSnapshot) => Decision<Outcome>

/** Creates access to ledgers: connects the pure commands with store and clock. */
export function createLedgers({ store, now: clock, emit }: DomainServices) {
  function viewOf(stored: Json | undefined, limits: LedgerLimits): LedgerSnapshot {
    if (stored === undefined) return { ledger: emptyLedger, now: clock(), limits }
    if (!isLedger(stored)) {
      emit({ type: 'store.failed', command: 'read', cause: unreadableLedger })
      throw new TwoFactorError('store_unavailable', { message: unreadableLedger })
    }
    return { ledger: stored, now: timeOf(stored, clock()), limits }
  }

  return (key: string, limits: LedgerLimits): LedgerHandle => {
    const entry = createUpdater<Ledger>(store, key)
    return {
      read: async () => viewOf(await entry.read(), limits),
      run: (command) =>
        entry.update((stored) => {
          const view = viewOf(stored, limits)
          const { outcome, next } = command(view)
          if (next === undefined) return { outcome: { outcome, ...view } }
          const after = { outcome, ledger: next, now: view.now, limits }
          const ttlMs = keptForMs(after)
          // A ledger without content is removed: refused starts must not fill the store.
          return { outcome: after, put: { value: ttlMs === 0 ? undefined : next, ttlMs } }
        }),
    }
  }
}

const unreadableLedger =
  'A ledger cannot be read. Does another program, or another version, write to this store?'

/** Returns whether a stored value is a ledger. A missing figure would restart at zero, so such a value is refused. */
function isLedger(stored: Json): stored is Ledger {
  const ledger: Partial<Ledger> = Object(stored)
  return (
    ledger.format === format &&
    Number.isFinite(ledger.at) &&
    Number.isFinite(ledger.lockExpiresAt) &&
    (ledger.challenge === undefined || isChallenge(ledger.challenge)) &&
    isSide(ledger.unknown) &&
    isSide(ledger.known) &&
    haveMoments(ledger.sends) &&
    haveMoments(ledger.usedCodes)
  )
}

function isSide(stored: BrowserUsage | undefined): boolean {
  const { attempts, rejections, check }: Partial<BrowserUsage> = Object(stored)
  return (
    Number.isFinite(rejections) &&
    (check === undefined || Number.isFinite(check?.expiresAt)) &&
    Array.isArray(attempts) &&
    attempts.every(Number.isFinite)
  )
}

const isChallenge = (challenge: Challenge): boolean =>
  Number.isFinite(challenge?.attempts?.unknown) &&
  Number.isFinite(challenge.attempts.known) &&
  Number.isFinite(challenge.expiresAt) &&
  Number.isFinite(challenge.maxExpiresAt) &&
  (challenge.attemptsCountUntil === undefined || Number.isFinite(challenge.attemptsCountUntil)) &&
  (challenge.wrongCodes === undefined || Array.isArray(challenge.wrongCodes))

const haveMoments = (list: readonly { readonly at: number }[] | undefined): boolean =>
  Array.isArray(list) && list.every((one) => Number.isFinite(one?.at))

/** For failures and the last destination. */
const longRememberedMs = 30 * rememberedMs
const disabledRememberedMs = 365 * rememberedMs

/** Returns the time of a command. The ledger of another machine may be slightly ahead of this clock. */
export function timeOf(ledger: Ledger, clock: number): number {
  const lead = ledger.at - clock
  return lead > 0 && lead <= clockLeewayMs ? ledger.at : clock
}

/**
 * Returns how long the ledger must be kept. 0 if it has no content. Dropping it earlier would refund attempts or sends
 * (brute force).
 */
export function keptForMs(view: LedgerSnapshot): number {
  const { ledger, now, limits } = view
  const { challenge, sends, unknown, known, at } = ledger
  const haveFailed = unknown.rejections + known.rejections > 0
  // An account that is disabled for known browsers is disabled for unknown ones, too.
  const areDisabled = isDisabled(ledger, 'unknown', limits)
  const expiries = [
    challenge === undefined ? 0 : attemptsCountUntil(challenge),
    ledger.lastStep === undefined ? 0 : forgottenAfter(ledger.lastStep),
    forgottenAt(ledger.usedCodes.at(-1)?.at),
    forgottenAt(sends.findLast((send) => !isUncounted(send, limits))?.at),
    ...sends.map(({ retryAt = 0 }) => retryAt),
    // A user who types numbers that the provider refuses must not fill the store for a day.
    ...waysOf(sends).map((send) => cooldownExpiresAt(view, send.browserKind, send)),
    forgottenAt(unknown.attempts.at(-1)),
    forgottenAt(known.attempts.at(-1)),
    haveFailed || ledger.last !== undefined ? at + longRememberedMs : 0,
    areDisabled ? at + disabledRememberedMs : 0,
  ]
  return Math.max(now, ...expiries) - now
}

/** Returns one send per destination and browser kind, because these share one cooldown. */
const waysOf = (sends: readonly Send[]): readonly Send[] => [
  ...new Map(sends.map((send) => [`${send.browserKind} ${send.channel} ${send.factor}`, send])).values(),
]

/** Returns the time from which a moment no longer counts. 0 if it never happened. */
const forgottenAt = (at: number | undefined) => (at === undefined ? 0 : at + rememberedMs)
