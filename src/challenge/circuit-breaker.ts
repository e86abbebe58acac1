import type { Emit } from '../events.js'
import type { SendResult, Verdict } from './code-provider.js'
import { type Refusal, refused } from './commands.js'
import type { Lane } from './ledger/ledger.js'

const pauseMs = 15_000
const notSentBeforePause = 5
const unansweredBeforePause = 10
// One person at one number, or anybody at a signup form, must not be able to stop every sign-in.
const numbersBeforePause = 5

/** A breaker: stops asking a provider that is plainly down, so that no attempts and sends are spent on it. */
export interface CircuitBreaker {
  /** The refusal while the provider rests, asked before anything is booked or reserved. */
  refusal(): Refusal | undefined
  /** What became of an exchange about the number with this ledger key. */
  note(command: 'send' | 'check', result: SendResult['result'] | Verdict, lane: Lane, ledgerKey: string): void
}

export function createCircuitBreaker(parts: {
  readonly now: () => number
  readonly emit: Emit
  /** Name of the provider, for its events. */
  readonly provider?: string
}): CircuitBreaker {
  const { now, emit } = parts
  const by = parts.provider === undefined ? {} : { provider: parts.provider }
  let pausedUntil = 0
  let notSent = 0
  let unanswered = 0
  const numbers = new Set<string>()

  function forget(): void {
    notSent = 0
    unanswered = 0
    numbers.clear()
  }

  return {
    refusal() {
      // A clock that was set back by an hour must not make the pause last an hour.
      if (pausedUntil - now() > pauseMs) pausedUntil = 0
      const leftMs = pausedUntil - now()
      return leftMs > 0 ? refused('provider_unavailable', leftMs) : undefined
    },
    note(command, result, lane, ledgerKey) {
      const lost = result === 'unconfirmed' || result === 'unavailable'
      if (result === 'misconfigured') emit({ type: 'provider.misconfigured', ...by })
      if (!lost && result !== 'not-sent') return forget()

      emit({ type: 'provider.unavailable', command, sent: lost, ...by })
      if (!lost) notSent += 1
      else if (lane === 'auth') {
        notSent = 0
        unanswered += 1
        numbers.add(ledgerKey)
      }
      const silent = unanswered >= unansweredBeforePause && numbers.size >= numbersBeforePause
      if (notSent < notSentBeforePause && !silent) return
      forget()
      pausedUntil = now() + pauseMs
      emit({ type: 'provider.paused', pausedForMs: pauseMs, ...by })
    },
  }
}
