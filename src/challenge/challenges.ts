import type { Emit } from '../events.js'
import type { Store } from '../store/store.js'
import type { CodeService } from './code-service.js'
import type { Actor, Challenges, Refusal } from './commands.js'
import { createCounters } from './counters.js'
import type { Keys } from './keys.js'
import { cancel, challengeOf, type Lane } from './ledger.js'
import { createLedgers } from './ledgers.js'
import type { Limits } from './limits.js'
import { createNumbers, type Numbers } from './numbers.js'
import { createProviderHealth } from './provider-health.js'
import type { Purposes } from './purposes.js'
import type { Secrets } from './secrets.js'
import { createSending } from './sending.js'
import { createSubjectFailures } from './subject-failures.js'
import { about, createTargets } from './targets.js'
import { createVerifying } from './verifying.js'

export interface ChallengeParts {
  readonly store: Store
  readonly codes: CodeService
  readonly secrets: Secrets
  readonly keys: Keys
  readonly limits: Limits
  readonly purposes: Purposes
  /** The name under which the provider files the codes of this lane and purpose. */
  readonly appNameOf: (lane: Lane, purpose: string) => string
  readonly countries: readonly string[] | 'any'
  readonly now: () => number
  readonly emit: Emit
}

/** The use cases around ledger, store and code service. */
export function createChallenges(parts: ChallengeParts): Challenges & { readonly numbers: Numbers } {
  const { emit } = parts
  const ledgers = createLedgers(parts)
  const targets = createTargets(parts)
  const counters = createCounters(parts)
  const health = createProviderHealth(parts)
  const failuresOf = createSubjectFailures({
    ...parts,
    failuresPerDay: parts.limits.failuresPerSubjectPerDay,
  })
  const sending = createSending({ ...parts, ledgers, targets, counters, health })
  const verify = createVerifying({ ...parts, ledgers, targets, counters, health, failuresOf })

  /** Says who was refused what: the host's own name of the account, never the number. */
  function reported<Outcome extends { readonly outcome: string }>(
    command: 'start' | 'resend' | 'verify',
    { lane = 'auth', subject }: Actor,
    outcome: Outcome | Refusal,
  ): Outcome | Refusal {
    if (outcome.outcome === 'refused') {
      const { code, limit } = outcome as Refusal
      emit({
        type: 'request.refused',
        command,
        code,
        lane,
        subject,
        ...(limit === undefined ? {} : { limit }),
      })
    }
    return outcome
  }

  return {
    start: async (command) => reported('start', command, await sending.start(command)),
    resend: async (command) => reported('resend', command, await sending.resend(command)),
    verify: async (command) => reported('verify', command, await verify(command)),

    async cancel(actor) {
      const target = await targets.of(actor)
      if ('outcome' in target) return
      const { outcome } = await ledgers
        .hold(target.key, target.limits)
        .run((ledger, now) => cancel(ledger, target.who, now, target.limits))
      if (outcome.challenge !== undefined) {
        emit({ type: 'challenge.cancelled', ...about(target, outcome.challenge) })
      }
    },

    async find(actor, wanted) {
      const target = await targets.of(actor)
      if ('outcome' in target) return undefined
      const { ledger, now } = await ledgers.read(target.key)
      const live = challengeOf(ledger, target.who, now, target.limits)
      if ('outcome' in live) return undefined
      const fits = wanted === undefined || (live.purpose === wanted.purpose && live.bound === wanted.bound)
      return fits ? targets.view(target, live, ledger, now) : undefined
    },

    numbers: createNumbers({ ...parts, ledgers }),
  }
}
