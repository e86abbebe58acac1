import { TwoFactorError } from '../errors.js'
import type { AboutExchange, Emit } from '../events.js'
import type { Counters, VerificationBudget } from './budgets/counters.js'
import type { Verdict } from './code-provider.js'
import type { Codes } from './codes.js'
import { type Refusal, refused, type Shown, type VerifyCommand, type VerifyOutcome } from './commands.js'
import {
  type Approved,
  type Consequences,
  type Rejected,
  type ReserveOutcome,
  reserve,
  settle,
} from './ledger/attempts.js'
import type { Challenge, Send } from './ledger/ledger.js'
import type { LedgerInHand, OpenLedger } from './ledger/ledgers.js'
import { sendsFor } from './ledger/pacing.js'
import type { Lane } from './limits.js'
import type { Secrets } from './secrets.js'
import { about, type Target, type Targets } from './targets.js'
import { newCommandId } from './updater.js'

/** One code on its way, with the ledger and the counters that count it. */
interface Submission {
  readonly target: Target
  /** Of the attempt. */
  readonly id: string
  readonly code: string
  readonly shown: Shown
  readonly ledger: LedgerInHand
  readonly budget: VerificationBudget
}

/** What was reserved, and the sends of its challenge. */
type Reservation = { readonly outcome: ReserveOutcome | Refusal; readonly sends?: readonly Send[] }

/** Verify: count the attempt, ask the provider, record the verdict. */
export function createVerifying(parts: {
  readonly codes: Codes
  readonly openLedger: OpenLedger
  readonly counters: Counters
  readonly targets: Targets
  readonly secrets: Secrets
  readonly appNameOf: (lane: Lane, purpose: string) => string
  readonly emit: Emit
}) {
  const { codes, openLedger, counters, targets, secrets, appNameOf, emit } = parts

  async function reserveAttempt(submission: Submission): Promise<Reservation> {
    const { target, id, code, shown, ledger, budget } = submission
    const [tooMany, who] = await Promise.all([budget.check(), target.who(), ledger.read()])
    if (tooMany !== undefined) return { outcome: tooMany }
    const tag = secrets.tag('code-tag', `${target.phone} ${code}`)
    const attempt = { ...who, id, code: tag, shown }
    const reserved = await ledger.run((current, now) => reserve(current, attempt, now, target.limits))
    const { outcome } = reserved
    if (outcome.outcome === 'refused' || outcome.outcome === 'repeated') return { outcome }
    const sends = sendsFor(outcome.challenge, reserved.ledger[who.budget].sends)
    // Counted after the attempt was reserved: of parallel requests only one is counted.
    const refusal = await budget
      .in(who.budget)
      .take()
      .catch(async (error: unknown) => {
        // Nothing was sent. A store that fails here as well leaves the attempt spent.
        await record(submission, 'not-sent').catch(() => undefined)
        throw error
      })
    // A used code is rejected whatever the counters return; the provider was not asked about it.
    if (refusal === undefined || outcome.outcome === 'rejected') return { outcome, sends }
    await record(submission, 'not-sent')
    return { outcome: refusal }
  }

  const record = ({ target, id, ledger }: Submission, verdict: Verdict) =>
    ledger.run((current, now) => settle(current, id, verdict, now, target.limits))

  async function judge(
    submission: Submission,
    challenge: Challenge,
    sends: readonly Send[],
  ): Promise<VerifyOutcome> {
    const { target, code, budget } = submission
    const appName = appNameOf(target.lane, challenge.purpose)
    const { handle } = challenge
    const { verdict, about: asked } = await codes.check(target, {
      destination: target.phone,
      appName,
      code,
      handle,
      details: targets.detailsOf(target, challenge),
    })
    const [{ outcome, now }] = await Promise.all([
      record(submission, verdict),
      verdict === 'rejected' ? undefined : budget.in(challenge.budget).refund(),
    ])
    switch (outcome.outcome) {
      case 'approved':
        // A count that fails must not take back what was proven.
        await budget.proven(sends.length).catch(() => undefined)
        return approval(target, outcome, { ...asked, ageMs: ageOf(sends, now) })
      case 'rejected':
        return rejection(target, outcome, asked)
      case 'gone':
        reportNumber(target, challenge, outcome)
        return refused('challenge_gone')
      case 'spent':
        reportNumber(target, challenge, outcome)
        throw noVerdict(verdict)
      case 'refunded':
        throw noVerdict(verdict)
    }
  }

  function approval(
    target: Target,
    { challenge, channels }: Approved,
    asked: AboutExchange & { readonly ageMs: number },
  ): VerifyOutcome {
    emit({ type: 'challenge.approved', ...asked, ...about(target, challenge) })
    const { purpose, channel } = challenge
    const ways = channels.length > 1 ? { channels } : {}
    const bound = challenge.bound === undefined ? {} : { bound: challenge.bound }
    return { outcome: 'approved', purpose, channel, ...ways, phone: target.phone, ...bound }
  }

  function rejection(target: Target, outcome: Rejected, asked: AboutExchange = {}): VerifyOutcome {
    const { challenge, attemptsRemaining, used, lockedForMs } = outcome
    emit({ type: 'challenge.rejected', attemptsRemaining, used, ...asked, ...about(target, challenge) })
    reportNumber(target, challenge, outcome)
    const retry = lockedForMs === undefined ? {} : { retryAfterMs: lockedForMs }
    return { outcome: 'rejected', attemptsRemaining, ...retry }
  }

  /** An outage or a restart may come between an attempt and its verdict; the number is locked all the same. */
  function reportNumber(target: Target, challenge: Challenge, { lockedForMs, disabled }: Consequences): void {
    if (lockedForMs !== undefined) emit({ type: 'number.locked', lockedForMs, ...about(target, challenge) })
    if (disabled) emit({ type: 'number.disabled', ...about(target, challenge) })
  }

  return async function verify(command: VerifyCommand): Promise<VerifyOutcome> {
    const target = await targets.of(command)
    if ('outcome' in target) return refused('challenge_gone')
    const paused = codes.refusal(target)
    if (paused !== undefined) return paused
    const submission: Submission = {
      target,
      id: newCommandId(),
      code: command.code,
      shown: command.shown ?? {},
      ledger: openLedger(target.key, target.limits),
      budget: counters.forVerification(target),
    }
    const { outcome: reserved, sends = [] } = await reserveAttempt(submission)
    if (reserved.outcome === 'refused') return reserved
    if (reserved.outcome === 'repeated') {
      return { outcome: 'rejected', attemptsRemaining: reserved.attemptsRemaining }
    }
    if (reserved.outcome === 'rejected') return rejection(target, reserved)
    return judge(submission, reserved.challenge, sends)
  }
}

/** How long ago the last of the codes was sent. */
function ageOf(sends: readonly Send[], now: number): number {
  return Math.max(0, now - Math.max(...sends.map(({ at }) => at)))
}

function noVerdict(verdict: Verdict): TwoFactorError {
  if (verdict === 'unavailable') {
    return new TwoFactorError('verification_unavailable', { message: 'The provider gave no verdict.' })
  }
  return new TwoFactorError('provider_unavailable', { message: 'The provider cannot be asked about codes.' })
}
