import { TwoFactorError } from '../errors.js'
import type { AboutExchange } from '../events.js'
import { present } from '../lib/json.js'
import { all, allSettled, tryAgain } from '../lib/promises.js'
import { stepOf } from '../lib/totp.js'
import type { Counters } from './budgets/counters.js'
import type { Verdict } from './code-provider.js'
import type { Codes } from './codes.js'
import { refused, type VerifyCommand, type VerifyOutcome } from './commands.js'
import type { Exchanged } from './exchanges.js'
import type { Basis } from './keys.js'
import { reserve, settle } from './ledger/attempts.js'
import type { Approved, Challenge, Consequences, Rejected, Send } from './ledger/ledger.js'
import { sendsFor } from './ledger/pacing.js'
import { settledWithinMs } from './limits.js'
import type { Purposes } from './purposes.js'
import { about, gather, hasNumber, type Target, type Targets } from './targets.js'
import { newCommandId } from './updater.js'

/** Which parts of the domain a code is judged by. */
export interface VerifyParts extends Basis {
  readonly codes: Codes
  readonly counters: Counters
  readonly targets: Targets
  readonly purposes: Purposes
}

/** Verify: count the attempt, ask the provider, record the verdict. */
export function createVerify(parts: VerifyParts) {
  const { codes, counters, targets, purposes, secrets, emit } = parts

  function approval(
    target: Target,
    challenge: Challenge,
    { channel }: Approved,
    exchange: AboutExchange & { readonly ageMs: number },
  ): VerifyOutcome {
    emit({ type: 'challenge.approved', ...about(target, { ...challenge, channel }, exchange) })
    const { purpose, bound } = challenge
    return { outcome: 'approved', purpose, channel, ...present({ phone: target.phone, bound }) }
  }

  function rejection(
    target: Target,
    challenge: Challenge,
    outcome: Rejected,
    exchange: AboutExchange = {},
  ): VerifyOutcome {
    const { attemptsRemaining, used, lockedForMs: retryAfterMs } = outcome
    emit({ type: 'challenge.rejected', attemptsRemaining, used, ...about(target, challenge, exchange) })
    reportNumber(target, challenge, outcome)
    return { outcome: 'rejected', attemptsRemaining, ...present({ retryAfterMs }) }
  }

  /** The app shows its codes by itself: they are computed here, and nobody is asked. */
  async function verdictOn(
    target: Target,
    code: string,
    step: number | undefined,
    challenge: Challenge,
  ): Promise<Exchanged<Verdict>> {
    if (!hasNumber(target)) return { result: step === undefined ? 'rejected' : 'approved', about: {} }
    return codes.check(target, {
      destination: target.phone,
      appName: purposes.appNameOf(challenge.purpose),
      code,
      handle: challenge.handle,
      details: targets.detailsOf(target, challenge),
    })
  }

  /** An outage or a restart may come between an attempt and its verdict; the number is locked all the same. */
  function reportNumber(target: Target, challenge: Challenge, { lockedForMs, disabled }: Consequences): void {
    if (lockedForMs !== undefined) emit({ type: 'number.locked', lockedForMs, ...about(target, challenge) })
    if (disabled) emit({ type: 'number.disabled', ...about(target, challenge) })
  }

  return async function verify(command: VerifyCommand): Promise<VerifyOutcome> {
    const { shown = {} } = command
    const target = await targets.live(command)
    if ('outcome' in target) return refused('challenge_gone')
    const code = hasNumber(target) ? command.code : command.appCode
    // What no code of this kind looks like costs no attempt.
    if (code === undefined) return refused('invalid_request')

    // Gather.
    const { ledger } = target
    const budget = counters.forVerification(target)
    const { who } = await gather(command, ledger)

    // Decide and commit: counted in the ledger before the code is judged, and only then in the counters, so that of
    // parallel requests one is counted.
    const id = newCommandId()
    const tag = secrets.tag('code-tag', `${target.phone ?? target.key} ${code}`)
    const attempt = { id, shown, code: tag, ...who }
    const reserving = await ledger.run(
      (view) => reserve(view, attempt),
      () => (view) => settle(view, id, 'not-sent'),
    )
    const { outcome: reserved } = reserving
    if (reserved.outcome === 'refused') return reserved
    if (reserved.outcome === 'repeated') {
      return { outcome: 'rejected', attemptsRemaining: reserved.attemptsRemaining }
    }
    const record = (verdict: Verdict, step?: number) =>
      tryAgain(settledWithinMs, () => ledger.run((view) => settle(view, id, verdict, step)))
    const wrongCode = budget.wrongCode(who.budget)
    const spent = await wrongCode.take().catch(async (error: unknown) => {
      // Nothing was sent. A store that fails here as well leaves the attempt spent.
      await record('not-sent').catch(() => undefined)
      throw error
    })
    // A used code is rejected whatever the counters return; the provider is not asked about it.
    if (reserved.outcome === 'rejected') return rejection(target, reserved.challenge, reserved)
    if (spent !== undefined) {
      await record('not-sent')
      return spent
    }

    // Ask the provider.
    const { challenge } = reserved
    const sends = sendsFor(challenge, reserving.ledger[who.budget].sends)
    const step = stepIn(command, target, reserving.now)
    const { result: verdict, about: exchange } = await verdictOn(target, code, step, challenge)

    // Settle, and commit.
    const [{ outcome, now }] = await all([
      record(verdict, step),
      // A give-back that fails must not take back what was proven.
      verdict === 'rejected' ? undefined : allSettled([wrongCode.refund()]),
    ])
    switch (outcome.outcome) {
      case 'approved':
        // A count that fails must not take back what was proven.
        await budget.proven(sends.length).catch(() => undefined)
        return approval(target, challenge, outcome, { ageMs: ageOf(sends, now), ...exchange })
      case 'rejected':
        return rejection(target, challenge, outcome, exchange)
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
}

/** The step of the app whose code this is; undefined for a wrong one, and where one is awaited that was sent. */
function stepIn({ appCode, secret }: VerifyCommand, target: Target, now: number): number | undefined {
  if (hasNumber(target) || appCode === undefined || secret === undefined) return undefined
  return stepOf(appCode, secret, now)
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
