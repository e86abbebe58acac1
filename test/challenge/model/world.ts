import type { Channel, SendResult, Verdict } from '../../../src/challenge/exchange/code-provider.js'
import {
  type Challenge,
  type ChallengeScope,
  type Decision,
  emptyLedger,
  type Ledger,
  type RequesterTag,
} from '../../../src/challenge/ledger/ledger.js'
import { timeOf } from '../../../src/challenge/ledger/ledgers.js'
import { type Booked, isUndelivered, type SendOutcome } from '../../../src/challenge/ledger/sends.js'
import type { Attempt } from '../../../src/challenge/ledger/settlement.js'
import { browserLimits as limits, liveShown } from '../kit.js'
import { broken, type Seen } from './bounds.js'
import type { LedgerCommands } from './ledger-commands.js'
import type { ExpectedAttempt, ExpectedSend, Oracle } from './oracle.js'

/** What the ledger answered and the oracle did not expect, or a bound that it broke. */
export class Violation extends Error {}

/** What becomes of a code that was handed to the provider. `lost`: judged, but the answer never came. */
export type Fate = 'judged' | 'lost' | 'never sent' | 'misconfigured'

/** Which code is typed: the one sent last, the one before it, one that nobody sent, or the one typed last. */
export type Guess = 'right' | 'earlier' | 'wrong' | 'again'

/** The same of an app: what it shows now, or any other six digits. */
export type Shown = 'right' | 'wrong'

interface Sending {
  readonly booked: Booked
  readonly expected: ExpectedSend | string | undefined
  settled?: SendResult
}

interface Checking {
  readonly attempt: Attempt
  readonly expected: ExpectedAttempt | string | undefined
  readonly verdict: Verdict
  /** Of an app. */
  readonly step?: number
  readonly trace: Extract<Seen, { what: 'checked' }>
  readonly right: boolean
  readonly challenge: Challenge
  told?: string
}

export interface WorldParts {
  readonly commands: LedgerCommands
  /** Says what every command must answer. Without one, the bounds alone judge. */
  readonly oracle?: Oracle
  /** Whether the provider sends the same code again and again. */
  readonly sameCode?: boolean
}

const stepMs = 30_000

/** One account with its ledger, the oracle beside it, an app, and a provider that knows number and code alone. */
export function createWorld({ commands, oracle, sameCode = false }: WorldParts) {
  const sending: Sending[] = []
  const checking: Checking[] = []
  const seen: Seen[] = []
  const owners = new Map<string, RequesterTag>()
  /** The codes that were sent, newest last. The provider never says that one was used. */
  const codes: string[] = []
  /** How many sends came before the last code of another account, by the number. */
  const overtaken = new Map<string, number>()
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

  /** What the numbers that got a code of another account have been sent for this one since. */
  const lastSends = () =>
    Object.fromEntries([...overtaken].map(([factor, before]) => [factor, sentSince(before, factor)]))
  const sentSince = (before: number, factor: string) =>
    sending
      .slice(before)
      .filter(
        ({ booked, settled }) => booked.challenge.factor === factor && !(settled && isUndelivered(settled)),
      )
      .map(({ booked }) => booked.sendId)

  const nameOf = (outcome: { readonly outcome: string; readonly code?: string; readonly undecided?: true }) =>
    outcome.code ?? (outcome.undecided ? `${outcome.outcome}, but was undecided` : outcome.outcome)

  function note(what: string, answer: SendOutcome, expected: Sending['expected']): void {
    const wanted = typeof expected === 'object' ? 'booked' : expected
    agree(what, nameOf(answer), wanted)
    if (answer.outcome !== 'booked') return
    owners.set(answer.challenge.id, answer.challenge)
    sending.push({ booked: answer, expected })
  }

  /** A code that was typed, up to its check. */
  function type(attempt: Attempt, expected: Checking['expected'], right: boolean, fate: Fate, step?: number) {
    const { browserKind } = attempt
    const answer = run((was, now) => commands.reserve(was, attempt, now, limits))
    agree('guess', nameOf(answer), typeof expected === 'string' ? expected : 'reserved')
    if (answer.outcome === 'refused') {
      if (answer.code === 'account_locked')
        agree('wait', answer.retryAfterMs, (oracle?.lockEnds() ?? 0) - clock)
      return
    }
    if (attempt.sealed === undefined) {
      const left = limits.attemptsPerChallenge - answer.challenge.attempts[browserKind]
      agree('attempts left', left, oracle?.attemptsRemaining(browserKind))
    }
    const { id: challenge } = answer.challenge
    const trace = {
      what: 'checked',
      at: clock,
      challenge,
      browserKind,
      attempt: attempt.id,
      guess: JSON.stringify([challenge, attempt.code, ledger.sends.at(-1)?.id]),
      judged: false,
    } as const
    if (answer.outcome === 'rejected') seen.push({ ...trace, judged: true })
    if (answer.outcome !== 'reserved') return
    const unjudged = {
      lost: 'unavailable',
      'never sent': 'not-sent',
      misconfigured: 'misconfigured',
    } as const
    const judged = right ? ('approved' as const) : ('rejected' as const)
    const verdict = fate === 'judged' ? judged : unjudged[fate]
    if (fate !== 'never sent') seen.push(trace)
    const told = { attempt, expected, verdict, trace, right, challenge: answer.challenge }
    checking.push(step === undefined ? told : { ...told, step })
  }

  return {
    /** Moves the clock, also backwards where no oracle looks at it. */
    wait(ms: number): void {
      clock += ms
    },

    start(binding: ChallengeScope, factor: string, channel: Channel): void {
      const ids = { sendId: newId('send'), challengeId: newId('challenge') }
      const order = { ...ids, ...binding, factor, channel, tellsCodesApart: true, lastSends: lastSends() }
      const answer = run((was, now) => commands.start(was, order, now, limits))
      note('start', answer, oracle?.start(binding, factor, channel, clock))
    },

    resend(who: RequesterTag, channel: Channel): void {
      const order = { ...who, sendId: newId('send'), channel, lastSends: lastSends() }
      const answer = run((was, now) =>
        commands.resend(was, { ...order, displayed: liveShown(was) }, now, limits),
      )
      note('resend', answer, oracle?.resend(who, channel, clock))
    },

    /** What became of the nth send, 0 the newest. Once it was told, the same again. */
    sent(nth: number, told: SendResult): void {
      const send = sending.at(-1 - nth)
      if (send === undefined) return
      const { booked, expected, settled } = send
      run((was, now) => commands.settleSend(was, booked, settled ?? told, now, limits))
      if (settled !== undefined) return
      send.settled = told
      if (typeof expected === 'object') oracle?.sent(expected, told)
      const arrives = told.result === 'sent' || told.result === 'unconfirmed'
      if (arrives && (!sameCode || codes.length === 0)) codes.push(newId('code'))
    },

    /** The number got a code for another account. */
    overtake(factor: string): void {
      overtaken.set(factor, sending.length)
      oracle?.overtake(factor)
    },

    guess(who: RequesterTag, guess: Guess, fate: Fate): void {
      const wanted = { right: codes.at(-1), earlier: codes.at(-2), again: typed, wrong: undefined }
      const code = wanted[guess] ?? newId('wrong')
      typed = code
      const factor = ledger.challenge?.factor ?? 'home'
      const displayed = liveShown(ledger)
      const known = { tellsCodesApart: true, lastSends: lastSends() }
      const attempt = { ...who, id: newId('attempt'), displayed, code, factor, ...known }
      type(attempt, oracle?.guess(who, code, clock), code === codes.at(-1), fate)
    },

    /** A code of the app, for a challenge that nobody has written down. */
    show(who: RequesterTag, shown: Shown, startedBy = who): void {
      const sealed: Challenge = {
        id: newId('unsent'),
        ...startedBy,
        purpose: 'login',
        factor: 'app',
        channel: 'app',
        attempts: { unknown: 0, known: 0 },
        expiresAt: clock + limits.codeLifetimeMs,
        maxExpiresAt: clock + limits.codeLifetimeMs,
        fixed: true,
      }
      owners.set(sealed.id, startedBy)
      const right = shown === 'right'
      const step = Math.floor(clock / stepMs)
      const code = right ? `step ${step}` : newId('wrong')
      const shownTo = { challenge: sealed.id }
      const attempt = { ...who, id: newId('attempt'), displayed: shownTo, code, factor: 'app', sealed }
      type(attempt, oracle?.show(who, code, clock, startedBy), right, 'judged', right ? step : undefined)
    },

    /** The answer about the nth code that was handed over, 0 the newest. Once given, the same again. */
    answer(nth: number): void {
      const check = checking.at(-1 - nth)
      if (check === undefined) return
      const { attempt, expected, verdict, step, trace, right, challenge, told } = check
      const outcome = run((was, now) => commands.settle(was, attempt, verdict, step, now, limits))
      const name = nameOf(outcome)
      if (typeof expected === 'object') agree('answer', name, oracle?.answer(expected, verdict, step, clock))
      if (told !== undefined) return
      check.told = name
      if (verdict === 'rejected' && seen.includes(trace)) {
        seen[seen.indexOf(trace)] = { ...trace, judged: true }
      }
      if (outcome.outcome !== 'approved') return
      const { session } = attempt
      const startedBy = owners.get(challenge.id)?.session ?? session
      const code = step === undefined ? attempt.code : `step ${step}`
      const { at, id } = { at: clock, id: attempt.id }
      seen.push({ what: 'let in', at, challenge: challenge.id, attempt: id, code, right, session, startedBy })
    },

    cancel(who: RequesterTag): void {
      run((was, now) => commands.cancel(was, who, now, limits))
      oracle?.cancel(who, clock)
    },

    enable(): void {
      run((was, now) => commands.enable(was, now, limits))
      oracle?.enable()
      seen.push({ what: 'enabled' })
    },

    /** Throws when what was seen from outside broke a bound. */
    judge(): void {
      const [rule] = broken(seen)
      if (rule !== undefined) throw new Violation(`broken: ${rule}`)
    },
  }
}

export type World = ReturnType<typeof createWorld>
