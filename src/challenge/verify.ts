import { TwoFactorError } from '../errors.js'
import type { ExchangeFields } from '../events.js'
import { present } from '../lib/json.js'
import { refused, type VerifyCommand, type VerifyOutcome } from './commands.js'
import type { Verdict } from './exchange/code-provider.js'
import type { Codes } from './exchange/codes.js'
import type { DomainServices } from './keys.js'
import { reserve } from './ledger/attempts.js'
import { attemptsCountUntil } from './ledger/challenge.js'
import {
  type Challenge,
  type Consequences,
  countConsecutiveWrongCodes,
  type LedgerSnapshot,
  type Rejected,
  type Send,
} from './ledger/ledger.js'
import { sendsFor } from './ledger/pacing.js'
import { settle } from './ledger/settlement.js'
import type { Purposes } from './purposes.js'
import type { Counters } from './rate-limits/counters.js'
import type { NumberCounters } from './rate-limits/number-counters.js'
import type { Accounts } from './reach/accounts.js'
import {
  type Account,
  browserFields,
  browserKindAt,
  challengeFields,
  exchangeContextOf,
  loadDecisionContext,
} from './reach/decision-context.js'
import { type Factor, isPhone, isSigned } from './reach/factors.js'
import type { SealedChallenges } from './sealed-challenges.js'
import { createVerifySignature } from './signatures.js'
import { newCommandId } from './updater.js'

/** Parts of the domain that a check needs. */
export interface VerifyParts extends DomainServices {
  readonly codes: Codes
  readonly counters: Counters
  readonly numberCounters: NumberCounters
  readonly accounts: Accounts
  readonly sealedChallenges: SealedChallenges
  readonly purposes: Purposes
}

/** A challenge whose code is checked, with its account and factor. */
interface CheckedChallenge {
  readonly account: Account
  readonly factor: Factor
  readonly challenge: Challenge
}

/** Creates verify: count the attempt, check the code, record the verdict. */
export function createVerify(parts: VerifyParts) {
  const { codes, counters, numberCounters, accounts, sealedChallenges, purposes, secrets, emit } = parts
  const verifySignature = createVerifySignature(parts)

  function reportRejection(
    checked: CheckedChallenge,
    outcome: Rejected,
    { ledger, now }: LedgerSnapshot,
    exchange: ExchangeFields = {},
  ): VerifyOutcome {
    const { account, factor, challenge } = checked
    const { attemptsRemaining, used, undecided, lockedForMs: retryAfterMs } = outcome
    const eventFields = challengeFields(account, factor, challenge, exchange)
    emit({
      type: 'challenge.rejected',
      attemptsRemaining,
      used,
      inARow: countConsecutiveWrongCodes(ledger),
      ...eventFields,
    })
    // With no attempt left for a challenge, the user waits for its end like for that of a lock.
    const isSpent = attemptsRemaining <= 0 && isPhone(factor)
    const lockedForMs = isSpent
      ? Math.max(attemptsCountUntil(challenge) - now, retryAfterMs ?? 0)
      : retryAfterMs
    reportLock(checked, { ...outcome, ...present({ lockedForMs }) })
    return { outcome: 'rejected', attemptsRemaining, ...present({ retryAfterMs, undecided }) }
  }

  function reportLock(
    { account, factor, challenge }: CheckedChallenge,
    { lockedForMs, disabled }: Consequences,
  ): void {
    const eventFields = challengeFields(account, factor, challenge)
    if (lockedForMs !== undefined) emit({ type: 'subject.locked', lockedForMs, ...eventFields })
    if (disabled) emit({ type: 'subject.disabled', ...eventFields })
  }

  return async function verify(command: VerifyCommand): Promise<VerifyOutcome> {
    const account = await accounts.open(command)
    if ('outcome' in account) return refused('challenge_gone')

    // Load.
    const { lane, ledger } = account
    const { lastSends: findLastSends } = numberCounters.open(account)
    const { snapshot, requester, lastSends } = await loadDecisionContext(
      command,
      account,
      undefined,
      findLastSends,
    )
    const { displayed: submittedFor = {} } = command
    const sentOrNamed = sealedChallenges.findPendingChallenge(account, submittedFor, { snapshot, requester })
    const pending =
      'outcome' in sentOrNamed
        ? (sealedChallenges.createImpliedChallenge(account, submittedFor, { snapshot, requester }) ??
          sentOrNamed)
        : sentOrNamed
    if ('outcome' in pending) return pending
    const { factor, sealed, displayed } = pending
    if (isSigned(factor)) {
      if (command.signature === undefined) return refused('invalid_request')
      return verifySignature(command, account, { ...pending, factor }, { snapshot, requester })
    }
    if (command.signature !== undefined) return refused('challenge_gone')
    const code = factor.typed(command)
    // Input that no code of this factor resembles uses no attempt.
    if (code === undefined) return refused('invalid_request')

    // Decide and commit: first the attempt is reserved in the ledger, then the counter of the number is raised, then the
    // code is checked. Only one of several parallel requests gets past the ledger, so only this one raises the counter.
    const id = newCommandId()
    const tag = secrets.tag('code-tag', `${factor.key} ${code}`)
    const { hasChoice } = account
    const { tellsCodesApart } = purposes
    const submitted = { id, displayed, sealed, factor: factor.key, code: tag, lastSends }
    const attempt = { ...submitted, hasChoice, tellsCodesApart, ...requester }
    const reserving = await ledger.run((view) => reserve(view, attempt))
    const { outcome: reserved } = reserving
    if (reserved.outcome === 'refused') return reserved
    if (reserved.outcome === 'repeated') {
      const { attemptsRemaining, undecided } = reserved
      return { outcome: 'rejected', attemptsRemaining, ...present({ undecided }) }
    }
    const { challenge } = reserved
    const checked = { account, factor, challenge }
    const recordVerdict = (verdict: Verdict, step?: number) =>
      ledger.run((view) => settle(view, attempt, verdict, step))
    const wrongCodeLimit =
      isPhone(factor) && lane === 'auth'
        ? numberCounters.forCode(factor.key, await browserKindAt(command, factor))
        : undefined
    const refusal = await wrongCodeLimit?.consume().catch(async (error: unknown) => {
      // Nothing was sent. If the store fails here as well, the attempt stays used.
      await recordVerdict('not-sent').catch(() => undefined)
      throw error
    })
    // A used code is rejected whatever the counters return, and is not sent to the provider.
    if (reserved.outcome === 'rejected') return reportRejection(checked, reserved, reserving)
    if (refusal !== undefined) {
      await recordVerdict('not-sent')
      return refusal
    }

    // Check and settle.
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
    const [settled] = await Promise.all([
      recordVerdict(verdict, step),
      // A failed refund must not undo a success.
      verdict === 'rejected' ? undefined : Promise.allSettled([wrongCodeLimit?.refund()]),
    ])
    const { outcome, now } = settled
    switch (outcome.outcome) {
      case 'approved': {
        const sends = sendsFor(challenge, reserving.ledger.sends)
        // At a sign-up only. A failed refund must not undo a success.
        await counters.refundSignup(account, sends.length).catch(() => undefined)
        const { purpose, bound } = challenge
        const { channel } = outcome
        const ageMs = sends.length === 0 ? undefined : ageOf(sends, now)
        const eventFields = {
          ...challengeFields(account, factor, { ...challenge, channel }, exchange),
          ...browserFields(account, requester),
        }
        emit({ type: 'challenge.approved', ...eventFields, ...present({ ageMs }) })
        return { outcome: 'approved', purpose, channel, ...present({ phone: factor.phone, bound }) }
      }
      case 'rejected':
        return reportRejection(checked, outcome, settled, exchange)
      case 'gone':
        reportLock(checked, outcome)
        return refused('challenge_gone')
      case 'no-verdict':
      case 'refunded':
        throw noVerdict(verdict)
    }
  }
}

/** Returns the time since the last send. */
function ageOf(sends: readonly Send[], now: number): number {
  return Math.max(0, now - Math.max(...sends.map(({ at }) => at)))
}

/**
 * Returns the error of a check without a verdict. The code may have been correct, so the attempt stays used unless no
 * request was sent.
 */
function noVerdict(verdict: Verdict): TwoFactorError {
  if (verdict === 'unavailable' || verdict === 'over') {
    return new TwoFactorError('verification_unavailable', { message: 'The provider gave no verdict.' })
  }
  return new TwoFactorError('provider_unavailable', { message: 'The provider cannot check codes.' })
}
