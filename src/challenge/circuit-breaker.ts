import type { AboutExchange, Emit } from '../events.js'
import type { SendResult, Verdict } from './code-provider.js'
import { type Refusal, refused } from './commands.js'
import type { Lane } from './limits.js'

const pauseMs = 15_000
const notSentBeforePause = 5
const unansweredBeforePause = 10
// Denial of service: one person at one number, or a bot at a signup form, must not stop every sign-in.
const numbersBeforePause = 5
const refusedBeforePause = 5
const refusedNumbersBeforePause = 3

/** Stops asking a provider that is down or refuses every send, so that no attempts and sends are spent on it. */
export interface CircuitBreaker {
  /** The refusal while the circuit is open; called before anything is booked or reserved. */
  refusal(): Refusal | undefined
  /** What became of an exchange about a number. */
  note(exchange: Exchange): void
}

export interface Exchange {
  readonly command: 'send' | 'check'
  readonly result: SendResult['result'] | Verdict
  readonly lane: Lane
  /** Key of the number's ledger. */
  readonly key: string
  /** Whether a complete answer is behind a verdict of `unavailable`. */
  readonly answered?: boolean
  /** For the events about it. */
  readonly about: AboutExchange
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
  let refusedSends = 0
  const refusedNumbers = new Set<string>()

  function forget(): void {
    notSent = 0
    unanswered = 0
    numbers.clear()
  }

  function forgetRefusals(): void {
    refusedSends = 0
    refusedNumbers.clear()
  }

  /** An account without credits refuses every send: users would spend their cooldowns on it. */
  function countRefusal({ result, lane, key, about }: Exchange): void {
    // SMS pumping: the visitor of a signup form picks the numbers, so their refusals must not pause sign-ins.
    if (lane === 'enrol' && result === 'failed') return
    refusedSends += 1
    refusedNumbers.add(key)
    if (refusedSends < refusedBeforePause || refusedNumbers.size < refusedNumbersBeforePause) return
    if (result !== 'misconfigured') emit({ type: 'provider.misconfigured', ...about })
    pause()
  }

  /** Provably nothing left this machine. */
  function countNotSent({ command, about }: Exchange): void {
    emit({ type: 'provider.unavailable', command, sent: false, ...about })
    // Denial of service: a text of the host that fails for one visitor's words or language is no silence.
    if (about.reason !== 'text') notSent += 1
    if (notSent >= notSentBeforePause) pause()
  }

  /** Nobody knows whether it was read. */
  function countLost({ command, lane, key, about, answered = false }: Exchange): void {
    if (command === 'send') forgetRefusals()
    emit({ type: 'provider.unavailable', command, sent: true, ...about })
    // Whoever types the code decides whether the service can read it: malformed codes must not pause sign-ins.
    if (answered) forget()
    else if (lane === 'auth') {
      notSent = 0
      unanswered += 1
      numbers.add(key)
      if (unanswered >= unansweredBeforePause && numbers.size >= numbersBeforePause) pause()
    }
  }

  function pause(): void {
    forget()
    forgetRefusals()
    pausedUntil = now() + pauseMs
    emit({ type: 'provider.paused', pausedForMs: pauseMs, ...by })
  }

  return {
    refusal() {
      // A clock that was set back by an hour must not make the pause last an hour.
      if (pausedUntil - now() > pauseMs) pausedUntil = 0
      const leftMs = pausedUntil - now()
      return leftMs > 0 ? refused('provider_unavailable', leftMs) : undefined
    },
    note(exchange) {
      const { command, result, about } = exchange
      if (result === 'misconfigured') emit({ type: 'provider.misconfigured', ...about })
      if (result === 'not-sent') return countNotSent(exchange)
      if (result === 'unconfirmed' || result === 'unavailable') return countLost(exchange)
      forget()
      if (command === 'check') return
      if (result === 'failed' || result === 'misconfigured') countRefusal(exchange)
      else forgetRefusals()
    },
  }
}
