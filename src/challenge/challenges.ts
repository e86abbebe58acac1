import type { Emit } from '../events.js'
import { all } from '../lib/awaitable.js'
import type { Background } from '../lib/background.js'
import type { Store } from '../store/store.js'
import { createCounters } from './budgets/counters.js'
import { createServiceLimits, type ServiceLimits } from './budgets/service-limits.js'
import { createSignupGuard, type SignupGuard, type SignupGuardRules } from './budgets/signup-guard.js'
import type { CodeProvider } from './code-provider.js'
import { type Codes, createCodes } from './codes.js'
import { type Actor, type Challenges, type Refusal, refused } from './commands.js'
import type { Keys } from './keys.js'
import { cancel, challengeOf } from './ledger/ledger.js'
import { createLedgers } from './ledger/ledgers.js'
import { outlook } from './ledger/outlook.js'
import { refusalOf } from './ledger/shown.js'
import type { Lane, Limits } from './limits.js'
import { createNumbers, type Numbers } from './numbers.js'
import type { Purposes } from './purposes.js'
import type { Secrets } from './secrets.js'
import { createSend } from './send.js'
import { about, createTargets, whoActs } from './targets.js'
import { createVerify } from './verify.js'
import type { BalanceRules } from './watch/balance-state.js'
import { type BalanceWatch, createBalanceWatch } from './watch/balance-watch.js'
import { createDeliveryWatch, type DeliveryRules } from './watch/delivery-watch.js'

export interface ChallengeParts {
  readonly store: Store
  readonly provider: CodeProvider
  readonly secrets: Secrets
  readonly keys: Keys
  readonly limits: Limits
  readonly purposes: Purposes
  /** The name under which the provider files the codes of this lane and purpose. */
  readonly appNameOf: (lane: Lane, purpose: string) => string
  readonly countries: readonly string[] | 'any'
  /** Whether browsers are told apart: those that are known have a share of what may be tried. */
  readonly browsersAreKnown: boolean
  readonly signupGuard: SignupGuardRules
  /** Absent: nobody watches the account. */
  readonly balance?: BalanceRules | undefined
  /** Absent: nobody looks at what became of a message. */
  readonly deliveryWatch?: DeliveryRules | undefined
  readonly background: Background
  readonly now: () => number
  readonly emit: Emit
}

/** The use cases around ledger, store and code service. */
export function createChallenges(parts: ChallengeParts): Challenges & {
  readonly numbers: Numbers
  readonly signups: SignupGuard
  readonly serviceLimits: ServiceLimits
  readonly funds: BalanceWatch | undefined
  readonly codes: Codes
} {
  const { purposes, emit } = parts
  const openLedger = createLedgers(parts)
  const targets = createTargets(parts)
  const signups = createSignupGuard(parts)
  const serviceLimits = createServiceLimits(parts)
  const counters = createCounters({ ...parts, signups, service: serviceLimits })
  const codes = createCodes(parts)
  const funds = parts.balance && createBalanceWatch(parts, parts.balance)
  const deliveries = parts.deliveryWatch && createDeliveryWatch(parts, parts.deliveryWatch)
  const sends = createSend({ ...parts, codes, funds, deliveries, openLedger, targets, counters })
  const verify = createVerify({ ...parts, codes, openLedger, targets, counters })

  /** Emits refusals with the host's own name of the account, never the number. */
  function reported<Outcome extends { readonly outcome: string }>(
    command: 'start' | 'resend' | 'verify',
    { lane = 'auth', subject }: Actor,
    outcome: Outcome | Refusal,
  ): Outcome | Refusal {
    if (outcome.outcome === 'refused') {
      const { untold, ...told } = outcome as Refusal
      const { code, limit, reason = untold } = told
      emit({
        type: 'request.refused',
        command,
        code,
        lane,
        subject,
        ...(limit === undefined ? {} : { limit }),
        ...(reason === undefined ? {} : { reason }),
      })
      return told
    }
    return outcome
  }

  /** The number with its ledger, and who acts on it: one round trip. */
  async function gather(actor: Actor) {
    const target = await targets.of(actor)
    if ('outcome' in target) return target
    const ledger = openLedger(target.key, target.limits)
    const [seen, who] = await all([ledger.read(), whoActs(actor)])
    return { target, ledger, seen, who }
  }

  async function liveOf(actor: Actor) {
    const gathered = await gather(actor)
    if ('outcome' in gathered) return refused('challenge_gone')
    const { target, seen, who } = gathered
    const challenge = challengeOf(seen.ledger, who, seen.now, target.limits)
    return 'outcome' in challenge ? challenge : { target, challenge, seen }
  }

  return {
    start: async (command) => reported('start', command, await sends.start(command)),
    resend: async (command) => reported('resend', command, await sends.resend(command)),
    verify: async (command) => reported('verify', command, await verify(command)),

    async cancel(actor) {
      const gathered = await gather(actor)
      if ('outcome' in gathered) return
      const { target, ledger, who } = gathered
      const { outcome } = await ledger.run((current, now) => cancel(current, who, now, target.limits))
      if (outcome.challenge !== undefined) {
        emit({ type: 'challenge.cancelled', ...about(target, outcome.challenge) })
      }
    },

    async find(actor, wanted) {
      const live = await liveOf(actor)
      if ('outcome' in live) return undefined
      const { target, challenge, seen } = live
      const fits =
        wanted === undefined ||
        challenge.id === wanted.challenge ||
        (challenge.purpose === wanted.purpose && challenge.bound === wanted.bound)
      return fits ? targets.view(target, challenge, seen) : undefined
    },

    async demandOf(actor, shown) {
      const live = await liveOf(actor)
      if ('outcome' in live) return shown.challenge === undefined ? undefined : live
      const { purpose, bound } = live.challenge
      return refusalOf(live.challenge, shown) ?? { purpose, bound }
    },

    async preview(command) {
      const gathered = await gather(command)
      if ('outcome' in gathered) {
        const { untold: _, ...refusal } = gathered
        return { refusal, expired: false, untypedSince: 0 }
      }
      const { target, seen, who } = gathered
      const { purpose, bound } = command
      const channel = command.channel ?? purposes.find(purpose)?.channels[0] ?? 'sms'
      const order = { sendId: '', challengeId: '', binding: { ...who, purpose, bound }, channel }
      return outlook(seen.ledger, order, seen.now, target.limits)
    },

    numbers: createNumbers({ ...parts, openLedger }),
    signups,
    serviceLimits,
    funds,
    codes,
  }
}
