import { TwoFactorError } from '../errors.js'
import type { ExchangeFields } from '../events.js'
import { present } from '../lib/json.js'
import { all, allSettled } from '../lib/promises.js'
import { refused, type VerifyCommand, type VerifyOutcome } from './commands.js'
import type { Verdict } from './exchange/code-provider.js'
import type { Codes } from './exchange/codes.js'
import type { DomainServices } from './keys.js'
import { reserve, settle } from './ledger/attempts.js'
import { attemptsCountUntil } from './ledger/challenge.js'
import {
  type Challenge,
  type Consequences,
  judgedIn,
  type LedgerSnapshot,
  type Rejected,
  type Send,
} from './ledger/ledger.js'
import { sendsFor } from './ledger/pacing.js'
import type { Purposes } from './purposes.js'
import type { Counters } from './rate-limits/counters.js'
import type { NumberCounters } from './rate-limits/number-counters.js'
import { type Account, challengeFields, exchangeContextOf, loadDecisionContext } from './reach/account.js'
import type { Accounts } from './reach/accounts.js'
import { type Factor, isPhone } from './reach/factors.js'
import type { SealedChallenges } from './sealed-challenges.js'
import { newCommandId } from './updater.js'

/** Which parts of the domain a code is judged by. */
export interface VerifyParts extends DomainServices {
  readonly codes: Codes
  readonly counters: Counters
  readonly numberCounters: NumberCounters
  readonly accounts: Accounts
  readonly sealedChallenges: SealedChallenges
  readonly purposes: Purposes
}

/** Verify: count the attempt, have it judged, record the verdict. */
export function createVerify(parts: VerifyParts) {
  const { codes, counters, numberCounters, accounts, sealedChallenges, purposes, secrets, emit } = parts

  function rejection(
    account: Account,
    factor: Factor,
    challenge: Challenge,
    outcome: Rejected,
    { ledger, now }: LedgerSnapshot,
    exchange: ExchangeFields = {},
  ): VerifyOutcome {
    const { attemptsRemaining, used, open: wasOpen, lockedForMs: retryAfterMs } = outcome
    const eventFields = challengeFields(account, factor, challenge, exchange)
    emit({ type: 'challenge.rejected', attemptsRemaining, used, inARow: judgedIn(ledger), ...eventFields })
    // Whoever has no try left for a challenge waits for its end as for that of a lock.
    const isSpent = attemptsRemaining <= 0 && isPhone(factor)
    const lockedForMs = isSpent
      ? Math.max(attemptsCountUntil(challenge) - now, retryAfterMs ?? 0)
      : retryAfterMs
    reportLock(account, factor, challenge, { ...outcome, ...present({ lockedForMs }) })
    return { outcome: 'rejected', attemptsRemaining, ...present({ retryAfterMs, wasOpen }) }
  }

  function reportLock(
    account: Account,
    factor: Factor,
    challenge: Challenge,
    { lockedForMs, disabled }: Consequences,
  ): void {
    const eventFields = challengeFields(account, factor, challenge)
    if (lockedForMs !== undefined) emit({ type: 'subject.locked', lockedForMs, ...eventFields })
    if (disabled) emit({ type: 'subject.disabled', ...eventFields })
  }

  return async function verify(command: VerifyCommand): Promise<VerifyOutcome> {
    const account = await accounts.open(command)
    if ('outcome' in account) return refused('challenge_gone')

    // Gather.
    const { lane, ledger } = account
    const sent = () => numberCounters.sentTo(account)
    const { snapshot, requester, counts } = await loadDecisionContext(command, account, undefined, sent)
    const { shown: wasShown = {} } = command
    const sentOrNamed = sealedChallenges.findPendingChallenge(account, wasShown, { snapshot, requester })
    const awaited =
      'outcome' in sentOrNamed
        ? (sealedChallenges.createImpliedChallenge(account, wasShown, { snapshot, requester }) ?? sentOrNamed)
        : sentOrNamed
    if ('outcome' in awaited) return awaited
    const { factor, sealed, shown } = awaited
    const code = factor.typed(command)
    // What no code of this place looks like costs no attempt.
    if (code === undefined) return refused('invalid_request')

    // Decide and commit: counted in the ledger before the code is judged, and only then in the counters, so that of
    // parallel requests one is counted.
    const id = newCommandId()
    const tag = secrets.tag('code-tag', `${factor.key} ${code}`)
    const { hasChoice } = account
    const attempt = { id, shown, sealed, factor: factor.key, code: tag, counts, hasChoice, ...requester }
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
      isPhone(factor) && lane === 'auth'
        ? numberCounters.forCode(factor.key, requester.browserKind)
        : undefined
    const spent = await wrongCode?.take().catch(async (error: unknown) => {
      // Nothing was sent. A store that fails here as well leaves the attempt spent.
      await record('not-sent').catch(() => undefined)
      throw error
    })
    // A used code is rejected whatever the counters return; the provider is not asked about it.
    if (reserved.outcome === 'rejected') return rejection(account, factor, challenge, reserved, reserving)
    if (spent !== undefined) {
      await record('not-sent')
      return spent
    }

    // Ask, and settle.
    const {
      result: verdict,
      step,
      fields: exchange,
    } = factor.judge
      ? { ...factor.judge(code, reserving.now), fields: {} }
      : {
          step: undefined,
          ...(await codes.check(exchangeContextOf(account, factor), {
            destination: factor.phone,
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
        const eventFields = challengeFields(account, factor, { ...challenge, channel }, exchange)
        emit({ type: 'challenge.approved', ...eventFields, ...present({ ageMs }) })
        return { outcome: 'approved', purpose, channel, ...present({ phone: factor.phone, bound }) }
      }
      case 'rejected':
        return rejection(account, factor, challenge, outcome, settled, exchange)
      case 'gone':
        reportLock(account, factor, challenge, outcome)
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
