import type { Channel, SendResult, Verdict } from '../../../src/challenge/code-provider.js'
import {
  type Binding,
  type Decision,
  emptyLedger,
  type Ledger,
} from '../../../src/challenge/ledger/ledger.js'
import { timeOf } from '../../../src/challenge/ledger/ledgers.js'
import type { Booked, SendOutcome } from '../../../src/challenge/ledger/sends.js'
import { browserLimits as limits, liveShown } from '../kit.js'
import { broken, type Seen } from './bounds.js'
import type { LedgerCommands } from './ledger-commands.js'
import type { ExpectedAttempt, ExpectedSend, Oracle, Who } from './oracle.js'

/** What the ledger answered and the oracle did not expect, or a bound that it broke. */
export class Violation extends Error {}

/** What becomes of a code that was handed to the provider. `lost`: judged, but the answer never came. */
export type Fate = 'judged' | 'lost' | 'never sent' | 'misconfigured'

/** Which code is typed: the one sent last, the one before it, one that nobody sent, or the one typed last. */
export type Guess = 'right' | 'earlier' | 'wrong' | 'again'

interface Sending {
  readonly id: string
  readonly booked: Booked
  readonly expected: ExpectedSend | string | undefined
  readonly trace: Seen
  settled?: SendResult
}

interface Checking {
  readonly id: string
  readonly expected: ExpectedAttempt | string | undefined
  readonly verdict: Verdict
  readonly who: Who
  readonly right: boolean
  readonly code: string
  readonly challenge: string
  answered: boolean
}

export interface WorldParts {
  readonly commands: LedgerCommands
  /** Says what every command must answer. Without one, the bounds alone judge. */
  readonly oracle?: Oracle
  /** Whether the provider sends the same code again and again. */
  readonly sameCode?: boolean
}

/** Nobody was written to. */
const refusing: readonly SendResult['result'][] = ['not-sent', 'failed', 'misconfigured']

/** One number with its ledger, the oracle beside it, and a provider that knows number and code alone. */
export function createWorld({ commands, oracle, sameCode = false }: WorldParts) {
  const sending: Sending[] = []
  const checking: Checking[] = []
  const seen: Seen[] = []
  const owners = new Map<string, Who>()
  /** The codes that were sent, newest last. The provider never says that one was used. */
  const codes: string[] = []
  let ledger: Ledger = emptyLedger
  let clock = 1_000_000_000
  let issued = 0
  let typed: string | undefined
  const newId = (kind: string) => `${kind} ${++issued}`

  function run<Outcome>(command: (ledger: Ledger, now: number) => Decision<Outcome>): Outcome {
    const { outcome, next } = command(ledger, timeOf(ledger, clock))
    // As a store gives it back.
    if (next !== undefined) ledger = JSON.parse(JSON.stringify(next))
    return outcome
  }

  function agree(what: string, actual: unknown, expected: unknown): void {
    if (oracle !== undefined && actual !== expected) {
      throw new Violation(`${what}: ${actual}, where ${expected} was due`)
    }
  }

  const nameOf = (outcome: { readonly outcome: string; readonly code?: string }) =>
    outcome.code ?? outcome.outcome

  function note(what: string, id: string, answer: SendOutcome, expected: Sending['expected']): void {
    agree(what, nameOf(answer), typeof expected === 'string' ? expected : 'booked')
    if (answer.outcome !== 'booked') return
    owners.set(answer.challenge.id, answer.challenge)
    const trace: Seen = { what: 'sent', at: clock, challenge: answer.challenge.id }
    seen.push(trace)
    sending.push({ id, booked: answer, expected, trace })
  }

  return {
    /** Moves the clock, also backwards where no oracle looks at it. */
    wait(ms: number): void {
      clock += ms
    },

    start(binding: Binding, channel: Channel): void {
      const order = { sendId: newId('send'), challengeId: newId('challenge'), ...binding, channel }
      const answer = run((was, now) => commands.start(was, order, now, limits))
      note('start', order.sendId, answer, oracle?.start(binding, channel, clock))
    },

    resend(who: Who, channel: Channel): void {
      const order = { ...who, sendId: newId('send'), channel }
      const answer = run((was, now) =>
        commands.resend(was, { ...order, shown: liveShown(was, who) }, now, limits),
      )
      note('resend', order.sendId, answer, oracle?.resend(who, channel, clock))
    },

    /** What became of the nth send, 0 the newest. Once it was given back, the same again. */
    sent(nth: number, told: SendResult): void {
      const send = sending.at(-1 - nth)
      if (send === undefined) return
      const { id, booked, expected, settled, trace } = send
      // That nothing left is known within seconds, before another send can be booked.
      const isLate = send !== sending.at(-1)
      const result: SendResult = told.result === 'not-sent' && isLate ? { result: 'unconfirmed' } : told
      if (settled !== undefined && (!refusing.includes(settled.result) || seen.includes(trace))) return
      run((was, now) => commands.settleSend(was, booked, settled ?? result, now, limits))
      if (settled !== undefined) return
      send.settled = result
      if (typeof expected === 'object') oracle?.sent(expected, result)
      const sends = [...ledger.strangers.sends, ...ledger.known.sends]
      const isCounted = sends.some((counted) => counted.id === id && !counted.refused)
      if (refusing.includes(result.result) && !isCounted) seen.splice(seen.indexOf(trace), 1)
      const arrives = !refusing.includes(result.result)
      if (arrives && (!sameCode || codes.length === 0)) codes.push(newId('code'))
    },

    guess(who: Who, guess: Guess, fate: Fate): void {
      const id = newId('attempt')
      const wanted = { right: codes.at(-1), earlier: codes.at(-2), again: typed, wrong: undefined }
      const code = wanted[guess] ?? newId('wrong')
      const right = code === codes.at(-1)
      typed = code
      const answer = run((was, now) =>
        commands.reserve(was, { ...who, shown: liveShown(was, who), id, code }, now, limits),
      )
      const expected = oracle?.guess(who, code, clock)
      agree('guess', nameOf(answer), typeof expected === 'string' ? expected : 'reserved')
      if (answer.outcome === 'refused') {
        if (answer.code === 'phone_locked')
          agree('wait', answer.retryAfterMs, (oracle?.lockEnds(who.budget) ?? 0) - clock)
        return
      }
      const left = limits.attemptsPerChallenge - answer.challenge.attempts
      agree('attempts left', left, oracle?.attemptsRemaining(who.budget))
      if (answer.outcome === 'rejected' || answer.outcome === 'repeated') return
      const unjudged = {
        lost: 'unavailable',
        'never sent': 'not-sent',
        misconfigured: 'misconfigured',
      } as const
      const verdict = fate === 'judged' ? (right ? 'approved' : 'rejected') : unjudged[fate]
      const { id: challenge, budget } = answer.challenge
      if (fate !== 'never sent') seen.push({ what: 'checked', at: clock, challenge, budget, attempt: id })
      checking.push({
        id,
        expected,
        verdict,
        who,
        right,
        code,
        challenge,
        answered: false,
      })
    },

    /** The answer about the nth code that was handed over, 0 the newest. Once given, the same again. */
    answer(nth: number): void {
      const check = checking.at(-1 - nth)
      if (check === undefined) return
      const { id, expected, verdict, who, right, code, challenge, answered } = check
      const { outcome } = run((was, now) => commands.settle(was, id, verdict, now, limits))
      if (typeof expected === 'object') agree('answer', outcome, oracle?.answer(expected, verdict, clock))
      check.answered = true
      if (answered || outcome !== 'approved') return
      const by = { budget: who.budget, session: who.session, subject: who.subject }
      seen.push({
        what: 'let in',
        at: clock,
        challenge,
        attempt: id,
        code,
        right,
        by,
        startedBy: owners.get(challenge) ?? by,
      })
    },

    cancel(who: Who): void {
      run((was, now) => commands.cancel(was, who, now, limits))
      oracle?.cancel(who, clock)
    },

    enable(): void {
      run((was, now) => commands.enable(was, now, limits))
      oracle?.enable()
    },

    /** Throws when what was seen from outside broke a bound. */
    judge(): void {
      const [rule] = broken(seen)
      if (rule !== undefined) throw new Violation(`broken: ${rule}`)
    },
  }
}

export type World = ReturnType<typeof createWorld>
