import type { AboutExchange, AboutProvider } from '../events.js'
import { hourMs } from '../lib/time.js'
import type { SendResult, Verdict } from './code-provider.js'
import type { Basis } from './keys.js'
import type { Lane } from './limits.js'

const windowMs = 30_000
const failuresBeforePause = 5
const numbersBeforePause = 3
/** Before the second, third and every further probe. */
const firstWaitMs = 2_000
const waitsMs = [firstWaitMs, 4_000, 8_000]
const longestWaitMs = 15_000
/** An exchange whose end nobody has told, because the host's clock threw, must not keep its turn for ever. */
const longestTurnMs = 120_000
/** Bounds of what is remembered. */
const mostExchanges = 500
const mostNumbers = 10_000
const answersRemembered = 20

/** Whose code it is that is to be sent or checked. */
export interface Asker {
  readonly lane: Lane
  /** Key of the number's ledger. */
  readonly key: string
}

/** What became of an exchange. */
export interface Exchange {
  readonly command: 'send' | 'check'
  readonly result: SendResult['result'] | Verdict
  /** The adapter says that a complete answer is behind a result without a verdict. */
  readonly answered?: boolean
  /** The service was not asked, or could not know the answer: the exchange says nothing about it. */
  readonly unasked?: boolean
  /** For the events about it. */
  readonly about: AboutExchange
}

/** Takes what became of the exchange that was let through. To be called once. */
type NoteExchange = (exchange: Exchange) => void

/** A place for one exchange at a time, and when it is free again. */
interface Turn {
  dueAt: number
  /** Since when an exchange has it. */
  takenAt: number | undefined
}

/** While the circuit is open. */
interface Pause {
  /** For numbers that were not counted: their failures are news, and so are their answers. */
  readonly fresh: Turn
  /** For all others, rarely: a provider that is back must not wait for a number that it has not seen. */
  readonly others: Turn
  failedProbes: number
}

/**
 * Stops asking a provider that is down or refuses our account, so that no attempts and sends are spent on it.
 * It judges the share of exchanges that failed, and goes on asking about some numbers while it is open.
 */
export function createCircuitBreaker({ now, emit }: Basis, by: AboutProvider) {
  /** Of the last 30 seconds: the number whose exchange failed, or undefined for an answer. */
  let recent: { readonly at: number; readonly failed: string | undefined }[] = []
  /** Numbers that failed, with the time of the first failure that was counted, oldest first. */
  const counted = new Map<string, number>()
  const answeredAt: number[] = []
  let toldAt = Number.NEGATIVE_INFINITY
  let pause: Pause | undefined

  // A clock that was set back must neither prolong a wait nor hide a failure.
  const isWithin = (at: number, ms: number) => Math.abs(now() - at) < ms

  /**
   * Denial of service: whoever has numbers that the provider cannot serve could make all others wait behind
   * failed probes of theirs. So nobody waits as long as the silence is no longer than the last answers took.
   */
  function isSilent(): boolean {
    const [first = 0] = answeredAt
    const last = answeredAt.at(-1) ?? 0
    return first === last || !isWithin(last, last - first)
  }

  const isCounted = (key: string, ms: number) => isWithin(counted.get(key) ?? Number.NEGATIVE_INFINITY, ms)

  function turnOf({ lane, key }: Asker): Turn | undefined {
    if (pause === undefined) return undefined
    // SMS pumping: visitors of a signup form pick their numbers, so their failures say nothing to sign-ins.
    return lane === 'enrol' || isCounted(key, hourMs) ? pause.others : pause.fresh
  }

  function waitOf(turn: Turn | undefined): number {
    if (turn === undefined || (turn === pause?.fresh && !isSilent())) return 0
    const leftMs = turn.dueAt - now()
    const { takenAt = Number.NEGATIVE_INFINITY } = turn
    if (isWithin(takenAt, longestTurnMs)) return Math.max(leftMs, firstWaitMs)
    return leftMs > longestWaitMs ? 0 : Math.max(leftMs, 0)
  }

  function observe(failed?: string): void {
    recent.push({ at: now(), failed })
    const start = recent.findIndex(({ at }) => isWithin(at, windowMs))
    // Under load one leaves for each that comes: shift does not move the others, as splice would.
    for (let old = Math.max(start, recent.length - mostExchanges); old > 0; old -= 1) recent.shift()
  }

  /** Each number once an hour: one person's trouble, or a few people's, is theirs alone. */
  function count(key: string): void {
    if (!isCounted(key, hourMs)) {
      counted.delete(key)
      const [oldest] = counted.keys()
      if (oldest !== undefined && counted.size >= mostNumbers) counted.delete(oldest)
      counted.set(key, now())
    }
    if (isCounted(key, windowMs)) observe(key)
  }

  function mostFail(): boolean {
    const failed = recent.flatMap((each) => each.failed ?? [])
    return (
      failed.length >= failuresBeforePause &&
      new Set(failed).size >= numbersBeforePause &&
      failed.length * 2 > recent.length
    )
  }

  function noteFailure({ lane, key }: Asker, turn: Turn | undefined): void {
    if (turn !== undefined && turn === pause?.others) turn.dueAt = now() + longestWaitMs
    if (lane === 'enrol') return
    count(key)
    if (pause === undefined) {
      if (!mostFail()) return
      const others = { dueAt: now() + longestWaitMs, takenAt: undefined }
      pause = { fresh: { dueAt: now(), takenAt: undefined }, others, failedProbes: 0 }
      emit({ type: 'provider.paused', pausedForMs: longestWaitMs, ...by })
    } else if (turn === pause.fresh && isSilent()) {
      turn.dueAt = now() + (waitsMs[pause.failedProbes] ?? longestWaitMs)
      pause.failedProbes += 1
    }
  }

  function noteAnswer(): void {
    if (answeredAt.push(now()) > answersRemembered) answeredAt.shift()
    observe()
    if (pause === undefined) return
    pause = undefined
    recent = []
    toldAt = Number.NEGATIVE_INFINITY
    emit({ type: 'provider.resumed', ...by })
  }

  /** Once an hour and opening: a wrong key fails at every request. */
  function tellMisconfigured(about: AboutExchange): void {
    if (isWithin(toldAt, hourMs)) return
    toldAt = now()
    emit({ type: 'provider.misconfigured', ...about })
  }

  return {
    /** How long this one has to wait before the provider may be asked; 0: not at all. */
    waitMs: (asker: Asker) => waitOf(turnOf(asker)),

    /** Lets one exchange through, if its time has come. */
    admit(asker: Asker): NoteExchange | undefined {
      const turn = turnOf(asker)
      if (waitOf(turn) > 0) return undefined
      if (turn !== undefined) turn.takenAt = now()
      return (exchange) => {
        if (turn !== undefined) turn.takenAt = undefined
        const { command, result, about } = exchange
        if (result === 'misconfigured') tellMisconfigured(about)
        const isUnanswered = result === 'not-sent' || result === 'unconfirmed' || result === 'unavailable'
        if (isUnanswered && !(exchange.unasked && command === 'check')) {
          emit({ type: 'provider.unavailable', command, sent: result !== 'not-sent', ...about })
        }
        if (exchange.unasked) return
        if (hasFailed(exchange)) noteFailure(asker, turn)
        else noteAnswer()
      }
    },

    /** Milliseconds until somebody is let through; undefined while it is closed. */
    pausedForMs: () => pause && Math.min(waitOf(pause.fresh), waitOf(pause.others)),
  }
}

/**
 * Whether the service as a whole may be in trouble: nothing was sent, no complete answer came, a server error,
 * or our account was refused. A refusal that concerns a number or a code is an answer.
 */
function hasFailed({ result, answered = false, about: { httpStatus = 0 } }: Exchange): boolean {
  if (result === 'not-sent' || result === 'misconfigured') return true
  if (result !== 'unconfirmed' && result !== 'unavailable') return false
  return !answered && (httpStatus < 400 || httpStatus >= 500)
}
