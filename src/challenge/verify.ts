import { TwoFactorError } from '../errors.js'
import type { ExchangeFields } from '../events.js'
import { present } from '../lib/json.js'
import { type Rejection, refused, type VerifyCommand, type VerifyOutcome } from './commands.js'
import type { Verdict } from './exchange/code-provider.js'
import type { Codes } from './exchange/codes.js'
import type { ExchangeResult } from './exchange/exchanges.js'
import type { DomainServices } from './keys.js'
import { reserve } from './ledger/attempts.js'
import { attemptsCountUntil } from './ledger/challenge.js'
import { hasNewerCode } from './ledger/delivery.js'
import {
  type Challenge,
  type Consequences,
  countConsecutiveWrongCodes,
  type LedgerSnapshot,
  type Rejected,
  type RequesterTag,
  type Send,
  type SettleOutcome,
} from './ledger/ledger.js'
import type { CommandResult } from './ledger/ledgers.js'
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
  type DecisionContext,
  exchangeContextOf,
  loadDecisionContext,
} from './reach/decision-context.js'
import { type Factor, isPhone, isSigned, type PhoneFactor, type TotpFactor } from './reach/factors.js'
import type { PendingChallenge, SealedChallenges } from './sealed-challenges.js'
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

/** The challenge that a code was submitted for. */
interface SubmittedChallenge extends PendingChallenge {
  readonly factor: PhoneFactor | TotpFactor
  readonly code: string
}

/** An attempt that was counted, before its check. */
interface ReservedAttempt extends CheckedChallenge {
  readonly factor: SubmittedChallenge['factor']
  readonly code: string
  /** The provider's id of the verification. */
  readonly handle: string | undefined
  /** Handles of earlier codes of this challenge. */
  readonly earlierHandles: readonly string[] | undefined
  /** The ledger with the attempt. */
  readonly snapshot: LedgerSnapshot
  readonly recordVerdict: (verdict: Verdict, step?: number) => Promise<CommandResult<SettleOutcome>>
  readonly wrongCodeLimit: ReturnType<NumberCounters['forCode']> | undefined
}

/** A verdict. `step` is that of an app's code. */
interface CheckedCode extends ExchangeResult<Verdict> {
  readonly step?: number | undefined
}

/** Creates verify: count the attempt, check the code, record the verdict. */
export function createVerify(parts: VerifyParts) {
  const { codes, counters, numberCounters, accounts, sealedChallenges, purposes, secrets, emit } = parts
  const verifySignature = createVerifySignature(parts)

  function reportRejection(
    checked: CheckedChallenge,
    outcome: Rejected,
    view: LedgerSnapshot,
    exchange: ExchangeFields = {},
  ): VerifyOutcome {
    const { ledger, now } = view
    const { account, factor, challenge } = checked
    const { attemptsRemaining, used, lockedForMs: retryAfterMs } = outcome
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
    return { ...rejection(outcome, challenge, view), ...present({ retryAfterMs }) }
  }

  function reportLock(
    { account, factor, challenge }: CheckedChallenge,
    { lockedForMs, disabled }: Consequences,
  ): void {
    const eventFields = challengeFields(account, factor, challenge)
    if (lockedForMs !== undefined) emit({ type: 'subject.locked', lockedForMs, ...eventFields })
    if (disabled) emit({ type: 'subject.disabled', ...eventFields })
  }

  /** Finds the challenge that a request answers. For a code of an app, none needs to be started. */
  function findChallenge(account: Account, { displayed = {} }: VerifyCommand, context: DecisionContext) {
    const pending = sealedChallenges.findPendingChallenge(account, displayed, context)
    if (!('outcome' in pending)) return pending
    return sealedChallenges.createImpliedChallenge(account, displayed, context) ?? pending
  }

  /**
   * Reserves an attempt: first in the ledger, then in the counter of the number. Only one of several parallel requests
   * gets past the ledger, so only this one raises the counter.
   */
  async function reserveAttempt(
    command: VerifyCommand,
    account: Account,
    { factor, sealed, displayed, code }: SubmittedChallenge,
    { requester, lastSends }: Awaited<ReturnType<typeof loadDecisionContext>>,
  ): Promise<ReservedAttempt | VerifyOutcome> {
    const { ledger, lane, hasChoice } = account
    const id = newCommandId()
    const tag = secrets.tag('code-tag', `${factor.key} ${code}`)
    const { tellsCodesApart } = purposes
    const submitted = { id, displayed, sealed, factor: factor.key, code: tag, lastSends }
    const attempt = { ...submitted, hasChoice, tellsCodesApart, ...requester }
    const reserving = await ledger.run((view) => reserve(view, attempt))
    const { outcome: reserved } = reserving
    if (reserved.outcome === 'refused') return reserved
    if (reserved.outcome === 'repeated') {
      return rejection(reserved, reserved.challenge, reserving)
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
    const { handle, earlierHandles } = reserved
    const attempted = { code, handle, earlierHandles, snapshot: reserving }
    return { ...checked, ...attempted, recordVerdict, wrongCodeLimit }
  }

  /** Checks a code: that of an app here, any other at the provider. */
  async function checkCode(reserved: ReservedAttempt): Promise<CheckedCode> {
    const { account, factor, challenge, code, handle, earlierHandles, snapshot } = reserved
    if (factor.judge) return { ...factor.judge(code, snapshot.now), fields: {} }
    return codes.check(exchangeContextOf(account, factor), {
      destination: factor.phone,
      appName: purposes.appNameOf(challenge.purpose),
      code,
      handle,
      earlierHandles,
      details: accounts.detailsOf(account, challenge),
    })
  }

  async function reportApproval(
    { account, factor, challenge, snapshot: before }: ReservedAttempt,
    { channel, now }: Pick<Challenge, 'channel'> & Pick<LedgerSnapshot, 'now'>,
    requester: RequesterTag,
    exchange: ExchangeFields,
  ): Promise<VerifyOutcome> {
    const sends = sendsFor(challenge, before.ledger.sends)
    // At a sign-up only. A failed refund must not undo a success.
    await counters.refundSignup(account, sends.length).catch(() => undefined)
    const ageMs = sends.length === 0 ? undefined : ageOf(sends, now)
    const eventFields = {
      ...challengeFields(account, factor, { ...challenge, channel }, exchange),
      ...browserFields(account, requester),
    }
    emit({ type: 'challenge.approved', ...eventFields, ...present({ ageMs }) })
    const { purpose, bound } = challenge
    return { outcome: 'approved', purpose, channel, ...present({ phone: factor.phone, bound }) }
  }

  /** Records the verdict of a reserved attempt, and reports the outcome. */
  async function settleAttempt(
    reserved: ReservedAttempt,
    { result: verdict, step, fields: exchange }: CheckedCode,
    requester: RequesterTag,
  ): Promise<VerifyOutcome> {
    const { recordVerdict, wrongCodeLimit } = reserved
    // A failed refund must not undo a success.
    const refund = () => Promise.allSettled([wrongCodeLimit?.refund()])
    const mayCount = verdict === 'rejected' || verdict === 'replaced'
    const [settled] = await Promise.all([recordVerdict(verdict, step), mayCount ? undefined : refund()])
    const { outcome, now } = settled
    if (outcome.outcome === 'rejected' && outcome.replaced) await refund()
    switch (outcome.outcome) {
      case 'approved':
        return reportApproval(reserved, { channel: outcome.channel, now }, requester, exchange)
      case 'rejected':
        return reportRejection(reserved, outcome, settled, exchange)
      case 'gone':
        reportLock(reserved, outcome)
        return refused('challenge_gone')
      case 'no-verdict':
      case 'refunded':
        throw noVerdict(verdict)
    }
  }

  return async function verify(command: VerifyCommand): Promise<VerifyOutcome> {
    const account = await accounts.open(command)
    if ('outcome' in account) return refused('challenge_gone')
    const { lastSends: findLastSends } = numberCounters.open(account)
    const context = await loadDecisionContext(command, account, undefined, findLastSends)
    const pending = findChallenge(account, command, context)
    if ('outcome' in pending) return pending
    const { factor } = pending
    if (isSigned(factor)) {
      if (command.signature === undefined) return refused('invalid_request')
      return verifySignature(command, account, { ...pending, factor }, context)
    }
    if (command.signature !== undefined) return refused('challenge_gone')
    const code = factor.typed(command)
    // Input that no code of this factor resembles uses no attempt.
    if (code === undefined) return refused('invalid_request')

    const reserved = await reserveAttempt(command, account, { ...pending, factor, code }, context)
    if ('outcome' in reserved) return reserved
    return settleAttempt(reserved, await checkCode(reserved), context.requester)
  }
}

/** Returns the rejection for the client. */
function rejection(
  { attemptsRemaining, undecided, replaced }: Pick<Rejected, 'attemptsRemaining' | 'undecided' | 'replaced'>,
  challenge: Challenge,
  view: LedgerSnapshot,
): Rejection {
  const isRenewed = hasNewerCode(view, challenge) ? (true as const) : undefined
  return {
    outcome: 'rejected',
    attemptsRemaining,
    ...present({ undecided, isRenewed, isReplaced: replaced }),
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
