import { TwoFactorError } from '../errors.js'
import type { AboutExchange } from '../events.js'
import { present } from '../lib/json.js'
import { all, allSettled } from '../lib/promises.js'
import { refused, type VerifyCommand, type VerifyOutcome } from './commands.js'
import type { Verdict } from './exchange/code-provider.js'
import type { Codes } from './exchange/codes.js'
import type { Basis } from './keys.js'
import { reserve, settle } from './ledger/attempts.js'
import { spentUntil } from './ledger/challenge.js'
import {
  type Challenge,
  type Consequences,
  judgedIn,
  type LedgerView,
  type Rejected,
  type Send,
} from './ledger/ledger.js'
import { sendsFor } from './ledger/pacing.js'
import type { Purposes } from './purposes.js'
import type { Counters } from './rate-limits/counters.js'
import type { NumberCounters } from './rate-limits/number-counters.js'
import { type Account, about, askerOf, gather } from './reach/account.js'
import type { Accounts } from './reach/accounts.js'
import { isNumber, type Place } from './reach/factors.js'
import type { Unsent } from './sealed-challenges.js'
import { newCommandId } from './updater.js'

/** Which parts of the domain a code is judged by. */
export interface VerifyParts extends Basis {
  readonly codes: Codes
  readonly counters: Counters
  readonly numberCounters: NumberCounters
  readonly accounts: Accounts
  readonly unsent: Unsent
  readonly purposes: Purposes
}

/** Verify: count the attempt, have it judged, record the verdict. */
export function createVerify(parts: VerifyParts) {
  const { codes, counters, numberCounters, accounts, unsent, purposes, secrets, emit } = parts

  function rejection(
    account: Account,
    place: Place,
    challenge: Challenge,
    outcome: Rejected,
    { ledger, now }: LedgerView,
    exchange: AboutExchange = {},
  ): VerifyOutcome {
    const { attemptsRemaining, used, open: wasOpen, lockedForMs: retryAfterMs } = outcome
    const told = about(account, place, challenge, exchange)
    emit({ type: 'challenge.rejected', attemptsRemaining, used, inARow: judgedIn(ledger), ...told })
    // Whoever has no try left for a challenge waits for its end as for that of a lock.
    const isSpent = attemptsRemaining <= 0 && isNumber(place)
    const lockedForMs = isSpent ? Math.max(spentUntil(challenge) - now, retryAfterMs ?? 0) : retryAfterMs
    reportLock(account, place, challenge, { ...outcome, ...present({ lockedForMs }) })
    return { outcome: 'rejected', attemptsRemaining, ...present({ retryAfterMs, wasOpen }) }
  }

  function reportLock(
    account: Account,
    place: Place,
    challenge: Challenge,
    { lockedForMs, disabled }: Consequences,
  ): void {
    const told = about(account, place, challenge)
    if (lockedForMs !== undefined) emit({ type: 'subject.locked', lockedForMs, ...told })
    if (disabled) emit({ type: 'subject.disabled', ...told })
  }

  return async function verify(command: VerifyCommand): Promise<VerifyOutcome> {
    const account = await accounts.open(command)
    if ('outcome' in account) return refused('challenge_gone')

    // Gather.
    const { lane, ledger } = account
    const sent = () => numberCounters.sentTo(account)
    const { seen, who, counts } = await gather(command, account, undefined, sent)
    const { shown: wasShown = {} } = command
    const sentOrNamed = unsent.awaited(account, wasShown, { seen, who })
    const awaited =
      'outcome' in sentOrNamed ? (unsent.begun(account, wasShown, { seen, who }) ?? sentOrNamed) : sentOrNamed
    if ('outcome' in awaited) return awaited
    const { place, sealed, shown } = awaited
    const code = place.typed(command)
    // What no code of this place looks like costs no attempt.
    if (code === undefined) return refused('invalid_request')

    // Decide and commit: counted in the ledger before the code is judged, and only then in the counters, so that of
    // parallel requests one is counted.
    const id = newCommandId()
    const tag = secrets.tag('code-tag', `${place.key} ${code}`)
    const { hasChoice } = account
    const attempt = { id, shown, sealed, place: place.key, code: tag, counts, hasChoice, ...who }
    const reserving = await ledger.run((view) => reserve(view, attempt))
    const { outcome: reserved } = reserving
    if (reserved.outcome === 'refused') return reserved
    if (reserved.outcome === 'repeated') {
      const { attemptsRemaining, open: wasOpen } = reserved
      return { outcome: 'rejected', attemptsRemaining, ...present({ wasOpen }) }
    }
    const { challenge } = reserved
    const record = async (verdict: Verdict, step?: number) =>
      ledger.run((view) => settle(view, attempt, verdict, step))
    const wrongCode =
      isNumber(place) && lane === 'auth' ? numberCounters.forCode(place.key, who.rank) : undefined
    const spent = await wrongCode?.take().catch(async (error: unknown) => {
      // Nothing was sent. A store that fails here as well leaves the attempt spent.
      await record('not-sent').catch(() => undefined)
      throw error
    })
    // A used code is rejected whatever the counters return; the provider is not asked about it.
    if (reserved.outcome === 'rejected') return rejection(account, place, challenge, reserved, reserving)
    if (spent !== undefined) {
      await record('not-sent')
      return spent
    }

    // Ask, and settle.
    const {
      result: verdict,
      step,
      about: exchange,
    } = place.judge
      ? { ...place.judge(code, reserving.now), about: {} }
      : {
          step: undefined,
          ...(await codes.check(askerOf(account, place), {
            destination: place.phone,
            appName: purposes.appNameOf(challenge.purpose),
            code,
            handle: reserved.handle,
            details: accounts.detailsOf(account, challenge),
          })),
        }
    const [settled] = await all([
      record(verdict, step),
      // A give-back that fails must not take back what was proven.
      verdict === 'rejected' ? undefined : allSettled([wrongCode?.undo()]),
    ])
    const { outcome, now } = settled
    switch (outcome.outcome) {
      case 'approved': {
        const sends = sendsFor(challenge, reserving.ledger.sends)
        // A count that fails must not take back what was proven.
        await counters.proven(account, sends.length).catch(() => undefined)
        const { purpose, bound } = challenge
        const { channel } = outcome
        const ageMs = sends.length === 0 ? undefined : ageOf(sends, now)
        const told = about(account, place, { ...challenge, channel }, exchange)
        emit({ type: 'challenge.approved', ...told, ...present({ ageMs }) })
        return { outcome: 'approved', purpose, channel, ...present({ phone: place.phone, bound }) }
      }
      case 'rejected':
        return rejection(account, place, challenge, outcome, settled, exchange)
      case 'gone':
        reportLock(account, place, challenge, outcome)
        return refused('challenge_gone')
      case 'spent':
      case 'refunded':
        throw noVerdict(verdict)
    }
  }
}

/** How long ago the last of the codes was sent. */
function ageOf(sends: readonly Send[], now: number): number {
  return Math.max(0, now - Math.max(...sends.map(({ at }) => at)))
}

/** Nobody knows whether the code was right, so its attempt stays spent unless the provider was not asked. */
function noVerdict(verdict: Verdict): TwoFactorError {
  if (verdict === 'unavailable') {
    return new TwoFactorError('verification_unavailable', { message: 'The provider gave no verdict.' })
  }
  return new TwoFactorError('provider_unavailable', { message: 'The provider cannot be asked about codes.' })
}
